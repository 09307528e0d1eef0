"""Options of everything that measures by slices, in the words of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Union

from numpy.typing import ArrayLike

from . import _core
from ._arrays import Floats, count, floats, numbers_text

SliceCount = Union[int, Literal["auto"]]
AtomCount = Union[int, Literal["auto"]]
Units = Union[str, Sequence[float], None]
Directions = Mapping[str, ArrayLike]


class Slicing(TypedDict):
    """What the core reads."""

    distance: str
    slices: str | None
    order: float | None
    units: str
    scheme: str
    directions: list[tuple[str, Floats]] | None
    prune: str
    seed: int


def slicing(
    distance: str,
    slices: SliceCount | None,
    order: float | None,
    units: Units,
    scheme: str,
    directions: Directions | None,
    prune: str | float,
    seed: int,
) -> Slicing:
    """The options as the core reads them; it checks their values."""
    given = None
    if directions is not None:
        given = [(name, floats(f"directions {name!r}", array)) for name, array in directions.items()]
    return Slicing(
        distance=distance,
        slices=None if slices is None else slices if isinstance(slices, str) else str(count("slices", slices)),
        order=None if order is None else float(order),
        units=_units(units),
        scheme=scheme,
        directions=given,
        prune=prune if isinstance(prune, str) else repr(float(prune)),
        seed=count("seed", seed),
    )


class Estimating(TypedDict):
    """What the core reads when it estimates."""

    slicing: Slicing
    loss: str
    route: str
    estimate: tuple[str, str | None]
    candidate: _core.Measure | None


def estimator(estimate: str, atoms: AtomCount | None) -> tuple[str, str | None]:
    """The estimator as the core reads it."""
    if atoms is None or isinstance(atoms, str):
        return estimate, atoms
    return estimate, str(count("atoms", atoms))


def _units(units: Units) -> str:
    if units is None:
        return "none"
    return units if isinstance(units, str) else numbers_text(units)


def thread_count(threads: Any) -> int | None:
    """A number of threads, or all cores."""
    return None if threads is None else count("threads", threads, 1)
