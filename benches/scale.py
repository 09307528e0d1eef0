"""What it costs to send work away: processor time in one process, in a pool, and on Dask, as ratios.

    python benches/scale.py [--draws M] [--atoms K] [--slices L] [--loss power|distance] [--route ROUTE] [--workers N]
    python benches/scale.py --blocks FOLDER [--slices L] [--workers N]
    python benches/scale.py --points N [--dim D] [--chains C] [--iterations I] [--workers N]

The first summarises draws in memory; the second summarises files of draws in blocks, by the power loss (`benches/many_draws.py` makes some); the third fits points
that stay on Dask's workers, five separated clusters of them.

It needs `pip install "mixgist[dask]"`. Processor time is user and system time of this process and of all workers; it depends less than the clock on what else the
machine does. Starting workers is not counted. Every answer is compared with the first one, to the last bit.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import multiprocessing
import os
import time
import warnings
from typing import Any, Callable

import numpy as np
import psutil


def draws(count: int, atoms: int, dim: int = 2, seed: int = 1):
    """Draws that look like a posterior: atoms about common places, with noise in weights, means and variances."""
    import mixgist

    rng = np.random.default_rng(seed)
    places = 4 * rng.standard_normal((atoms, dim))
    means = places + 0.3 * rng.standard_normal((count, atoms, dim))
    variances = np.exp(0.2 * rng.standard_normal((count, atoms, dim)))
    weights = rng.dirichlet(np.ones(atoms), size=count)
    return mixgist.Draws(weights, means, variances, covariance_form="diagonal")


def processor_seconds(processes: list[psutil.Process]) -> float:
    return sum(one.cpu_times().user + one.cpu_times().system for one in processes)


class Summaries:
    """Draws in memory."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.text = f"{options.draws} draws of {options.atoms} atoms, {options.slices} slices, {options.loss} loss, route {options.route}"
        self.places = ["threads", "pool", "Dask"]

    def answer(self, **how: Any) -> Any:
        import mixgist

        options = self.options
        posterior = draws(options.draws, options.atoms)
        return lambda: mixgist.summarize(posterior, slices=options.slices, loss=options.loss, route=options.route, seed=2, **how).to_dict()


class Blocks:
    """Files of draws."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.text = f"draws in {options.blocks}, {options.slices} slices, power loss"
        self.places = ["Dask"]

    def answer(self, threads: int | None = None, executor: Any = None) -> Any:
        import mixgist

        def found() -> Any:
            blocks = mixgist.DrawBlocks.open(self.options.blocks)
            return mixgist.summarize(blocks, loss="power", slices=self.options.slices, threads=threads, executor=executor).to_dict()

        return found


class Fits:
    """Points that stay on the workers."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.text = f"{options.points} points of dimension {options.dim}, {options.chains} chains of {options.iterations} iterations"
        self.places = ["Dask"]

    def answer(self, threads: int | None = None, executor: Any = None) -> Any:
        import dask.array
        import mixgist
        from distributed import wait

        options = self.options
        rng, chunk = dask.array.random.default_rng(1), -(-options.points // 7)
        x = rng.standard_normal((options.points, options.dim), chunks=(chunk, options.dim))
        x = x + 8 * rng.integers(0, 5, size=(options.points, 1), chunks=(chunk, 1))
        if executor is None:
            x = x.compute(scheduler="synchronous")
        else:
            # The rows are on the workers before the fit begins.
            x = executor.persist(x)
            wait(x)

        def found() -> Any:
            how = dict(chains=options.chains, iterations=options.iterations, burn_in=options.iterations - 1, thin=1, seed=2)
            fitted = mixgist.fit(x, threads=threads, executor=executor, **how)
            arrays = [fitted.draws.weights, fitted.draws.means, fitted.draws.covariances, *fitted.traces.values()]
            return [np.asarray(one).tobytes() for one in arrays], fitted.traces["clusters"].tolist()

        return found


def processor_seconds(processes: list[psutil.Process]) -> float:
    return sum(one.cpu_times().user + one.cpu_times().system for one in processes)


def measured(name: str, answer: Callable[[], Any], processes: list[psutil.Process]) -> tuple[str, float, float, Any]:
    before, clock = processor_seconds(processes), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = answer()
    row = name, processor_seconds(processes) - before, time.perf_counter() - clock, found
    print(f"{name}: {row[1]:.2f} s", flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--atoms", type=int, default=20)
    parser.add_argument("--slices", type=int, default=1000)
    parser.add_argument("--loss", default="distance")
    parser.add_argument("--route", default="auto")
    parser.add_argument("--blocks")
    parser.add_argument("--points", type=int)
    parser.add_argument("--dim", type=int, default=2)
    parser.add_argument("--chains", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    subject = Fits(options) if options.points else Blocks(options) if options.blocks else Summaries(options)
    from distributed import Client, LocalCluster

    own = psutil.Process()
    rows = [measured("one process, 1 thread", subject.answer(threads=1), [own])]
    if "threads" in subject.places:
        rows.append(measured(f"one process, {options.workers} threads", subject.answer(threads=options.workers), [own]))
    if "pool" in subject.places:
        spawn = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(options.workers, mp_context=spawn) as pool:
            list(pool.map(time.sleep, [0.2] * options.workers))
            processes = [own, *(psutil.Process(pid) for pid in pool._processes)]
            rows.append(measured(f"process pool, {options.workers} workers", subject.answer(executor=pool), processes))
    with LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        workers = [psutil.Process(pid) for pid in client.run(os.getpid).values()]
        rows.append(measured(f"Dask, {options.workers} workers", subject.answer(executor=client), [own, *workers]))
    print(subject.text)
    print(f"{'':28s} {'processor':>10s} {'ratio':>6s} {'clock':>8s}")
    for name, processor, clock, found in rows:
        assert found == rows[0][3], f"{name} gives other bits"
        print(f"{name:28s} {processor:8.2f} s {processor / rows[0][1]:6.2f} {clock:6.2f} s")


if __name__ == "__main__":
    main()
