"""From data to draws: Bayesian mixtures of normals."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Floats, columns_of, floats, points
from ._checks import Seed, count, either, flag, number, optional_count, optional_number, optional_path, path as path_of, seed_of, thread_count, word
from ._draws import Draws, Path
from ._progress import ProgressOption, reporter
from ._document import Document, html, with_picture
from ._frames import frame
from ._questions import summarize
from ._summary import Summary
from ._tiles import TileCourier, points_away
from ._warnings import warn_all
from ._words import Algorithm, CovarianceModel, FrameLibrary, ScaleChoice
from ._work import Executor, Pending, Post, Submits, check_executor

_DEFAULTS = _core.DEFAULTS

# Words of other packages for the covariance models.
_COVARIANCES = {"diag": "diagonal", "tied": "common"}

Alpha = Union[float, tuple[float, float]]


class Convergence(NamedTuple):
    """How well the chains agree on a quantity."""

    rhat: float
    bulk_ess: float
    tail_ess: float


@dataclass(frozen=True, eq=False)
class Fit(Document):
    """The posterior sample of a mixture model, as `fit` returns it.

    Attributes
    ----------
    draws : Draws
        The draws, with labels and data.
    model : dict
        The model with what was chosen from the data: ``prior``, ``concentration``, ``covariance``, ``mu0``, ``lambda``, ``psi``, ``nu``.
    model_text : str
        The model in words, ready for a methods section.
    settings : dict
        What was asked for: chains, iterations, burn-in and the rest.
    diagnostics : dict of str to Convergence
        How well the chains agree on label-free quantities.
    verdict : str
        The verdict on all of them.
    traces : dict of str to numpy.ndarray, shape (chains, draws)
        The quantities along the chains.
    unresolved : float
        The largest weight that was left unbroken in a draw.
    """

    draws: Draws
    model: dict[str, Any] = field(repr=False)
    model_text: str = field(repr=False)
    settings: dict[str, Any] = field(repr=False)
    diagnostics: dict[str, Convergence] = field(repr=False)
    verdict: str
    traces: dict[str, Floats] = field(repr=False)
    unresolved: float = field(repr=False)
    _text: str = field(repr=False)

    @classmethod
    def _of(cls, native: _core.Draws, text: str) -> Fit:
        document = json.loads(text)
        traces = {**document["traces"], "distance_to_estimate": document["distance_to_estimate"]}
        rows = [row for row in document["agreement"]["traces"] if row["convergence"] is not None]
        return cls(
            draws=Draws._wrap(native),
            model=document["model"],
            model_text=document["model_text"],
            settings=document["settings"],
            diagnostics={row["name"]: Convergence(**{name: _number(row["convergence"][name]) for name in Convergence._fields}) for row in rows},
            verdict=document["verdict"],
            traces={name: np.array(trace) for name, trace in traces.items()},
            unresolved=document["unresolved"],
            _text=text,
        )

    def extend(self, iterations: int, *, threads: int | None = None, progress: ProgressOption = False) -> Fit:
        """Lets the chains run on until they have so many iterations, burn-in and earlier iterations included.

        The answer is that of a fit with so many iterations, to the last bit. Cost: that of the further iterations.

        Examples
        --------
        >>> import warnings, numpy as np, mixgist
        >>> warnings.simplefilter("ignore", mixgist.MixgistWarning)  # such short chains cannot be judged
        >>> X = np.random.default_rng(0).normal(size=50)
        >>> short = mixgist.fit(X, chains=2, iterations=200, burn_in=100, thin=1)
        >>> longer = short.extend(300)
        >>> longer == mixgist.fit(X, chains=2, iterations=300, burn_in=100, thin=1)
        True
        """
        with reporter(progress) as report:
            native, text, warnings = _core.extend(
                self.draws._native, self._text, count("iterations", iterations), thread_count(threads), report
            )
        warn_all(warnings)
        return Fit._of(native, text)

    @classmethod
    def read(cls, path: Path) -> Fit:
        """Reads a fit that `write` or the command line (``mixgist fit -o draws.npz``) wrote: the draws, and the document in the same folder."""
        place = path_of("path", path)
        return cls._of(Draws.read(place)._native, _core.read_fit(_beside(place)))

    def write(self, path: Path, *, force: bool = False) -> None:
        """Writes the draws to `path` (.npz) and everything else to a file of the same name with the ending .fit.json, as the command line does; `force` replaces existing files."""
        place = path_of("path", path)
        if os.path.splitext(place)[1] != ".npz":
            raise ValueError(f"path is {place!r}, expected a name that ends in .npz: draws with their labels and data go there")
        if os.path.exists(place) and not flag("force", force):
            raise FileExistsError(17, "exists already (force=True replaces it)", place)
        super().write(_beside(place), force=force)
        self.draws.write(place, force=force)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fit):
            return NotImplemented
        return self._text == other._text and self.draws == other.draws

    __hash__ = None

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each quantity: R-hat and effective sample sizes."""
        return frame(library, [{"quantity": name, **one._asdict()} for name, one in self.diagnostics.items()])

    def _repr_html_(self) -> str:
        rows = [[name, f"{one.rhat:.3f}", f"{one.bulk_ess:.0f}", f"{one.tail_ess:.0f}"] for name, one in self.diagnostics.items()]
        header = ["quantity", "R-hat", "bulk effective sample size", "tail effective sample size"]
        page = html(f"{self.draws!r}: {self.verdict}", self.model_text.splitlines(), header, rows)
        return with_picture(page, self.draws._native.picture())

    def summarize(self, **options: Any) -> Summary:
        """Summarises the draws, see `mixgist.summarize`."""
        return summarize(self.draws, **options)


