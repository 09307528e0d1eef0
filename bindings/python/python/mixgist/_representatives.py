"""One medoid for each mode of the posterior."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import Floats, Integers
from ._checks import count as whole_number
from ._credible import Probability
from ._document import Document, html, plural
from ._draws import Draws
from ._measure import Measure
from ._options import AtomCount, Slices, estimating, named, question, takes_slices
from ._progress import ProgressOption
from ._warnings import warn_all

if TYPE_CHECKING:
    from ._options import Unpack

_DEFAULTS = _core.DEFAULTS


class SplitTest(NamedTuple):
    """A test of one mode against two.

    Attributes
    ----------
    medoids, weights : list
        Medoids of the two groups, and their weights.
    peak, valley : float
        Share of the draws in the window at the lower peak, and between the peaks.
    effective_draws : float
        How many independent draws the test rests on.
    p_value : float
        How probable such a valley is under one mode, at most.
    accepted : bool
        Whether the set was split.
    refused_by : list of str
        What it lacked for that: ``"evidence"`` (the p-value is above 1e-3), ``"depth"`` (the valley is more than half of the lower peak),
        ``"mass"`` (a group has less than 5 % of the posterior).
    """

    medoids: list[int]
    weights: list[float]
    peak: float
    valley: float
    effective_draws: float
    p_value: float
    accepted: bool
    refused_by: list[str]


@dataclass(frozen=True)
class GridDensity:
    """A density on a grid.

    Attributes
    ----------
    coordinates : tuple of int
        The coordinates that it is of.
    axes : tuple of numpy.ndarray
        Positions of the grid on each axis.
    values : numpy.ndarray
        The density, one axis a coordinate.
    """

    coordinates: tuple[int, ...]
    axes: tuple[Floats, ...] = field(repr=False)
    values: Floats = field(repr=False)


@dataclass(frozen=True)
class Representative:
    """The medoid of a mode.

    Attributes
    ----------
    draw, chain, iteration : int
        Which draw it is, and where it comes from.
    weight : Probability
        Posterior probability of the draws that are nearest to it.
    expected_distance : float
        Their mean distance to it.
    estimate : Measure
        The measure.
    clusters : int or None
        Number of clusters of the data.
    labels, certainty : numpy.ndarray, shape (n,), or None
        Label of every observation and its probability, when there are data.
    densities : list of GridDensity
        The whole density up to dimension 2, marginals beyond.
    """

    draw: int
    chain: int = field(repr=False)
    iteration: int = field(repr=False)
    weight: Probability
    expected_distance: float
    estimate: Measure
    clusters: int | None
    labels: Integers | None = field(repr=False)
    certainty: Floats | None = field(repr=False)
    densities: list[GridDensity] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Representatives(Document):
    """One medoid for each mode, as `representatives` returns them.

    Attributes
    ----------
    representatives : list of Representative
        The representatives, the most probable first.
    assignment : numpy.ndarray, shape (M,)
        For every draw the place of its representative.
    distances : numpy.ndarray, shape (k, k)
        Distances between them.
    expected_distance : float
        Mean distance of a draw to its representative.
    tests : list of SplitTest
        The tests that were made; empty when the number was given, or when there are too few different draws to split.
    candidates : int
        How many draws were candidates.
    """

    representatives: list[Representative]
    assignment: Integers = field(repr=False)
    distances: Floats = field(repr=False)
    expected_distance: float
    tests: list[SplitTest] = field(repr=False)
    candidates: int
    _text: str = field(repr=False)

    @property
    def weights(self) -> Floats:
        """Posterior probability of each mode, (k,)."""
        return np.array([one.weight.value for one in self.representatives])

    def __len__(self) -> int:
        return len(self.representatives)

    def __getitem__(self, place: int) -> Representative:
        return self.representatives[place]

    def __repr__(self) -> str:
        shares = ", ".join(f"draw {one.draw}: {one.weight.value:.3f}" for one in self.representatives)
        return f"Representatives({plural(len(self), 'mode')}, {shares})"

    def _repr_html_(self) -> str:
        header = ["draw", "weight", "error", "mean distance", "atoms", "clusters"]
        rows = [
            [
                str(one.draw),
                f"{one.weight.value:.3f}",
                f"{one.weight.standard_error:.3f}",
                f"{one.expected_distance:.4g}",
                str(len(one.estimate)),
                "no data" if one.clusters is None else str(one.clusters),
            ]
            for one in self.representatives
        ]
        how = "as many as asked for" if not self.tests else f"{plural(len(self), 'mode')} by a test of valleys"
        return html("Representatives", [f"{how}; a draw is {self.expected_distance:.4g} from its representative on average."], header, rows)


@takes_slices
def representatives(
    draws: Draws,
    data: Any = None,
    *,
    count: AtomCount = "auto",
    grid: int = 60,
    distance: str = _DEFAULTS["distance"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Representatives:
    """One representative draw for each mode of the posterior, with its probability, partition and density.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to label and to take units from; without it, those that came with the draws.
    count : int or "auto"
        How many; ``"auto"``, as many as the posterior has modes: a split of the draws in two must show a valley between the groups that is at
        most half as high as the lower peak and that one mode would show less than once in 1000 times, and each group must have
        at least 5 % of the posterior.
    grid : int
        Grid points an axis of the densities; 0 leaves them out.
    distance, threads, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`.

    Returns
    -------
    Representatives

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, such as chains that disagree.

    Examples
    --------
    A posterior that has not decided between one component and two:

    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> noise = 0.1 * rng.standard_normal((300, 2))
    >>> means = np.where(np.arange(300)[:, None] % 3 == 0, [0.0, 0.0], [-4.0, 4.0]) + noise
    >>> draws = mixgist.Draws(np.full((300, 2), 0.5), means, np.ones((300, 2)))
    >>> found = mixgist.representatives(draws)
    >>> len(found), found.weights.round(2).tolist()
    (2, [0.67, 0.33])
    """
    wanted = None if isinstance(count, str) and count == "auto" else whole_number("count", count, 1, " or 'auto'")
    points = whole_number("grid", grid)
    with question(named(distance), options, data, draws, threads, progress) as asked:
        text, found = _core.representatives(draws._native, asked, estimating(), wanted, points)
    warn_all(found, stacklevel=2)
    document = json.loads(text)
    return Representatives(
        representatives=[_representative(one) for one in document["representatives"]],
        assignment=np.array(document["assignment"], dtype=np.int64),
        distances=np.array(document["distances"]),
        expected_distance=document["expected_distance"],
        tests=[SplitTest(**test) for test in document["tests"]],
        candidates=document["candidates"],
        _text=text,
    )


def _representative(document: dict[str, Any]) -> Representative:
    labels, certainty = document["labels"], document["certainty"]
    return Representative(
        draw=document["draw"],
        chain=document["chain"],
        iteration=document["iteration"],
        weight=Probability(**document["weight"]),
        expected_distance=document["expected_distance"],
        estimate=Measure(**document["measure"]),
        clusters=document["clusters"],
        labels=None if labels is None else np.array(labels, dtype=np.int64),
        certainty=None if certainty is None else np.array(certainty),
        densities=[_density(density) for density in document["densities"]],
    )


def _density(document: dict[str, Any]) -> GridDensity:
    axes = tuple(np.array(axis) for axis in document["axes"])
    values = np.array(document["values"]).reshape([len(axis) for axis in axes])
    return GridDensity(tuple(document["coordinates"]), axes, values)
