"""Expected losses of estimates of one's own: of mixing measures, and of partitions."""

from __future__ import annotations

from typing import Any, TypeGuard, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._distance import distances_to_draws
from ._draws import Draws, expect_draws
from ._estimates import MeasureLike
from ._measure import Measure
from ._options import Slices, Unpack, takes_slices
from ._partition import partition_expected_losses
from ._progress import ProgressOption
from ._slices import Distance
from ._words import Omari

_DEFAULTS = _core.DEFAULTS


@takes_slices
def expected_losses(
    estimate: Union[MeasureLike, ArrayLike],
    draws: Union[Draws, ArrayLike],
    *,
    distance: Distance = _DEFAULTS["distance"],
    data: Any = None,
    a: float | None = None,
    omari: Omari = "identical",
    draw_weights: ArrayLike | None = None,
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> dict[str, float]:
    """The mean loss of any estimate over draws, under every loss: of a mixing measure, or of a partition.

    Parameters
    ----------
    estimate : Measure, Summary or single draw; or array_like, shape (n,)
        A mixing measure, or a partition of n observations.
    draws : Draws; or array_like, shape (M, n)
        Draws of mixing measures; for a partition, draws of partitions, or `Draws` that hold labels.
    distance, data, progress, slices, order, units, scheme, directions, prune, seed
        For a measure, as in `distances_to_draws`.
    a, omari, draw_weights
        For a partition, as in `partition`; the generalized losses are among the results when their cost `a` is given.
    threads : int, optional
        Threads to use; all cores without it.

    Returns
    -------
    dict of str to float
        For a measure the mean ``"distance"`` and its p-th ``"power"``; for a partition every loss that `partition` knows.

    Examples
    --------
    >>> import mixgist
    >>> draws = mixgist.Draws([[1.0], [1.0]], [[0.0], [4.0]], [[1.0], [1.0]])
    >>> mixgist.expected_losses(mixgist.Measure([1.0], [1.0], [1.0]), draws, distance="exact-w", units="none")
    {'distance': 2.0, 'power': 5.0}
    >>> mixgist.expected_losses([0, 0, 1], [[0, 0, 1], [0, 0, 1]])["vi"]
    0.0
    """
    if not _is_measure(estimate):
        if options or data is not None:
            name = next(iter(options), "data")
            raise TypeError(f"{name} is for measures, the estimate is a partition")
        return partition_expected_losses(estimate, draws, a, omari, draw_weights, threads)
    posterior = expect_draws("draws", draws)
    if a is not None or draw_weights is not None:
        raise TypeError(f"{'a' if a is not None else 'draw_weights'} is for partitions, the estimate is a measure")
    found = distances_to_draws(estimate, posterior, distance, data=data, threads=threads, progress=progress, **options)
    order = options.get("order") or _DEFAULTS["order"]
    weights = posterior.draw_weights
    return {
        "distance": float(np.average(found.values, weights=weights)),
        "power": float(np.average(found.values**order, weights=weights)),
    }


def _is_measure(estimate: Any) -> TypeGuard[MeasureLike]:
    fitted = hasattr(estimate, "covariance_type")  # a mixture of scikit-learn
    return isinstance(estimate, (Measure, Draws)) or isinstance(getattr(estimate, "estimate", None), Measure) or fitted
