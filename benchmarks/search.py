"""Cost of the certified search beside other programs on the same matrix in the same run: one table.

    .venv/bin/python benchmarks/search.py [PART ...] [--threads N] [--plot growth.svg]

Processor time on one BLAS thread, each row over what it is compared with; --threads N takes the
clock instead, as the part `clock` does with two. CSDP is run where it is installed (Debian:
coinor-csdp), and the compiled mixing method where numba is. All parts take half an hour.
"""

from __future__ import annotations

import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = (
    sys.argv[sys.argv.index("--threads") + 1] if "--threads" in sys.argv else "1"
)
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"]

import argparse
import math
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from families import FAMILIES, all_families, laplacian, random_graph
from scipy.sparse.linalg import splu

from rpttheory import Blocks, diagonal, gram, optimal_probabilities, verify

Array = np.ndarray[Any, np.dtype[np.float64]]
CLOCK = time.process_time if os.environ["OMP_NUM_THREADS"] == "1" else time.perf_counter


def timed(call: Callable[[], Any], runs: int = 3) -> tuple[float, Any]:
    """The least seconds of a few runs, and the last result."""
    times, result = [], None
    for _ in range(runs):
        start = CLOCK()
        result = call()
        times.append(CLOCK() - start)
    return min(times), result


def row(case: str, figure: str, note: str = "", aim: str = "") -> None:
    print(f"| {case} | {figure} | {aim} | {note} |", flush=True)


def spread(values: Sequence[float]) -> str:
    return f"worst {max(values):.2f}, median {np.median(values):.2f}, best {min(values):.2f}"


def told(found: Any) -> str:
    return (
        f"gap {found.gap:.1g}, {found.rigor.name}, {found.products} products,"
        f" {found.factorizations} proofs"
    )


def wishart(d: int, seed: int = 0) -> Array:
    factor = np.random.default_rng(seed).standard_normal((d, d))
    product = factor @ factor.T
    return np.asarray((product + product.T) / 2)


