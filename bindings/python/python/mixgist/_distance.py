"""Distances between mixing measures."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

import numpy as np

from . import _core
from ._arrays import Floats
from ._checks import flag
from ._draws import Draws
from ._frames import columns_frame, frame
from ._estimates import MeasureLike, measure_of
from ._options import Slices, Unpack, question, takes_slices
from ._progress import ProgressOption
from ._slices import Distance
from ._words import FrameLibrary, SlicedDistance
from ._work import Executor, courier

_DISTANCE = _core.DEFAULTS["distance"]


class Measured(NamedTuple):
    """A distance with its Monte Carlo standard error over slices, which is None for exact distances and single slices.

    ``float(measured)`` is the distance.
    """

    value: float
    standard_error: float | None

    def __float__(self) -> float:
        return self.value

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """One row: distance and standard error."""
        return frame(library, [{"distance": self.value, "standard_error": self.standard_error}])


class MeasuredArray(NamedTuple):
    """Distances with their Monte Carlo standard errors over slices."""

    values: Floats
    standard_errors: Floats | None

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each distance, in their order, with its standard error; of a matrix, for each pair of draws a < b."""
        values, errors = self.values, self.standard_errors
        columns: dict[str, Any] = {"entry": np.arange(len(values))}
        if values.ndim == 2:
            above = np.triu_indices(len(values), 1)
            columns = {"a": above[0], "b": above[1]}
            values, errors = values[above], None if errors is None else errors[above]
        return columns_frame(library, {**columns, "distance": values, "standard_error": [None] * len(values) if errors is None else errors})


@takes_slices
def distance(
    a: MeasureLike,
    b: MeasureLike,
    distance: Distance = _DISTANCE,
    *,
    data: Any = None,
    threads: int | None = None,
    **options: Unpack[Slices],
) -> Measured:
    """The distance between two mixing measures.

    Parameters
    ----------
    a, b : Measure, Summary or Draws
        The two mixtures. Of a summary its estimate is used; draws must contain a single draw.
    distance : str or callable
        A sliced distance (``"sw"``, ``"mix-sw"``, ``"mix-sw-frobenius"``, ``"smix-w"``); an exact one; or a function that maps `Atoms` of K
        atoms to an array (L, K): their positions on L lines. Exact are ``"exact-w"`` (the Wasserstein distance between the measures over pairs of
        mean and covariance, with the log-Euclidean distance between covariances), ``"exact-w-frobenius"`` and ``"exact-w-affine"`` (the same
        with other distances between covariances), ``"mw"`` (the Wasserstein-type distance between Gaussian mixtures of Delon and Desolneux),
        ``"energy"`` and ``"energy-frobenius"`` (energy distances over the same pairs).
    data : array_like, shape (n, d), optional
        Observations to take units from.
    slices : int or "auto", optional
        Number of slices. No estimate is chosen here: ``"auto"``, the default, is the number that `summarize` starts with.
    order : float, optional
        Order p of the transport cost, 2 without it.
    units, scheme, directions, prune, seed, threads
        As in `summarize`.

    Returns
    -------
    Measured
        The distance and its standard error.

    Examples
    --------
    >>> import mixgist
    >>> a = mixgist.Measure([1.0], [0.0], [1.0])
    >>> b = mixgist.Measure([1.0], [3.0], [1.0])
    >>> mixgist.distance(a, b, "exact-w", units="none").value
    3.0

    Slices of your own, here one that sees the means alone:

    >>> mixgist.distance(a, b, lambda atoms: atoms.means.T, units="none").value
    3.0
    """
    first, second = measure_of("a", a), measure_of("b", b)
    with question(distance, options, data, first, threads) as asked:
        return Measured(*_core.distance(first._native, second._native, asked))


@takes_slices
def distances_to_draws(
    measure: MeasureLike,
    draws: Draws,
    distance: Distance = _DISTANCE,
    *,
    data: Any = None,
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> MeasuredArray:
    """The distances of one mixing measure to all draws.

    Parameters
    ----------
    measure : Measure, Summary or Draws
        From here; draws must be a single one.
    draws : Draws
        To each of these.
    distance, slices, order, units, data, scheme, directions, prune, seed, threads
        As in `distance`; units come from the data, or else from the draws.
    progress : bool or callable
        As in `summarize`.

    Returns
    -------
    MeasuredArray
        M distances and their standard errors.

    Examples
    --------
    >>> import mixgist
    >>> draws = mixgist.Draws([[1.0], [1.0], [1.0]], [[0.0], [3.0], [7.0]], [[1.0], [1.0], [1.0]])
    >>> mixgist.distances_to_draws(draws[0], draws, "exact-w", units="none").values
    array([0., 3., 7.])
    """
    first = measure_of("measure", measure)
    with question(distance, options, data, draws, threads, progress) as asked:
        return MeasuredArray(*_core.distances_to_draws(first._native, draws._native, asked))


@takes_slices
def distance_matrix(
    draws: Draws,
    distance: Distance = _DISTANCE,
    *,
    condensed: bool = False,
    data: Any = None,
    threads: int | None = None,
    executor: Executor = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> MeasuredArray:
    """The distances between all draws.

    Parameters
    ----------
    draws : Draws
        The draws.
    condensed : bool
        Return the M (M - 1)/2 entries above the diagonal, as SciPy's ``squareform`` has them, instead of (M, M).
    executor : Executor or dask.distributed.Client, optional
        As in `summarize`, for sliced distances by name.
    distance, slices, order, units, data, scheme, directions, prune, seed, threads
        As in `distance`; units come from the data, or else from the draws.
    progress : bool or callable
        As in `summarize`.

    Returns
    -------
    MeasuredArray
        The distances and their standard errors.

    Examples
    --------
    >>> import mixgist
    >>> draws = mixgist.Draws([[1.0], [1.0], [1.0]], [[0.0], [3.0], [7.0]], [[1.0], [1.0], [1.0]])
    >>> mixgist.distance_matrix(draws, "exact-w", units="none").values
    array([[0., 3., 7.],
           [3., 0., 4.],
           [7., 4., 0.]])
    """
    with question(distance, options, data, draws, threads, progress) as asked:
        sliced = asked["function"] is None and asked["slicing"]["distance"] in get_args(SlicedDistance)
        carried = courier(executor, draws) if sliced else None
        values, errors = _core.distance_matrix(draws._native, asked, carried)
    if flag("condensed", condensed):
        return MeasuredArray(values, errors)
    return MeasuredArray(_square(values, len(draws)), None if errors is None else _square(errors, len(draws)))


def _square(condensed: Floats, size: int) -> Floats:
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size, 1)] = condensed
    matrix += matrix.T
    return matrix
