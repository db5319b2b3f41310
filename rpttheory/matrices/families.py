"""Families of random positive semidefinite matrices.

Those in `FAMILIES` take a numpy generator. Those in `EXACT` take a source of small integers, such
as a draw of hypothesis, whose examples shrink; they are exact in floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from .tight import block_diagonal_matrix, tight_matrix


class Source(Protocol):
    """The numbers that a family is made of."""

    def entries(self, rows: int, columns: int) -> FloatArray:
        """Return a matrix of numbers around zero."""

    def integer(self, low: int, high: int) -> int:
        """Return an integer between these, inclusive."""

    def unit(self, count: int) -> FloatArray:
        """Return numbers in [-1, 1] with full mantissas."""


def gram(source: Source, blocks: Blocks, rows: int = 0) -> FloatArray:
    """Return A'A, of any number of rows up to d + 1 by default."""
    A = source.entries(rows or source.integer(1, blocks.dimension + 1), blocks.dimension)
    return _symmetric(A.T @ A)


def rank_one(source: Source, blocks: Blocks) -> FloatArray:
    """w w', for which lambda_max = sum L_k and every constant is rational."""
    w = vector(source, blocks.dimension)
    return np.outer(w, w)


def block_diagonal(source: Source, blocks: Blocks) -> FloatArray:
    """Gram matrices on the diagonal."""
    L = np.zeros((blocks.dimension, blocks.dimension))
    for rows, size in zip(blocks.slices, blocks.sizes, strict=True):
        L[rows, rows] = gram(source, Blocks([size]))
    return L


def graded(source: Source, blocks: Blocks) -> FloatArray:
    """Rows and columns scaled by powers of two, up to 12 orders of magnitude apart."""
    L = gram(source, blocks)
    powers = [source.integer(-20, 20) for _ in range(blocks.dimension)]
    return np.ldexp(L, np.add.outer(powers, powers))


def clustered(source: Source, blocks: Blocks) -> FloatArray:
    """The identity plus at most 2^-20 A'A: eigenvalues agree to six digits and more."""
    L = gram(source, blocks)
    return np.eye(blocks.dimension) + np.ldexp(L, -source.integer(20, 43))


def nearly_singular(source: Source, blocks: Blocks) -> FloatArray:
    """A large rank-one matrix plus a small one: condition numbers up to 10^12."""
    L = rank_one(source, blocks)
    return np.ldexp(L, source.integer(10, 38)) + gram(source, blocks, rows=1)


def zero_block(source: Source, blocks: Blocks) -> FloatArray:
    """A'A in which one block is zero."""
    return _without(gram(source, blocks), blocks, source.integer(0, blocks.count - 1))


def tight(source: Source, blocks: Blocks) -> FloatArray:
    """The matrix of `prop:reachable_upper_bound` at eps = 0: L_k = |w_k|^2, lambda_max = sum L_k.

    It is w w' plus BlockDiag(R_k) with R_k w_k = 0 and R_k at most |w_k|^2: a multiple in {0, 1/2,
    1} of |w_k|^2 I - w_k w_k'.
    """
    w = vector(source, blocks.dimension)
    L = np.outer(w, w)
    for rows in blocks.slices:
        part = w[rows]
        projection = (part @ part) * np.eye(part.size) - np.outer(part, part)
        L[rows, rows] += source.integer(0, 2) / 2 * projection
    return L


def decoupled(source: Source, blocks: Blocks) -> FloatArray:
    """One block apart from the others and above them: L_P = L_M, though L has other couplings."""
    k = source.integer(0, blocks.count - 1)
    L = _without(gram(source, blocks), blocks, k)
    first = blocks.slices[k].start
    L[first, first] = np.ldexp(1.0, source.integer(0, 50))
    return L


def dominant(source: Source, blocks: Blocks) -> FloatArray:
    """Diagonally dominant with full mantissas, so that every computation rounds."""
    d = blocks.dimension
    L = np.tril(source.unit(d * d).reshape(d, d), -1)
    # Subnormal products would be another matter.
    L[np.abs(L) < 2.0**-200] = 0.0
    L = L + L.T
    np.fill_diagonal(L, 1.0 / 3.0 + (1 + 2.0**-40) * np.abs(L).sum(axis=1))
    return L


def scalar(source: Source, blocks: Blocks) -> FloatArray:
    """Zero, or a multiple of the identity."""
    return source.integer(0, 9) * np.eye(blocks.dimension)


EXACT: dict[str, Callable[[Source, Blocks], FloatArray]] = {
    "gram": gram,
    "rank one": rank_one,
    "block-diagonal": block_diagonal,
    "graded": graded,
    "clustered": clustered,
    "nearly singular": nearly_singular,
    "zero blocks": zero_block,
    "tight": tight,
    "decoupled": decoupled,
    "dominant": dominant,
    "scalar": scalar,
}


