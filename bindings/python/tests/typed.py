"""A program that a type checker must accept: `mypy` reads it, nothing runs it."""

import numpy as np
from numpy.typing import NDArray

import mixgist

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