def fit(
    X: Any,
    *,
    alpha: Alpha = 1.0,
    discount: float = 0.0,
    components: int | None = None,
    covariance: CovarianceModel = "full",
    mu0: ArrayLike | None = None,
    lambda_: float | None = None,
    psi: ArrayLike | None = None,
    nu: float | None = None,
    scales: ScaleChoice = "auto",
    algorithm: Algorithm = "blocked",
    truncation: int | None = None,
    chains: int = _DEFAULTS["chains"],
    iterations: int = _DEFAULTS["iterations"],
    burn_in: int = _DEFAULTS["burn_in"],
    thin: int = _DEFAULTS["thin"],
    seed: int = _DEFAULTS["seed"],
    n_components: int | None = None,
    n_clusters: int | None = None,
    covariance_type: CovarianceModel | None = None,
    random_state: Seed = None,
    checkpoint: Path | None = None,
    resume: Path | None = None,
    checkpoint_every: int = 1000,
    threads: int | None = None,
    executor: Executor = None,
    client: Executor = None,
    progress: ProgressOption = False,
) -> Fit:
    """Fits a Bayesian mixture of normals and keeps its posterior draws.

    The same data, options and seed give the same draws as ``mixgist fit`` on the command line.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Observations; the columns of a data frame keep their names. The rows of a Dask array or data frame stay on the workers of `executor`, a Dask client, if
        there are more than 65,536.
    alpha : float or (float, float)
        Concentration, or shape and rate of its Gamma prior.
    discount : float
        Discount of a Pitman-Yor process, from 0 (a Dirichlet process) to below 1.
    components : int, optional
        Finite mixture of this many components instead of a process.
    covariance : str
        Covariances of the components: ``"full"``, ``"diagonal"`` (also ``"diag"``) or ``"common"`` (also ``"tied"``).
    mu0 : array_like, shape (d,), optional
        Prior mean of the components' means; from the data without it.
    lambda_ : float, optional
        Prior strength of `mu0`, in observations.
    psi : array_like, shape (d,) or (d, d), optional
        Scale of the inverse Wishart prior: its diagonal, or the matrix.
    nu : float, optional
        Degrees of freedom of the inverse Wishart prior.
    scales : str
        Those of `lambda_`, `psi` and `nu` that are not given: ``"fixed"``, chosen from the spread of the data, ``"learned"`` with everything else, or ``"auto"``: learned from three dimensions on.
    algorithm : str
        ``"blocked"``, ``"slice"`` or ``"marginal"``.
    truncation : int, optional
        Number of sticks (weights of the process) that the blocked algorithm keeps; without it, enough for an expected rest below 1e-8.
    chains, iterations, burn_in, thin : int
        Number of chains; iterations of each, burn-in included; iterations that are dropped; of the others, every ``thin``-th is kept.
    seed : int
        The draws depend on it, the data and the options alone.
    n_components, covariance_type, random_state
        Scikit-learn's names for `components`, `covariance` and `seed`; `random_state` may be a Generator or RandomState, too.
    n_clusters
        Refused with what to use instead: the number of clusters is estimated.
    checkpoint : path, optional
        Save the state of the chains in this folder every `checkpoint_every` iterations.
    resume : path, optional
        Go on with the run whose checkpoints are in this folder, with the same data and options; with more `iterations` the chains become
        longer. A fit without checkpoints runs on by its method `extend`.
    threads, progress
        As in `summarize`.
    executor : Executor or dask.distributed.Client, optional
        Runs each chain as a job of its own, see `summarize`; the draws are the same. Without checkpoints. Several data sets at once: `fit_all`. Where `X` is a
        Dask array, the chains run here and their tiles of points on the workers: the draws are the same again, but the fit keeps neither data nor labels
        and cannot run on.
    client
        Another name for `executor`.

    Returns
    -------
    Fit

    Warns
    -----
    MixgistWarning
        When the chains do not agree, or are too short to judge.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, 40), rng.normal(8, 1, 40)])
    >>> fitted = mixgist.fit(X, chains=2, iterations=300, burn_in=200, thin=1)  # too short: it warns
    >>> fitted.draws.dim, len(fitted.draws)
    (1, 200)
    """
    executor = either("executor", executor, "client", client)
    given: dict[str, Any] = dict(
        alpha=alpha,
        discount=discount,
        components=components,
        covariance=covariance,
        mu0=mu0,
        lambda_=lambda_,
        psi=psi,
        nu=nu,
        scales=scales,
        algorithm=algorithm,
        truncation=truncation,
        chains=chains,
        iterations=iterations,
        burn_in=burn_in,
        thin=thin,
        seed=seed,
        n_components=n_components,
        n_clusters=n_clusters,
        covariance_type=covariance_type,
        random_state=random_state,
        checkpoint=checkpoint,
        resume=resume,
        checkpoint_every=checkpoint_every,
    )
    if check_executor(executor) is not None and (checkpoint is not None or resume is not None):
        raise ValueError("an executor runs chains without checkpoints\nhint: leave out executor, or checkpoint and resume")
    away = points_away("X", X, executor)
    if away is not None:
        with reporter(progress) as report:
            courier, options = TileCourier(executor, away), _options(away.shape[1], given)
            native, document, warnings = _core.fit_held(courier, columns_of(X), options, thread_count(threads), report)
        warn_all(warnings)
        return Fit._of(native, document)
    x, columns, options = _prepared(X, **given)
    if executor is not None:
        return _elsewhere([(x, columns, options)], executor, thread_count(threads), progress)[0]
    with reporter(progress) as report:
        native, document, warnings = _core.fit(x, columns, options, thread_count(threads), report)
    warn_all(warnings)
    return Fit._of(native, document)


