"""Compare the search time on fifty families of matrices with that on a Wishart matrix of its size.

    .venv/bin/python benchmarks/families.py [--sizes 300 1800] [--only graded]

Prints the worst five by processor time over that of Wishart with as many blocks, and whatever did
not end optimal.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.sparse as sp

from rpttheory import Blocks, gram, optimal_probabilities

Array = np.ndarray[Any, np.dtype[np.float64]]


class Case(NamedTuple):
    """A matrix and, where they are not the sizes over d, costs for a number of blocks."""

    matrix: Any
    costs: Callable[[int], Array] | None = None


def symmetric(M: Array) -> Array:
    return np.asarray((M + M.T) / 2)


def wishart(d: int, rng: np.random.Generator, rows: int | None = None) -> Array:
    F = rng.standard_normal((rows or d, d))
    return symmetric(F.T @ F / d)


def with_spectrum(d: int, rng: np.random.Generator, values: Array) -> Array:
    basis = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return symmetric((basis * values) @ basis.T)


def laplacian(W: sp.csr_array) -> sp.csr_array:
    return sp.csr_array(sp.diags_array(np.asarray(W.sum(axis=1)).ravel()) - W)


def edges(n: int, i: Any, j: Any, weights: Any = None) -> sp.csr_array:
    keep = i != j
    data = np.ones(int(keep.sum())) if weights is None else weights[keep]
    W = sp.csr_array(sp.coo_array((data, (i[keep], j[keep])), shape=(n, n)))
    return sp.csr_array(W + W.T)


def random_graph(
    n: int, rng: np.random.Generator, degree: int, weighted: bool = False
) -> sp.csr_array:
    i, j = rng.integers(0, n, (2, n * degree // 2))
    return edges(n, i, j, rng.exponential(size=i.size) if weighted else None)


def scale_free(n: int, rng: np.random.Generator) -> sp.csr_array:
    i = np.repeat(np.arange(3, n), 3)
    j = (i * rng.random(i.size) ** 2).astype(int)
    return edges(n, i, j)


def line(n: int, i: int = 1) -> sp.csr_array:
    return edges(n, np.arange(n - i), np.arange(i, n))


def grid(n: int) -> sp.csr_array:
    side = round(n**0.5)
    W = sp.csr_array(
        sp.kron(line(side), sp.eye_array(side)) + sp.kron(sp.eye_array(side), line(side))
    )
    rest = n - side * side
    return sp.csr_array(sp.block_diag((W, line(rest)))) if rest > 1 else sp.csr_array(W[:n, :n])


def blocky(d: int, rng: np.random.Generator, coupling: float, count: int = 20) -> Array:
    label = np.arange(d) * count // d
    return wishart(d, rng) * np.where(label[:, None] == label[None, :], 1.0, coupling)


def correlated(d: int, rho: float) -> Array:
    return np.asarray(rho ** np.abs(np.subtract.outer(np.arange(d), np.arange(d))))


def graded(d: int, rng: np.random.Generator, orders: float) -> Array:
    scale = 10 ** (-orders / 2 * np.arange(d) / d)
    return wishart(d, rng) * np.outer(scale, scale)


def decaying(d: int, width: float, dimension: int) -> Array:
    """A Gaussian kernel of random points."""
    points = np.random.default_rng(1).random((d, dimension))
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    return np.asarray(np.exp(-squares / (2 * width**2)) + 1e-8 * np.eye(d))


def banded(d: int, rng: np.random.Generator, width: int) -> sp.csr_array:
    bands = [rng.standard_normal(d) for _ in range(width + 1)]
    factor = sp.diags_array(bands, offsets=range(width + 1), shape=(d, d))
    return sp.csr_array(factor.T @ factor)


def one_hot(d: int, rng: np.random.Generator) -> sp.csr_array:
    """A'A for rows with one entry in each of 20 groups of columns."""
    columns = rng.integers(0, d // 20, (5 * d, 20)) + d // 20 * np.arange(20)
    rows = np.repeat(np.arange(5 * d), 20)
    A = sp.csr_array((np.ones(rows.size), (rows, columns.ravel())), shape=(5 * d, d))
    return sp.csr_array(A.T @ A)


def two_cliques(d: int) -> sp.csr_array:
    half = d // 2
    label = np.arange(d) < half
    W = (label[:, None] == label[None, :]).astype(float) - np.eye(d)
    W[half - 1, half] = W[half, half - 1] = 1.0
    return laplacian(sp.csr_array(W))


def spread(low: float, high: float) -> Callable[[int], Array]:
    return lambda count: np.asarray(
        10.0 ** np.random.default_rng(5).permutation(np.linspace(low, high, count))
    )


FAMILIES: dict[str, Callable[[int, np.random.Generator], Case]] = {
    "Wishart, twice as many rows": lambda d, g: Case(wishart(d, g, 2 * d)),
    "Wishart, half as many rows": lambda d, g: Case(wishart(d, g, d // 2)),
    "Wishart, ten rows": lambda d, g: Case(wishart(d, g, 10)),
    "row scales lognormal": lambda d, g: Case(
        wishart(d, g) * np.outer(s := np.exp(g.normal(size=d)), s)
    ),
    "graded over 4 orders": lambda d, g: Case(graded(d, g, 4)),
    "graded over 12 orders": lambda d, g: Case(graded(d, g, 12)),
    "I + 1e-3 W": lambda d, g: Case(np.eye(d) + 1e-3 * wishart(d, g)),
    "I + 1e-6 W": lambda d, g: Case(np.eye(d) + 1e-6 * wishart(d, g)),
    "100 I + W": lambda d, g: Case(100 * np.eye(d) + wishart(d, g)),
    "block-diagonal, coupling 1e-3": lambda d, g: Case(blocky(d, g, 1e-3)),
    "block-diagonal, coupling 1e-6": lambda d, g: Case(blocky(d, g, 1e-6)),
    "block-diagonal, coupling 0.1": lambda d, g: Case(blocky(d, g, 0.1)),
    "coupling 1e-3 across other blocks": lambda d, g: Case(blocky(d, g, 1e-3, 7)),
    "path": lambda d, g: Case(laplacian(line(d))),
    "cycle with chords": lambda d, g: Case(laplacian(sp.csr_array(line(d) + line(d, 7)))),
    "grid": lambda d, g: Case(laplacian(grid(d))),
    "random graph, degree 4": lambda d, g: Case(laplacian(random_graph(d, g, 4))),
    "random graph, degree 10": lambda d, g: Case(laplacian(random_graph(d, g, 10))),
    "random weighted graph": lambda d, g: Case(laplacian(random_graph(d, g, 6, weighted=True))),
    "random graph, adjacency shifted": lambda d, g: Case(
        sp.csr_array(random_graph(d, g, 4) + 30 * sp.eye_array(d))
    ),
    "scale-free graph": lambda d, g: Case(laplacian(scale_free(d, g))),
    "star": lambda d, g: Case(laplacian(edges(d, np.zeros(d - 1, int), np.arange(1, d)))),
    "complete bipartite-like": lambda d, g: Case(
        laplacian(sp.csr_array(np.kron([[0, 1], [1, 0]], np.ones((d // 2,) * 2))))
    ),
    "rank one plus 1e-2 noise": lambda d, g: Case(
        np.outer(x := g.random(d), x) + 1e-2 * wishart(d, g)
    ),
    "rank one plus 1e-6 noise": lambda d, g: Case(
        np.outer(x := g.standard_normal(d), x) + 1e-6 * wishart(d, g)
    ),
    "rank three": lambda d, g: Case(wishart(d, g, 3)),
    "clustered columns": lambda d, g: Case(
        symmetric(
            (
                A := g.standard_normal((d, 8))[:, g.integers(0, 8, d)]
                + 0.1 * g.standard_normal((d, d))
            ).T
            @ A
        )
    ),
    "clustered spectrum": lambda d, g: Case(
        with_spectrum(d, g, np.repeat([1.0, 0.99, 0.5], [d // 3, d // 3, d - 2 * (d // 3)]))
    ),
    "repeated top eigenvalues": lambda d, g: Case(
        with_spectrum(d, g, np.r_[np.ones(d // 2), g.random(d - d // 2)])
    ),
    "projection": lambda d, g: Case(with_spectrum(d, g, (np.arange(d) < d // 2).astype(float))),
    "spectrum 1 / i": lambda d, g: Case(with_spectrum(d, g, 1 / np.arange(1.0, d + 1))),
    "spectrum 1 / i^2": lambda d, g: Case(with_spectrum(d, g, np.arange(1.0, d + 1) ** -2)),
    "spectrum 2^-i": lambda d, g: Case(with_spectrum(d, g, np.maximum(0.5 ** np.arange(d), 1e-14))),
    "costs over 6 orders": lambda d, g: Case(wishart(d, g), spread(-3, 3)),
    "costs over 12 orders": lambda d, g: Case(wishart(d, g), spread(-6, 6)),
    "graph, costs over 12 orders": lambda d, g: Case(
        laplacian(random_graph(d, g, 4)), spread(-6, 6)
    ),
    "zero blocks": lambda d, g: Case(
        wishart(d, g) * np.outer(z := (np.arange(d) > d // 4).astype(float), z)
    ),
    "tiny blocks": lambda d, g: Case(
        wishart(d, g) * np.outer(z := np.where(np.arange(d) > d // 4, 1.0, 1e-9), z)
    ),
    "Toeplitz, half the spectrum 1 and half 0": lambda d, g: Case(
        np.sinc(np.subtract.outer(np.arange(d), np.arange(d)) / 2) / 2
    ),
    "Gaussian kernel on a line, width 0.01": lambda d, g: Case(decaying(d, 0.01, 1)),
    "Gaussian kernel in a cube, width 0.1": lambda d, g: Case(decaying(d, 0.1, 3)),
    "banded": lambda d, g: Case(banded(d, g, 60)),
    "one-hot Gram": lambda d, g: Case(one_hot(d, g)),
    "two cliques and a bridge": lambda d, g: Case(two_cliques(d)),
    "correlation 0.5^|i-j|": lambda d, g: Case(correlated(d, 0.5)),
    "correlation 0.999^|i-j|": lambda d, g: Case(correlated(d, 0.999)),
    "Hilbert": lambda d, g: Case(1 / (1.0 + np.add.outer(np.arange(d), np.arange(d)))),
    "all ones plus identity": lambda d, g: Case(np.ones((d, d)) + np.eye(d)),
    "sparse non-negative Gram": lambda d, g: Case(
        gram(sp.random_array((d, d), density=0.02, rng=g, format="csr"))
    ),
    "sparse Gram": lambda d, g: Case(
        gram(
            sp.random_array(
                (2 * d, d),
                density=0.01,
                rng=g,
                format="csr",
                data_sampler=lambda size: g.standard_normal(size),
            )
        )
    ),
}


def even(d: int, count: int) -> Blocks:
    return Blocks([d // count] * (count - 1) + [d - (count - 1) * (d // count)])


def halving(d: int) -> Blocks:
    sizes = []
    while d > 1:
        sizes.append(d - d // 2)
        d //= 2
    return Blocks([*sizes, d])


SHAPES: dict[str, Callable[[int], Blocks]] = {
    "B = 2": lambda d: even(d, 2),
    "B = 20": lambda d: even(d, 20),
    "B = d": Blocks.singletons,
    "60 singletons round one block": lambda d: Blocks([1] * 30 + [d - 60] + [1] * 30),
    "halving sizes": halving,
}


def solved(case: Case, blocks: Blocks) -> tuple[float, Any]:
    costs = None if case.costs is None else case.costs(blocks.count)
    start = time.process_time()
    found = optimal_probabilities(case.matrix, blocks, costs)
    return time.process_time() - start, found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[300, 1800])
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true", help="print every row")
    options = parser.parse_args()
    rows, failed = all_families(options.sizes, options.only, options.all)
    print(
        f"{len(FAMILIES)} families, {len(rows)} problems, {failed} not optimal at 1e-6; the slowest"
        " beside Wishart:"
    )
    for ratio, text in sorted(rows, reverse=True)[:5]:
        print(f"{ratio:8.1f} times  {text}")


def all_families(
    sizes: Iterable[int], only: str = "", say: bool = False
) -> tuple[list[tuple[float, str]], int]:
    """Time over that of Wishart, and a description, of every problem; and how many did not end
    optimal.
    """
    rows, failed = [], 0
    for d in sizes:
        for shape, make_blocks in SHAPES.items():
            blocks = make_blocks(d)
            plain = Case(wishart(d, np.random.default_rng(0)))
            solved(plain, blocks)
            beside = min(solved(plain, blocks)[0] for _ in range(3))
            for name, make in FAMILIES.items():
                if only not in name:
                    continue
                took, found = solved(make(d, np.random.default_rng(1)), blocks)
                rows.append(
                    (
                        took / beside,
                        (
                            f"{name}, d = {d}, {shape}: {found.products} products, gap"
                            f" {found.gap:.1g}"
                        ),
                    )
                )
                if found.status != "optimal":
                    failed += 1
                    print(f"{found.status}: {rows[-1][1]}, {found.message}", flush=True)
                if say:
                    print(f"{rows[-1][0]:8.1f}  {took:.2f} s  {rows[-1][1]}", flush=True)
    return rows, failed


if __name__ == "__main__":
    main()
