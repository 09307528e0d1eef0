"""Intervals for every component of an estimate, without relabelling."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ._arrays import Floats
from ._credible import Probability, probability_of
from ._document import Answer, plural
from ._frames import frame
from ._measure import Measure
from ._words import FrameLibrary


@dataclass(frozen=True)
class Interval:
    """What the posterior says about numbers: arrays of the shape of the quantity.

    Attributes
    ----------
    mean, median : numpy.ndarray
        Posterior mean and median.
    low, high : numpy.ndarray
        Ends of the interval.
    """

    mean: Floats
    median: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Ellipse:
    """Where a mean is: {x : (x - center)' covariance^-1 (x - center) <= radius^2}.

    Attributes
    ----------
    center : numpy.ndarray, shape (d,)
    covariance : numpy.ndarray, shape (d, d)
    radius : float or None
        None when the draws do not differ.
    """

    center: Floats
    covariance: Floats
    radius: float | None


@dataclass(frozen=True)
class Intervals:
    """Intervals of a component's parameters, over the draws that have it.

    Attributes
    ----------
    weight : Interval
        Arrays of shape ().
    mean, sd : Interval
        Arrays (d,).
    covariance, correlation : Interval or None
        Arrays (d, d); None in many dimensions.
    mean_ellipse : Ellipse
        Where the mean is.
    """

    weight: Interval
    mean: Interval
    sd: Interval
    covariance: Interval | None
    correlation: Interval | None
    mean_ellipse: Ellipse


@dataclass(frozen=True)
class Component:
    """The posterior of one atom of the estimate, or of several that cannot be separated.

    Attributes
    ----------
    atoms : tuple of int
        Its atoms in the estimate: one, or more that are nearly the same or can only be told together.
    weight : float
        Its weight there.
    mean : numpy.ndarray, shape (d,)
        Its mean there.
    covariance : numpy.ndarray, shape (d, d)
        Its covariance there.
    existence : Probability
        Probability that a draw has such a component; that of its group when it cannot be separated from others.
    ambiguity, in_pieces : float
        Probabilities that a draw is ambiguous for it, and that it holds it in pieces.
    beside : float
        Probability that a draw has this component at some distance from the atom of the estimate. 0 unless that is notable; then existence
        and intervals are those of the component as the draws have it.
    standing : str
        ``"clear"``: intervals can be taken at face value. ``"ambiguous"``: in more than 5 % of the draws that have it, it shares an atom with
        another component, so that existence and intervals depend on which of them got the atom. ``"indistinct"``: it cannot be separated from
        others (`rivals`), and there are no intervals. ``"rare"``: the draws that have it have too small an effective sample size for intervals.
    rivals : list of int
        Atoms that it cannot be separated from.
    intervals : Intervals or None
        None where an interval would make no sense: `standing` says why.
    """

    atoms: tuple[int, ...]
    weight: float
    mean: Floats
    covariance: Floats = field(repr=False)
    existence: Probability = field(repr=False)
    ambiguity: float = field(repr=False)
    in_pieces: float = field(repr=False)
    beside: float = field(repr=False)
    standing: str
    rivals: list[int] = field(repr=False)
    intervals: Intervals | None = field(repr=False)


@dataclass(frozen=True)
class Missing:
    """A component that draws have and that the estimate does not have.

    Attributes
    ----------
    weight : float
        Its weight: the mean over the draws that have it, as for `mean` and `covariance`.
    mean : numpy.ndarray, shape (d,)
        Its mean.
    covariance : numpy.ndarray, shape (d, d)
        Its covariance.
    existence : Probability
        Probability that a draw has it.
    intervals : Intervals or None
        Intervals over the draws that have it; None when they are too few.
    """

    weight: float
    mean: Floats
    covariance: Floats = field(repr=False)
    existence: Probability = field(repr=False)
    intervals: Intervals | None = field(repr=False)


@dataclass(frozen=True, eq=False)
class Components(Answer):
    """The components of an estimate with what the posterior says about them, as `components` returns it.

    Attributes
    ----------
    components : list of Component
        The components, heaviest first.
    groups : list of Component
        Those that can only be told together.
    missing : list of Missing
        Components that draws have and the estimate lacks.
    unmatched : Interval
        Mass of a draw that belongs to none of them.
    unreported_weight : float
        Weight of the atoms that are too light to be reported.
    level : float
        Level of the intervals.
    estimate : Measure
        The estimate.
    estimate_source : str
        What it is.
    """

    _kind: ClassVar[str] = "components"

    def __len__(self) -> int:
        return len(self.components)

    def __iter__(self) -> Iterator[Component]:
        return iter(self.components)

    def __getitem__(self, index: int) -> Component:
        return self.components[index]

    components: list[Component]
    groups: list[Component]
    missing: list[Missing]
    unmatched: Interval = field(repr=False)
    unreported_weight: float = field(repr=False)
    level: float
    estimate: Measure = field(repr=False)
    estimate_source: str
    _text: str = field(repr=False)
    _plain: str = field(repr=False)
    _html: str = field(repr=False)

    @classmethod
    def _fields(cls, document: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
        return {
            "components": [_component(one, [one["atom"], *one["nearly_equal"]]) for one in document["components"]],
            "groups": [_component(group["together"], group["atoms"]) for group in document["groups"]],
            "missing": [_missing(one) for one in document["missing"]],
            "unmatched": _interval(document["unmatched"]),
            "unreported_weight": document["unreported_weight"],
            "level": document["level"],
            "estimate": Measure(**document["estimate"]),
            "estimate_source": document["estimate_source"],
        }

    @property
    def existence(self) -> Floats:
        """Probability of each component to exist, (components,)."""
        return np.array([one.existence.value for one in self.components])

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each component, and for each group of those that cannot be separated: existence, and the ends of its intervals."""
        names = self.to_dict().get("columns") or [f"x{a + 1}" for a in range(self.estimate.dim)]
        rows = []
        for one in [*self.components, *self.groups]:
            row: dict[str, Any] = {
                "atoms": one.atoms,
                "standing": one.standing,
                "existence": one.existence.value,
                "existence_se": one.existence.standard_error,
                "weight": one.weight,
                **{f"mean_{name}": one.mean[a] for a, name in enumerate(names)},
            }
            if one.intervals is not None:
                row |= {"weight_low": float(one.intervals.weight.low), "weight_high": float(one.intervals.weight.high)}
                for what, interval in (("mean", one.intervals.mean), ("sd", one.intervals.sd)):
                    for a, name in enumerate(names):
                        row |= {f"{what}_{name}_low": interval.low[a], f"{what}_{name}_high": interval.high[a]}
            rows.append(row)
        return frame(library, rows)

    def __repr__(self) -> str:
        clear = sum(one.standing == "clear" for one in self.components)
        return f"Components({plural(len(self), 'component')} of {self.estimate_source}, {clear} clear, level {self.level:g})"


def _component(document: dict[str, Any], atoms: list[int]) -> Component:
    intervals = document["intervals"]
    return Component(
        atoms=tuple(atoms),
        weight=document["weight"],
        mean=np.array(document["mean"]),
        covariance=np.array(document["covariance"]),
        existence=probability_of(document["existence"]),
        ambiguity=document["ambiguity"],
        in_pieces=document["in_pieces"],
        beside=document["beside"],
        standing=document["standing"],
        rivals=document["rivals"],
        intervals=None if intervals is None else _intervals(intervals),
    )


def _missing(document: dict[str, Any]) -> Missing:
    intervals = document["intervals"]
    return Missing(
        weight=document["weight"],
        mean=np.array(document["mean"]),
        covariance=np.array(document["covariance"]),
        existence=probability_of(document["existence"]),
        intervals=None if intervals is None else _intervals(intervals),
    )


def _intervals(document: dict[str, Any]) -> Intervals:
    ellipse = document["mean_ellipse"]
    return Intervals(
        weight=_interval(document["weight"]),
        mean=_interval(document["mean"]),
        sd=_interval(document["sd"]),
        covariance=_interval(document["covariance"]) if document["covariance"] else None,
        correlation=_interval(document["correlation"]) if document["correlation"] else None,
        mean_ellipse=Ellipse(np.array(ellipse["center"]), np.array(ellipse["covariance"]), ellipse["radius"]),
    )


def _interval(document: Any) -> Interval:
    """One interval, or lists of them as arrays."""

    def pick(entry: Any, name: str) -> Any:
        return [pick(one, name) for one in entry] if isinstance(entry, list) else entry[name]

    mean, median, low, high = (np.array(pick(document, name)) for name in ("mean", "median", "low", "high"))
    return Interval(mean, median, low, high)
