"""Adversarial matrices, built rather than filtered.

Nearly all are Gram matrices of small integers times powers of two, hence exactly symmetric, exactly positive
semidefinite and without rounding in float64.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from numpy.typing import NDArray

from rpttheory import Blocks

FloatArray = NDArray[np.float64]

# 12 orders of magnitude.
SPAN = 40
LARGEST_DIMENSION = 6


@st.composite
def partitions(draw: DrawFn, *, least: int = 1, largest: int = LARGEST_DIMENSION) -> Blocks:
    """One block, one block per coordinate, or anything between; at least `least` blocks."""
    d = draw(st.integers(least, largest))
    kept = st.lists(st.booleans(), min_size=d - 1, max_size=d - 1)
    cuts = list(draw(st.one_of(st.just([True] * (d - 1)), kept)))
    for position in range(min(least - 1, d - 1)):
        cuts[position] = True
    sizes = [1]
    for cut in cuts:
        if cut:
            sizes.append(1)
        else:
            sizes[-1] += 1
    return Blocks(sizes)


@st.composite
def factors(draw: DrawFn, columns: int, *, rows: int | None = None) -> FloatArray:
    """A matrix of small integers."""
    height = draw(st.integers(1, columns + 1)) if rows is None else rows
    entries = draw(st.lists(st.integers(-4, 4), min_size=height * columns, max_size=height * columns))
    return np.array(entries, dtype=np.float64).reshape(height, columns)


@st.composite
def vectors(draw: DrawFn, length: int, *, bound: int = 6) -> FloatArray:
    """Integers that are not all zero."""
    entries = draw(st.lists(st.integers(-bound, bound), min_size=length, max_size=length))
    if not any(entries):
        entries[draw(st.integers(0, length - 1))] = draw(st.integers(1, bound))
    return np.array(entries, dtype=np.float64)


@st.composite
def gram_matrices(draw: DrawFn, blocks: Blocks) -> FloatArray:
    A = draw(factors(blocks.dimension))
    return A.T @ A


@st.composite
def rank_one(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """w w', for which lambda_max = sum L_k and every constant is rational."""
    w = draw(vectors(blocks.dimension))
    return np.outer(w, w)


@st.composite
def block_diagonal(draw: DrawFn, blocks: Blocks) -> FloatArray:
    L = np.zeros((blocks.dimension, blocks.dimension))
    for rows, size in zip(blocks.slices, blocks.sizes, strict=True):
        A = draw(factors(size))
        L[rows, rows] = A.T @ A
    return L


@st.composite
def graded(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """Rows and columns scaled by powers of two, up to 12 orders of magnitude apart."""
    A = draw(factors(blocks.dimension))
    powers = draw(st.lists(st.integers(-SPAN // 2, SPAN // 2), min_size=blocks.dimension, max_size=blocks.dimension))
    return np.ldexp(A.T @ A, np.add.outer(powers, powers))


@st.composite
def clustered(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """The identity plus a perturbation between 2^-20 and 2^-43: eigenvalues agree to 6 digits and more."""
    A = draw(factors(blocks.dimension))
    return np.eye(blocks.dimension) + np.ldexp(A.T @ A, -draw(st.integers(20, 43)))


@st.composite
def nearly_singular(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """A large rank-one matrix plus a small Gram matrix: condition numbers up to 10^12."""
    w, A = draw(vectors(blocks.dimension, bound=4)), draw(factors(blocks.dimension, rows=1))
    return np.ldexp(np.outer(w, w), draw(st.integers(10, 38))) + A.T @ A


@st.composite
def with_zero_blocks(draw: DrawFn, blocks: Blocks) -> FloatArray:
    A = draw(factors(blocks.dimension))
    A[:, blocks.slices[draw(st.integers(0, blocks.count - 1))]] = 0
    return A.T @ A


@st.composite
def tight(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """The matrix of `prop:reachable_upper_bound` at eps = 0, in integers: L_k = |w_k|^2, lambda_max = sum L_k.

    It is w w' plus BlockDiag(R_k) with R_k w_k = 0 and R_k at most |w_k|^2: a multiple in {0, 1/2, 1} of
    |w_k|^2 I - w_k w_k'.
    """
    w = draw(vectors(blocks.dimension))
    L = np.outer(w, w)
    for rows in blocks.slices:
        part = w[rows]
        rest = (part @ part) * np.eye(part.size) - np.outer(part, part)
        L[rows, rows] += draw(st.sampled_from([0.0, 0.5, 1.0])) * rest
    return L


@st.composite
def decoupled(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """One block apart from the others and above them: L_P and L_M tie though L need not be block-diagonal."""
    A = draw(factors(blocks.dimension))
    k = draw(st.integers(0, blocks.count - 1))
    A[:, blocks.slices[k]] = 0
    L = A.T @ A
    first = blocks.slices[k].start
    L[first, first] = float(np.ldexp(1.0, draw(st.integers(0, 50))))
    return L


@st.composite
def dominant(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """Full mantissas, so that nothing the library computes is free of rounding; diagonally dominant."""
    d = blocks.dimension
    entries = draw(st.lists(st.floats(-1, 1, width=64), min_size=d * d, max_size=d * d))
    L = np.tril(np.array(entries).reshape(d, d), -1)
    # Subnormal products would be another matter.
    L[np.abs(L) < 2.0**-200] = 0.0
    L = L + L.T
    np.fill_diagonal(L, 1.0 / 3.0 + (1 + 2.0**-40) * np.abs(L).sum(axis=1))
    return L


@st.composite
def scalar_matrices(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """Zero, or a multiple of the identity."""
    return draw(st.integers(0, 9)) * np.eye(blocks.dimension)


MATRICES: list[Callable[[Blocks], SearchStrategy[FloatArray]]] = [
    gram_matrices,
    rank_one,
    block_diagonal,
    graded,
    clustered,
    nearly_singular,
    with_zero_blocks,
    tight,
    decoupled,
    dominant,
    scalar_matrices,
]


def matrices(blocks: Blocks) -> SearchStrategy[FloatArray]:
    """Positive semidefinite, of every kind above."""
    return st.one_of([kind(blocks) for kind in MATRICES])


@st.composite
def symmetric_matrices(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """A difference of two Gram matrices, so of any signature."""
    A, G = draw(factors(blocks.dimension)), draw(factors(blocks.dimension))
    return A.T @ A - G.T @ G
