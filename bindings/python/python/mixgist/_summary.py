"""The point estimate with its evidence."""

from __future__ import annotations

import json
import weakref
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from . import _core
from ._arrays import Floats, Integers, named_points
from ._assessment import AtomPath, Judgement, atom_path, judgement, within
from ._checks import flag, path as path_of
from ._draws import Draws, Path
from ._estimates import MeasureLike, measure_of
from ._measure import Measure
from ._options import AtomCount, Slices, estimating, question, takes_slices
from ._progress import ProgressOption
from ._slices import Distance
from ._warnings import MixgistWarning, warn_all

if TYPE_CHECKING:
    from ._options import Unpack

_DEFAULTS = _core.DEFAULTS


@takes_slices
def summarize(
    draws: Draws,
    data: Any = None,
    *,
    estimate: str = _DEFAULTS["estimate"],
    atoms: AtomCount | None = None,
    candidate: MeasureLike | None = None,
    distance: Distance = _DEFAULTS["distance"],
    loss: str = _DEFAULTS["loss"],
    route: str = _DEFAULTS["route"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Summary:
    """Summarises posterior draws by one measure: the draw of least expected loss, or a free one with few atoms.

    The answer depends on the draws, the options and the seed, never on the number of threads; the command line gives the same for the
    same options.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to label and to take units from; without it, those that came with the draws.
    estimate : str
        ``"medoid"``, one of the draws, or ``"free"``, a measure with few atoms that is not confined to them.
    atoms : int or "auto", optional
        Number of atoms of the free estimate; ``"auto"``, the default, takes the smallest that cannot be told from the best on slices that
        nothing was fitted to.
    candidate : Measure, Summary or Draws, optional
        A measure of your own to judge beside the estimate; draws must be a single one.
    distance : str or callable
        Law of the slices: ``"sw"``, ``"mix-sw"``, ``"mix-sw-frobenius"`` or ``"smix-w"``; or a function that maps `Atoms` of K atoms to
        an array (L, K): their positions on L lines. A function is called a few times, with all atoms of all draws at once; Ctrl-C waits
        until such a call has ended.
    loss : str
        What is averaged over the posterior: the ``"distance"``, or its p-th ``"power"``.
    route : str
        How the best draw is found: ``"auto"``, ``"pairs"``, ``"certified"`` or ``"sweep"``; every route finds the same one.
    threads : int, optional
        Threads to use; all cores without it.
    progress : bool or callable
        Show progress; a function is called with (phase, done, total, remark).
    slices : int or "auto", optional
        Number of slices, 1000 without it; ``"auto"`` doubles them until the winner is safe.
    order : float, optional
        Order p of the transport cost, at least 1; 2 without it.
    units : str, sequence of float, or None
        Units in which distances are computed: ``"none"``, ``"sd"``, ``"whiten"``, or one number a coordinate.
    scheme : str
        How directions are spread: ``"iid"``, ``"orthogonal"`` or ``"qmc"``.
    directions : mapping of str to array_like, optional
        Directions to use instead: ``sw_theta``; ``mix_sw_v``, ``mix_sw_a``, ``mix_sw_w``; ``smix_w_v``, ``smix_w_w``.
    prune : str or float
        Which light atoms are dropped: ``"off"``, ``"rounding"`` (no result changes), or a tolerance.
    seed : int
        Seed of the directions.

    Returns
    -------
    Summary
        The estimate with its evidence.

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, with the option that helps.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> means = np.array([0.0, 5.0]) + 0.1 * rng.standard_normal((200, 2))
    >>> draws = mixgist.Draws(np.full((200, 2), 0.5), means, np.ones((200, 2)))
    >>> summary = mixgist.summarize(draws, slices="auto")
    >>> summary.n_components
    2
    >>> summary.predict([[0.3], [4.0]]).tolist()
    [0, 1]

    Not confined to the draws, with a proof of how good it is: no summary of any kind is more than `excess` better.

    >>> free = mixgist.summarize(draws, estimate="free")
    >>> free.n_components, free.excess < summary.excess
    (2, True)
    """
    own = None if candidate is None else measure_of("candidate", candidate)
    _check_free(estimate, distance)
    with question(distance, options, data, draws, threads, progress) as asked:
        native = _core.summarize(draws._native, asked, estimating(loss, estimate, atoms, route, own))
    warn_all(native.warnings, stacklevel=2)
    summary = Summary._wrap(native)
    summary._made_from = weakref.ref(draws)
    return summary


def check_summarize(*, estimate: Any, atoms: Any, distance: Any, loss: Any, threads: Any, **options: Any) -> None:
    """Refuses what `summarize` would refuse of its options, before long work that comes first."""
    _check_free(estimate, distance)
    name = _DEFAULTS["distance"] if callable(distance) else distance
    with question(name, options, None, Measure([1.0], [0.0], [1.0]), threads) as asked:  # type: ignore[arg-type]
        _core.check_settings(asked, estimating(loss, estimate, atoms))


def _check_free(estimate: Any, distance: Any) -> None:
    if isinstance(estimate, str) and estimate == "free" and callable(distance):
        raise ValueError("a free estimate needs a named distance, whose slices have derivatives\nhint: use estimate=\"medoid\"")


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

    @classmethod
    def read(cls, path: Path) -> Summary:
        """Reads a summary that `write` or the command line (``mixgist summarize -o``) wrote."""
        return cls._wrap(_core.Summary.read(path_of("path", path)))

    def write(self, path: Path, *, force: bool = False) -> None:
        """Writes the summary as JSON, whole or not at all; `force` replaces a file that exists."""
        self._native.write(path_of("path", path), flag("force", force))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values: what the command line prints with ``--json``."""
        document: dict[str, Any] = json.loads(self._native.to_json())
        return document

    @property
    def estimate(self) -> Measure:
        """The estimate as a mixing measure."""
        return Measure._wrap(self._native.estimate)

    @property
    def weights_(self) -> Floats:
        """Weights of the estimate, (K,)."""
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
    def certainty_(self) -> Floats:
        """Probability of the label of every observation."""
        certainty = self._native.certainty
        if certainty is None:
            raise AttributeError("there is no certainty because no data were given; use predict_proba(X)")
        return certainty

    @property
    def n_components(self) -> int:
        """Number of atoms K of the estimate."""
        return len(self._native.estimate)

    @property
    def estimator(self) -> str:
        """Which estimate it is: ``"medoid"`` or ``"free"``."""
        return str(self._facts["estimator"])

    @property
    def draw(self) -> int:
        """Index of the draw of least expected loss: the estimate, unless a free one was asked for."""
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
        if self.judgement is None or self.estimator == "medoid":
            return float(self._facts["expected_loss"])
        return self.judgement.expected_loss

    @property
    def expected_loss_se(self) -> float | None:
        """Monte Carlo standard error of the expected loss of a medoid over slices; that of a free one is in ``judgement.held_out``."""
        return self._number("expected_loss_se") if self.estimator == "medoid" else None

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
        """How good the draw of least expected loss is."""
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
        draw = self._facts["runner_up"]
        return None if draw is None else int(draw)

    @property
    def separation(self) -> float | None:
        """How far the runner-up is behind, in standard errors of the difference."""
        return self._number("separation")

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

    def sample(self, n_samples: int = 1, *, seed: int = 0) -> tuple[Floats, Integers]:
        """Points from the estimated density, with the atoms that they come from."""
        return self.estimate.sample(n_samples, seed=seed)

    def plot(self, data: Any = None, *, ax: Any = None, coordinates: tuple[int, ...] | None = None) -> Any:
        """Draws the estimate with matplotlib: its density in dimension 1, its atoms as ellipses over the data in two dimensions.

        Parameters
        ----------
        data : array_like, shape (n, d), optional
            Observations to show.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure without it.
        coordinates : tuple of int, optional
            One or two coordinates to show; the first two without it.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from ._plot import plot

        return plot(self, data, ax, coordinates)

    def _repr_html_(self) -> str:
        return self._native.to_html()

    def __copy__(self) -> Summary:
        return self  # it never changes

    def __deepcopy__(self, memo: Any) -> Summary:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_json, (self._native.to_json(),)

    def __repr__(self) -> str:
        facts, error = self._facts, self.expected_loss_se
        who = f"draw {self.draw} of" if self.estimator == "medoid" else "free, from"
        parts = [
            f"{who} {facts['draws']}",
            f"{self.n_components} atom{'s' * (self.n_components != 1)}",
            f"expected loss {self.expected_loss:.5g}" + ("" if error is None else f" ± {error:.2g}"),
            *([] if self.judgement is None else [within(self.judgement)]),
            facts["distance"],
            f"{self.slices} slice{'s' * (self.slices != 1)}",
        ]
        return f"Summary({', '.join(parts)})"


def _from_json(text: str) -> Summary:
    return Summary._wrap(_core.Summary.from_json(text))
