"""Partition first: the partition with the smallest expected loss, and how certain it is."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Floats, Integers, floats, labels as label_array, named_points
from ._checks import count, either, number, optional_count, optional_number, path as path_of, thread_count, word
from ._document import Document, fields, plural, with_picture
from ._draws import Draws, Path, expect_draws
from ._frames import frame
from ._progress import ProgressOption, reporter
from ._warnings import warn_all
from ._words import FrameLibrary, Omari, PartitionLoss

_DEFAULTS = _core.DEFAULTS


@dataclass(frozen=True)
class BallBound:
    """The draws that mark one side of a credible ball, with the number of clusters of each."""

    distance: float
    draws: list[int]
    clusters: list[int]


@dataclass(frozen=True)
class PartitionBall:
    """The smallest ball around a partition that holds a posterior probability (Wade and Ghahramani 2018).

    Attributes
    ----------
    loss : str
        The metric.
    level, probability : float
        The probability that was asked for, and the one that the ball holds.
    radius : float
        The radius.
    inside : numpy.ndarray
        The draws in the ball.
    horizontal, upper_vertical, lower_vertical : BallBound
        The draws in the ball that are farthest from the estimate; those among the ones with the fewest, and with the most clusters.
    """

    loss: str
    level: float
    probability: float
    radius: float
    inside: Integers = field(repr=False)
    horizontal: BallBound
    upper_vertical: BallBound
    lower_vertical: BallBound

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each draw at a bound of the ball: which bound, the draw, its number of clusters and its distance."""
        bounds = {"horizontal": self.horizontal, "upper_vertical": self.upper_vertical, "lower_vertical": self.lower_vertical}
        rows = [(name, draw, clusters, one.distance) for name, one in bounds.items() for draw, clusters in zip(one.draws, one.clusters)]
        return frame(library, [dict(zip(("bound", "draw", "clusters", "distance"), row)) for row in rows])


