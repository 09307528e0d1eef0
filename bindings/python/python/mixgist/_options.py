"""Options of everything that measures and estimates, in the words of the command line."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Literal, TypedDict, TypeVar, Union

from numpy.typing import ArrayLike

from . import _core
from ._arrays import Floats, columns_of, floats, named_points, numbers_text
from ._checks import count, count_or_auto, number, optional_number, text, thread_count, word
from ._draws import Draws, expect_draws
from ._measure import Measure
from ._progress import ProgressOption, Report, reporter
from ._slices import Atoms, Distance, Function, name_of, native_slices
from ._words import Pruning, Scheme, UnitsName

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    try:
        from typing import Unpack
    except ImportError:  # Python 3.10

        class Unpack:
            """Stands for keyword arguments in annotations."""

            def __class_getitem__(cls, options: Any) -> Any:
                return Any

_DEFAULTS = _core.DEFAULTS

AtomCount = Union[int, Literal["auto"]]
SliceCount = Union[int, Literal["auto"], None]
Units = Union[UnitsName, Sequence[float], None]
Directions = Mapping[str, ArrayLike]
F = TypeVar("F", bound=Callable[..., Any])


class Slices(TypedDict, total=False):
    """Options that every function about distances takes."""

    slices: SliceCount
    order: float | None
    units: Units
    scheme: Scheme
    directions: Directions | None
    prune: Pruning | float
    seed: int


# What they are when they are left out; in the order in which signatures show them.
_USUAL: Slices = {
    "slices": None,
    "order": None,
    "units": _DEFAULTS["units"],
    "scheme": _DEFAULTS["scheme"],
    "directions": None,
    "prune": _DEFAULTS["prune"],
    "seed": _DEFAULTS["seed"],
}


def takes_slices(function: F) -> F:
    """Shows the options behind ``**options`` in the signature of a function."""
    signature = inspect.signature(function)
    own = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
    shown = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=Slices.__annotations__[name])
        for name, value in _USUAL.items()
    ]
    function.__signature__ = signature.replace(parameters=[*own, *shown])  # type: ignore[attr-defined]
    return function


class Slicing(TypedDict):
    """How distances are measured, as the core reads it."""

    distance: str
    slices: str | None
    order: float | None
    units: str
    scheme: str
    directions: list[tuple[str, Floats]] | None
    prune: str
    seed: int


class Question(TypedDict):
    """What every call about distances takes, as the core reads it."""

    slicing: Slicing
    data: Floats | None
    columns: list[str] | None
    function: Function | None
    threads: int | None
    progress: Report | None


@contextmanager
def question(
    distance: Distance,
    options: Slices,
    data: Any,
    about: Draws | Measure,
    threads: Any,
    progress: ProgressOption = False,
) -> Iterator[Question]:
    """The options as the core reads them, with a report of progress."""
    asked = bound(distance, options, data, about, threads)
    with reporter(progress) as report:
        yield {**asked, "progress": report}


def bound(distance: Distance, options: Slices, data: Any, about: Draws | Measure, threads: Any) -> Question:
    """The options as the core reads them; it checks their values.

    `about` is what the question is about: it tells how many slices a function has, and what the columns of the data are called.
    """
    if not isinstance(about, Measure):
        expect_draws("draws", about)
    unknown = sorted(options.keys() - _USUAL.keys())
    if unknown:
        raise TypeError(f"there is no option {unknown[0]!r}\nhint: options of the distance are {', '.join(_USUAL)}")
    if options.get("directions") is not None:
        for name in ("slices", "scheme"):
            if options.get(name) is not None:
                raise ValueError(f"directions that are given need no {name}\nhint: leave out {name}, or directions")
    function = None
    if callable(distance):
        for name in ("slices", "directions"):
            if options.get(name) is not None:
                raise ValueError(f"a slice function makes its own slices\nhint: leave out {name}")
        example = about[0] if isinstance(about, Draws) else about
        slices, lines = native_slices(distance, Atoms(example.means[:2], example.covariances[:2]))
        function = (slices, lines, name_of(distance))
        options, distance = {**options, "slices": lines}, _DEFAULTS["distance"]
    known = about.columns if isinstance(about, Draws) else None
    return Question(
        slicing=_slicing(distance, {**_USUAL, **options}),
        data=None if data is None else named_points("data", data, known),
        columns=columns_of(data),
        function=function,
        threads=thread_count(threads),
        progress=None,
    )


def _slicing(distance: Any, options: Slices) -> Slicing:
    prune, directions = options["prune"], options["directions"]
    given = None
    if directions is not None:
        if not isinstance(directions, Mapping):
            raise TypeError(f"directions is {directions!r}, expected a mapping of names to arrays, or None")
        given = [(text("a name in directions", name), floats(f"directions {name!r}", array)) for name, array in directions.items()]
    return Slicing(
        distance=word("distance", distance, otherwise=", or a function of Atoms"),
        slices=count_or_auto("slices", options["slices"], ", 'auto' or None"),
        order=optional_number("order", options["order"]),
        units=_units(options["units"]),
        scheme=word("scheme", options["scheme"]),
        directions=given,
        prune=prune if isinstance(prune, str) else repr(number("prune", prune, " from 0 to 1, 'off' or 'rounding'")),
        seed=count("seed", options["seed"]),
    )


class Estimating(TypedDict):
    """Which estimate, as the core reads it."""

    loss: str
    route: str
    estimate: tuple[str, str | None]
    candidate: _core.Measure | None


def estimating(
    loss: str = _DEFAULTS["loss"],
    estimate: str = _DEFAULTS["estimate"],
    atoms: AtomCount | None = None,
    route: str = _DEFAULTS["route"],
    candidate: Measure | None = None,
) -> Estimating:
    """The options as the core reads them; it checks their values."""
    return Estimating(
        loss=word("loss", loss),
        route=word("route", route),
        estimate=(word("estimate", estimate), count_or_auto("atoms", atoms, ", 'auto' or None")),
        candidate=None if candidate is None else candidate._native,
    )


def _units(units: Any) -> str:
    if units is None:
        return "none"
    if isinstance(units, str):
        return units
    try:
        return numbers_text([number("an entry of units", one) for one in units])
    except TypeError as error:
        raise TypeError(f"units is {units!r}, expected 'none', 'sd', 'whiten', None, or one number per coordinate") from error
