"""A program that a type checker must accept: `mypy` reads it, nothing runs it."""

import numpy as np
from numpy.typing import NDArray

import mixgist


def program() -> None:
    draws = mixgist.Draws(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)), "sd", chains=[0, 1])
    one: mixgist.Measure = draws[0]
    some: mixgist.Draws = draws[:1]
    summary: mixgist.Summary = mixgist.summarize(draws, slices="auto", units=[1.0], progress=True)
    labels: NDArray[np.int64] = summary.predict([[0.0]])
    weights: NDArray[np.float64] = summary.weights_
    number: float | None = mixgist.distance(summary, one, "mw").standard_error
    matrix: NDArray[np.float64] = mixgist.distance_matrix(draws, lambda atoms: atoms.means.T).values
    fitted: mixgist.Fit = mixgist.fit([[0.0], [1.0]], alpha=(1.0, 2.0))
    ball: mixgist.PartitionBall = mixgist.partition(fitted.draws, loss="vi").ball
    free: mixgist.Summary = mixgist.summarize(draws, estimate="free", atoms="auto", candidate=one, slices=100, seed=1)
    path: mixgist.AtomPath | None = free.path
    excess: float | None = free.excess
    radius: float = mixgist.credible(draws, estimate=free, hypothesis=one, level=0.9, conformal=True, units="sd").ball.radius
    low: NDArray[np.float64] = [c.intervals for c in mixgist.components(draws).components if c.intervals][0].mean.low
    aligned: NDArray[np.float64] = mixgist.align(draws, names=["a"]).weights
    unsure: NDArray[np.int64] = mixgist.memberships(draws, [[0.0]]).uncertain
    many: int = mixgist.how_many(draws).components
    modes: NDArray[np.float64] = mixgist.representatives(draws, count=2).weights
    moved: NDArray[np.float64] = mixgist.stability(draws, slices=50).radii
    mean: float = mixgist.expected_losses(one, draws, units=[1.0])["distance"]
    vi: float = mixgist.expected_losses([0, 1], [[0, 1]])["vi"]
