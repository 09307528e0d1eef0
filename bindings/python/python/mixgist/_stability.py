"""What the estimate does when choices change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ._arrays import Floats
from ._credible import Ball, ball_of
from ._document import Answer, fields
from ._frames import frame
from ._measure import Measure
from ._words import FrameLibrary


class Check(NamedTuple):
    """One changed choice.

    Attributes
    ----------
    choice, change : str
        What was changed, and how.
    distance : float or None
        How far the estimate moved.
    radii : float or None
        That in radii of the ball.
    movement : str or None
        ``"stable"`` (at most half a radius, and the number of clusters stays), ``"inside"`` (at most one radius) or ``"outside"``.
    clusters : int or None
        Number of clusters with the change, when there are data.
    error : str or None
        Why there is no estimate with the change.
    """

    choice: str
    change: str
    distance: float | None
    radii: float | None
    movement: str | None
    clusters: int | None
    error: str | None


@dataclass(frozen=True, eq=False)
class Stability(Answer):
    """The stability card, as `stability` returns it.

    Attributes
    ----------
    verdict : str
        The largest movement: ``"stable"``, ``"inside"`` or ``"outside"`` the ball; ``"undecided"`` when chains disagree or there are fewer
        than 20 draws.
    advice : list of str
        One sentence, and a piece of advice for each choice that matters.
    checks : list of Check
        What each change did.
    ball : Ball
        The ball whose radius is the unit.
    clusters : int or None
        Number of clusters before any change.
    thin : int
        Every ``thin``-th draw of a chain was used.
    untried_chains : int
        How many chains were not left out in turn: of many, those with the most draws go first.
    estimate : Measure
        The estimate before any change.
    """

    _kind: ClassVar[str] = "stability"

    verdict: str
    advice: list[str]
    checks: list[Check] = field(repr=False)
    ball: Ball = field(repr=False)
    clusters: int | None = field(repr=False)
    thin: int = field(repr=False)
    untried_chains: int = field(repr=False)
    estimate: Measure = field(repr=False)
    _text: str = field(repr=False)
    _plain: str = field(repr=False)
    _html: str = field(repr=False)

    @classmethod
    def _fields(cls, document: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
        checks = zip(document["checks"], said["changes"], said["errors"])
        return {
            "verdict": document["verdict"],
            "advice": said["advice"],
            "checks": [fields(Check, check, change=change, error=error) for check, change, error in checks],
            "ball": ball_of(document["ball"]),
            "clusters": document["clusters"],
            "thin": document["thin"],
            "untried_chains": document["untried_chains"],
            "estimate": Measure(**document["estimate"]),
        }

    @property
    def radii(self) -> Floats:
        """Movement of each change in radii of the ball; NaN where there was no estimate."""
        return np.array([check.radii for check in self.checks], dtype=np.float64)

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each change of a choice."""
        return frame(library, [check._asdict() for check in self.checks])