@dataclass(frozen=True, eq=False)
class PartitionEstimate(Document):
    """The partition with the smallest expected loss, as `partition` returns it.

    Attributes
    ----------
    labels_ : numpy.ndarray, shape (n,)
        Cluster of every observation, counted from 0 in order of appearance.
    loss : str
        The loss that was minimised.
    expected_loss : float
        Its mean over the draws.
    expected_losses : dict of str to float
        The mean of every other loss.
    coclustering_ : numpy.ndarray, shape (n,), or None
        Co-clustering score of every observation, own / (own + other): own is its mean posterior probability of sharing a cluster with the other
        members of its cluster, other the largest such mean over the other clusters. 1 is sure, 1/2 is undecided.
    cluster_counts : dict of int to float
        Posterior probability of each number of clusters.
    ball : PartitionBall
        The credible ball; in the variation of information when the loss is no metric.
    runs, runs_agreeing : int
        Runs of the search, and how many of them led here: few of many suggest more runs.
    labels_sampled : bool
        Whether the draws had no labels, so that labels were drawn given the measure of each draw.
    """

    labels_: Integers = field(repr=False)
    loss: str
    expected_loss: float
    expected_losses: dict[str, float] = field(repr=False)
    coclustering_: Floats | None = field(repr=False)
    cluster_counts: dict[int, float] = field(repr=False)
    ball: PartitionBall = field(repr=False)
    runs: int
    runs_agreeing: int
    labels_sampled: bool = field(repr=False)
    _text: str = field(repr=False)
    _plain: str = field(repr=False)
    _html: str = field(repr=False)
    # How often observations share a cluster, as SVG.
    _picture: str | None = field(default=None, repr=False)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.labels_.max()) + 1

    @property
    def sizes(self) -> Integers:
        """Number of observations in each cluster."""
        return np.bincount(self.labels_)

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each observation: its cluster, and how sure its place is."""
        rows: list[dict[str, Any]] = [{"cluster": label} for label in self.labels_]
        if self.coclustering_ is not None:
            for row, score in zip(rows, self.coclustering_):
                row["coclustering"] = score
        return frame(library, rows)

    def __repr__(self) -> str:
        loss = f"expected {self.loss} {self.expected_loss:.4g}"
        agree = f"{self.runs_agreeing} of {plural(self.runs, 'run')} led here"
        return f"PartitionEstimate({plural(self.n_clusters, 'cluster')} of {len(self.labels_)} observations, {loss}, {agree})"

    def __str__(self) -> str:
        return self._plain

    def _repr_html_(self) -> str:
        return with_picture(self._html, self._picture)

    @classmethod
    def read(cls, path: Path) -> PartitionEstimate:
        """Reads an estimate that `write` or ``mixgist partition -o`` wrote."""
        return cls._of(_core.read_partition(path_of("path", path)), None)

    @classmethod
    def _of(cls, told: tuple[str, str, str], draws: Any) -> PartitionEstimate:
        text, plain, page = told
        document = json.loads(text)
        labels, coclustering = np.array(document["labels"], dtype=np.int64), document["coclustering"]
        return cls(
            labels_=labels,
            loss=document["loss"],
            expected_loss=document["expected_loss"],
            expected_losses=document["expected_losses"],
            coclustering_=None if coclustering is None else np.array(coclustering),
            cluster_counts={one["clusters"]: one["probability"] for one in document["cluster_counts"]},
            ball=_ball(document["ball"]),
            runs=document["runs"],
            runs_agreeing=document["runs_agreeing"],
            labels_sampled=document["labels_sampled"],
            _text=text,
            _plain=plain,
            _html=page,
            _picture=None if draws is None else draws.picture(labels),
        )


def partition(
    labels: ArrayLike | Draws,
    data: Any = None,
    loss: PartitionLoss = "vi",
    *,
    a: float | None = None,
    omari: Omari = "identical",
    max_clusters: int | None = None,
    clusters: int | None = None,
    n_clusters: int | None = None,
    runs: int = _DEFAULTS["runs"],
    seed: int = _DEFAULTS["seed"],
    ball: float = 0.95,
    draw_weights: ArrayLike | None = None,
    threads: int | None = None,
    progress: ProgressOption = False,
) -> PartitionEstimate:
    """The partition with the smallest expected loss, with its uncertainty.

    Parameters
    ----------
    labels : array_like, shape (M, n) or (chains, draws, n), or Draws
        The partition of n observations in each of M draws (any integers or strings), or draws. Draws without labels need observations: labels
        are then drawn given the measure of each draw, with `seed`, and ``labels_sampled`` of the answer is True.
    data : array_like, shape (n, d), optional
        The observations, for draws without labels; without it, those that the draws contain. A word in this place is the loss.
    loss : str
        ``"binder"``, ``"vi"`` (variation of information, with logarithms to base 2), ``"omari"`` (one minus the adjusted Rand index), ``"nvi"``,
        ``"id"``, ``"nid"``, ``"generalized-binder"`` or ``"generalized-vi"``.
    a : float, optional
        Cost, from 0 to 2, of separating what belongs together in the generalized losses.
    omari : str
        What omari makes of 0/0: loss 0 (``"identical"``), or 1 (``"salso"``).
    max_clusters : int, optional
        At most this many clusters; without it, as many as the draw with the most has.
    clusters, n_clusters : int, optional
        Exactly this many clusters; `n_clusters` is scikit-learn's name for it.
    runs : int
        Independent runs of the search.
    seed : int
        Seed of the search.
    ball : float
        Posterior probability of the credible ball.
    draw_weights : array_like, shape (M,), optional
        Weights of the draws.
    threads, progress
        As in `summarize`.

    Returns
    -------
    PartitionEstimate

    Examples
    --------
    >>> import mixgist
    >>> labels = [[0, 0, 1, 1], [5, 5, 2, 2], [0, 0, 0, 1], ["a", "a", "b", "b"]]
    >>> estimate = mixgist.partition([row for row in labels[:3]])
    >>> estimate.labels_
    array([0, 0, 1, 1])
    >>> estimate.n_clusters, round(estimate.expected_loss, 3)
    (2, 0.396)
    """
    clusters = either("clusters", clusters, "n_clusters", n_clusters)
    if clusters is not None and max_clusters is not None:
        raise ValueError("clusters and max_clusters cannot both be given")
    if isinstance(data, str):
        data, loss = None, data
    draws = _partitions(labels, draw_weights, data, seed, threads, progress)
    bound, exactly = optional_count("max_clusters", max_clusters), optional_count("clusters", clusters)
    pool, conventions = thread_count(threads), _conventions(a, omari)
    with reporter(progress) as report:
        told = draws.search(
            _loss(loss),
            conventions,
            bound,
            exactly,
            count("runs", runs),
            count("seed", seed),
            number("ball", ball),
            pool,
            report,
        )
    if isinstance(labels, Draws):
        warn_all(labels._native.warnings())
    return PartitionEstimate._of(told, draws)


def partition_expected_losses(
    estimate: Any, labels: ArrayLike | Draws, a: float | None, omari: str, draw_weights: Any, threads: int | None
) -> dict[str, float]:
    """The mean loss of a partition over draws of partitions, under every loss."""
    draws = _partitions(labels, draw_weights)
    return draws.expected_losses(_estimate(estimate), _conventions(a, omari), thread_count(threads))


def partition_losses(
    estimate: ArrayLike,
    labels: ArrayLike | Draws,
    loss: PartitionLoss = "vi",
    *,
    a: float | None = None,
    omari: Omari = "identical",
    threads: int | None = None,
) -> Floats:
    """The loss between a partition and every draw, (M,).

    Parameters
    ----------
    estimate : array_like, shape (n,)
        The partition.
    labels, loss, a, omari, threads
        As in `partition`.

    Returns
    -------
    numpy.ndarray, shape (M,)

    Examples
    --------
    >>> import mixgist
    >>> mixgist.partition_losses([0, 0, 1, 1], [[0, 0, 1, 1], [0, 0, 0, 0]], "binder")
    array([0. , 0.5])
    """
    draws = _partitions(labels, None)
    return draws.losses(_estimate(estimate), _loss(loss), _conventions(a, omari), thread_count(threads))


def partition_ball(
    estimate: ArrayLike,
    labels: ArrayLike | Draws,
    loss: PartitionLoss = "vi",
    *,
    level: float = 0.95,
    draw_weights: ArrayLike | None = None,
    threads: int | None = None,
) -> PartitionBall:
    """The credible ball around any partition.

    Parameters
    ----------
    estimate : array_like, shape (n,)
        The partition.
    labels, draw_weights, threads
        As in `partition`.
    loss : str
        A loss that is a metric: ``"binder"``, ``"vi"``, ``"nvi"``, ``"id"`` or ``"nid"``.
    level : float
        Posterior probability of the ball.

    Returns
    -------
    PartitionBall

    Examples
    --------
    >>> import mixgist
    >>> ball = mixgist.partition_ball([0, 0, 1], [[0, 0, 1], [0, 0, 1], [0, 0, 0], [0, 1, 2]], level=0.5)
    >>> ball.radius, ball.inside
    (0.0, array([0, 1]))
    """
    draws = _partitions(labels, draw_weights)
    radius_of = _loss(loss), (None, "identical"), number("level", level)
    text = draws.ball(_estimate(estimate), *radius_of, thread_count(threads))
    return _ball(json.loads(text))


def similarity(labels: ArrayLike | Draws, *, draw_weights: ArrayLike | None = None, threads: int | None = None) -> Floats:
    """The posterior probability of each two observations to share a cluster, (n, n).

    Examples
    --------
    >>> import mixgist
    >>> mixgist.similarity([[0, 0, 1], [0, 1, 1]])
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    draws = _partitions(labels, draw_weights)
    whole = (0, draws.observations)
    return draws.similarity(whole, whole, thread_count(threads))


