"""The point estimate with its evidence."""

from __future__ import annotations

import json
import weakref
from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Floats, Integers, named_points
from ._assessment import AtomPath, Judgement, Margin, atom_path, judgement
from ._checks import Seed, flag, path as path_of
from ._document import with_picture
from ._frames import frame
from ._draws import Draws, Path
from ._measure import Measure
from ._warnings import MixgistWarning
from ._words import FrameLibrary, Kind


class Summary:
    """A point estimate of a mixture posterior with its evidence, as `summarize` returns it.

    Its results are shaped as those of scikit-learn's mixtures.
    """

    _native: _core.Summary
    # The draws, while they are there; unknown for a summary that was read.
    _made_from: weakref.ref[Draws] | None = None

    def __init__(self) -> None:
        raise TypeError("a Summary comes from mixgist.summarize or Summary.read")

    @classmethod
    def _wrap(cls, native: _core.Summary) -> Summary:
        summary = cls.__new__(cls)
        summary._native = native
        return summary

    def _draws(self) -> Draws | None:
        """The draws, while they are there."""
        return None if self._made_from is None else self._made_from()

    def _made_from_these(self, draws: Draws) -> bool:
        return self._draws() is draws

    @classmethod
    def read(cls, path: Path) -> Summary:
        """Reads a summary that `write` or the command line (``mixgist summarize -o``) wrote."""
        return cls._wrap(_core.Summary.read(path_of("path", path)))

    def write(self, path: Path, *, force: bool = False) -> None:
        """Writes the summary as JSON, whole or not at all; `force` replaces a file that exists."""
        self._native.write(path_of("path", path), flag("force", force))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values: what the command line prints with ``--json``, but for the files that it read."""
        document: dict[str, Any] = json.loads(self._native.to_json())
        return document

    @property
    def estimate(self) -> Measure:
        """The estimate as a mixing measure."""
        return Measure._wrap(self._native.estimate)

    @property
    def weights_(self) -> Floats:
        """Weights of the estimate, (K,). Every estimate has its heaviest atom first; ``draws[summary.draw]`` has the atoms of a medoid as they were given."""
        return self._native.estimate.weights

    @property
    def means_(self) -> Floats:
        """Means of the estimate, (K, d)."""
        return self._native.estimate.means

    @property
    def covariances_(self) -> Floats:
        """Covariances of the estimate, (K, d, d)."""
        return self._native.estimate.covariances

    @property
    def labels_(self) -> Integers:
        """Label of every observation: the atom that it most probably belongs to."""
        labels = self._native.labels
        if labels is None:
            raise AttributeError("there are no labels because no data were given; use predict(X)")
        return labels

    @property
    def membership_probability_(self) -> Floats:
        """Probability of the label of every observation."""
        probability = self._native.membership_probability
        if probability is None:
            raise AttributeError("there are no probabilities because no data were given; use predict_proba(X)")
        return probability

    @property
    def n_components(self) -> int:
        """Number of atoms K of the estimate."""
        return len(self._native.estimate)

    @property
    def estimator(self) -> str:
        """Which estimate it is: ``"medoid"``, ``"free"`` or ``"aligned"``."""
        return str(self.settings["estimate"])

    @property
    def settings(self) -> dict[str, Any]:
        """How it was computed: distance, order, slices, units and the rest."""
        settings: dict[str, Any] = self._facts["settings"]
        return settings

    @property
    def draw(self) -> int:
        """Index of the draw of least expected loss: the estimate, if that is the medoid."""
        return int(self._facts["draw"])

    @property
    def chain(self) -> int:
        """Chain of that draw."""
        return int(self._facts["chain"])

    @property
    def iteration(self) -> int:
        """Iteration of that draw within its chain."""
        return int(self._facts["iteration"])

    @property
    def expected_loss(self) -> float:
        """Mean loss of the estimate over all draws."""
        return float(self._facts["expected_loss"])

    @property
    def expected_loss_se(self) -> float | None:
        """Monte Carlo standard error of the expected loss of a medoid over slices; that of a free one is in ``judgement.held_out``."""
        return self._number("expected_loss_se")

    @property
    def medoid_expected_loss(self) -> float:
        """Mean loss of the draw with the smallest expected loss."""
        return float(self._facts["medoid_expected_loss"])

    @property
    def floor(self) -> float | None:
        """No summary of any kind has a smaller expected loss under the same slices; known for order 2 and named distances."""
        return None if self._assessment is None else float(self._assessment["floor"])

    @property
    def excess(self) -> float | None:
        """How far the expected loss is above the floor, as a part of it: 0.02 is within 2 % of the best possible."""
        return None if self.judgement is None else self.judgement.excess

    @property
    def judgement(self) -> Judgement | None:
        """How good the estimate is: against the floor, and on other slices."""
        return self._judged(self.estimator)

    @property
    def medoid_judgement(self) -> Judgement | None:
        """How good the draw with the smallest expected loss is."""
        return self._judged("medoid")

    @property
    def candidate_judgement(self) -> Judgement | None:
        """How good the measure is that was given as a candidate."""
        return self._judged("candidate")

    @property
    def path(self) -> AtomPath | None:
        """The fits with 1, 2, 3, … atoms from which a free estimate was chosen."""
        if self._assessment is None or "free" not in self._assessment:
            return None
        return atom_path(self._assessment["free"])

    @cached_property
    def _facts(self) -> dict[str, Any]:
        """The document without its long arrays."""
        facts: dict[str, Any] = json.loads(self._native.facts())
        return facts

    def _number(self, name: str) -> float | None:
        value = self._facts[name]
        return None if value is None else float(value)

    @property
    def _assessment(self) -> dict[str, Any] | None:
        return self._facts.get("assessment")

    def _judged(self, which: str) -> Judgement | None:
        if self._assessment is None or which not in self._assessment:
            return None
        return judgement(self._assessment[which])

    @property
    def runner_up(self) -> int | None:
        """The best draw that differs from that one."""
        other = self._facts["runner_up"]
        return None if other is None else int(other["draw"])

    @property
    def separation(self) -> float | None:
        """How far the runner-up is behind, in standard errors of the difference over slices alone; `margin` counts the error over draws too."""
        other = self._facts["runner_up"]
        return None if other is None or other["separation"] is None else float(other["separation"])

    @property
    def margin(self) -> Margin | None:
        """How safe the choice of the draw of least expected loss is; None when all draws are the same measure."""
        found = self._facts.get("margin")
        if found is None:
            return None
        radii = float("inf") if found["radii"] is None else found["radii"]
        return Margin(**{name: found[name] for name in Margin._fields if name != "radii"}, radii=radii)

    @property
    def distances(self) -> Floats:
        """Distance of the estimate to every draw, (M,)."""
        return self._native.distances

    @property
    def expected_losses(self) -> Floats | None:
        """Expected loss of every draw, where the route computed them."""
        return self._native.expected_losses

    @property
    def slices(self) -> int:
        """Number of slices that the answer is based on."""
        return int(self._facts["slices"])

    @property
    def warnings(self) -> list[MixgistWarning]:
        """What limits the trust in the answer."""
        return [MixgistWarning(*warning) for warning in self._native.warnings]

    @property
    def columns(self) -> list[str] | None:
        """Names of the columns of the data, when they have any."""
        columns: list[str] | None = self._facts.get("columns")
        return columns

    def _points(self, X: Any) -> Floats:
        """Observations; a data frame must have the columns of the data that were summarised, in their order."""
        return named_points("X", X, self.columns)

    def predict(self, X: ArrayLike, *, threads: int | None = None) -> Integers:
        """The atom of the estimate that each observation most probably belongs to, (n,).

        A data frame must have the columns of the data that were summarised, in their order, here and in all methods that take `X`.
        """
        return self.estimate.predict(self._points(X), threads=threads)

    def predict_proba(self, X: ArrayLike, *, threads: int | None = None) -> Floats:
        """The probability of each observation to belong to each atom, (n, K)."""
        return self.estimate.predict_proba(self._points(X), threads=threads)

    def score_samples(self, X: ArrayLike, *, threads: int | None = None) -> Floats:
        """The logarithm of the estimated density at each observation, (n,)."""
        return self.estimate.score_samples(self._points(X), threads=threads)

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """The mean logarithm of the estimated density; `y` is there for scikit-learn and not used."""
        return self.estimate.score(self._points(X))

    def sample(self, n_samples: int = 1, *, seed: Seed = None) -> tuple[Floats, Integers]:
        """Points from the estimated density, with the atoms that they come from, see `Measure.sample`."""
        return self.estimate.sample(n_samples, seed=seed)

    def plot(
        self,
        kind: Kind | ArrayLike | None = None,
        data: Any = None,
        *,
        draws: Draws | None = None,
        ax: Any = None,
        coordinates: Sequence[int | str] | None = None,
        color: Any = None,
        label: str | None = None,
        alpha: float | None = None,
        linewidth: float | None = None,
    ) -> Any:
        """Draws a figure with Matplotlib: without `kind` the estimate, as its density in dimension 1, as ellipses over the data in two dimensions.

        Parameters
        ----------
        kind : str, optional
            Any kind of `mixgist.figure`. Observations in this place are `data`.
        data : array_like, shape (n, d), optional
            Observations to show.
        draws : Draws, optional
            The draws that were summarised, which most kinds need; those that `summarize` had, as long as they are there, need not be given.
        ax : matplotlib.axes.Axes or array of them, optional
            Where to draw; a figure of several panels needs as many axes. A new figure without it.
        coordinates : sequence of int or str, optional
            One or two coordinates to show, by number or name of the column; the first two without it. Without `kind` only.
        color : optional
            One colour for all that belongs to the estimate. Without it, the figure has its own colours; if it has a label, the next colour of the axes.
        label : str, optional
            Its name in the legend, to tell several summaries on the same axes apart.
        alpha : float, optional
            Opacity, from 0 to 1; with `kind`, a factor on that of each part.
        linewidth : float, optional
            Width of the lines, in points.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if kind is not None and not isinstance(kind, str):
            if data is not None:
                raise TypeError(f"kind is a {type(kind).__name__}, expected a str or None")
            kind, data = None, kind
        if kind is None:
            from ._plot import plot

            return plot(self, data, ax, coordinates, color, label, alpha, linewidth)
        if coordinates is not None:
            raise ValueError(f"coordinates is for the figure of the estimate\nhint: leave it out, or leave out kind={kind!r}")
        from ._figure import figure

        return figure(self, cast(Kind, kind), draws=self._draws() if draws is None else draws, data=data).draw(
            ax, color=color, label=label, alpha=alpha, linewidth=linewidth
        )

    def figure_data(self, kind: Kind | None = None, *, draws: Draws | None = None, data: Any = None) -> dict[str, Any]:
        """A figure of any kind of `mixgist.figure` as data: panels with axes and layers, to draw with any program."""
        from ._figure import figure

        return figure(self, kind, draws=self._draws() if draws is None else draws, data=data).data

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each atom of the estimate: weight, mean, standard deviations, and its observations when there are data."""
        names = self.columns or [f"x{a + 1}" for a in range(self.estimate.dim)]
        weights, means, covariances, labels = self.weights_, self.means_, self.covariances_, self._native.labels
        sizes = None if labels is None else np.bincount(labels, minlength=len(weights))
        rows = []
        for k in range(len(weights)):
            row: dict[str, Any] = {"weight": weights[k]}
            row |= {f"mean_{name}": means[k, a] for a, name in enumerate(names)}
            row |= {f"sd_{name}": np.sqrt(covariances[k, a, a]) for a, name in enumerate(names)}
            if sizes is not None:
                row["observations"] = sizes[k]
            rows.append(row)
        return frame(library, rows)

    def _repr_html_(self) -> str:
        from ._figure import figure

        return with_picture(self._native.to_html(), figure(self, draws=self._draws()).svg)

    def __str__(self) -> str:
        return self._native.plain()

    def __copy__(self) -> Summary:
        return self  # it never changes

    def __deepcopy__(self, memo: Any) -> Summary:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_json, (self._native.to_json(),)

    def __repr__(self) -> str:
        error, excess = self.expected_loss_se, self.excess
        who = f"draw {self.draw} of" if self.estimator == "medoid" else f"{self.estimator}, from"
        parts = [
            f"{who} {self._facts['draws']}",
            f"{self.n_components} atom{'s' * (self.n_components != 1)}",
            f"expected loss {self.expected_loss:.5g}" + ("" if error is None else f" ± {error:.2g}"),
            *([] if excess is None else [f"excess {excess:.3g}"]),
            self.settings["distance"],
            f"{self.slices} slice{'s' * (self.slices != 1)}",
        ]
        return f"Summary({', '.join(parts)})"


def _from_json(text: str) -> Summary:
    return Summary._wrap(_core.Summary.from_json(text))
