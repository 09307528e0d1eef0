"""How good an estimate is: against the best possible, on other slices, and with fewer or more atoms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ._arrays import Floats, Integers
from ._document import fields
from ._frames import frame
from ._measure import Measure
from ._words import FrameLibrary


class HeldOut(NamedTuple):
    """An expected loss under slices that nothing was fitted to.

    Attributes
    ----------
    expected_loss, expected_loss_se : float
        The expected loss, and its standard error over slices.
    over_medoid, over_medoid_se : float
        How much it is above that of the medoid (negative is better), and the standard error of that difference.
    """

    expected_loss: float
    expected_loss_se: float | None
    over_medoid: float
    over_medoid_se: float | None


class Margin(NamedTuple):
    """The lead of the medoid over the draw that is hardest to tell from it, with its errors and one verdict.

    Attributes
    ----------
    rival : int
        That draw: the runner-up, or one that lies farther.
    lead : float
        By how much its expected loss is larger.
    slice_error, draw_error : float or None
        Standard errors of the lead over slices and over posterior draws.
    effective_draws : float
        Effective sample size of the lead.
    separation, p_value : float or None
        The lead in standard errors of both kinds together, and the probability that chance alone makes such a lead.
    radii : float
        Distance between the two, in radii of the 95 % credible ball around the medoid.
    nearer : float
        Posterior probability of the draws that are nearer to the medoid than the rival is.
    verdict : str
        ``"safe"``; ``"tied"``; ``"alike"``, not told from a rival that is nearly the same measure; ``"few-slices"`` or ``"few-draws"``, not told from
        a rival that differs, and what would help; ``"unknown"``, when there is no error over slices.
    """

    rival: int
    lead: float
    slice_error: float | None
    draw_error: float | None
    effective_draws: float
    separation: float | None
    p_value: float | None
    radii: float
    nearer: float
    verdict: str


class Judgement(NamedTuple):
    """How good one estimate is.

    Attributes
    ----------
    expected_loss : float
        Mean loss over the draws, under the slices that the floor is for.
    excess : float or None
        How far that is above the floor, as a part of it: 0.02 is within 2 % of the best possible. None when the floor is 0.
    held_out : HeldOut or None
        The expected loss under other slices.
    """

    expected_loss: float
    excess: float | None
    held_out: HeldOut | None


@dataclass(frozen=True)
class AtomPath:
    """The best fits with 1, 2, 3, … atoms, from which a free estimate is chosen.

    Attributes
    ----------
    atoms : numpy.ndarray, shape (k,)
        Most atoms that each fit may have; some may have vanished.
    expected_loss, excess : numpy.ndarray, shape (k,)
        Expected loss of each, and how far it is above the floor, as a part of it (NaN when the floor is 0).
    held_out, held_out_se : numpy.ndarray, shape (k,)
        Expected loss under other slices, with its standard error.
    over_best, over_best_se : numpy.ndarray, shape (k,)
        How much the held-out loss is above the least on the path, with the standard error of that difference.
    measures : tuple of Measure
        The fits.
    chosen : int
        Place of the chosen one.
    """

    atoms: Integers
    expected_loss: Floats
    excess: Floats = field(repr=False)
    held_out: Floats
    held_out_se: Floats = field(repr=False)
    over_best: Floats = field(repr=False)
    over_best_se: Floats = field(repr=False)
    measures: tuple[Measure, ...] = field(repr=False)
    chosen: int

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each fit."""
        names = ("atoms", "expected_loss", "excess", "held_out", "held_out_se", "over_best", "over_best_se")
        rows = zip(*(getattr(self, name) for name in names))
        return frame(library, [{**dict(zip(names, row)), "chosen": place == self.chosen} for place, row in enumerate(rows)])


def judgement(document: dict[str, Any]) -> Judgement:
    """The judgement in a document."""
    held_out = document.get("held_out")
    return fields(Judgement, document, held_out=None if held_out is None else fields(HeldOut, held_out))


def atom_path(document: dict[str, Any]) -> AtomPath:
    """The path in the document of a free estimate."""
    points = document["path"]

    def column(name: str) -> Floats:
        return np.array([point[name] for point in points], dtype=np.float64)

    def held_out(name: str) -> Floats:
        return np.array([(point.get("held_out") or {}).get(name) for point in points], dtype=np.float64)

    return AtomPath(
        atoms=np.array([point["atoms"] for point in points], dtype=np.int64),
        expected_loss=column("expected_loss"),
        excess=column("excess"),
        held_out=held_out("expected_loss"),
        held_out_se=held_out("expected_loss_se"),
        over_best=column("over_best"),
        over_best_se=column("over_best_se"),
        measures=tuple(Measure(**point["measure"]) for point in points),
        chosen=document["chosen"],
    )
