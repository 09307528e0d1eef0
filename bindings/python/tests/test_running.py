"""Threads, signals, progress, processes."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mixgist
from conftest import posterior


def summarize(draws, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mixgist.summarize(draws, **options)


def test_threads_do_not_change_a_bit(draws):
    expected = summarize(draws, slices=64).to_dict()
    for threads in (1, 2, 3):
        assert summarize(draws, slices=64, threads=threads).to_dict() == expected


def test_several_python_threads_at_once(draws):
    expected = [summarize(draws, slices=40, seed=seed).to_dict() for seed in range(4)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(mixgist.summarize, draws, slices=40, seed=i % 4, threads=1 + i % 3) for i in range(24)]
            found = [job.result().to_dict() for job in jobs]
    assert found == [expected[i % 4] for i in range(24)]


def test_the_interpreter_is_free_meanwhile():
    """A job of minutes is stopped as soon as another thread has run several times since it began."""
    large = mixgist.Draws(*posterior(1500, 20, 3))
    ticks, begun, done = [0], threading.Event(), threading.Event()

    def tick():
        begun.wait()
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    def stop(*_):
        begun.set()
        if ticks[0] > 3:
            raise RuntimeError("free")

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        with pytest.raises(RuntimeError, match="free"):
            summarize(large, slices=4000, route="pairs", threads=1, progress=stop)
    finally:
        begun.set()
        done.set()
        ticker.join()


def test_a_progress_function_hears_of_the_phases():
    heard = []
    large = mixgist.Draws(*posterior(600, 10, 3))
    summarize(large, slices=600, route="pairs", threads=1, progress=lambda *said: heard.append(said))
    assert heard and all(0 <= done <= total for _, done, total, _ in heard)
    assert any(phase for phase, *_ in heard)


def test_a_progress_function_can_stop_the_job():
    def stop(phase, done, total, remark):
        raise RuntimeError("enough")

    large = mixgist.Draws(*posterior(1500, 20, 3))
    with pytest.raises(RuntimeError, match="enough"):
        summarize(large, slices=4000, route="pairs", threads=1, progress=stop)


@pytest.mark.parametrize("hidden", [False, True])
def test_bars_with_and_without_tqdm(hidden, capsys, monkeypatch):
    if hidden:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    large = mixgist.Draws(*posterior(600, 10, 3))
    summarize(large, slices=600, route="pairs", threads=1, progress=True)
    assert "/600" in capsys.readouterr().err


ENDLESS = """
    import sys, time, numpy as np, mixgist
    rng = np.random.default_rng(0)
    draws = mixgist.Draws(np.ones((3000, 20)), rng.standard_normal((3000, 20, 3)), np.tile(np.eye(3), (3000, 20, 1, 1)))
    if "many" in {call!r}:
        many = mixgist.Draws(np.ones((3000, 800)), rng.standard_normal((3000, 800, 3)), np.tile(np.eye(3), (3000, 800, 1, 1)))
    if "path" in {call!r}:
        import os, tempfile
        path = os.path.join(tempfile.mkdtemp(), "draws.csv")
        draws[:50].write(path)
    print("ready", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print("stopped", time.process_time(), flush=True)
"""


def used(process):
    """Seconds of processor time that a process has used, or None where the system does not tell."""
    try:
        fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_work(process, seconds):
    """Waits until a process has worked for some more seconds of processor time; where the system does not tell, for as long."""
    begin = used(process)
    if begin is None:
        time.sleep(seconds)
    while begin is not None and used(process) < begin + seconds:
        assert process.poll() is None
        time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    "call",
    [
        "mixgist.summarize(draws, slices=100_000, route='pairs', threads=1)",
        "mixgist.summarize(draws, estimate='free', atoms=200, slices=50_000, threads=1)",
        "mixgist.distance_matrix(draws, 'exact-w', threads=1)",
        "mixgist.fit(rng.standard_normal((2000, 3)), iterations=1_000_000, threads=1)",
        "mixgist.partition(rng.integers(0, 200, (3000, 3000)), runs=1000, threads=1)",
        "mixgist.credible(draws, slices=100_000, conformal=True, threads=1)",
        "mixgist.components(many, estimate=draws[0], threads=1)",
        "mixgist.representatives(draws, slices=100_000, threads=1)",
        "mixgist.stability(draws, slices=100_000, threads=1)",
        "mixgist.Draws.read([path] * 100_000)",
    ],
)
def test_ctrl_c_stops_within_a_second(call):
    """One thread computes all the time, so the processor time from the signal to the end is what a user waits on an idle machine,
    and a busy one does not stretch it. Where the system does not tell it, that the job ends is all that is asked."""
    program = textwrap.dedent(ENDLESS).format(call=call)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        wait_for_work(process, 1.0)
        before = used(process)
        process.send_signal(signal.SIGINT)
        word, after = process.stdout.readline().split()
        assert word == "stopped"
        if before is not None:
            assert float(after) - before < 1.0
        process.wait()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_forked_process_has_its_own_threads():
    program = """
        import os, sys, warnings, numpy as np, mixgist
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(0)
        draws = mixgist.Draws(np.ones((200, 4)), rng.standard_normal((200, 4)), np.ones((200, 4)))
        before = mixgist.summarize(draws).draw
        child = os.fork()
        if child == 0:
            os._exit(0 if mixgist.summarize(draws).draw == before else 1)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(program)]).returncode == 0
