"""mixgist as a scikit-learn estimator. Needs scikit-learn."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._fit import fit
from ._checks import Seed, either, seed_of
from ._questions import check_summarize, summarize
from ._summary import Summary
from ._warnings import without
from ._words import Algorithm, CovarianceModel, Estimator, Loss, ScaleChoice

_DEFAULTS = _core.DEFAULTS


class MixtureSummary(DensityMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """A Bayesian mixture of normals, fitted and summarised: a clusterer and a density with scikit-learn's interface.

    Parameters
    ----------
    estimate, atoms, distance, slices, loss, units
        How the draws are summarised, see `mixgist.summarize`; a function as `distance` makes its own slices.
    alpha, discount, components, covariance, scales, algorithm, chains, iterations, burn_in, thin
        The model and the chains, see `mixgist.fit`. Chains are shorter by default than those of `mixgist.fit`, and slices fewer than in
        `mixgist.summarize`, so that the estimator can be used in cross-validation; `fit_.verdict` says whether the chains agree.
    n_components, covariance_type
        Scikit-learn's names for `components` and `covariance`, whose words ``"diag"`` and ``"tied"`` are understood too.
    n_clusters : int, optional
        At most this many clusters: ``atoms=n_clusters`` with ``estimate="free"``. Without it their number is estimated.
    random_state : int, Generator, RandomState or None
        Seed; None draws one from NumPy's global state.
    n_jobs : int, optional
        Threads to use; all cores without it or with -1, all but one with -2, and so on.

    Attributes
    ----------
    weights_, means_, covariances_ : numpy.ndarray
        The estimate: (K,), (K, d), (K, d, d). Atoms with observations come first, of these the heaviest.
    labels_ : numpy.ndarray, shape (n,)
        Label of every observation.
    summary_ : Summary
        The estimate with its evidence.
    fit_ : Fit
        The draws and their diagnostics.

    Examples
    --------
    >>> import numpy as np
    >>> from mixgist.sklearn import MixtureSummary
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(9, 1, (40, 2))])
    >>> model = MixtureSummary(chains=2, iterations=400, burn_in=200, random_state=0).fit(X)
    >>> len(set(model.predict(X).tolist()))
    2
    """

    def __init__(
        self,
        *,
        estimate: Estimator = _DEFAULTS["estimate"],
        atoms: Any = None,
        distance: Any = _DEFAULTS["distance"],
        slices: Any = 200,
        loss: Loss = _DEFAULTS["loss"],
        units: Any = "sd",
        alpha: Any = 1.0,
        discount: float = 0.0,
        components: int | None = None,
        covariance: CovarianceModel = "full",
        scales: ScaleChoice = "auto",
        algorithm: Algorithm = "blocked",
        chains: int = 2,
        iterations: int = 1000,
        burn_in: int = 500,
        thin: int = 5,
        n_components: int | None = None,
        n_clusters: int | None = None,
        covariance_type: CovarianceModel | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimate = estimate
        self.atoms = atoms
        self.distance = distance
        self.slices = slices
        self.loss = loss
        self.units = units
        self.alpha = alpha
        self.discount = discount
        self.components = components
        self.covariance = covariance
        self.scales = scales
        self.algorithm = algorithm
        self.chains = chains
        self.iterations = iterations
        self.burn_in = burn_in
        self.thin = thin
        self.n_components = n_components
        self.n_clusters = n_clusters
        self.covariance_type = covariance_type
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> MixtureSummary:
        """Fits the mixture to `X` (n, d) and summarises its draws; `y` is ignored."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if isinstance(self.random_state, (int, np.integer, np.random.Generator)):
            seed = seed_of(self.random_state, "random_state")
        else:
            seed = int(check_random_state(self.random_state).randint(2**31))
        threads = _threads(self.n_jobs)
        estimate = self.estimate
        if self.n_clusters is not None and estimate == _DEFAULTS["estimate"]:
            estimate = "free"  # the one whose number of atoms can be chosen
        summarizing = {
            "estimate": estimate,
            "atoms": either("atoms", self.atoms, "n_clusters", self.n_clusters),
            "distance": self.distance,
            "slices": None if callable(self.distance) else self.slices,
            "loss": self.loss,
            "units": self.units,
            "seed": seed,
            "threads": threads,
        }
        check_summarize(**summarizing)
        self.fit_ = fit(
            X,
            alpha=self.alpha,
            discount=self.discount,
            components=self.components,
            covariance=self.covariance,
            scales=self.scales,
            n_components=self.n_components,
            covariance_type=self.covariance_type,
            algorithm=self.algorithm,
            chains=self.chains,
            iterations=self.iterations,
            burn_in=self.burn_in,
            thin=self.thin,
            seed=seed,
            threads=threads,
        )
        if hasattr(self, "feature_names_in_"):
            named = self.fit_.draws.with_data(X, self.feature_names_in_.tolist())
            self.fit_ = dataclasses.replace(self.fit_, draws=named)
        # What the fit said of its chains is not said twice.
        with without(() if self.fit_.verdict == "the chains agree" else ("chains-disagree", "slow-chains")):
            self.summary_: Summary = summarize(self.fit_.draws, **summarizing)
        # Atoms with observations come first, so that the labels of the clusters have no gaps.
        occupied = np.bincount(self.summary_.labels_, minlength=self.summary_.n_components) > 0
        self._order = np.argsort(~occupied, kind="stable")
        self._rank = np.argsort(self._order)
        self.labels_ = self._rank[self.summary_.labels_]
        return self

    @property
    def weights_(self) -> Any:
        """Weights of the estimate, (K,)."""
        return self._fitted().weights_[self._order]

    @property
    def means_(self) -> Any:
        """Means of the estimate, (K, d)."""
        return self._fitted().means_[self._order]

    @property
    def covariances_(self) -> Any:
        """Covariances of the estimate, (K, d, d)."""
        return self._fitted().covariances_[self._order]

    def _fitted(self) -> Summary:
        if not hasattr(self, "summary_"):
            raise AttributeError("the estimate is there after fit")
        return self.summary_

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)

    def predict(self, X: Any) -> Any:
        """Labels of observations (n, d)."""
        X = self._checked(X)
        return self._rank[self.summary_.predict(X)]

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of observations to belong to each atom, (n, K)."""
        X = self._checked(X)
        return self.summary_.predict_proba(X)[:, self._order]

    def score_samples(self, X: Any) -> Any:
        """Logarithms of the density at observations."""
        X = self._checked(X)
        return self.summary_.score_samples(X)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean logarithm of the density; `y` is ignored."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, *, seed: Seed = None) -> Any:
        """Points from the density with their atoms; other ones each time, unless `seed` is a number."""
        check_is_fitted(self)
        points, labels = self.summary_.sample(n_samples, seed=seed)
        return points, self._rank[labels]


def _threads(n_jobs: Any) -> int | None:
    """A number of threads as scikit-learn counts them."""
    if n_jobs is None:
        return None
    if not isinstance(n_jobs, (int, np.integer)) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs is {n_jobs!r}, must be a number of threads, or -1 or None for all cores")
    if n_jobs == -1:
        return None
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