def even(d: int, count: int) -> Blocks:
    return Blocks([d // count] * (count - 1) + [d - (count - 1) * (d // count)])


def uneven(seed: int, d: int = 2000, count: int = 50) -> tuple[Array, Blocks]:
    """Blocks of random sizes, rows of lognormal scale."""
    rng = np.random.default_rng(seed)
    labels = np.sort(np.concatenate((np.arange(count), rng.integers(0, count, d - count))))
    A = rng.standard_normal((d, 2 * d)) * np.exp(rng.normal(size=d))[:, None]
    L = A @ A.T / (2 * d)
    return (L + L.T) / 2, Blocks(np.bincount(labels).tolist())


def eigvalsh() -> None:
    ratios = []
    for seed in range(101, 111):
        L, blocks = uneven(seed)
        eigen, _ = timed(lambda L=L: np.linalg.eigvalsh(L))  # type: ignore[misc]
        ours, found = timed(lambda L=L, blocks=blocks: optimal_probabilities(L, blocks))  # type: ignore[misc]
        ratios.append(ours / eigen)
    row(
        "dense d = 2000, B = 50, ten seeds, over eigvalsh",
        spread(ratios),
        told(found),
        "1.0",
    )


def clock() -> None:
    command = [sys.executable, __file__, "eigvalsh", "--threads", "2"]
    lines = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()
    print(
        lines[-1]
        .replace("over eigvalsh", "over eigvalsh, by the clock on two threads")
        .replace("| 1.0 |", "| 1.2 |"),
        flush=True,
    )


def singletons() -> None:
    L = wishart(1000)
    eigen, _ = timed(lambda: np.linalg.eigvalsh(L))
    ours, found = timed(lambda: optimal_probabilities(L, Blocks.singletons(1000)))
    row("dense d = B = 1000, over eigvalsh", f"{ours / eigen:.2f}", told(found))
    ours, _ = timed(lambda: verify(L, even(1000, 50)))
    row("verify d = 1000, B = 50, over eigvalsh", f"{ours / eigen:.2f}")


def graphs() -> None:
    for n, degree, count, aim in ((5000, 5, 5000, "5"), (10_000, 6, 100, "2")):
        ratios, compiled = [], []
        blocks = even(n, count)
        for seed in range(101, 106):
            graph = laplacian(random_graph(n, np.random.default_rng(seed), degree))
            ours, result = timed(lambda L=graph, b=blocks: optimal_probabilities(L, b), 2)  # type: ignore[misc]
            q = blocks.expand(result.probabilities)
            q *= 1.01 * result.upper / float(result.probabilities.mean())
            pencil = sp.csc_array(sp.diags_array(q) - graph)
            factor, _ = timed(lambda pencil=pencil: splu(pencil, **SYMMETRIC), 2)  # type: ignore[misc]
            ratios.append(ours / factor)
            if count == n and find_spec("numba"):
                compiled.append(ours / mixing(graph, result.lower))
        row(
            f"graph of {n} nodes, degree {degree}, B = {count}, five seeds, over splu",
            spread(ratios),
            f"{ours:.2f} s, {told(result)}",
            aim,
        )
        if compiled:
            row(
                "the same over the mixing method in numba to 1e-6, which proves nothing",
                spread(compiled),
                aim="2",
            )


SYMMETRIC: dict[str, Any] = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.0,
    "options": {"SymmetricMode": True},
}


def mixing(L: sp.csr_array, optimum: float) -> float:
    """Seconds of the compiled coordinate ascent V_i <- (L V - L_ii V_i) / its length (Wang, Chang
    and Kolter) with sqrt(2 n) columns, until 1e-6 below the optimum, looked at every ten sweeps.
    """
    import numba

    @numba.njit(fastmath=True)  # type: ignore[untyped-decorator]
    def sweep(indptr: Any, indices: Any, data: Any, V: Array) -> None:
        rows, columns = V.shape
        image = np.empty(columns)
        for i in range(rows):
            image[:] = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                if indices[k] != i:
                    for j in range(columns):
                        image[j] += data[k] * V[indices[k], j]
            length = 0.0
            for j in range(columns):
                length += image[j] * image[j]
            if length > 0:
                for j in range(columns):
                    V[i, j] = image[j] / math.sqrt(length)

    n = L.shape[0]
    V = np.random.default_rng(0).standard_normal((n, math.isqrt(2 * n) + 1))
    V /= np.linalg.norm(V, axis=1)[:, None]
    sweep(L.indptr, L.indices, L.data, V.copy())  # compiles
    start = CLOCK()
    reached = 0.0
    for _ in range(200):
        for _ in range(10):
            sweep(L.indptr, L.indices, L.data, V)
        reached = float(np.vdot(V, L @ V)) / n
        if reached >= optimum * (1 - 1e-6):
            break
    return CLOCK() - start


def stalls() -> None:
    d = 1800
    plain, _ = timed(lambda: optimal_probabilities(wishart(d) / d, even(d, 20)))
    L = np.eye(d) + 1e-6 * wishart(d) / d
    ours, found = timed(lambda: optimal_probabilities(L, even(d, 20)))
    row(
        "I + 1e-6 W / d, d = 1800, B = 20",
        f"{ours:.2f} s, {ours / plain:.1f} times Wishart",
        told(found),
    )
    few = optimal_probabilities(wishart(600), even(600, 20)).products
    label = np.arange(600) * 20 // 600
    for coupling in (1e-3, 1e-6):
        L = wishart(600) * np.where(label[:, None] == label[None, :], 1.0, coupling)
        found = optimal_probabilities(L, even(600, 20))
        row(
            f"nearly block-diagonal, coupling {coupling:g}, B = 20",
            f"{found.products / few:.1f} times the products of Wishart",
            told(found),
        )


def csdp() -> None:
    for d in (100, 200):
        beside_csdp(d, 20)


def beside_csdp(d: int, count: int) -> None:
    """min <c, q> under Diag(q) - L >= 0 in SDPA's format."""
    L, blocks = wishart(d) / d, even(d, count)
    ours, found = timed(lambda: optimal_probabilities(L, blocks), 5)
    row(f"d = {d}, B = {count}, ours", f"{ours:.3f} s", told(found))
    if shutil.which("csdp") is None:
        row("CSDP", "not installed")
        return
    lines = [str(count), "1", str(d), " ".join(repr(size / d) for size in blocks.sizes)]
    lines += [f"0 1 {i + 1} {j + 1} {L[i, j]!r}" for i in range(d) for j in range(i, d)]
    lines += [f"{k + 1} 1 {i + 1} {i + 1} 1.0" for i, k in enumerate(blocks.labels)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.dat-s"
        file.write_text(
            "\n".join(line.replace("np.float64(", "").replace(")", "") for line in lines) + "\n"
        )
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        text = subprocess.run(
            ["csdp", str(file), str(file) + ".out"], capture_output=True, text=True, check=False
        ).stdout
        theirs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    value = next(
        (
            line.split(":")[1].strip()
            for line in text.splitlines()
            if line.startswith("Primal objective")
        ),
        "?",
    )
    row(
        "CSDP on the same problem",
        f"{theirs:.3f} s, {theirs / ours:.1f} times ours",
        f"its optimum {value}, ours {found.upper:.7g}",
        "6",
    )


def conic() -> None:
    import cvxpy as cp

    d = 100
    L = wishart(d)
    ours, found = timed(lambda: optimal_probabilities(L, Blocks.singletons(d)))
    for solver in (cp.CLARABEL, cp.SCS):
        q = cp.Variable(d)
        problem = cp.Problem(cp.Minimize(cp.sum(q) / d), [cp.diag(q) - L >> 0])
        theirs, _ = timed(lambda problem=problem, solver=solver: problem.solve(solver=solver), 1)  # type: ignore[misc]
        row(
            f"d = B = 100, cvxpy + {solver}",
            f"{theirs / ours:.0f} times ours",
            f"ours {told(found)}",
        )


def orders() -> None:
    """The nonconvex regime: orders proved best to 1e-4, and the gap where they are too many."""
    for count, seeds in ((12, (3, 4, 5)), (16, (3,)), (20, (3,)), (50, (3,)), (100, (3,))):
        for seed in seeds:
            d = 4 * count
            L = wishart(d, seed) / d
            unequal = np.random.default_rng(seed).random(count) + 0.05
            for kind, costs in (("equal", np.ones(count)), ("unequal", unequal)):
                start = CLOCK()
                found = optimal_probabilities(
                    L, even(d, count), costs.tolist(), objective="c_M", tol=1e-4
                )
                took = CLOCK() - start
                proved = "order proved best" if found.order_proved else found.method
                row(
                    f"nonconvex, B = {count}, {kind} costs, seed {seed}",
                    f"gap {found.gap:.2g}",
                    f"{took:.1f} s, {proved}",
                )


def diagonal_matrix() -> None:
    d = 1_000_000
    values = np.random.default_rng(0).random(d)
    with tempfile.TemporaryFile() as file:
        np.save(file, values)

        def read() -> Any:
            file.seek(0)
            return diagonal(np.load(file))

        reading, form = timed(read, 15)
    ours, found = timed(lambda: optimal_probabilities(form, even(d, 100)), 15)
    row(
        "diagonal d = 10^6, B = 100, over reading it",
        f"{ours / reading:.1f}",
        f"gap {found.gap:.1g}",
    )


def growth(plot: str | None) -> None:
    measured = {}
    for label, sizes, count in (
        ("B = d", (300, 700, 1500, 3000), 0),
        ("B = 20", (250, 500, 1000, 2000, 4000), 20),
    ):
        seconds = []
        for d in sizes:
            L, blocks = wishart(d), even(d, count or d)
            seconds.append(timed(lambda L=L, blocks=blocks: optimal_probabilities(L, blocks))[0])  # type: ignore[misc]
        power, level = np.polyfit(np.log(sizes), np.log(seconds), 1)
        measured[label] = (sizes, seconds, power, level)
        note = ", ".join(f"{d}: {took:.2f} s" for d, took in zip(sizes, seconds, strict=True))
        row(f"growth in d, dense, {label}", f"d^{power:.2f}", note)
    if plot:
        from rpttheory.report.figure import INKS, new_figure

        figure = new_figure(9, 4)
        for axes, (label, (sizes, seconds, power, level)) in zip(
            figure.subplots(1, 2), measured.items(), strict=True
        ):
            axes.loglog(sizes, seconds, "o", color=INKS[0], label="measured")
            axes.loglog(
                sizes,
                np.exp(level) * np.array(sizes) ** power,
                color=INKS[1],
                label=f"d^{power:.2f}",
            )
            axes.set_xticks(sizes, [str(value) for value in sizes])
            axes.minorticks_off()
            axes.set_xlabel(f"d ({label})")
            axes.set_ylabel("seconds")
            axes.grid(visible=True, alpha=0.3)
            axes.legend(frameon=False)
        figure.savefig(plot)


def sparse_gram() -> None:
    d, rows, per_row, rng = 1_000_000, 200_000, 150, np.random.default_rng(0)
    columns = np.sort(rng.integers(0, d, (rows, per_row), dtype=np.int32), axis=1)
    data = sp.csr_array(
        (rng.random(rows * per_row), columns.ravel(), np.arange(0, rows * per_row + 1, per_row)),
        shape=(rows, d),
    )
    data.sum_duplicates()
    seconds, found = timed(
        lambda: optimal_probabilities(gram(data, 1 / rows), even(d, 100), tol=1e-4), 1
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    row(
        f"sparse Gram d = 10^6, {data.nnz:.1e} nonzeros, B = 100, tol 1e-4",
        f"{found.products} products",
        f"{seconds:.0f} s, peak {peak:.1f} GB, {told(found)}",
    )


def families() -> None:
    rows, failed = all_families((300, 1800))
    row(
        f"{len(rows)} problems of {len(FAMILIES)} families, d = 300 and 1800",
        f"{failed} not optimal at 1e-6",
    )
    for ratio, text in sorted(rows, reverse=True)[:5]:
        row(f"slowest beside Wishart: {text.split(':')[0]}", f"{ratio:.1f}", text.split(": ")[1])


def main() -> None:
    parts: list[Callable[[], None]]
    parts = [
        csdp,
        eigvalsh,
        clock,
        singletons,
        graphs,
        stalls,
        orders,
        diagonal_matrix,
        conic,
        sparse_gram,
        families,
    ]
    named = {part.__name__: part for part in parts} | {"growth": lambda: growth(options.plot)}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(named))
    parser.add_argument(
        "--threads",
        default="1",
        help="BLAS threads; more than one takes the clock, not processor time",
    )
    parser.add_argument("--plot", default=None, help="a file for the picture of the growth in d")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(named):
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(named)}")
    optimal_probabilities(wishart(300), even(300, 20))  # imports
    print("| case | figure | aim | note |\n|---|---|---|---|", flush=True)
    for name in options.parts or named:
        named[name]()


if __name__ == "__main__":
    main()