def _labels(labels: Any) -> Integers:
    if isinstance(getattr(labels, "draws", None), Draws):
        expect_draws("labels", labels, " or an array")
    try:
        array = label_array("labels", labels)
    except ValueError as error:
        raise ValueError(f"{error}\nhint: labels are (draws, observations); for observations, fit a model first: partition(fit(X).draws)") from None
    if array.ndim == 3:
        array = array.reshape(-1, array.shape[2])  # chain after chain
    if array.ndim != 2:
        raise ValueError(f"labels has shape {array.shape}, expected (draws, observations) or (chains, draws, observations)")
    return array


def _partitions(
    labels: Any, draw_weights: Any, data: Any = None, seed: int = 0, threads: Any = None, progress: ProgressOption = False
) -> _core.Partitions:
    if isinstance(labels, Draws) and not labels.has_labels:
        if draw_weights is not None:
            raise ValueError("draw_weights are those of the draws\nhint: give them to Draws(..., draw_weights=...)")
        x = None if data is None else named_points("data", data, labels.columns)
        with reporter(progress) as report:
            return _core.Partitions.sampled(labels._native, x, count("seed", seed), thread_count(threads), report)
    weights = None if draw_weights is None else floats("draw_weights", draw_weights).reshape(-1)
    kept = _core.Partitions.of_draws(labels._native, weights) if isinstance(labels, Draws) else None
    if kept is not None:
        return kept
    array = _labels(labels)
    return _core.Partitions(array.shape[1], array, weights)


def _estimate(estimate: ArrayLike) -> Integers:
    array = label_array("estimate", estimate)
    if array.ndim != 1:
        raise ValueError(f"estimate has shape {array.shape}, expected (observations,)")
    return array


def _conventions(a: float | None, omari: str) -> tuple[float | None, str]:
    if not isinstance(omari, str):
        raise TypeError(f"omari is {omari!r}, expected 'identical' or 'salso'")
    return optional_number("a", a), omari


def _loss(loss: Any) -> str:
    return word("loss", loss, "partition loss")


def _ball(document: dict[str, Any]) -> PartitionBall:
    sides = {side: fields(BallBound, document[side]) for side in ("horizontal", "upper_vertical", "lower_vertical")}
    return fields(PartitionBall, document, **sides, inside=np.array(document["inside"], dtype=np.int64))
