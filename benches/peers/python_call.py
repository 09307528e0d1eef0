"""mixgist from numpy arrays, and POT pair by pair: seconds for each, one line a job.

usage: python python_call.py DRAWS.npz SLICES RUNS      needs mixgist, numpy and POT
"""
import sys
import time
import warnings

import mixgist
import numpy as np
import ot

PAIRS = 60  # POT is timed on so many pairs; the rest is arithmetic


def fastest(runs, job):
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def pot_sliced(points, weights, slices):
    for i in range(PAIRS):
        ot.sliced_wasserstein_distance(points[i], points[-1 - i], weights[i], weights[-1 - i], slices, seed=0)


def pot_exact(points, weights):
    for i in range(PAIRS):
        ot.emd2(weights[i], weights[-1 - i], ot.dist(points[i], points[-1 - i]))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    file = np.load(sys.argv[1])
    slices, runs = int(sys.argv[2]), int(sys.argv[3])
    weights, means, covariances = (np.ascontiguousarray(file[name]) for name in ("weights", "means", "covariances"))

    def call():
        mixgist.summarize(mixgist.Draws(weights, means, covariances), slices=slices)

    print("call", fastest(runs, call))
    print("draws", fastest(runs, lambda: mixgist.Draws(weights, means, covariances)))
    draws = mixgist.Draws(weights, means, covariances)
    print("matrix", fastest(3, lambda: mixgist.distance_matrix(draws, "sw", slices=slices, condensed=True)))
    weights = weights / weights.sum(axis=1, keepdims=True)
    points = np.concatenate([means, covariances.reshape(*means.shape[:2], -1)], axis=2)
    pairs = len(weights) * (len(weights) - 1) / 2 / PAIRS
    print("pot-sliced", pairs * fastest(2, lambda: pot_sliced(points, weights, slices)))
    print("pot-exact", pairs * fastest(2, lambda: pot_exact(points, weights)))