def wishart(rng: np.random.Generator, dimension: int, rows: int = 0) -> FloatArray:
    """A'A / n of Gaussian data, with n = 2d by default."""
    n = rows or 2 * dimension
    A = rng.standard_normal((n, dimension))
    return _symmetric(A.T @ A) / n


def graded_wishart(rng: np.random.Generator, dimension: int, decades: float = 4.0) -> FloatArray:
    """Wishart with coordinates scaled so that the diagonal falls by as many powers of ten."""
    scale = 10.0 ** (-0.5 * decades * np.linspace(0, 1, dimension))
    return _symmetric(scale[:, None] * wishart(rng, dimension) * scale)


def wishart_blocks(rng: np.random.Generator, dimension: int, parts: int = 4) -> FloatArray:
    """Wishart blocks on the diagonal, each times a random power of ten."""
    return block_diagonal_matrix(_wishart_blocks(rng, dimension, parts))


def coupled(
    rng: np.random.Generator, dimension: int, parts: int = 4, coupling: float = 0.3
) -> FloatArray:
    """Wishart blocks plus a full matrix that couples them."""
    diagonal = wishart_blocks(rng, dimension, parts)
    return (1 - coupling) * diagonal + coupling * wishart(rng, dimension)


def nearly_tight(rng: np.random.Generator, dimension: int, parts: int = 4) -> FloatArray:
    """The same diagonal blocks, coupled so strongly that lmax is nearly the sum of the L_k."""
    return tight_matrix(_wishart_blocks(rng, dimension, parts), eps=0.01)


def laplacian(rng: np.random.Generator, dimension: int, density: float = 0.3) -> FloatArray:
    """The Laplacian of a path and a random graph, with random weights."""
    edges = np.triu(rng.random((dimension, dimension)) < density, 1)
    edges |= np.eye(dimension, k=1, dtype=bool)
    weights = np.where(edges, rng.exponential(size=edges.shape), 0.0)
    weights = weights + weights.T
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)


def glm(rng: np.random.Generator, dimension: int, rows: int = 0, ridge: float = 1e-3) -> FloatArray:
    """Logistic regression: A'A / (4n) + ridge I, of binary, counted and real columns."""
    n = rows or 5 * dimension
    normal = rng.standard_normal((n, dimension))
    counts = rng.poisson(3.0, (n, dimension))
    kind = rng.integers(3, size=dimension)
    columns = np.where(kind == 0, normal, np.where(kind == 1, normal > 0.8, counts))
    A = columns * 10.0 ** rng.uniform(-1, 1, dimension)
    return _symmetric(A.T @ A) / (4 * n) + ridge * np.eye(dimension)


def kernel(rng: np.random.Generator, dimension: int, length: float = 0.3) -> FloatArray:
    """A Gaussian kernel at sorted random points of the unit interval."""
    points = np.sort(rng.random(dimension))
    distances = (points[:, None] - points) / length
    return np.asarray(np.exp(-0.5 * distances**2) + 1e-8 * np.eye(dimension))


def low_rank(
    rng: np.random.Generator, dimension: int, rank: int = 3, shift: float = 0.01
) -> FloatArray:
    """A Gram matrix of few rows, plus a multiple of the identity."""
    return wishart(rng, dimension, rank) + shift * np.eye(dimension)


def heavy_tailed(rng: np.random.Generator, dimension: int, freedom: float = 2.0) -> FloatArray:
    """A'A / n of entries with Student's distribution: a few coordinates dominate."""
    A = rng.standard_t(freedom, (2 * dimension, dimension))
    return _symmetric(A.T @ A) / len(A)


FAMILIES: dict[str, Callable[..., FloatArray]] = {
    "wishart": wishart,
    "graded": graded_wishart,
    "coupled": coupled,
    "block_diagonal": wishart_blocks,
    "tight": nearly_tight,
    "laplacian": laplacian,
    "glm": glm,
    "kernel": kernel,
    "low_rank": low_rank,
    "heavy_tailed": heavy_tailed,
}


def vector(source: Source, length: int) -> FloatArray:
    """Return a vector that is not zero."""
    w: FloatArray = source.entries(1, length)[0]
    if not w.any():
        w[source.integer(0, length - 1)] = 1.0
    return w


def _wishart_blocks(rng: np.random.Generator, dimension: int, parts: int) -> list[FloatArray]:
    sizes = [len(part) for part in np.array_split(np.arange(dimension), parts)]
    return [np.asarray(10.0 ** rng.uniform(-1, 1) * wishart(rng, size)) for size in sizes]


def _without(L: FloatArray, blocks: Blocks, k: int) -> FloatArray:
    """Return L with the rows and columns of block k set to zero."""
    L[blocks.slices[k]] = 0
    L[:, blocks.slices[k]] = 0
    return L


def _symmetric(L: FloatArray) -> FloatArray:
    """Return L symmetric to the last bit, whatever order its sums were added in."""
    return np.asarray((L + L.T) / 2)
