"""A certified search on row blocks: in this process, on two dask workers, and with one of them
killed in the middle.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/rows.py [--rows 50000] [--columns 100000]
    [--chunks 16]

Non-negative sparse data with 200 entries a row, B = 100 blocks. Prints the certified gap, whether
all three give the same probabilities to the last bit, the clock of the cluster over that of this
process, and the client's peak memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from rpttheory import gram_from_files, optimal_probabilities
from rpttheory.runs.cluster import Cluster
from rpttheory.runs.progress import Event

PER_ROW, BLOCKS = 200, 100


def write_chunks(folder: str, rows: int, columns: int, chunks: int) -> int:
    """Files of as many rows each, made one by one; how many entries they have."""
    entries, many = 0, rows // chunks
    for k in range(chunks):
        rng = np.random.default_rng((0, k))
        places = np.sort(rng.integers(0, columns, (many, PER_ROW), dtype=np.int32), axis=1).ravel()
        starts = np.arange(0, many * PER_ROW + 1, PER_ROW)
        chunk = sp.csr_array((rng.random(many * PER_ROW), places, starts), shape=(many, columns))
        chunk.sum_duplicates()
        sp.save_npz(Path(folder) / f"{k:04}.npz", chunk, compressed=False)
        entries += chunk.nnz
    return entries


@contextmanager
def cluster(folder: str, workers: int = 2) -> Iterator[str]:
    """The address of a scheduler with workers of one thread."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with ExitStack() as stack:
        log = stack.enter_context((Path(folder) / "log").open("wb"))
        commands = [
            ["scheduler", "--host", address],
            *[["worker", address, "--nthreads", "1"]] * workers,
        ]
        for name, *words in commands:
            command = [
                sys.executable,
                "-m",
                f"distributed.cli.dask_{name}",
                *words,
                "--no-dashboard",
            ]
            process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.terminate)
        yield address


def search(
    source: Any, rows: int, columns: int, kill: list[int] | None = None
) -> tuple[Any, float, float]:
    """The result, and the seconds to look at all chunks and to search; `kill` has processes to end
    on the way.
    """
    began = time.perf_counter()
    form = gram_from_files(source[0], Fraction(1, rows), executor=source[1])
    ready = time.perf_counter()
    seen = [0]

    def watch(event: Event) -> None:
        seen[0] += 1
        if kill and seen[0] == 5:
            os.kill(kill.pop(), signal.SIGKILL)

    found = optimal_probabilities(form, f"{BLOCKS}x{columns // BLOCKS}", tol=1e-6, progress=watch)
    return found, ready - began, time.perf_counter() - ready


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--columns", type=int, default=100_000)
    parser.add_argument("--chunks", type=int, default=16)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as place:
        entries = write_chunks(folder, options.rows, options.columns, options.chunks)
        print(
            f"{options.rows} x {options.columns}, {entries:.2e} entries in {options.chunks} chunks,"
            f" {BLOCKS} blocks"
        )
        sizes = options.rows, options.columns
        here, first, alone = search((folder, None), *sizes)
        gap = f"gap {here.gap:.1e} {here.rigor.name}, {here.products} products"
        print(
            f"this process: {alone:.1f} s after {first:.1f} s to look at the chunks; {gap},"
            f" {here.status}"
        )
        with cluster(place) as address, Cluster(address, timeout=60) as executor:
            executor.client.wait_for_workers(2, timeout=60)
            found, first, seconds = search((folder, executor), *sizes)
            same = (
                np.array_equal(found.probabilities, here.probabilities)
                and found.lower == here.lower
            )
            ratio = f"{seconds / alone:.2f} times this process"
            print(f"two workers: {seconds:.1f} s after {first:.1f} s, {ratio}; same: {same}")
            victims = list(executor.client.run(os.getpid).values())[:1]
            found, _, seconds = search((folder, executor), *sizes, kill=victims)
            same = (
                np.array_equal(found.probabilities, here.probabilities)
                and found.lower == here.lower
            )
            print(
                f"one of them killed on the way: {seconds:.1f} s, killed: {not victims}, same:"
                f" {same}"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory of the client {peak:.2f} GB, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
