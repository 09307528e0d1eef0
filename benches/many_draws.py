"""Many draws in a directory of npz files, for docs/scale.md.

    python benches/many_draws.py FOLDER COUNT FILES

Draws of 20 atoms in the plane that look like a posterior: atoms about common places, with noise in weights, means and variances.
"""

import os
import sys

import numpy as np


def main(folder: str, count: int, files: int) -> None:
    os.makedirs(folder)
    rng = np.random.default_rng(1)
    places = 4 * rng.standard_normal((20, 2))
    size = count // files
    for file in range(files):
        means = places + 0.3 * rng.standard_normal((size, 20, 2))
        variances = np.exp(0.2 * rng.standard_normal((size, 20, 2)))
        covariances = np.zeros((size, 20, 2, 2))
        covariances[..., 0, 0], covariances[..., 1, 1] = variances[..., 0], variances[..., 1]
        weights = rng.dirichlet(np.ones(20), size=size)
        np.savez(f"{folder}/part-{file:02d}.npz", weights=weights, means=means, covariances=covariances)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
