"""Slices given as a function of the user's: any map from atoms to positions on L lines."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Floats, floats
from ._words import DistanceName


class Atoms(NamedTuple):
    """What a slice function sees.

    Attributes
    ----------
    means : numpy.ndarray, shape (K, d)
    covariances : numpy.ndarray, shape (K, d, d)
    """

    means: Floats
    covariances: Floats


SliceFunction = Callable[[Atoms], ArrayLike]
Distance = Union[DistanceName, SliceFunction]
Native = Callable[[Floats, Floats, int], Floats]
# The function as the core calls it, the number of its slices, and its name.
Function = tuple[Native, int, str]


def native_slices(function: SliceFunction, probe: Atoms) -> tuple[Native, int]:
    """The function as the core calls it, and the number of its slices, found by a look at two atoms.

    A position must depend on its own atom alone, or the result would be no distance: the first atom of the probe is also asked for on
    its own.
    """
    both = _positions(function, probe, None)
    slices = both.shape[0]
    if slices == 0:
        raise ValueError("the slice function returned no slices")
    if probe.means.shape[0] > 1:
        alone = _positions(function, Atoms(probe.means[:1], probe.covariances[:1]), slices)
        if not np.allclose(both[:, :1], alone, rtol=1e-6, atol=1e-6 * np.abs(both).max()):
            raise ValueError("the slice function gives an atom another position when it is alone: each column must depend on its own atom")

    def native(means: Floats, covariances: Floats, count: int) -> Floats:
        return _positions(function, Atoms(means, covariances), count)

    return native, slices


def _positions(function: SliceFunction, atoms: Atoms, slices: int | None) -> Floats:
    positions = floats("the result of the slice function", function(atoms))
    k = atoms.means.shape[0]
    if positions.ndim != 2 or positions.shape[1] != k or slices not in (None, positions.shape[0]):
        expected = f"({'L' if slices is None else slices}, {k})"
        raise ValueError(f"the slice function returned an array of shape {positions.shape}, expected {expected}")
    wrong = np.argwhere(~np.isfinite(positions))
    if len(wrong):
        l, atom = wrong[0]
        raise ValueError(
            f"the slice function returned {positions[l, atom]} on slice {l} for atom {atom} of {k}, whose mean is "
            f"{atoms.means[atom].tolist()}: positions must be finite"
        )
    return positions


def name_of(function: Any) -> str:
    """The name of a function for documents."""
    return str(getattr(function, "__name__", type(function).__name__))
