"""Draws in blocks: files and Dask arrays give the bits of draws in memory."""

from __future__ import annotations

import numpy as np
import pytest

import mixgist

OPTIONS = dict(loss="power", route="blocks", slices=40, seed=3)


def arrays(count: int = 240, atoms: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    weights = rng.dirichlet(np.ones(atoms), size=count)
    means = 4.0 * np.arange(atoms)[:, None] + rng.standard_normal((count, atoms, 2))
    covariances = np.zeros((count, atoms, 2, 2))
    covariances[..., 0, 0], covariances[..., 1, 1] = 1.0 + rng.random((2, count, atoms))
    return weights, means, covariances


def numbers(summary: mixgist.Summary) -> dict:
    document = summary.to_dict()
    document.pop("source", None)
    return document


@pytest.fixture
def folder(tmp_path):
    weights, means, covariances = arrays()
    for place, start in enumerate(range(0, 240, 50)):
        some = slice(start, start + 50)
        mixgist.Draws(weights[some], means[some], covariances[some]).write(tmp_path / f"part-{place}.npz")
    return tmp_path


@pytest.mark.filterwarnings("ignore")
def test_files_in_blocks_are_draws_in_memory(folder):
    blocks = mixgist.DrawBlocks.open(folder)
    assert (len(blocks), blocks.blocks, blocks.dim) == (240, 5, 2)
    assert repr(blocks) == "DrawBlocks(240 draws in 5 blocks, dimension 2)"
    whole = mixgist.summarize(mixgist.Draws.read(folder), **OPTIONS)
    assert numbers(mixgist.summarize(blocks, **OPTIONS)) == numbers(whole)
    free = dict(OPTIONS, estimate="free", atoms=2)
    assert numbers(mixgist.summarize(blocks, **free)) == numbers(mixgist.summarize(mixgist.Draws.read(folder), **free))


@pytest.mark.filterwarnings("ignore")
def test_blocks_go_to_any_executor(folder):
    from concurrent.futures import ThreadPoolExecutor

    blocks = mixgist.DrawBlocks.open(folder)
    with ThreadPoolExecutor(2) as pool:
        assert numbers(mixgist.summarize(blocks, executor=pool, **OPTIONS)) == numbers(mixgist.summarize(blocks, **OPTIONS))


def test_what_needs_all_draws_is_refused(folder):
    blocks = mixgist.DrawBlocks.open(folder)
    with pytest.raises(ValueError, match="power loss"):
        mixgist.summarize(blocks, slices=40)
    with pytest.raises(ValueError, match="needs all draws in memory"):
        mixgist.summarize(blocks, loss="power", estimate="aligned", slices=40)
    with pytest.raises(TypeError):
        mixgist.DrawBlocks()
    (folder / "part-2.npz").write_bytes(b"no draws")
    with pytest.raises(Exception, match="part-2.npz"):
        mixgist.DrawBlocks.open(folder)


@pytest.mark.filterwarnings("ignore")
def test_other_questions_name_what_helps(folder):
    with pytest.raises(TypeError, match="expected Draws\nhint: only summarize takes draws in blocks.*thin"):
        mixgist.components(mixgist.DrawBlocks.open(folder))


def test_dask_arrays_are_not_collected():
    array = pytest.importorskip("dask.array")
    weights, means, covariances = arrays()
    cut = [array.from_array(weights, chunks=(70, 2)), array.from_array(means, chunks=100), array.from_array(covariances, chunks=90)]
    chains = np.repeat([0, 1], 120)
    blocks = mixgist.DrawBlocks.from_dask(*cut, chains=chains)
    assert (len(blocks), blocks.blocks, blocks.dim) == (240, 4, 2)
    whole = mixgist.summarize(mixgist.Draws(weights, means, covariances, chains=chains), **OPTIONS)
    assert numbers(mixgist.summarize(blocks, **OPTIONS)) == numbers(whole)
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            assert numbers(mixgist.summarize(blocks, executor=client, **OPTIONS)) == numbers(whole)
    with pytest.raises(TypeError, match="expected a Dask array"):
        mixgist.DrawBlocks.from_dask(weights, means, covariances)
