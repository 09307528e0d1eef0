"""How far from an estimate the posterior reaches."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from . import _core
from ._arrays import Floats
from ._checks import flag, number, optional_number
from ._document import Document, html
from ._draws import Draws
from ._estimates import MeasureLike, measure_of
from ._measure import Measure
from ._options import AtomCount, Slices, estimating, named, question, takes_slices
from ._progress import ProgressOption
from ._warnings import warn_all

if TYPE_CHECKING:
    from ._options import Unpack

_DEFAULTS = _core.DEFAULTS

# The name of an estimator, or a measure of one's own.
EstimateLike = Union[str, MeasureLike]


class Probability(NamedTuple):
    """A posterior probability with its Monte Carlo error.

    Attributes
    ----------
    value, standard_error : float
        The share of the draws, and its standard error.
    low, high : float
        Its 95 % Monte Carlo interval.
    effective_draws : float
        How many independent draws it rests on.
    """

    value: float
    standard_error: float
    low: float
    high: float
    effective_draws: float


class Member(NamedTuple):
    """A draw within a ball."""

    draw: int
    chain: int
    iteration: int
    distance: float


@dataclass(frozen=True)
class Ball:
    """The smallest ball around an estimate that holds a posterior probability.

    Attributes
    ----------
    level : float
        The probability that was asked for.
    radius, radius_error : float
        The radius, and its Monte Carlo standard error (None with too few effective draws).
    radius_low, radius_high : float
        The radii one standard error of the level below and above.
    slice_error : float or None
        Error over slices of the distance to the most distant member.
    probability : Probability
        What the ball holds.
    distance_quantiles : numpy.ndarray, shape (5,)
        Quantiles of the distance at 5, 25, 50, 75 and 95 %.
    farthest : list of Member
        Members that are farthest from the estimate, farthest first.
    """

    level: float
    radius: float
    radius_low: float = field(repr=False)
    radius_high: float | None = field(repr=False)
    radius_error: float | None
    slice_error: float | None = field(repr=False)
    probability: Probability
    distance_quantiles: Floats = field(repr=False)
    farthest: list[Member] = field(repr=False)


@dataclass(frozen=True)
class Region:
    """The posterior near a hypothesised measure.

    Attributes
    ----------
    radius : float
        Radius of the region.
    probability : Probability
        Its posterior probability.
    distance_to_estimate : float
        How far the hypothesised measure is from the estimate.
    inside_ball : bool
        Whether the ball around the estimate holds it.
    smallest_ball : Probability
        Probability of the smallest ball around the estimate that holds it.
    distances : numpy.ndarray, shape (M,)
        Its distance to every draw.
    """

    radius: float
    probability: Probability
    distance_to_estimate: float
    inside_ball: bool
    smallest_ball: Probability = field(repr=False)
    distances: Floats = field(repr=False)


@dataclass(frozen=True)
class ConformalBall:
    """A ball that holds the next draw with a probability that is guaranteed for this number of draws.

    Attributes
    ----------
    level : float
        The coverage that was asked for.
    radius : float or None
        The radius; None when there are too few draws.
    rank : int or None
        Its rank among the calibration draws, from 1.
    coverage, coverage_sd : float or None
        Coverage of the next draw is at least this; its standard deviation between splits.
    needed_draws : int or None
        Without a radius: the least number of calibration draws that would do.
    attainable_level : float or None
        Without a radius: the most that the present number can guarantee.
    calibration_draws, fitted_draws : int
        How many draws calibrate, and how many gave the estimate.
    thin : int
        Every so many draws of a chain were kept, so that they are nearly exchangeable.
    effective_draws : float
        How many independent draws all draws are worth.
    estimate_given : bool
        Whether the centre was given; it must not come from these draws then.
    estimate : Measure
        The centre.
    """

    level: float
    radius: float | None
    rank: int | None = field(repr=False)
    coverage: float | None
    coverage_sd: float | None = field(repr=False)
    needed_draws: int | None = field(repr=False)
    attainable_level: float | None = field(repr=False)
    calibration_draws: int
    fitted_draws: int = field(repr=False)
    thin: int = field(repr=False)
    effective_draws: float = field(repr=False)
    estimate_given: bool = field(repr=False)
    estimate: Measure = field(repr=False)


@dataclass(frozen=True, eq=False)
class Credible(Document):
    """How far from an estimate the posterior reaches, as `credible` returns it.

    Attributes
    ----------
    ball : Ball
        The credible ball.
    region : Region or None
        The posterior near the hypothesised measure, when one was given.
    conformal : ConformalBall or None
        The conformal ball, when it was asked for.
    estimate : Measure
        The centre of the ball.
    estimate_source : str
        What it is.
    distances : numpy.ndarray, shape (M,)
        Its distance to every draw.
    """

    ball: Ball
    region: Region | None
    conformal: ConformalBall | None
    estimate: Measure = field(repr=False)
    estimate_source: str
    distances: Floats = field(repr=False)
    _text: str = field(repr=False)

    def __repr__(self) -> str:
        error = "" if self.ball.radius_error is None else f" ± {self.ball.radius_error:.2g}"
        parts = [f"radius {self.ball.radius:.4g}{error} around {self.estimate_source}", f"level {self.ball.level:g}"]
        if self.region is not None:
            parts.append(f"hypothesis {'inside' if self.region.inside_ball else 'outside'}")
        if self.conformal is not None:
            radius = self.conformal.radius
            parts.append("no conformal radius" if radius is None else f"conformal radius {radius:.4g}")
        return f"Credible({', '.join(parts)})"

    def _repr_html_(self) -> str:
        ball = self.ball
        error = "" if ball.radius_error is None else f" ± {ball.radius_error:.2g}"
        sentences = [
            f"Radius {ball.radius:.4g}{error} around {self.estimate_source} holds {ball.probability.value:.4f} of the posterior "
            f"({ball.probability.effective_draws:.0f} effective draws)."
        ]
        if self.region is not None:
            place = "inside" if self.region.inside_ball else "outside"
            sentences.append(
                f"The posterior is within {self.region.radius:.4g} of the hypothesis with probability "
                f"{self.region.probability.value:.3f}; the hypothesis is {place} the ball."
            )
        if self.conformal is not None:
            found = self.conformal
            if found.radius is None:
                sentences.append(f"No conformal radius: level {found.level} needs {found.needed_draws} calibration draws.")
            else:
                sentences.append(f"Radius {found.radius:.4g} holds the next draw with probability at least {found.coverage:.4f}.")
            if found.estimate_given:
                sentences.append("This guarantee holds only if the given estimate was made without these draws.")
        rows = [[str(m.draw), str(m.chain), str(m.iteration), f"{m.distance:.4g}"] for m in ball.farthest]
        title = f"{100 * ball.level:g} % credible ball"
        return html(title, [*sentences, "Its most distant members:"], ["draw", "chain", "iteration", "distance"], rows)


@takes_slices
def credible(
    draws: Draws,
    data: Any = None,
    *,
    estimate: EstimateLike = "medoid",
    atoms: AtomCount | None = None,
    level: float = 0.95,
    hypothesis: MeasureLike | None = None,
    radius: float | None = None,
    conformal: bool = False,
    distance: str = _DEFAULTS["distance"],
    loss: str = _DEFAULTS["loss"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Credible:
    """The credible ball around an estimate, the probability of a region, and a conformal ball.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to take units from; without it, those that came with the draws.
    estimate : str, Measure, Summary or Draws
        The centre of the ball: ``"medoid"`` or ``"free"``, estimated from these draws, or a measure of your own.
    atoms : int or "auto", optional
        Number of atoms of the free estimate.
    level : float
        Posterior probability of the ball.
    hypothesis : Measure, Summary or Draws, optional
        A hypothesised measure: the posterior probability of a region around it is given.
    radius : float, optional
        Radius of that region; without it, that of the ball.
    conformal : bool
        Add a ball that holds the next draw with a probability guaranteed for this number of draws. Without an estimate of your own its
        centre is estimated from one half of the draws, and the other half calibrates. The guarantee for an estimate of your own holds only if
        it was made without these draws; a `Summary` of them is refused.
    distance : str
        Law of the slices, see `summarize`.
    loss, threads, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`.

    Returns
    -------
    Credible

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
    >>> truth = mixgist.Measure([0.5, 0.5], [0.0, 5.0], [1.0, 1.0])
    >>> found = mixgist.credible(draws, hypothesis=truth, conformal=True)
    >>> found.ball.probability.value >= 0.95, found.region.inside_ball
    (True, True)
    >>> bool((found.distances <= found.ball.radius).mean() >= 0.95)
    True
    """
    if radius is not None and hypothesis is None:
        raise ValueError("radius is that of a region around a hypothesis\nhint: give the hypothesis")
    made_from = getattr(estimate, "_made_from", None)
    if conformal and made_from is not None and made_from() is draws:
        raise ValueError(
            "the estimate was made from these draws, so that no conformal ball around it is guaranteed\n"
            "hint: leave out estimate: one half of the draws then gives the estimate, the other half calibrates"
        )
    name, own = estimate_of(estimate, atoms)
    asking: _core.CredibleOptions = {
        "estimate": own,
        "level": number("level", level),
        "hypothesis": None if hypothesis is None else measure_of("hypothesis", hypothesis)._native,
        "radius": optional_number("radius", radius),
        "conformal": flag("conformal", conformal),
    }
    with question(named(distance), options, data, draws, threads, progress) as asked:
        text, found = _core.credible(draws._native, asked, estimating(loss, name, atoms), asking)
    warn_all(found, stacklevel=2)
    return _credible(text)


def estimate_of(estimate: EstimateLike, atoms: AtomCount | None) -> tuple[str, _core.Given]:
    """The name of an estimator, or else a measure that was given with what it is."""
    if isinstance(estimate, str):
        return estimate, None
    if atoms is not None:
        raise ValueError("atoms is for an estimate that is to be found\nhint: leave out atoms, or use estimate=\"free\"")
    return "medoid", (measure_of("estimate", estimate, "'medoid', 'free', ")._native, f"given {type(estimate).__name__}")


def ball_of(document: dict[str, Any]) -> Ball:
    """The ball of a document."""
    return Ball(
        **{
            **document,
            "probability": Probability(**document["probability"]),
            "distance_quantiles": np.array(document["distance_quantiles"]),
            "farthest": [Member(**member) for member in document["farthest"]],
        }
    )


def _credible(text: str) -> Credible:
    document = json.loads(text)
    region, conformal = document["region"], document["conformal"]
    if region is not None:
        for name in ("probability", "smallest_ball"):
            region[name] = Probability(**region[name])
        region["distances"] = np.array(region["distances"])
    if conformal is not None:
        conformal["estimate"] = Measure(**conformal["estimate"])
    return Credible(
        ball=ball_of(document["ball"]),
        region=None if region is None else Region(**region),
        conformal=None if conformal is None else ConformalBall(**conformal),
        estimate=Measure(**document["estimate"]),
        estimate_source=document["estimate_source"],
        distances=np.array(document["distances"]),
        _text=text,
    )
