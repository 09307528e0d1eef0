"""The gist of a mixture posterior: one point estimate from thousands of draws, with the evidence for it.

>>> import numpy as np, mixgist
>>> draws = mixgist.Draws(np.full((150, 2), 0.5), np.tile([0.0, 5.0], (150, 1)), np.ones((150, 2)))
>>> mixgist.summarize(draws).n_components
2

scikit-learn, matplotlib, ArviZ, pandas and tqdm are used where they are installed; NumPy is all that is needed.
"""

from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING, Any

from ._aligned import Aligned, Carried, CountPosterior, Gone, HowMany, Memberships
from ._assessment import AtomPath, HeldOut, Judgement, Margin
from ._components import Component, Components, Ellipse, Interval, Intervals, Missing
from ._core import __version__
from ._credible import Ball, ConformalBall, Credible, Member, Probability, Region
from ._distance import Measured, MeasuredArray, distance, distance_matrix, distances_to_draws
from ._blocks import DrawBlocks
from ._draws import Draws
from ._figure import Figure, figure
from ._fit import Convergence, Fit, fit, fit_all
from ._losses import expected_losses
from ._measure import Measure
from ._partition import (
    BallBound,
    PartitionBall,
    PartitionEstimate,
    partition,
    partition_ball,
    partition_losses,
    similarity,
)
from ._posterior import Posterior
from ._questions import align, components, credible, how_many, memberships, representatives, stability, summarize
from ._report import report
from ._representatives import GridDensity, Representative, Representatives, SplitTest
from ._slices import Atoms
from ._stability import Check, Stability
from ._summary import Summary
from ._warnings import MixgistWarning

if TYPE_CHECKING:
    from .sklearn import MixtureSummary

__all__ = [
    "Aligned",
    "AtomPath",
    "Atoms",
    "Ball",
    "BallBound",
    "Carried",
    "Check",
    "Component",
    "Components",
    "ConformalBall",
    "Convergence",
    "CountPosterior",
    "Credible",
    "DrawBlocks",
    "Draws",
    "Ellipse",
    "Figure",
    "Fit",
    "Gone",
    "GridDensity",
    "HeldOut",
    "HowMany",
    "Interval",
    "Intervals",
    "Judgement",
    "Margin",
    "Measure",
    "Measured",
    "MeasuredArray",
    "Member",
    "Memberships",
    "Missing",
    "MixgistWarning",
    "PartitionBall",
    "PartitionEstimate",
    "Posterior",
    "Probability",
    "Region",
    "Representative",
    "Representatives",
    "SplitTest",
    "Stability",
    "Summary",
    "__version__",
    "align",
    "components",
    "credible",
    "distance",
    "distance_matrix",
    "distances_to_draws",
    "expected_losses",
    "figure",
    "fit",
    "fit_all",
    "how_many",
    "memberships",
    "partition",
    "partition_ball",
    "partition_losses",
    "report",
    "representatives",
    "similarity",
    "stability",
    "summarize",
]
if _find_spec("sklearn") is not None:
    __all__ += ["MixtureSummary"]


def __getattr__(name: str) -> Any:
    # scikit-learn is imported when it is asked for, so that mixgist works without it.
    if name == "MixtureSummary":
        from .sklearn import MixtureSummary

        return MixtureSummary
    raise AttributeError(f"module 'mixgist' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
