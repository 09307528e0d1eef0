"""mixgist from numpy arrays, and POT pair by pair: reads the name of a job a line, runs it, prints the seconds that it took.

usage: python python_call.py DRAWS.npz SLICES      needs mixgist, numpy and POT
"""
import sys
import time
import warnings

import mixgist
import numpy as np
import ot

PAIRS = 60  # POT is timed on so many pairs; the rest is arithmetic


def jobs(weights, means, covariances, slices):
    """The jobs by name, each with the number that its seconds are multiplied by."""
    draws = mixgist.Draws(weights, means, covariances)
    masses = weights / weights.sum(axis=1, keepdims=True)
    points = np.concatenate([means, covariances.reshape(*means.shape[:2], -1)], axis=2)

    def call():
        mixgist.summarize(mixgist.Draws(weights, means, covariances), slices=slices)

    def pot_sliced():
        for i in range(PAIRS):
            ot.sliced_wasserstein_distance(points[i], points[-1 - i], masses[i], masses[-1 - i], slices, seed=0)

    def pot_exact():
        for i in range(PAIRS):
            ot.emd2(masses[i], masses[-1 - i], ot.dist(points[i], points[-1 - i]))

    pairs = len(weights) * (len(weights) - 1) / 2 / PAIRS
    return {
        "call": (call, 1),
        "draws": (lambda: mixgist.Draws(weights, means, covariances), 1),
        "matrix": (lambda: mixgist.distance_matrix(draws, "sw", slices=slices, condensed=True), 1),
        "pot-sliced": (pot_sliced, pairs),
        "pot-exact": (pot_exact, pairs),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    file = np.load(sys.argv[1])
    known = jobs(*(np.ascontiguousarray(file[name]) for name in ("weights", "means", "covariances")), int(sys.argv[2]))
    for line in sys.stdin:
        job, factor = known[line.strip()]
        start = time.perf_counter()
        job()
        print(factor * (time.perf_counter() - start), flush=True)
