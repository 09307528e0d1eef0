"""Points that stay on Dask's workers: a fit has the bits of one in memory, also when workers die."""

import json
import os
import signal
import threading

import numpy as np
import pytest

import mixgist
from mixgist import _tiles

distributed = pytest.importorskip("distributed")
arrays = pytest.importorskip("dask.array")

OPTIONS = dict(chains=2, iterations=24, burn_in=14, thin=2, seed=3)
COUNT = 150_000


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(8)
    return rng.standard_normal((COUNT, 2)) + 6 * rng.integers(0, 3, size=(COUNT, 1))


@pytest.fixture(scope="module")
def here(points):
    return fitted(points)


def fitted(x, **options):
    with pytest.warns(mixgist.MixgistWarning):
        return mixgist.fit(x, **{**OPTIONS, **options})


def same(one, other):
    """All but data, labels and what only mixgist itself reads."""
    documents = [{name: value for name, value in json.loads(fit._text).items() if name != "ends"} for fit in (one, other)]
    assert documents[0] == documents[1]
    for name in ("weights", "means", "covariances", "chains", "iterations"):
        assert np.array_equal(getattr(one.draws, name), getattr(other.draws, name)), name


@pytest.mark.parametrize("chunks", [COUNT, 40_000, (65_536, 65_536, COUNT - 131_072)], ids=["one", "any", "tiles"])
def test_rows_that_stay_on_workers_give_the_fit_of_rows_in_memory(client, points, here, chunks):
    rows = arrays.from_array(points, chunks=(chunks, 1 if chunks == 40_000 else 2))
    away = fitted(rows, client=client)
    same(away, here)
    assert away.draws.labels is None and away.draws.data is None
    assert (away.verdict, away.model) == (here.verdict, here.model)


def test_frames_keep_the_names_of_their_columns(client, points, here):
    frames = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    away = fitted(frames.from_pandas(pandas.DataFrame(points, columns=["x", "y"]), npartitions=3), executor=client)
    assert json.loads(away._text)["columns"] == ["x", "y"]
    assert np.array_equal(away.draws.means, here.draws.means)


def test_a_killed_worker_costs_a_retry_and_not_the_answer(client, points, here, monkeypatch):
    rows = arrays.from_array(points, chunks=(50_000, 2))
    victim = min(client.run(os.getpid).values())
    asked, killed = _tiles.TileCourier.ask, threading.Event()
    count = 0

    def deadly(self, parts, jobs):
        nonlocal count
        count += 1
        pending = asked(self, parts, jobs)
        if count == 40:
            os.kill(victim, signal.SIGKILL)
            killed.set()
        return pending

    monkeypatch.setattr(_tiles.TileCourier, "ask", deadly)
    same(fitted(rows, executor=client), here)
    assert killed.is_set() and victim not in client.run(os.getpid).values()


def test_a_part_travels_without_what_was_made_of_it(points):
    import pickle

    part = _tiles.Part(points[:10], 0)
    again = pickle.loads(pickle.dumps(part))
    assert np.array_equal(again.rows, part.rows) and again.first == 0
    assert part.__sizeof__() == 3 * points[:10].nbytes


def test_few_rows_come_to_this_process(client):
    x = np.random.default_rng(2).standard_normal((300, 2))
    options = dict(chains=2, iterations=60, burn_in=40, thin=1)
    away = fitted(arrays.from_array(x, chunks=(100, 2)), executor=client, **options)
    assert away == fitted(x, **options)


def test_what_cannot_be_done_away_is_refused_with_a_remedy(client, points, here, tmp_path):
    rows = arrays.from_array(points, chunks=(50_000, 2))
    with pytest.raises(ValueError, match="blocked"):
        mixgist.fit(rows, executor=client, algorithm="slice")
    with pytest.raises(ValueError, match="without checkpoints"):
        mixgist.fit(rows, executor=client, checkpoint=tmp_path / "run")
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        mixgist.fit(rows[rows[:, 0] > 0], executor=client)
    with pytest.raises(ValueError, match="same option"):
        mixgist.fit(rows, executor=client, client=client)
    with pytest.raises(TypeError, match="dtype"):
        mixgist.fit(rows.astype(str), executor=client)
    holes = points.copy()
    holes[70_001, 1] = np.nan
    with pytest.raises(ValueError, match="data row 70001, column 1 is NaN"):
        mixgist.fit(arrays.from_array(holes, chunks=(50_000, 2)), executor=client)
    away = fitted(rows, executor=client, chains=1)
    with pytest.raises(ValueError, match="Dask array"):
        away.extend(40)
    assert client.submit(sum, [1, 2], pure=False).result() == 3
