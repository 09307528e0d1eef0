"""Distances between mixing measures."""

from __future__ import annotations

from typing import Any, NamedTuple, Union

import numpy as np

from . import _core
from ._arrays import Floats, points
from ._draws import Draws
from ._measure import Measure
from ._options import Directions, Slicing, Units, slicing, thread_count
from ._progress import ProgressOption, reporter
from ._slices import Atoms, Distance, Native, native_slices
from ._summary import Summary

_DEFAULTS = _core.DEFAULTS

MeasureLike = Union[Measure, Summary, Draws]


class Measured(NamedTuple):
    """A distance with its Monte Carlo standard error over slices, which is None for exact distances and single slices."""

    value: float
    standard_error: float | None


class MeasuredArray(NamedTuple):
    """Distances with their Monte Carlo standard errors over slices."""

    values: Floats
    standard_errors: Floats | None


def distance(
    a: MeasureLike,
    b: MeasureLike,
    distance: Distance = _DEFAULTS["distance"],
    *,
    slices: int | None = None,
    order: float | None = None,
    units: Units = _DEFAULTS["units"],
    data: Any = None,
    scheme: str = _DEFAULTS["scheme"],
    directions: Directions | None = None,
    prune: str | float = _DEFAULTS["prune"],
    seed: int = _DEFAULTS["seed"],
    threads: int | None = None,
) -> Measured:
    """The distance between two mixing measures.

    Parameters
    ----------
    a, b : Measure, Summary or Draws
        The measures; a summary stands for its estimate, draws must be a single one.
    distance : str or callable
        A sliced distance (``"sw"``, ``"mix-sw"``, ``"mix-sw-frobenius"``, ``"smix-w"``), an exact one (``"exact-w"``,
        ``"exact-w-frobenius"``, ``"exact-w-affine"``, ``"mw"``, ``"energy"``, ``"energy-frobenius"``), or a function that maps
        `Atoms` of K atoms to an array (L, K): their positions on L lines.
    slices : int, optional
        Number of slices, 1000 without it.
    order : float, optional
        Order p of the transport cost, 2 without it.
    units, scheme, directions, prune, seed, threads
        As in `summarize`.
    data : array_like, shape (n, d), optional
        Observations to take units from.

    Returns
    -------
    Measured
        The distance and its standard error.

    Examples
    --------
    >>> import mixgist
    >>> a = mixgist.Measure([1.0], [0.0], [1.0])
    >>> b = mixgist.Measure([1.0], [3.0], [1.0])
    >>> mixgist.distance(a, b, "exact-w").value
    3.0

    Slices of your own, here one that sees the means alone:

    >>> mixgist.distance(a, b, lambda atoms: atoms.means.T).value
    3.0
    """
    first, second = _measure("a", a), _measure("b", b)
    options, function = _prepared(distance, slices, order, units, scheme, directions, prune, seed, first)
    x = None if data is None else points("data", data)
    found = _core.distance(first._native, second._native, x, options, function, thread_count(threads))
    return Measured(*found)


def distances_to_draws(
    measure: MeasureLike,
    draws: Draws,
    distance: Distance = _DEFAULTS["distance"],
    *,
    slices: int | None = None,
    order: float | None = None,
    units: Units = _DEFAULTS["units"],
    data: Any = None,
    scheme: str = _DEFAULTS["scheme"],
    directions: Directions | None = None,
    prune: str | float = _DEFAULTS["prune"],
    seed: int = _DEFAULTS["seed"],
    threads: int | None = None,
    progress: ProgressOption = False,
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
    """
    first = _measure("measure", measure)
    options, function = _prepared(distance, slices, order, units, scheme, directions, prune, seed, first)
    x = _data(data, draws)
    with reporter(progress) as report:
        found = _core.distances_to_draws(
            first._native, draws._native, x, options, function, thread_count(threads), report
        )
    return MeasuredArray(*found)


def distance_matrix(
    draws: Draws,
    distance: Distance = _DEFAULTS["distance"],
    *,
    condensed: bool = False,
    slices: int | None = None,
    order: float | None = None,
    units: Units = _DEFAULTS["units"],
    data: Any = None,
    scheme: str = _DEFAULTS["scheme"],
    directions: Directions | None = None,
    prune: str | float = _DEFAULTS["prune"],
    seed: int = _DEFAULTS["seed"],
    threads: int | None = None,
    progress: ProgressOption = False,
) -> MeasuredArray:
    """The distances between all draws.

    Parameters
    ----------
    draws : Draws
        The draws.
    condensed : bool
        Return the M (M - 1)/2 entries above the diagonal, as SciPy's ``squareform`` has them, instead of (M, M).
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
    >>> mixgist.distance_matrix(draws, "exact-w").values
    array([[0., 3., 7.],
           [3., 0., 4.],
           [7., 4., 0.]])
    """
    options, function = _prepared(distance, slices, order, units, scheme, directions, prune, seed, draws[0])
    x = _data(data, draws)
    with reporter(progress) as report:
        values, errors = _core.distance_matrix(
            draws._native, x, options, function, thread_count(threads), report
        )
    if condensed:
        return MeasuredArray(values, errors)
    return MeasuredArray(_square(values, len(draws)), None if errors is None else _square(errors, len(draws)))


def _square(condensed: Floats, size: int) -> Floats:
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size, 1)] = condensed
    matrix += matrix.T
    return matrix


def _data(data: Any, draws: Draws) -> Floats | None:
    return draws.data if data is None else points("data", data)


def _measure(name: str, measure: MeasureLike) -> Measure:
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, Summary):
        return measure.estimate
    if isinstance(measure, Draws):
        if len(measure) == 1:
            return measure[0]
        raise ValueError(f"{name} holds {len(measure)} draws, a distance is between single ones\nhint: choose one, as in draws[17]")
    raise TypeError(f"{name} is a {type(measure).__name__}, expected a Measure, Summary or single draw")


def _prepared(
    distance: Distance,
    slices: int | None,
    order: float | None,
    units: Units,
    scheme: str,
    directions: Directions | None,
    prune: str | float,
    seed: int,
    example: Measure,
) -> tuple[Slicing, tuple[Native, int] | None]:
    """The options as the core reads them, and the user's function if there is one."""
    if not callable(distance):
        return slicing(distance, slices, order, units, scheme, directions, prune, seed), None
    if slices is not None or directions is not None:
        raise ValueError("a slice function makes its own slices\nhint: leave out slices and directions")
    probe = Atoms(example.means[:2], example.covariances[:2])
    options = slicing(_DEFAULTS["distance"], None, order, units, scheme, None, prune, seed)
    return options, native_slices(distance, probe)
