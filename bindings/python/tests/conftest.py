"""Draws that look like a posterior."""

import importlib
import os

import numpy as np
import pytest

import mixgist


def optional(name):
    """A package that tests use where it is installed; the automatic tests of the project must have it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"NOT TESTED: {name} is not installed")


def posterior(draws=120, atoms=3, dim=2, seed=0):
    """Arrays of draws around one mixture, labels switched at random."""
    rng = np.random.default_rng(seed)
    centres = 4.0 * rng.standard_normal((atoms, dim))
    order = np.array([rng.permutation(atoms) for _ in range(draws)])
    means = centres[order] + 0.2 * rng.standard_normal((draws, atoms, dim))
    factors = 0.3 * rng.standard_normal((draws, atoms, dim, dim))
    covariances = np.eye(dim) + factors @ factors.transpose(0, 1, 3, 2)
    return rng.dirichlet(np.full(atoms, 5.0), draws), means, covariances


@pytest.fixture(scope="session")
def arrays():
    return posterior()


@pytest.fixture(scope="session")
def draws(arrays):
    return mixgist.Draws(*arrays)


@pytest.fixture(scope="session")
def observations():
    return 3.0 * np.random.default_rng(5).standard_normal((60, 2))
