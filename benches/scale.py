"""What it costs to send work on slices away: processor time in one process, in a pool, and on Dask, as ratios.

    python benches/scale.py [--draws M] [--atoms K] [--slices L] [--loss power|distance] [--route ROUTE] [--workers N]

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


def measured(name: str, options: argparse.Namespace, processes: list[psutil.Process], executor=None, threads=None):
    import mixgist

    posterior = draws(options.draws, options.atoms)
    before, clock = processor_seconds(processes), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = mixgist.summarize(
            posterior, slices=options.slices, loss=options.loss, route=options.route, threads=threads, executor=executor, seed=2
        )
    row = name, processor_seconds(processes) - before, time.perf_counter() - clock, found.to_dict()
    print(f"{name}: {row[1]:.2f} s", flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--atoms", type=int, default=20)
    parser.add_argument("--slices", type=int, default=1000)
    parser.add_argument("--loss", default="distance")
    parser.add_argument("--route", default="auto")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    from distributed import Client, LocalCluster

    own = psutil.Process()
    rows = [measured("one process, 1 thread", options, [own], threads=1)]
    rows.append(measured(f"one process, {options.workers} threads", options, [own], threads=options.workers))
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.workers, mp_context=spawn) as pool:
        list(pool.map(time.sleep, [0.2] * options.workers))
        processes = [own, *(psutil.Process(pid) for pid in pool._processes)]
        rows.append(measured(f"process pool, {options.workers} workers", options, processes, executor=pool))
    with LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        workers = [psutil.Process(pid) for pid in client.run(os.getpid).values()]
        rows.append(measured(f"Dask, {options.workers} workers", options, [own, *workers], executor=client))
    print(f"{options.draws} draws of {options.atoms} atoms, {options.slices} slices, {options.loss} loss, route {options.route}")
    print(f"{'':28s} {'processor':>10s} {'ratio':>6s} {'clock':>8s}")
    for name, processor, clock, document in rows:
        assert document == rows[0][3], f"{name} gives other bits"
        print(f"{name:28s} {processor:8.2f} s {processor / rows[0][1]:6.2f} {clock:6.2f} s")


if __name__ == "__main__":
    main()
