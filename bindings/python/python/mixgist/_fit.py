"""From data to draws: Bayesian mixtures of normals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Floats, columns_of, floats, points
from ._checks import count, number, optional_count, optional_number, optional_path, thread_count, word
from ._draws import Draws, Path
from ._progress import ProgressOption, reporter
from ._document import frame, html
from ._questions import summarize
from ._summary import Summary
from ._warnings import warn_all

_DEFAULTS = _core.DEFAULTS

Alpha = Union[float, tuple[float, float]]


class Convergence(NamedTuple):
    """How well the chains agree on a quantity."""

    rhat: float
    bulk_ess: float
    tail_ess: float


@dataclass(frozen=True)
class Fit:
    """The posterior sample of a mixture model, as `fit` returns it.

    Attributes
    ----------
    draws : Draws
        The draws, with labels and data.
    model : str
        The model in words, ready for a methods section.
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
    model: str = field(repr=False)
    diagnostics: dict[str, Convergence] = field(repr=False)
    verdict: str
    traces: dict[str, Floats] = field(repr=False)
    unresolved: float = field(repr=False)

    def to_frame(self) -> Any:
        """A row for each quantity: R-hat and effective sample sizes."""
        return frame([{"quantity": name, **one._asdict()} for name, one in self.diagnostics.items()])

    def _repr_html_(self) -> str:
        rows = [[name, f"{one.rhat:.3f}", f"{one.bulk_ess:.0f}", f"{one.tail_ess:.0f}"] for name, one in self.diagnostics.items()]
        header = ["quantity", "R-hat", "bulk effective sample size", "tail effective sample size"]
        return html(f"{self.draws!r}: {self.verdict}", [self.model], header, rows)

    def summarize(self, **options: Any) -> Summary:
        """Summarises the draws, see `mixgist.summarize`."""
        return summarize(self.draws, **options)


def fit(
    X: Any,
    *,
    alpha: Alpha = 1.0,
    discount: float = 0.0,
    components: int | None = None,
    covariance: str = "full",
    mu0: ArrayLike | None = None,
    lambda_: float | None = None,
    psi: ArrayLike | None = None,
    nu: float | None = None,
    algorithm: str = "blocked",
    truncation: int | None = None,
    chains: int = _DEFAULTS["chains"],
    iterations: int = _DEFAULTS["iterations"],
    burn_in: int = _DEFAULTS["burn_in"],
    thin: int = _DEFAULTS["thin"],
    seed: int = _DEFAULTS["seed"],
    checkpoint: Path | None = None,
    resume: Path | None = None,
    checkpoint_every: int = 1000,
    threads: int | None = None,
    progress: ProgressOption = False,
) -> Fit:
    """Fits a Bayesian mixture of normals and keeps its posterior draws.

    The same data, options and seed give the same draws as ``mixgist fit`` on the command line.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Observations; the columns of a data frame keep their names.
    alpha : float or (float, float)
        Concentration, or shape and rate of its Gamma prior.
    discount : float
        Discount of a Pitman-Yor process, from 0 (a Dirichlet process) to below 1.
    components : int, optional
        Finite mixture of this many components instead of a process.
    covariance : str
        Covariances of the components: ``"full"``, ``"diagonal"`` or ``"common"``.
    mu0 : array_like, shape (d,), optional
        Prior mean of the components' means; from the data without it.
    lambda_ : float, optional
        Prior strength of `mu0`, in observations.
    psi : array_like, shape (d,) or (d, d), optional
        Scale of the inverse Wishart prior: its diagonal, or the matrix.
    nu : float, optional
        Degrees of freedom of the inverse Wishart prior.
    algorithm : str
        ``"blocked"``, ``"slice"`` or ``"marginal"``.
    truncation : int, optional
        Number of sticks (weights of the process) that the blocked algorithm keeps; without it, enough for an expected rest below 1e-8.
    chains, iterations, burn_in, thin : int
        Number of chains; iterations of each, burn-in included; iterations that are dropped; of the others, every ``thin``-th is kept.
    seed : int
        The draws depend on it, the data and the options alone.
    checkpoint : path, optional
        Save the state of the chains in this folder every `checkpoint_every` iterations.
    resume : path, optional
        Go on with the run whose checkpoints are in this folder.
    threads, progress
        As in `summarize`.

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
    x = points("X", X)
    if len(x) == 0:
        raise ValueError("X has no rows")
    if checkpoint is not None and resume is not None:
        raise ValueError("checkpoint and resume cannot both be given")
    options: dict[str, Any] = {
        "alpha": _alpha(alpha),
        "discount": number("discount", discount),
        "components": optional_count("components", components, 1),
        "covariance": word("covariance", covariance),
        "mu0": None if mu0 is None else floats("mu0", mu0).reshape(-1).tolist(),
        "lambda": optional_number("lambda_", lambda_),
        "psi": None if psi is None else _psi(psi, x.shape[1]),
        "nu": optional_number("nu", nu),
        "algorithm": word("algorithm", algorithm),
        "truncation": optional_count("truncation", truncation),
        "chains": count("chains", chains, bits=32),
        "iterations": count("iterations", iterations),
        "burn_in": count("burn_in", burn_in),
        "thin": count("thin", thin),
        "seed": count("seed", seed),
        "checkpoint": optional_path("checkpoint", checkpoint),
        "resume": optional_path("resume", resume),
        "checkpoint_every": count("checkpoint_every", checkpoint_every, 1),
    }
    with reporter(progress) as report:
        native, evidence = _core.fit(x, columns_of(X), options, thread_count(threads), report)
    warn_all(evidence["warnings"])
    return Fit(
        draws=Draws._wrap(native),
        model=evidence["model"],
        diagnostics={name: Convergence(*values) for name, *values in evidence["diagnostics"]},
        verdict=evidence["verdict"],
        traces={name: np.array(trace) for name, trace in evidence["traces"].items()},
        unresolved=evidence["unresolved"],
    )


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
