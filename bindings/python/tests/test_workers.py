"""Work that goes to executors and to Dask: the same bits as in one process, also when workers die."""

import concurrent.futures
import multiprocessing
import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import mixgist
from mixgist import _work

distributed = pytest.importorskip("distributed")


def some_draws(count, seed=3, dim=2, atoms=4):
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(count, atoms, dim)) + 4 * rng.integers(0, 3, size=(count, atoms, 1))
    shapes = 0.5 + rng.random((count, atoms, dim))
    weights = rng.random((count, atoms)) + 0.1
    return mixgist.Draws(weights, means, shapes, covariance_form="diagonal")


@pytest.fixture(scope="module")
def pool():
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def clients():
    """Clients of clusters of two and of four processes."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as two:
        with distributed.LocalCluster(n_workers=4, threads_per_worker=1, processes=True, dashboard_address=":0") as four:
            with distributed.Client(two) as client_two, distributed.Client(four) as client_four:
                yield client_two, client_four


def document(summary):
    return summary._native.to_json()


CASES = [
    {"slices": 60},
    {"slices": 60, "route": "certified"},
    {"slices": 60, "loss": "power"},
    {"slices": 40, "order": 1.5, "route": "pairs"},
    {"slices": 40, "estimate": "free", "atoms": 3},
    {"slices": "auto"},
]


@pytest.mark.parametrize("options", CASES, ids=str)
@pytest.mark.filterwarnings("ignore::mixgist.MixgistWarning")
def test_summaries_have_the_same_bits_everywhere(options, pool, clients):
    draws = some_draws(420 if options.get("route") == "certified" else 80)
    one = document(mixgist.summarize(draws, threads=1, **options))
    assert document(mixgist.summarize(some_draws(len(draws)), threads=2, **options)) == one
    for executor in (pool, *clients, clients[0].get_executor()):
        assert document(mixgist.summarize(some_draws(len(draws)), executor=executor, **options)) == one


@pytest.mark.filterwarnings("ignore::mixgist.MixgistWarning")
def test_matrices_cards_and_balls_have_the_same_bits(pool, clients):
    draws = some_draws(50)
    matrix = mixgist.distance_matrix(draws, slices=50)
    card = mixgist.stability(draws, slices=30)
    ball = mixgist.Posterior(some_draws(50), slices=30).credible(conformal=True)
    for executor in (pool, clients[0]):
        away = mixgist.distance_matrix(draws, slices=50, executor=executor)
        assert np.array_equal(away.values, matrix.values) and np.array_equal(away.standard_errors, matrix.standard_errors)
        assert mixgist.stability(some_draws(50), slices=30, executor=executor) == card
        assert mixgist.Posterior(some_draws(50), slices=30, executor=executor).credible(conformal=True) == ball
    exact = mixgist.distance_matrix(draws[:5], "exact-w", executor=pool)
    assert np.array_equal(exact.values, mixgist.distance_matrix(draws[:5], "exact-w").values)


@pytest.mark.filterwarnings("ignore::mixgist.MixgistWarning")
def test_fits_have_the_same_bits(pool, clients):
    rng = np.random.default_rng(1)
    sets = [rng.normal(size=(60, 2)), rng.normal(size=(40, 2))]
    options = {"chains": 3, "iterations": 120, "burn_in": 60, "thin": 2, "seed": 4}
    here = [mixgist.fit(x, **options) for x in sets]
    for executor in (pool, clients[0]):
        assert mixgist.fit(sets[0], executor=executor, **options) == here[0]
        assert mixgist.fit_all(sets, executor, **options) == here
    with pytest.raises(ValueError, match="checkpoint"):
        mixgist.fit(sets[0], executor=pool, checkpoint="x", **options)
    with pytest.raises(TypeError, match="no option"):
        mixgist.fit_all(sets, pool, checkpoint="x")


@pytest.mark.filterwarnings("ignore::mixgist.MixgistWarning")
def test_estimates_are_mapped_over_partitions(clients):
    dataframe = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    table = pandas.DataFrame(rng.normal(size=(101, 2)) + 4 * rng.integers(0, 3, size=(101, 1)), columns=["x", "y"])
    summary = mixgist.summarize(some_draws(60), table, slices=40)

    def described(part):
        known = summary.estimate
        return part.assign(label=known.predict(part), log_density=known.score_samples(part), first=known.predict_proba(part)[:, 0])

    assert np.array_equal(described(table)["label"], summary.predict(table))
    for partitions in (1, 4):
        rows = dataframe.from_pandas(table, npartitions=partitions)
        # computed on the workers of the client that was made last, which are processes
        away = clients[1].compute(rows.map_partitions(described)).result()
        pandas.testing.assert_frame_equal(away, described(table), check_exact=True)


def worker_processes(client):
    return list(client.run(os.getpid).values())


@pytest.mark.filterwarnings("ignore::mixgist.MixgistWarning")
@pytest.mark.parametrize("delay", [0.0, 0.15, 0.4])
def test_a_killed_dask_worker_costs_a_retry_and_not_the_answer(clients, delay):
    client = clients[1]
    client.wait_for_workers(1)
    options = {"slices": 400, "route": "pairs"}
    one = document(mixgist.summarize(some_draws(300, seed=5), **options))
    victim = worker_processes(client)[0]

    def kill():
        time.sleep(delay)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        assert document(mixgist.summarize(some_draws(300, seed=5), executor=client, **options)) == one
    finally:
        killer.join()
    # It is dead: its nanny takes note of that.
    with pytest.raises(ProcessLookupError):
        while True:
            os.kill(victim, 0)
            time.sleep(0.01)


def _die_once(path):
    """Kills the worker that gets it first."""
    try:
        with open(path, "x"):
            pass
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.filterwarnings("ignore::mixgist.MixgistWarning")
def test_a_worker_dies_within_a_job(clients, tmp_path, monkeypatch):
    """The first job that runs kills its worker, so that there is a loss however fast the machine is."""
    mark = str(tmp_path / "dead")
    answer = _work.Courier._call

    def deadly(self, job):
        function, *arguments = answer(self, job)
        return _deadly, mark, function, *arguments

    monkeypatch.setattr(_work.Courier, "_call", deadly)
    draws = some_draws(60)
    one = document(mixgist.summarize(some_draws(60), slices=60))
    assert document(mixgist.summarize(draws, slices=60, executor=clients[0])) == one
    assert os.path.exists(mark)


def _deadly(path, function, *arguments):
    _die_once(path)
    return function(*arguments)


def test_a_broken_pool_leaves_the_rest_to_this_process(monkeypatch, tmp_path):
    mark = str(tmp_path / "dead")
    answer = _work.Courier._call
    own = os.getpid()

    def deadly(self, job):
        function, *arguments = answer(self, job)
        return (function, *arguments) if self._post.broken else (_deadly, mark, function, *arguments)

    monkeypatch.setattr(_work.Courier, "_call", deadly)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = document(mixgist.summarize(some_draws(60), slices=60))
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        with pytest.warns(mixgist.MixgistWarning, match="takes no more work"):
            assert document(mixgist.summarize(some_draws(60), slices=60, executor=pool)) == one
    assert os.getpid() == own and os.path.exists(mark)


class Inline(concurrent.futures.Executor):
    """Runs at once, in this process, and counts."""

    def __init__(self):
        self.calls = 0

    def submit(self, function, /, *arguments):
        self.calls += 1
        future = concurrent.futures.Future()
        future.set_result(function(*arguments))
        return future


@pytest.mark.filterwarnings("ignore::mixgist.MixgistWarning")
def test_workers_that_cannot_read_the_file_get_the_draws_with_the_job(monkeypatch):
    seen = []

    def elsewhere(key, draws, job, threads):
        seen.append(type(draws))
        if isinstance(draws, str):
            raise _work.Lacking("no such file")
        _work._core.open_draws(key, draws.content, 1)
        return _work._core.answer_job(key, job)

    monkeypatch.setattr(_work, "_answer", elsewhere)
    draws = some_draws(40, seed=11)
    one = document(mixgist.summarize(some_draws(40, seed=11), slices=30))
    assert document(mixgist.summarize(draws, slices=30, executor=Inline())) == one
    assert str in seen and _work.Bytes in seen


@pytest.mark.filterwarnings("ignore::mixgist.MixgistWarning")
def test_progress_arrives_and_an_interrupt_ends_the_work(clients):
    phases = []
    mixgist.summarize(some_draws(60, seed=7), slices=60, executor=clients[0], progress=lambda *state: phases.append(state))
    assert phases and all(len(state) == 4 for state in phases)

    def stop(*state):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mixgist.summarize(some_draws(400, seed=8), slices=2000, route="pairs", executor=clients[0], progress=stop)
    # The workers go on with what follows.
    assert clients[0].submit(sum, [1, 2], pure=False).result() == 3


@pytest.mark.filterwarnings("ignore::mixgist.MixgistWarning")
def test_errors_of_the_core_and_of_the_executor_are_raised():
    draws = mixgist.Draws([[1.0], [1.0]], [[1e200], [-1e200]], [[1.0], [1.0]])
    with pytest.raises(ValueError, match="too large"):
        mixgist.summarize(draws, units="none", slices=8, executor=Inline())
    with pytest.raises(TypeError, match="method submit"):
        mixgist.summarize(some_draws(3), executor="two processes")
    with pytest.raises(ValueError, match="function of your own"):
        mixgist.summarize(some_draws(3), distance=lambda atoms: atoms.means.T, executor=Inline())

    class Failing(Inline):
        def submit(self, function, /, *arguments):
            future = concurrent.futures.Future()
            future.set_exception(ConnectionError("the line is dead"))
            return future

    monkey = _work._MOST_TRIES
    _work._MOST_TRIES = 3
    try:
        with pytest.raises(RuntimeError, match="lost 3 times"):
            mixgist.summarize(some_draws(3), slices=8, executor=Failing())
    finally:
        _work._MOST_TRIES = monkey


def test_the_file_of_the_draws_is_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(_work.tempfile, "tempdir", str(tmp_path))
    executor = Inline()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixgist.Posterior(some_draws(20, seed=21), slices=16, executor=executor).summary()
    assert executor.calls > 0
    assert list(tmp_path.iterdir()) == []
