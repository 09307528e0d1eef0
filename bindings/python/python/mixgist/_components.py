"""Intervals for every component of an estimate, without relabelling."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import Floats
from ._checks import number, optional_number
from ._credible import EstimateLike, Probability, estimate_of
from ._document import Document, html, plural
from ._draws import Draws
from ._measure import Measure
from ._options import AtomCount, Slices, estimating, named, question, takes_slices
from ._progress import ProgressOption
from ._warnings import warn_all

if TYPE_CHECKING:
    from ._options import Unpack

_DEFAULTS = _core.DEFAULTS


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
    """The posterior of one atom of the estimate, or of several that cannot be told apart.

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
        Probability that a draw has such a component; that of its group when it cannot be told apart.
    ambiguity, in_pieces : float
        Probabilities that a draw is ambiguous for it, and that it holds it in pieces.
    beside : float
        Probability that a draw has, beside the estimate's atom, what the atom stands for. 0 unless that is notable; then existence and intervals
        are about what the draws have there.
    standing : str
        ``"clear"``, ``"ambiguous"``, ``"indistinct"`` or ``"rare"``: the draws that have it are worth too few independent ones for
        intervals.
    rivals : list of int
        Atoms that it cannot be told apart from.
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


@dataclass(frozen=True, eq=False)
class Components(Document):
    """The components of an estimate with what the posterior says about them, as `components` returns it.

    Attributes
    ----------
    components : list of Component
        The components, heaviest first.
    groups : list of Component
        Those that can only be told together.
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

    components: list[Component]
    groups: list[Component]
    unmatched: Interval = field(repr=False)
    unreported_weight: float = field(repr=False)
    level: float
    estimate: Measure = field(repr=False)
    estimate_source: str
    _text: str = field(repr=False)

    @property
    def existence(self) -> Floats:
        """Probability of each component to exist, (components,)."""
        return np.array([one.existence.value for one in self.components])

    def __len__(self) -> int:
        return len(self.components)

    def __repr__(self) -> str:
        clear = sum(one.standing == "clear" for one in self.components)
        return f"Components({plural(len(self), 'component')} of {self.estimate_source}, {clear} clear, level {self.level:g})"

    def _repr_html_(self) -> str:
        d = self.estimate.dim
        names = self.to_dict()["columns"] or [f"x{a + 1}" for a in range(d)]
        shown = range(min(d, 4))
        header = ["atom", "exists", "weight", *(f"mean {names[a]}" for a in shown), *(f"sd {names[a]}" for a in shown), "standing"]
        rows = []
        for one in [*self.components, *self.groups]:
            row = ["+".join(map(str, one.atoms)), f"{one.existence.value:.3f}"]
            if one.intervals is None:
                sds = np.sqrt(np.diagonal(one.covariance))
                row += [f"({one.weight:.3g})", *(f"({one.mean[a]:.4g})" for a in shown), *(f"({sds[a]:.3g})" for a in shown)]
            else:
                row.append(_span(one.intervals.weight, ()))
                row += [_span(one.intervals.mean, a) for a in shown] + [_span(one.intervals.sd, a) for a in shown]
            rows.append([*row, one.standing + (", estimate beside it" if one.beside else "")])
        sentences = [f"Components of {self.estimate_source}, intervals of level {self.level:g}; in parentheses the estimate, where there is no interval."]
        return html("Components", sentences, header, rows)


def _span(interval: Interval, place: Any) -> str:
    return f"{interval.median[place]:.3g} [{interval.low[place]:.3g}, {interval.high[place]:.3g}]"


@takes_slices
def components(
    draws: Draws,
    data: Any = None,
    *,
    estimate: EstimateLike = "medoid",
    atoms: AtomCount | None = None,
    level: float = 0.95,
    overlap: float | None = None,
    share: float | None = None,
    least_weight: float | None = None,
    distance: str = _DEFAULTS["distance"],
    loss: str = _DEFAULTS["loss"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Components:
    """The posterior of every component of an estimate: does it exist, and where. No labels are switched anywhere.

    Each draw is coupled with the estimate by exact transport. Components that cannot be told apart say so instead of giving an interval.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to take units from; without it, those that came with the draws.
    estimate : str, Measure, Summary or Draws
        ``"medoid"`` or ``"free"``, estimated from these draws, or a measure of your own.
    atoms : int or "auto", optional
        Number of atoms of the free estimate.
    level : float
        Level of the intervals.
    overlap : float, optional
        Atoms are near when their Gaussians overlap by this much (Bhattacharyya).
    share : float, optional
        A draw has a component when it holds this share of its weight.
    least_weight : float, optional
        Lighter atoms of the estimate are not reported.
    distance, loss, threads, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`; but for the units they matter for the estimate alone.

    Returns
    -------
    Components

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, such as chains that disagree.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> means = np.array([0.0, 5.0]) + 0.1 * rng.standard_normal((200, 2))
    >>> draws = mixgist.Draws(np.full((200, 2), 0.5), means, np.ones((200, 2)))
    >>> found = mixgist.components(draws)
    >>> found.existence
    array([1., 1.])
    >>> mean = found.components[0].intervals.mean
    >>> bool(mean.high[0] - mean.low[0] < 0.5)
    True
    """
    name, own = estimate_of(estimate, atoms)
    rules: _core.ComponentsOptions = {
        "estimate": own,
        "level": number("level", level),
        "overlap": optional_number("overlap", overlap),
        "share": optional_number("share", share),
        "least_weight": optional_number("least_weight", least_weight),
    }
    with question(named(distance), options, data, draws, threads, progress) as asked:
        text, found = _core.components(draws._native, asked, estimating(loss, name, atoms), rules)
    warn_all(found, stacklevel=2)
    document = json.loads(text)
    return Components(
        components=[_component(one, [one["atom"], *one["twins"]]) for one in document["components"]],
        groups=[_component(group["together"], group["atoms"]) for group in document["groups"]],
        unmatched=_interval(document["unmatched"]),
        unreported_weight=document["unreported_weight"],
        level=document["level"],
        estimate=Measure(**document["estimate"]),
        estimate_source=document["estimate_source"],
        _text=text,
    )


def _component(document: dict[str, Any], atoms: list[int]) -> Component:
    intervals = document["intervals"]
    return Component(
        atoms=tuple(atoms),
        weight=document["weight"],
        mean=np.array(document["mean"]),
        covariance=np.array(document["covariance"]),
        existence=Probability(**document["existence"]),
        ambiguity=document["ambiguity"],
        in_pieces=document["in_pieces"],
        beside=document["beside"],
        standing=document["standing"],
        rivals=document["rivals"],
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
