"""Families of random smoothness matrices, by name: typical ones, and the worst that theory
knows.
"""

from collections.abc import Callable

import numpy as np

from ..numbers.exact_array import FloatArray
from .tight import block_diagonal_matrix, tight_matrix


def wishart(rng: np.random.Generator, dimension: int, rows: int = 0) -> FloatArray:
    """A'A / n of Gaussian data, twice as many rows as columns by default."""
    n = rows or 2 * dimension
    return _gram(rng.standard_normal((n, dimension)))


def graded(rng: np.random.Generator, dimension: int, decades: float = 4.0) -> FloatArray:
    """Wishart, with coordinates scaled so that the diagonal falls by as many powers of ten."""
    scale = 10.0 ** (-0.5 * decades * np.linspace(0, 1, dimension))
    return _even(scale[:, None] * wishart(rng, dimension) * scale)


def coupled(
    rng: np.random.Generator, dimension: int, parts: int = 4, coupling: float = 0.3
) -> FloatArray:
    """Diagonal blocks of random size, and a matrix with all entries that couples them."""
    return _even(
        (1 - coupling) * block_diagonal(rng, dimension, parts) + coupling * wishart(rng, dimension)
    )


def block_diagonal(rng: np.random.Generator, dimension: int, parts: int = 4) -> FloatArray:
    """Wishart blocks, each times a random power of ten."""
    return block_diagonal_matrix(_blocks(rng, dimension, parts))


def tight(rng: np.random.Generator, dimension: int, parts: int = 4) -> FloatArray:
    """The same diagonal blocks, coupled so strongly that lmax is nearly the sum of the L_k."""
    return tight_matrix(_blocks(rng, dimension, parts), eps=0.01)


def laplacian(rng: np.random.Generator, dimension: int, density: float = 0.3) -> FloatArray:
    """The Laplacian of a random graph with random weights, and a path through all nodes."""
    edges = np.triu(rng.random((dimension, dimension)) < density, 1) | np.eye(
        dimension, k=1, dtype=bool
    )
    weights = np.where(edges, rng.exponential(size=edges.shape), 0.0)
    weights = weights + weights.T
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)


def glm(rng: np.random.Generator, dimension: int, rows: int = 0, ridge: float = 1e-3) -> FloatArray:
    """Logistic regression: A'A / (4n) + ridge I, of binary, counted and real columns on scales of
    their own.
    """
    n = rows or 5 * dimension
    normal = rng.standard_normal((n, dimension))
    counts = rng.poisson(3.0, (n, dimension))
    kind = rng.integers(3, size=dimension)
    columns = np.where(kind == 0, normal, np.where(kind == 1, normal > 0.8, counts))
    data = columns * 10.0 ** rng.uniform(-1, 1, dimension)
    return _even(_gram(data) / 4 + ridge * np.eye(dimension))


def kernel(rng: np.random.Generator, dimension: int, length: float = 0.3) -> FloatArray:
    """A Gaussian kernel at random points of the unit interval, sorted."""
    points = np.sort(rng.random(dimension))
    return _even(
        np.exp(-0.5 * ((points[:, None] - points) / length) ** 2) + 1e-8 * np.eye(dimension)
    )


def low_rank(
    rng: np.random.Generator, dimension: int, rank: int = 3, shift: float = 0.01
) -> FloatArray:
    """A Gram matrix of few rows, and a multiple of the identity."""
    return _even(_gram(rng.standard_normal((rank, dimension))) + shift * np.eye(dimension))


def heavy_tailed(rng: np.random.Generator, dimension: int, freedom: float = 2.0) -> FloatArray:
    """A'A / n where the entries of A have Student's distribution: a few coordinates dominate."""
    return _gram(rng.standard_t(freedom, (2 * dimension, dimension)))


def _blocks(rng: np.random.Generator, dimension: int, parts: int) -> list[FloatArray]:
    sizes = [len(part) for part in np.array_split(np.arange(dimension), parts)]
    return [_even(10.0 ** rng.uniform(-1, 1) * wishart(rng, size)) for size in sizes]


def _gram(data: FloatArray) -> FloatArray:
    return _even(data.T @ data / len(data))


def _even(matrix: FloatArray) -> FloatArray:
    """Symmetric to the last bit, whatever order the products were summed in."""
    return np.asarray((matrix + matrix.T) / 2)


_EVERY = (
    wishart,
    graded,
    coupled,
    block_diagonal,
    tight,
    laplacian,
    glm,
    kernel,
    low_rank,
    heavy_tailed,
)
FAMILIES: dict[str, Callable[..., FloatArray]] = {family.__name__: family for family in _EVERY}
