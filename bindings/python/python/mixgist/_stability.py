"""What the estimate does when choices change."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import Floats
from ._checks import number
from ._credible import Ball, ball_of
from ._document import Document, html
from ._draws import Draws
from ._measure import Measure
from ._options import AtomCount, Slices, estimating, named, question, takes_slices
from ._progress import ProgressOption
from ._warnings import warn_all

if TYPE_CHECKING:
    from ._options import Unpack

_DEFAULTS = _core.DEFAULTS


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
        ``"steady"`` (at most half a radius), ``"inside"`` (at most one) or ``"outside"``.
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
class Stability(Document):
    """The stability card, as `stability` returns it.

    Attributes
    ----------
    verdict : str
        The largest movement: ``"steady"``, ``"inside"`` or ``"outside"`` the ball; ``"undecided"`` when chains disagree or there are fewer
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
        Every so many draws of a chain were used.
    untried_chains : int
        How many chains were not left out in turn: of many, those with the most draws go first.
    estimate : Measure
        The estimate before any change.
    """

    verdict: str
    advice: list[str]
    checks: list[Check] = field(repr=False)
    ball: Ball = field(repr=False)
    clusters: int | None = field(repr=False)
    thin: int = field(repr=False)
    untried_chains: int = field(repr=False)
    estimate: Measure = field(repr=False)
    _text: str = field(repr=False)

    @property
    def radii(self) -> Floats:
        """Movement of each change in radii of the ball; NaN where there was no estimate."""
        return np.array([check.radii for check in self.checks], dtype=np.float64)

    def _repr_html_(self) -> str:
        def number(value: float | None) -> str:
            return "–" if value is None else f"{value:.3g}"

        header = ["choice", "change", "moves by", "radii", "clusters", ""]
        rows = [
            [
                check.choice,
                check.change,
                number(check.distance),
                number(check.radii),
                number(check.clusters),
                check.error or check.movement or "",
            ]
            for check in self.checks
        ]
        unit = f"Unit: the ball's radius, {self.ball.radius:.4g} at level {self.ball.level:g}."
        return html("Stability", [*self.advice, unit], header, rows)


@takes_slices
def stability(
    draws: Draws,
    data: Any = None,
    *,
    estimate: str = _DEFAULTS["estimate"],
    atoms: AtomCount | None = None,
    level: float = 0.95,
    distance: str = _DEFAULTS["distance"],
    loss: str = _DEFAULTS["loss"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Stability:
    """How far the estimate moves when slices, seed, units, loss, distance, burn-in or chains change.

    Movements are in radii of the credible ball: up to 0.5 a choice hardly matters, beyond 1 it matters more than what the posterior leaves open.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to label and to take units from; without it, those that came with the draws.
    estimate : str
        ``"medoid"`` or ``"free"``.
    atoms : int or "auto", optional
        Number of atoms of the free estimate.
    level : float
        Posterior probability of the ball.
    distance, loss, threads, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`.

    Returns
    -------
    Stability

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
    >>> card = mixgist.stability(draws, slices=100)
    >>> card.verdict in ("steady", "inside", "outside"), len(card.radii) == len(card.checks)
    (True, True)
    """
    with question(named(distance), options, data, draws, threads, progress) as asked:
        text, found = _core.stability(draws._native, asked, estimating(loss, estimate, atoms), number("level", level))
    warn_all(found, stacklevel=2)
    document = json.loads(text)
    return Stability(
        verdict=document["verdict"],
        advice=[_core.in_python(sentence) for sentence in document["advice"]],
        checks=[_check(check) for check in document["checks"]],
        ball=ball_of(document["ball"]),
        clusters=document["clusters"],
        thin=document["thin"],
        untried_chains=document["untried_chains"],
        estimate=Measure(**document["estimate"]),
        _text=text,
    )


def _check(document: dict[str, Any]) -> Check:
    """A line of the card, with options as Python writes them."""
    change, error = document["change"], document["error"]
    return Check(
        **{**document, "change": _core.in_python(change), "error": None if error is None else _core.in_python(error)}
    )
