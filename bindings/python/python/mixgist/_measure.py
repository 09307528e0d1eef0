"""One mixing measure with the density and the labels that it implies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import Floats, Integers, points
from ._atoms import flat
from ._checks import Seed, count, covariance_form as form_of, seed_of, thread_count
from ._frames import columns_frame
from ._words import CovarianceForm, FrameLibrary


class Measure:
    """A mixing measure: weighted atoms, each a mean with a covariance.

    Parameters
    ----------
    weights : array_like, shape (K,)
        Weights; scaled to sum 1. Atoms of weight 0 are dropped.
    means : array_like, shape (K, d) or (K,)
        Means; a vector is dimension 1.
    covariances : array_like, shape (K, d, d)
        Covariances, in the form that `covariance_form` says.
    covariance_form : str
        ``"covariance"``, ``"precision"``, ``"cholesky"``, ``"diagonal"``, ``"spherical"`` or ``"sd"``, see `Draws`.

    Examples
    --------
    >>> import mixgist
    >>> measure = mixgist.Measure([0.3, 0.7], [0.0, 5.0], [1.0, 4.0])
    >>> measure
    Measure(2 atoms, dimension 1)
    >>> measure.predict([[-1.0], [6.0]])
    array([0, 1])
    """

    def __init__(
        self, weights: ArrayLike, means: ArrayLike, covariances: ArrayLike, covariance_form: CovarianceForm = "covariance"
    ) -> None:
        form = form_of(covariance_form)
        atoms = flat(weights, means, covariances, form, [0])
        self._native = _core.Measure(atoms.dim, atoms.weights, atoms.means, atoms.covariances, form)

    @classmethod
    def _wrap(cls, native: _core.Measure) -> Measure:
        measure = cls.__new__(cls)
        measure._native = native
        return measure

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each atom: weight, mean and standard deviations."""
        d = self.dim
        columns: dict[str, Any] = {"weight": self.weights}
        columns |= {f"mean_x{a + 1}": self.means[:, a] for a in range(d)}
        columns |= {f"sd_x{a + 1}": np.sqrt(self.covariances[:, a, a]) for a in range(d)}
        return columns_frame(library, columns)

    @property
    def weights(self) -> Floats:
        """Weights (K,), which sum to 1."""
        return self._native.weights

    @property
    def means(self) -> Floats:
        """Means (K, d)."""
        return self._native.means

    @property
    def covariances(self) -> Floats:
        """Covariances (K, d, d)."""
        return self._native.covariances

    @property
    def dim(self) -> int:
        """Dimension d."""
        return self._native.dim

    def __len__(self) -> int:
        return len(self._native)

    def predict(self, X: ArrayLike, *, threads: int | None = None) -> Integers:
        """The atom that each observation most probably belongs to.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Observations.
        threads : int, optional
            Threads to use; all cores without it.

        Returns
        -------
        numpy.ndarray, shape (n,)
            Indices of atoms.
        """
        return self._allocate(X, threads)[0]

    def membership_probability(self, X: ArrayLike, *, threads: int | None = None) -> Floats:
        """The probability of the label that `predict` gives, for each observation."""
        return self._allocate(X, threads)[1]

    def _allocate(self, X: ArrayLike, threads: int | None) -> tuple[Integers, Floats]:
        return self._native.allocate(points("X", X), thread_count(threads))

    def predict_proba(self, X: ArrayLike, *, threads: int | None = None) -> Floats:
        """The probability of each observation to belong to each atom, (n, K)."""
        return self._native.memberships(points("X", X), thread_count(threads))

    def score_samples(self, X: ArrayLike, *, threads: int | None = None) -> Floats:
        """The logarithm of the density at each observation, (n,)."""
        return self._native.log_density(points("X", X), thread_count(threads))

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """The mean logarithm of the density; `y` is there for scikit-learn and not used."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, *, seed: Seed = None) -> tuple[Floats, Integers]:
        """Points from the density, with the atoms that they come from.

        Parameters
        ----------
        n_samples : int
            Number of points.
        seed : int, numpy.random.Generator or None
            With a number the answer is the same each time, and a longer sample begins with the shorter one; None is another each time.

        Returns
        -------
        X : numpy.ndarray, shape (n_samples, d)
        labels : numpy.ndarray, shape (n_samples,)
        """
        return self._native.sample(count("n_samples", n_samples), seed_of(seed))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return (
            np.array_equal(self.weights, other.weights)
            and np.array_equal(self.means, other.means)
            and np.array_equal(self.covariances, other.covariances)
        )

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Measure:
        return self  # it never changes

    def __deepcopy__(self, memo: Any) -> Measure:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Measure, (self.weights, self.means, self.covariances)

    def __repr__(self) -> str:
        atoms = "atom" if len(self) == 1 else "atoms"
        return f"Measure({len(self)} {atoms}, dimension {self.dim})"
