"""Cost of the search as ratios to numpy and cvxpy on the same matrix in the same run.

    .venv/bin/python benchmarks/search.py [--quick] [--plot growth.svg]

--quick leaves out the conic solver (minutes) and the sparse Gram matrix with 10^7 nonzeros.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from rpttheory import Blocks, diagonal, gram, optimal_probabilities

RUNS = 3


def timed(call: Callable[[], Any], runs: int = RUNS) -> tuple[float, Any]:
    """Median seconds after one warm-up, and the last result."""
    result = call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def wishart(d: int, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float64]]:
    factor = np.random.default_rng(seed).standard_normal((d, d))
    product = factor @ factor.T
    return (product + product.T) / 2


def dense() -> None:
    for d, count in ((2000, 50), (2000, 5), (1000, 20)):
        L, blocks = wishart(d), Blocks([d // count] * count)
        eigen, _ = timed(lambda L=L: np.linalg.eigvalsh(L))  # type: ignore[misc]
        ours, found = timed(lambda L=L, blocks=blocks: optimal_probabilities(L, blocks))  # type: ignore[misc]
        print(
            f"dense d = {d}, B = {count}: {ours / eigen:.2f} eigvalsh, {found.products} products, "
            f"gap {found.gap:.1g}, {found.rigour.name}, {found.method}",
            flush=True,
        )


def conic() -> None:
    import cvxpy as cp

    d = 100
    L = wishart(d)
    q = cp.Variable(d)
    problem = cp.Problem(cp.Minimize(cp.sum(q) / d), [cp.diag(q) - L >> 0])
    start = time.perf_counter()
    problem.solve(solver=cp.CLARABEL)
    theirs = time.perf_counter() - start
    ours, found = timed(lambda: optimal_probabilities(L, Blocks.singletons(d)))
    print(f"d = B = 100: {theirs / ours:.0f} times faster than cvxpy + Clarabel, gap {found.gap:.1g}", flush=True)


def diagonal_matrix() -> None:
    d = 1_000_000
    values = np.random.default_rng(0).random(d)
    blocks = Blocks([d // 100] * 100)
    with tempfile.TemporaryFile() as file:
        np.save(file, values)

        def read() -> Any:
            file.seek(0)
            return diagonal(np.load(file))

        reading, form = timed(read, 15)
        both, _ = timed(lambda: optimal_probabilities(read(), blocks), 15)
    ours, found = timed(lambda: optimal_probabilities(form, blocks), 15)
    print(
        f"diagonal d = 10^6, B = 100: {ours / reading:.1f} times reading the diagonal (np.load, checked); "
        f"reading and solving {both / reading:.1f} times reading, gap {found.gap:.1g}",
        flush=True,
    )


def sparse_gram() -> None:
    d, rng = 100_000, np.random.default_rng(0)
    data = sp.random_array((20_000, d), density=5e-3, rng=rng, format="csr")
    start = time.perf_counter()
    found = optimal_probabilities(gram(data, 1 / 20_000), Blocks([1000] * 100), tol=1e-4)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"sparse Gram d = 100,000, B = 100, {data.nnz} nonzeros: gap {found.gap:.1g}, {found.products} products, "
        f"{found.rigour.name}, {seconds:.0f} s, peak {peak:.1f} GB",
        flush=True,
    )


def growth(plot: str | None) -> None:
    print("growth (B = 20):       d  seconds  products")
    sizes, seconds = (250, 500, 1000, 2000, 4000), []
    for d in sizes:
        L = wishart(d)
        blocks = Blocks([d // 20] * 19 + [d - 19 * (d // 20)])
        took, found = timed(lambda L=L, blocks=blocks: optimal_probabilities(L, blocks))  # type: ignore[misc]
        seconds.append(took)
        print(f"{d:24d} {took:8.3f} {found.products:9d}", flush=True)
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    print(f"fitted exponent in d: {exponent:.2f}")
    print("growth (d = 500):      B  seconds  products")
    L = wishart(500)
    counts, by_count = (2, 5, 10, 25, 50, 125, 250, 500), []
    for count in counts:
        took, found = timed(lambda count=count: optimal_probabilities(L, Blocks([500 // count] * count)))  # type: ignore[misc]
        by_count.append(took)
        print(f"{count:24d} {took:8.3f} {found.products:9d}", flush=True)
    slope = np.polyfit(np.log(counts), np.log(by_count), 1)[0]
    print(f"fitted exponent in B: {slope:.2f}")
    if plot:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 4), layout="constrained")
        left, right = figure.subplots(1, 2)
        for axes, x, y, name in ((left, sizes, seconds, "d"), (right, counts, by_count, "B")):
            power, level = np.polyfit(np.log(x), np.log(y), 1)
            axes.loglog(x, y, "o", label="measured")
            axes.loglog(x, np.exp(level) * np.array(x) ** power, "-", label=f"{name}^{power:.2f}")
            axes.set_xticks(x, [str(value) for value in x])
            axes.minorticks_off()
            axes.set_ylabel("seconds")
            axes.grid(visible=True, alpha=0.3)
            axes.legend(frameon=False)
        left.set_xlabel("d (B = 20)")
        right.set_xlabel("B (d = 500)")
        figure.savefig(plot)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--plot", default=None)
    options = parser.parse_args()
    dense()
    diagonal_matrix()
    growth(options.plot)
    if not options.quick:
        sparse_gram()
        conic()


if __name__ == "__main__":
    main()