def fit_all(data_sets: Iterable[Any], executor: Submits, *, progress: ProgressOption = False, **options: Any) -> list[Fit]:
    """Fits the same model to several data sets: all chains of all of them are jobs of an executor at once.

    Parameters
    ----------
    data_sets : iterable of array_like
        The data sets, as `fit` takes them.
    executor : Executor or dask.distributed.Client
        As in `fit`.
    progress, **options
        As in `fit`.

    Returns
    -------
    list of Fit
        What `fit` gives for each data set.

    Examples
    --------
    >>> import warnings, numpy as np, mixgist
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> warnings.simplefilter("ignore", mixgist.MixgistWarning)  # such short chains cannot be judged
    >>> rng = np.random.default_rng(0)
    >>> sets = [rng.normal(size=40), rng.normal(size=50)]
    >>> with ThreadPoolExecutor(2) as pool:
    ...     fits = mixgist.fit_all(sets, pool, chains=2, iterations=200, burn_in=100, thin=1)
    >>> fits[1] == mixgist.fit(sets[1], chains=2, iterations=200, burn_in=100, thin=1)
    True
    """
    if check_executor(executor) is None:
        raise TypeError("executor is None, expected an object with the method submit")
    usual = {name: one.default for name, one in inspect.signature(fit).parameters.items() if one.default is not one.empty}
    for name in ("threads", "executor", "client", "progress"):
        del usual[name]
    for name in options:
        if name not in usual or name in ("checkpoint", "resume", "checkpoint_every"):
            raise TypeError(f"fit_all takes no option {name!r}")
    return _elsewhere([_prepared(X, **{**usual, **options}) for X in data_sets], executor, None, progress)


_Prepared = tuple[Floats, Union[list[str], None], dict[str, Any]]


def _prepared(X: Any, **given: Any) -> _Prepared:
    """Data and options as the core reads them."""
    x = points("X", X)
    if len(x) == 0:
        raise ValueError("X has no rows")
    return x, columns_of(X), _options(x.shape[1], given)


