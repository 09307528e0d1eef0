"""How far from an estimate the posterior reaches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ._arrays import Floats
from ._document import Answer, fields
from ._frames import frame
from ._measure import Measure
from ._words import FrameLibrary


class Probability(NamedTuple):
    """A posterior probability with its Monte Carlo error.

    Attributes
    ----------
    value, standard_error : float
        The share of the draws, and its standard error.
    low, high : float
        Its 95 % Monte Carlo interval.
    effective_draws : float
        The effective sample size that it is based on.
    """

    value: float
    standard_error: float
    low: float
    high: float
    effective_draws: float


class Member(NamedTuple):
    """A draw and its distance from the estimate."""

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
        Members that are farthest from the estimate, farthest first: the edge of the ball.
    farthest_draws : list of Member
        Draws that are farthest from the estimate, in the ball or not, farthest first.
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
    farthest_draws: list[Member] = field(repr=False)


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
        Every ``thin``-th draw of a chain was kept, so that they are nearly exchangeable.
    effective_draws : float
        Effective sample size of all draws.
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
class Credible(Answer):
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

    _kind: ClassVar[str] = "credible"

    ball: Ball
    region: Region | None
    conformal: ConformalBall | None
    estimate: Measure = field(repr=False)
    estimate_source: str
    distances: Floats = field(repr=False)
    _text: str = field(repr=False)
    _plain: str = field(repr=False)
    _html: str = field(repr=False)

    @classmethod
    def _fields(cls, document: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
        region, conformal = document["region"], document["conformal"]
        return {
            "ball": ball_of(document["ball"]),
            "region": None if region is None else _region(region),
            "conformal": None if conformal is None else fields(ConformalBall, conformal, estimate=Measure(**conformal["estimate"])),
            "estimate": Measure(**document["estimate"]),
            "estimate_source": document["estimate_source"],
            "distances": np.array(document["distances"]),
        }

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each draw: its distance from the estimate, and whether it is in the ball."""
        inside = self.distances <= self.ball.radius * (1.0 + 1e-12)
        return frame(library, [{"draw": m, "distance": d, "inside": i} for m, (d, i) in enumerate(zip(self.distances, inside))])

    def __repr__(self) -> str:
        error = "" if self.ball.radius_error is None else f" ± {self.ball.radius_error:.2g}"
        parts = [f"radius {self.ball.radius:.4g}{error} around {self.estimate_source}", f"level {self.ball.level:g}"]
        if self.region is not None:
            parts.append(f"hypothesis {'inside' if self.region.inside_ball else 'outside'}")
        if self.conformal is not None:
            radius = self.conformal.radius
            parts.append("no conformal radius" if radius is None else f"conformal radius {radius:.4g}")
        return f"Credible({', '.join(parts)})"


def ball_of(document: dict[str, Any]) -> Ball:
    """The ball of a document."""
    return fields(
        Ball,
        document,
        probability=probability_of(document["probability"]),
        distance_quantiles=np.array(document["distance_quantiles"]),
        farthest=[fields(Member, member) for member in document["farthest"]],
        farthest_draws=[fields(Member, member) for member in document["farthest_draws"]],
    )


def probability_of(document: dict[str, Any]) -> Probability:
    """The probability of a document."""
    return fields(Probability, document)


def _region(document: dict[str, Any]) -> Region:
    return fields(
        Region,
        document,
        probability=probability_of(document["probability"]),
        smallest_ball=probability_of(document["smallest_ball"]),
        distances=np.array(document["distances"]),
    )
