"""One medoid for each mode of the posterior."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ._arrays import Floats, Integers
from ._credible import Probability, probability_of
from ._document import Answer, fields, plural
from ._frames import frame
from ._measure import Measure
from ._words import FrameLibrary


class SplitTest(NamedTuple):
    """A test of one mode against two.

    Attributes
    ----------
    medoids, weights : list
        Medoids of the two groups, and their weights.
    peak, valley : float
        Share of the draws in the window at the lower peak, and between the peaks, as much as a window of the same width holds there.
    crossing : float or None
        Pairs of near draws across the emptiest cut between the groups, as a part of those across the lower of the cuts at their medians;
        None when that has no bound, and for groups of whole chains.
    drift : float or None
        For groups of whole chains, how far the steadiest chain of either group moves from its first to its second half, as a part of the squared
        distance between the groups; None for other groups.
    by_chains : bool
        Whether each chain stays in one of the groups.
    effective_draws : float
        The effective sample size that the test is based on.
    p_value : float
        How probable such a valley is under one mode, at most.
    accepted : bool
        Whether the set was split.
    refused_by : list of str
        What it lacked for that: ``"evidence"`` (the p-value is above `false_alarm`), ``"depth"`` (the valley is more than
        half of the lower peak, too many draws lie across it, or chains move between the groups), ``"mass"`` (a group has less than 5 % of the posterior).
    """

    medoids: list[int]
    weights: list[float]
    peak: float
    valley: float
    crossing: float | None
    drift: float | None
    by_chains: bool
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
        The density, one axis per coordinate.
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
    chains : list of int
        Chains that stay with it: nearly all of their draws are nearest to it.
    of_own_chains : bool
        Whether it has no draws of other chains, while other representatives have: its weight then is the share of the draws that these chains
        were given.
    log_posterior : float or None
        Mean log posterior of the draws that belong to it, when the draws have one.
    estimate : Measure
        The measure.
    clusters : int or None
        Number of clusters of the data.
    labels, membership_probability : numpy.ndarray, shape (n,), or None
        Label of every observation and its probability, when there are data.
    densities : list of GridDensity
        The whole density up to dimension 2, marginals beyond.
    """

    draw: int
    chain: int = field(repr=False)
    iteration: int = field(repr=False)
    weight: Probability
    expected_distance: float
    chains: list[int] = field(repr=False)
    of_own_chains: bool = field(repr=False)
    log_posterior: float | None = field(repr=False)
    estimate: Measure
    clusters: int | None
    labels: Integers | None = field(repr=False)
    membership_probability: Floats | None = field(repr=False)
    densities: list[GridDensity] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Representatives(Answer):
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
    false_alarm : float
        A test of one mode against two is wrong at most this often.
    """

    _kind: ClassVar[str] = "representatives"

    representatives: list[Representative]
    assignment: Integers = field(repr=False)
    distances: Floats = field(repr=False)
    expected_distance: float
    tests: list[SplitTest] = field(repr=False)
    candidates: int
    false_alarm: float = field(repr=False)
    _text: str = field(repr=False)
    _plain: str = field(repr=False)
    _html: str = field(repr=False)

    @classmethod
    def _fields(cls, document: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
        tests = zip(document["tests"], said["refused_by"])
        return {
            "representatives": [_representative(one) for one in document["representatives"]],
            "assignment": np.array(document["assignment"], dtype=np.int64),
            "distances": np.array(document["distances"]),
            "expected_distance": document["expected_distance"],
            "tests": [fields(SplitTest, test, accepted=not refused, refused_by=refused) for test, refused in tests],
            "candidates": document["candidates"],
            "false_alarm": document["false_alarm"],
        }

    @property
    def weights(self) -> Floats:
        """Posterior probability of each mode, (k,)."""
        return np.array([one.weight.value for one in self.representatives])

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each representative: which draw it is, and the posterior probability of its mode."""
        return frame(
            library,
            [
                {
                    "draw": one.draw,
                    "chain": one.chain,
                    "iteration": one.iteration,
                    "probability": one.weight.value,
                    "probability_se": one.weight.standard_error,
                    "expected_distance": one.expected_distance,
                    "atoms": len(one.estimate),
                    "clusters": one.clusters,
                    "log_posterior": one.log_posterior,
                }
                for one in self.representatives
            ]
        )

    def __len__(self) -> int:
        return len(self.representatives)

    def __getitem__(self, place: int) -> Representative:
        return self.representatives[place]

    def __iter__(self) -> Iterator[Representative]:
        return iter(self.representatives)

    def __repr__(self) -> str:
        shares = ", ".join(f"draw {one.draw}: {one.weight.value:.3f}" for one in self.representatives)
        return f"Representatives({plural(len(self), 'mode')}, {shares})"


def _representative(document: dict[str, Any]) -> Representative:
    labels, probability = document.get("labels"), document.get("membership_probability")
    return Representative(
        draw=document["draw"],
        chain=document["chain"],
        iteration=document["iteration"],
        weight=probability_of(document["weight"]),
        expected_distance=document["expected_distance"],
        chains=document["chains"],
        of_own_chains=document["of_own_chains"],
        log_posterior=document.get("log_posterior"),
        estimate=Measure(**document["measure"]),
        clusters=document.get("clusters"),
        labels=None if labels is None else np.array(labels, dtype=np.int64),
        membership_probability=None if probability is None else np.array(probability),
        densities=[_density(density) for density in document["densities"]],
    )


def _density(document: dict[str, Any]) -> GridDensity:
    axes = tuple(np.array(axis) for axis in document["axes"])
    values = np.array(document["values"]).reshape([len(axis) for axis in axes])
    return GridDensity(tuple(document["coordinates"]), axes, values)
