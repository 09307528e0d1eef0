"""Components that exist: every draw aligned with them, who belongs to them, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import Floats
from ._checks import flag, path as path_of
from ._credible import Probability, probability_of
from ._document import Answer, plural
from ._frames import columns_frame, frame
from ._draws import Path
from ._measure import Measure
from ._words import FrameLibrary

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Carried:
    """Where a component of the new fit comes from.

    Attributes
    ----------
    name : str
        Its name.
    origin : str or None
        The component of the old fit that it continues or split off from; None when it is new.
    split : bool
        Whether it split off: another, heavier component has the name.
    overlap : float or None
        Its overlap with the old component, 1 when they are equal.
    weight_change : float or None
        How much its weight changed since.
    """

    name: str
    origin: str | None
    split: bool
    overlap: float | None
    weight_change: float | None


@dataclass(frozen=True)
class Gone:
    """A component of the old fit that nothing continues.

    Attributes
    ----------
    name : str
        Its name.
    weight : float
        Its weight in the old fit.
    merged_into : str or None
        The component of the new fit that lies at its place, if there is one.
    """

    name: str
    weight: float
    merged_into: str | None


@dataclass(frozen=True, eq=False)
class Aligned(Answer):
    """Every draw aligned with the components, as `align` returns it. What a draw lacks is NaN; nothing was sorted or permuted.

    Attributes
    ----------
    names : list of str
        Names of the J components, heaviest first.
    components : Measure
        The components as one measure.
    existence : list of Probability
        Probability that a draw has each of them.
    weights : numpy.ndarray, shape (M, J)
        Weight of each component in each draw.
    means : numpy.ndarray, shape (M, J, d)
        Its mean.
    covariances : numpy.ndarray, shape (M, J, d, d)
        Its covariance.
    unmatched : numpy.ndarray, shape (M,)
        The mass of each draw that belongs to no component.
    chain, iteration : numpy.ndarray, shape (M,)
        Chain and iteration of each draw.
    draw_weights : numpy.ndarray, shape (M,), or None
        Weights of the draws.
    carried : list of Carried or None
        Where the names come from, when they were carried over.
    gone : list of Gone or None
        Components of the old fit that nothing continues.
    columns : list of str
        Names of the coordinates.
    """

    _kind: ClassVar[str] = "align"

    names: list[str]
    components: Measure = field(repr=False)
    existence: list[Probability] = field(repr=False)
    weights: Floats = field(repr=False)
    means: Floats = field(repr=False)
    covariances: Floats = field(repr=False)
    unmatched: Floats = field(repr=False)
    chain: Integers = field(repr=False)
    iteration: Integers = field(repr=False)
    draw_weights: Floats | None = field(repr=False)
    carried: list[Carried] | None = field(repr=False)
    gone: list[Gone] | None = field(repr=False)
    columns: list[str] = field(repr=False)
    _text: str = field(repr=False)
    _plain: str = field(repr=False)
    _html: str = field(repr=False)

    @classmethod
    def _fields(cls, document: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
        draws, carried = document["aligned_draws"], document.get("carried")
        m, j, d = draws["draws"], draws["components"], draws["dim"]

        def numbers(name: str, *shape: int) -> Floats:
            return np.array(draws[name], dtype=float).reshape(shape)

        weights = draws["draw_weights"]
        return {
            "names": document["names"],
            "components": Measure(**document["components"]),
            "existence": [probability_of(one) for one in document["existence"]],
            "weights": numbers("weights", m, j),
            "means": numbers("means", m, j, d),
            "covariances": numbers("covariances", m, j, d, d),
            "unmatched": numbers("unmatched", m),
            "chain": np.array(draws["chain"], dtype=np.int64),
            "iteration": np.array(draws["iteration"], dtype=np.int64),
            "draw_weights": None if weights is None else np.array(weights),
            "carried": None if carried is None else [_carried(one) for one in carried["components"]],
            "gone": None if carried is None else [Gone(**one) for one in carried["gone"]],
            "columns": document.get("columns") or [f"x{a + 1}" for a in range(d)],
        }

    @property
    def estimate(self) -> Measure:
        """The components as one measure: what `align` takes as an older fit."""
        return self.components

    def write_draws(self, path: Path, *, force: bool = False) -> None:
        """Writes the aligned draws, whole or not at all: .npz, .csv or .parquet (the layout of R's ``draws_df``), or .nc for xarray."""
        _core.write_aligned(path_of("path", path), self._text, flag("force", force))

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` over (chain, draw, component, …). Chains that are shorter than others end in NaN. Needs xarray."""
        try:
            import xarray
        except ImportError as error:
            raise ImportError("to_xarray needs xarray\nhint: pip install xarray") from error
        numbers = np.unique(self.chain)
        rows = [np.flatnonzero(self.chain == number) for number in numbers]
        rows = [row[np.argsort(self.iteration[row], kind="stable")] for row in rows]
        longest = max(len(row) for row in rows)

        def over_chains(values: Floats) -> Floats:
            out = np.full((len(rows), longest, *values.shape[1:]), np.nan)
            for chain, row in enumerate(rows):
                out[chain, : len(row)] = values[row]
            return out

        axes = ["chain", "draw", "component", "coordinate", "coordinate_2"]
        variables = {
            "weight": (axes[:3], over_chains(self.weights)),
            "mean": (axes[:4], over_chains(self.means)),
            "covariance": (axes, over_chains(self.covariances)),
            "unmatched": (axes[:2], over_chains(self.unmatched)),
        }
        coordinates = {
            "chain": np.arange(len(rows)),
            "draw": np.arange(longest),
            "component": self.names,
            "coordinate": self.columns,
            "coordinate_2": self.columns,
        }
        return xarray.Dataset(variables, coords=coordinates, attrs={"inference_library": "mixgist"})

    def to_arviz(self) -> Any:
        """What ArviZ plots and summarises: an `InferenceData`, or with ArviZ 1 a `DataTree`, with the group ``posterior``. Needs ArviZ."""
        try:
            import arviz
        except ImportError as error:
            raise ImportError("to_arviz needs ArviZ\nhint: pip install arviz") from error
        convert = getattr(arviz, "convert_to_datatree", None) or arviz.convert_to_inference_data
        return convert(self.to_xarray())

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each draw, in the layout of R's ``draws_df``: ``.chain``, ``.iteration``, ``.draw``, ``weight[1]``, ``mean[1,1]``, …"""
        _, chain = np.unique(self.chain, return_inverse=True)
        place = np.empty(len(chain), dtype=np.int64)
        for number in range(chain.max() + 1):
            row = np.flatnonzero(chain == number)
            place[row[np.argsort(self.iteration[row], kind="stable")]] = np.arange(len(row))
        m, j, d = self.means.shape
        columns: dict[str, Any] = {".chain": chain + 1, ".iteration": place + 1, ".draw": np.arange(m) + 1}
        if self.draw_weights is not None:
            columns[".log_weight"] = np.log(self.draw_weights)
        columns["unmatched"] = self.unmatched
        ones = range(1, d + 1)
        columns |= {f"weight[{k + 1}]": self.weights[:, k] for k in range(j)}
        columns |= {f"mean[{k + 1},{a}]": self.means[:, k, a - 1] for k in range(j) for a in ones}
        columns |= {
            f"covariance[{k + 1},{a},{b}]": self.covariances[:, k, a - 1, b - 1] for k in range(j) for a in ones for b in ones
        }
        return columns_frame(library, columns)

    def __repr__(self) -> str:
        m, j = self.weights.shape
        return f"Aligned({plural(m, 'draw')}, {plural(j, 'component')}: {', '.join(self.names)})"


def _carried(document: dict[str, Any]) -> Carried:
    return Carried(
        document["name"], document["from"], document["split"], document["overlap"], document["weight_change"]
    )


@dataclass(frozen=True, eq=False)
class Memberships(Answer):
    """Which observation belongs to which component, with the uncertainty of the posterior, as `memberships` returns it.

    Attributes
    ----------
    mean : numpy.ndarray, shape (n, J)
        Posterior mean of the membership probability.
    low, high : numpy.ndarray, shape (n, J)
        Ends of its interval over the draws.
    none : numpy.ndarray, shape (n,)
        Posterior probability that the observation belongs to no component.
    labels : numpy.ndarray, shape (n,)
        The most probable component of each observation.
    uncertain : numpy.ndarray
        Observations whose most probable place, a component or none of them, has a probability below `sure`, least certain first.
    sure : float
        From this probability on an assignment is certain.
    level : float
        Level of the intervals.
    draws_used : int
        Number of draws that were looked at: all, unless there are very many observations.
    estimate : Measure
        The estimate.
    estimate_source : str
        What it is.
    """

    _kind: ClassVar[str] = "memberships"

    mean: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    none: Floats = field(repr=False)
    labels: Integers = field(repr=False)
    uncertain: Integers = field(repr=False)
    sure: float
    level: float
    draws_used: int
    estimate: Measure = field(repr=False)
    estimate_source: str
    _text: str = field(repr=False)
    _plain: str = field(repr=False)
    _html: str = field(repr=False)

    @classmethod
    def _fields(cls, document: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
        shape = document["points"], document["components"]
        tables = {name: np.array(document[name], dtype=float).reshape(shape) for name in ("mean", "low", "high")}
        return tables | {
            "none": np.array(document["none"], dtype=float),
            "labels": np.array(document["labels"], dtype=np.int64),
            "uncertain": np.array(document["uncertain"], dtype=np.int64),
            "sure": document["sure"],
            "level": document["level"],
            "draws_used": document["draws_used"],
            "estimate": Measure(**document["estimate"]),
            "estimate_source": document["estimate_source"],
        }

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each observation: its most probable component with the interval, and the probabilities of all."""
        rows = []
        for i, label in enumerate(self.labels):
            row = {"component": int(label), "probability": self.mean[i, label], "low": self.low[i, label]}
            row |= {"high": self.high[i, label], "none": self.none[i]}
            rows.append(row | {f"probability_{k}": p for k, p in enumerate(self.mean[i])})
        return frame(library, rows)

    def __repr__(self) -> str:
        n, j = self.mean.shape
        return f"Memberships({plural(n, 'observation')}, {plural(j, 'component')}, {len(self.uncertain)} uncertain)"


@dataclass(frozen=True)
class CountPosterior:
    """How probable each number is.

    Attributes
    ----------
    counts : numpy.ndarray
        The numbers that occur, ascending.
    probabilities : numpy.ndarray
        The posterior probability of each.
    mean : float
        The posterior mean.
    mode : int
        The most probable number.
    """

    counts: Integers
    probabilities: Floats
    mean: float
    mode: int


@dataclass(frozen=True, eq=False)
class HowMany(Answer):
    """How many clusters and components there are, as `how_many` returns it.

    Attributes
    ----------
    components : int
        The number after similar ones are merged (merge-truncate-merge) at the chosen `omega`.
    omega : float
        The rate: (log n / n)^¼ for n observations; without data, half of the median distance between draws and estimate.
    occupied : CountPosterior or None
        The number of clusters that have observations; None without labels and data.
    heavier : dict of float to CountPosterior
        The number of atoms above each of some weights.
    merged : dict of float to CountPosterior
        The same for each of some values of omega.
    """

    _kind: ClassVar[str] = "how_many"

    components: int
    omega: float
    occupied: CountPosterior | None = field(repr=False)
    heavier: dict[float, CountPosterior] = field(repr=False)
    merged: dict[float, CountPosterior] = field(repr=False)
    _text: str = field(repr=False)
    _plain: str = field(repr=False)
    _html: str = field(repr=False)

    @classmethod
    def _fields(cls, document: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
        occupied = document["occupied"]
        return {
            "components": document["components"],
            "omega": document["omega"],
            "occupied": None if occupied is None else _counts(occupied["posterior"]),
            "heavier": {one["weight"]: _counts(one["posterior"]) for one in document["heavier"]},
            "merged": {one["omega"]: _counts(one["posterior"]) for one in document["merged"]},
        }

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each way of counting, with its mode and mean."""
        rows = [] if self.occupied is None else [_row("occupied clusters", None, self.occupied)]
        rows += [_row("atoms of at least this weight", at, one) for at, one in self.heavier.items()]
        rows += [_row("components after merging at this omega", at, one) for at, one in self.merged.items()]
        return frame(library, rows)

    def __repr__(self) -> str:
        return f"HowMany({plural(self.components, 'component')} after similar ones are merged, omega={self.omega:.3g})"


def _counts(document: dict[str, Any]) -> CountPosterior:
    counts, probabilities = np.array(document["counts"], dtype=np.int64), np.array(document["probabilities"])
    return CountPosterior(counts, probabilities, document["mean"], document["mode"])


def _row(counted: str, at: float | None, one: CountPosterior) -> dict[str, Any]:
    return {"counted": counted, "at": at, "mode": one.mode, "mean": one.mean}
