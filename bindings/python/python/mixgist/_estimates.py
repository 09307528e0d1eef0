"""Whatever stands for one mixing measure: a measure, a result that has an estimate, a single draw, a fitted mixture of scikit-learn."""

from __future__ import annotations

from typing import Any, Protocol, Union

from ._draws import Draws
from ._measure import Measure
from ._sources import sklearn
from ._words import Estimator


class Estimated(Protocol):
    """A result with an estimate, such as a `Summary`."""

    @property
    def estimate(self) -> Measure:
        """The estimate."""


class FittedMixture(Protocol):
    """A fitted mixture of scikit-learn, such as a `GaussianMixture`."""

    covariance_type: Any
    weights_: Any
    means_: Any
    covariances_: Any


MeasureLike = Union[Measure, Estimated, Draws, FittedMixture]
# The name of an estimator, or a measure of one's own.
EstimateLike = Union[Estimator, MeasureLike]


def measure_of(name: str, value: MeasureLike, otherwise: str = "") -> Measure:
    """The measure that `value` stands for; `otherwise` says what else the option may be."""
    if isinstance(value, Measure):
        return value
    if isinstance(value, Draws):
        if len(value) == 1:
            return value[0]
        raise ValueError(f"{name} holds {len(value)} draws, expected a single one\nhint: choose one, as in draws[17]")
    estimate = getattr(value, "estimate", None)
    if isinstance(estimate, Measure):
        return estimate
    if hasattr(value, "covariance_type") and hasattr(value, "means_"):
        return sklearn(value)
    raise TypeError(f"{name} is a {type(value).__name__}, expected {otherwise}a Measure, a Summary or a single draw")
