"""Measure the constants of the model of parallel speed-up in docs/howto/cluster.md.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/campaign.py [--tasks 2000] [--scheduler
    tcp://...]

The same campaign (verify and compare, d = 12) on one process and on two, whose rows must agree to
the last bit; then what an executor takes for tasks that do nothing, and the client to keep a row.
Where other programs run, two workers share what they leave, so the ratio needs a quiet machine.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path

from rpttheory.experiments.campaign import Grid, run_campaign
from rpttheory.experiments.campaign.grid import Setting
from rpttheory.experiments.campaign.runner import BATCH
from rpttheory.experiments.campaign.work import perform
from rpttheory.runs.cluster import Cluster
from rpttheory.runs.parallel import Processes, Task, run_tasks
from rpttheory.runs.store import Store

GRID = {"seed": 0, "do": ["verify", "compare"], "claims": [], "blocks": [4], "costs": ["size"]}
GRID |= {"probabilities": ["closed"], "tol": 1e-6, "eps": 1e-3}


def nothing(report: object) -> None:
    """A task that does nothing."""


def run(tasks: int, executor: Executor) -> tuple[float, list[tuple[str, object]]]:
    """Seconds on the clock once the workers are up, and the rows."""
    grid = Grid(GRID | {"matrices": [{"kind": "wishart", "dimension": 12, "count": tasks}]}, Path())
    warm = [Setting({"kind": "wishart", "dimension": 12, "number": -1}, 4, "size", "closed")]
    list(run_tasks([Task(k, perform, (warm, grid.content), "") for k in range(8)], executor))
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder, "campaign", grid.content)
        began = time.perf_counter()
        run_campaign(grid, store, executor=executor)
        seconds = time.perf_counter() - began
        return seconds, [(key, row.value["result"]) for key, row in store.items()]


def keeping(rows: int = 2000) -> float:
    """Processor seconds that the client takes to keep a row."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder, "campaign", {})
        began = time.process_time()
        for k in range(0, rows, BATCH):
            store.put({f"task {k + i}": "x" * 1500 for i in range(BATCH)}, computed={})
        return (time.process_time() - began) / rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--scheduler", default=None)
    options = parser.parse_args()
    with ExitStack() as stack:
        executors: dict[str, Executor] = {
            f"{k} process(es)": stack.enter_context(Processes(k)) for k in (1, 2)
        }
        if options.scheduler:
            executors[options.scheduler] = stack.enter_context(Cluster(options.scheduler))
        found: dict[str, list[tuple[str, object]]] = {}
        first = clock = 0.0
        for name, executor in executors.items():
            seconds, found[name] = run(options.tasks, executor)
            first = seconds if len(found) == 1 else first
            same = found[name] == found["1 process(es)"]
            print(
                f"{name}: {seconds:.1f} s for {options.tasks} tasks, ratio {seconds / first:.3f},"
                f" same rows: {same}"
            )
        for name, executor in executors.items():
            began, used = time.perf_counter(), time.process_time()
            list(run_tasks([Task(k, nothing, (), "") for k in range(500)], executor))
            here, clock = (time.process_time() - used) / 500, (time.perf_counter() - began) / 500
            print(
                f"{name}: {1e3 * clock:.2f} ms for a task that does nothing, {1e3 * here:.2f} ms of"
                " it here"
            )
    t, r = first / options.tasks, keeping()
    print(
        f"t = {1e3 * t:.1f} ms for a task on one worker, r = {1e3 * r:.3f} ms for a row, load"
        f" {os.getloadavg()[0]:.1f}"
    )
    print(
        "peak memory of the client"
        f" {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB"
    )
    a = clock  # of the last executor: the cluster where there is one
    print(
        f"a = {1e3 * a:.2f} ms, batches of {BATCH}: up to {(t + a / BATCH) / (a / BATCH + r):.0f}"
        " workers are worth it"
    )
    for workers in (1, 2, 10, 30, 100):
        total = options.tasks * max((t + a / BATCH) / workers, a / BATCH + r)
        print(
            f"  {workers:>3} workers: {total:.1f} s by the model, {options.tasks * t / total:.1f}"
            " times faster than one"
        )


if __name__ == "__main__":
    main()
