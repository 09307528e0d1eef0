"""The gist of a mixture posterior: one point estimate from thousands of draws, with the evidence for it.

>>> import numpy as np, mixgist
>>> draws = mixgist.Draws(np.full((150, 2), 0.5), np.tile([0.0, 5.0], (150, 1)), np.ones((150, 2)))
>>> mixgist.summarize(draws).n_components
2

scikit-learn, matplotlib, ArviZ, pandas and tqdm are used where they are installed; NumPy is all that is needed.
"""

from typing import TYPE_CHECKING, Any

from ._core import __version__
from ._distance import Measured, MeasuredArray, distance, distance_matrix, distances_to_draws
from ._draws import Draws
from ._fit import Convergence, Fit, fit
from ._measure import Measure
from ._partition import (
    BallBound,
    PartitionBall,
    PartitionEstimate,
    expected_losses,
    partition,
    partition_ball,
    partition_losses,
    similarity,
)
from ._report import report
from ._slices import Atoms
from ._summary import Summary, summarize
from ._warnings import MixgistWarning

if TYPE_CHECKING:
    from .sklearn import MixtureSummary

__all__ = [
    "Atoms",
    "BallBound",
    "Convergence",
    "Draws",
    "Fit",
    "Measure",
    "Measured",
    "MeasuredArray",
    "MixgistWarning",
    "MixtureSummary",
    "PartitionBall",
    "PartitionEstimate",
    "Summary",
    "__version__",
    "distance",
    "distance_matrix",
    "distances_to_draws",
    "expected_losses",
    "fit",
    "partition",
    "partition_ball",
    "partition_losses",
    "report",
    "similarity",
    "summarize",
]


def __getattr__(name: str) -> Any:
    # scikit-learn is imported when it is asked for, so that mixgist works without it.
    if name == "MixtureSummary":
        from .sklearn import MixtureSummary

        return MixtureSummary
    raise AttributeError(f"module 'mixgist' has no attribute {name!r}")