def _options(dim: int, given: dict[str, Any]) -> dict[str, Any]:
    """The options for data of this dimension."""
    if given["checkpoint"] is not None and given["resume"] is not None:
        raise ValueError("checkpoint and resume cannot both be given")
    if given["n_clusters"] is not None:
        raise TypeError(
            "a fit has no n_clusters: it finds how many clusters there are\n"
            "hint: n_components fits a finite mixture; partition(draws, n_clusters=...) gives so many clusters, summarize(draws, atoms=...) so many atoms"
        )
    components = either("components", given["components"], "n_components", given["n_components"])
    covariance = either("covariance", given["covariance"], "covariance_type", given["covariance_type"], "full")
    seed = given["seed"]
    if given["random_state"] is not None:
        seed = either("seed", seed, "random_state", seed_of(given["random_state"], "random_state"), _DEFAULTS["seed"])
    return {
        "alpha": _alpha(given["alpha"]),
        "discount": number("discount", given["discount"]),
        "components": optional_count("components", components, 1),
        "covariance": _COVARIANCES.get(word("covariance", covariance), covariance),
        "mu0": None if given["mu0"] is None else floats("mu0", given["mu0"]).reshape(-1).tolist(),
        "lambda": optional_number("lambda_", given["lambda_"]),
        "psi": None if given["psi"] is None else _psi(given["psi"], dim),
        "nu": optional_number("nu", given["nu"]),
        "scales": word("scales", given["scales"]),
        "algorithm": word("algorithm", given["algorithm"]),
        "truncation": optional_count("truncation", given["truncation"]),
        "chains": count("chains", given["chains"], bits=32),
        "iterations": count("iterations", given["iterations"]),
        "burn_in": count("burn_in", given["burn_in"]),
        "thin": count("thin", given["thin"]),
        "seed": count("seed", seed),
        "checkpoint": optional_path("checkpoint", given["checkpoint"]),
        "resume": optional_path("resume", given["resume"]),
        "checkpoint_every": count("checkpoint_every", given["checkpoint_every"], 1),
    }


def _chain(x: Any, options: dict[str, Any], number: int) -> bytes:
    """Runs on a worker: one chain."""
    # Arrays that came over a line may lie anywhere in memory.
    return _core.fit_chain(np.require(x, np.float64, ["C", "A"]), options, number, 1)


def _elsewhere(fits: list[_Prepared], executor: Any, threads: int | None, progress: ProgressOption) -> list[Fit]:
    """Fits whose chains are jobs of an executor."""
    post = Post(executor)
    data = [post.hold(x) for x, _, _ in fits]
    calls = [(_chain, data[i], options, number) for i, (_, _, options) in enumerate(fits) for number in range(options["chains"])]
    owners = [i for i, (_, _, options) in enumerate(fits) for _ in range(options["chains"])]

    def renew(place: int, error: BaseException) -> tuple[Any, ...]:
        i = owners[place]
        if post.broken or post.lost(data[i]):
            data[i] = post.hold(fits[i][0])
        return (_chain, data[i], *calls[place][2:])

    pending = Pending(post, list(calls), renew)
    chains: list[list[bytes]] = [[] for _ in fits]
    try:
        with reporter(progress) as report:
            for place, owner in enumerate(owners):
                if report is not None:
                    report("sampling", place, len(calls), f"chain {place} of {len(calls)}")
                while (found := pending.poll(place, 0.1)) is None:
                    pass
                chains[owner].append(found)
    except BaseException:
        pending.cancel()
        raise
    joined = []
    for (x, columns, options), runs in zip(fits, chains):
        with reporter(progress) as report:
            native, document, warnings = _core.fit_joined(x, columns, options, runs, threads, report)
        warn_all(warnings)
        joined.append(Fit._of(native, document))
    return joined


def _beside(path: str) -> str:
    """The document beside a file of draws."""
    return os.path.splitext(path)[0] + ".fit.json"


def _number(value: Any) -> float:
    """A number of a document, in which what is not finite is null."""
    return float("inf") if value is None else float(value)


def _alpha(alpha: Any) -> tuple[float, float | None]:
    """The concentration, or shape and rate of its prior."""
    if not isinstance(alpha, (tuple, list)):
        return number("alpha", alpha, ", or shape and rate of a Gamma prior"), None
    if len(alpha) != 2:
        raise ValueError(f"alpha is {alpha!r}, expected a number, or shape and rate of a Gamma prior")
    return number("the shape in alpha", alpha[0]), number("the rate in alpha", alpha[1])


def _psi(psi: ArrayLike, dim: int) -> tuple[bool, list[float]]:
    """Whether it is the whole matrix, and its numbers."""
    array = floats("psi", psi)
    if array.shape == (dim, dim):
        return True, array.reshape(-1).tolist()
    return False, array.reshape(-1).tolist()
