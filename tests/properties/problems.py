"""Whole problems: a matrix, blocks, a law and costs."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

import rpttheory
from rpttheory import Blocks
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.problem.spectral import Effort
from rpttheory.testing import partitions, psd_matrices
from rpttheory.testing.strategies import LARGEST_DIMENSION, dyadic, factors
from rpttheory.testing.strategies import costs as costs_that_sum

from .exact import Matrix, enumerated_clc, expand, matrix_of, vector_of
from .laws import Law, laws, nested_law


@dataclass(frozen=True, eq=False)
class Problem:
    """L, blocks, a law, costs."""

    L: FloatArray
    blocks: Blocks
    law: Law
    costs: FloatArray

    def instance(self, effort: Effort = "exact") -> rpttheory.Problem:
        made = rpttheory.Problem(self.L, self.blocks, costs=self.costs, sampling=self.law.sampling)
        return made if effort == "fast" else made.with_effort(effort)

    @cached_property
    def exact(self) -> Matrix:
        return matrix_of(self.L)

    @cached_property
    def weights(self) -> list[Fraction]:
        """The diagonal of P."""
        return expand(self.law.p, self.blocks)

    @cached_property
    def clc(self) -> Matrix:
        """E[CLC] by enumeration."""
        return enumerated_clc(self.exact, self.law.outcomes, self.law.p, self.blocks)


def costs(count: int) -> SearchStrategy[FloatArray]:
    """Any positive ones."""
    return costs_that_sum(count, total=False)


@st.composite
def symmetric_matrices(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """A difference of two Gram matrices, so of any signature."""
    A = draw(factors(blocks.dimension))
    G = draw(factors(blocks.dimension))
    return A.T @ A - G.T @ G


@st.composite
def problems(
    draw: DrawFn,
    *,
    matrices: Callable[[Blocks], SearchStrategy[FloatArray]] = psd_matrices,
    laws: Callable[[int], SearchStrategy[Law]] = laws,
    costs: Callable[[int], SearchStrategy[FloatArray]] = costs,
    least: int = 1,
    largest: int = LARGEST_DIMENSION,
) -> Problem:
    blocks = draw(partitions(least=least, largest=largest))
    return Problem(
        draw(matrices(blocks)), blocks, draw(laws(blocks.count)), draw(costs(blocks.count))
    )


ANY_PARTITION = partitions()
# One block per coordinate: there the library has L_k, and so the closed form, without rounding.
SINGLETONS = st.integers(1, LARGEST_DIMENSION).map(Blocks.singletons)


# Integer vectors of integer length, by dimension: lengths 1, 5, 3, 2, 4, 3.
INTEGER_LENGTH = [(1,), (3, 4), (1, 2, 2), (1, 1, 1, 1), (1, 1, 1, 2, 3), (1, 1, 1, 1, 1, 2)]


@dataclass(frozen=True, eq=False)
class RationalProblem(Problem):
    """L_k = length_k^2 and c_k = root_k^2: every quantity of `lem:upperBound` is rational.

    The top eigenvector of block k is w_k, whose length is length_k. The closed form
    p_k = (length_k / root_k) / max is dyadic as well, and the law has it as marginals.
    """

    w: tuple[Fraction, ...]
    lengths: tuple[Fraction, ...]
    roots: tuple[Fraction, ...]

    @property
    def bound(self) -> Fraction:
        """(sum sqrt(L_k c_k))^2."""
        return sum((r * b for r, b in zip(self.lengths, self.roots, strict=True)), Fraction(0)) ** 2


@st.composite
def rational_problems(
    draw: DrawFn,
    *,
    kinds: tuple[str, ...] = ("rank one", "tight", "block-diagonal"),
    partition: SearchStrategy[Blocks] = ANY_PARTITION,
) -> RationalProblem:
    blocks = draw(partition)
    w = np.zeros(blocks.dimension)
    for rows, size in zip(blocks.slices, blocks.sizes, strict=True):
        w[rows] = (
            np.array(INTEGER_LENGTH[size - 1])
            * draw(st.integers(1, 3))
            * draw(st.sampled_from([-1.0, 1.0]))
        )
    roots = np.array(draw(st.lists(dyadic(-6, 6), min_size=blocks.count, max_size=blocks.count)))
    # One block has a power of two for its length, large enough to give the maximum of length /
    # root.
    top = draw(st.integers(0, blocks.count - 1))
    w[blocks.slices[top]] = 0.0
    lengths = np.array([np.sqrt(w[rows] @ w[rows]) for rows in blocks.slices])
    w[blocks.slices[top].start] = 2.0 ** max(
        0, int(np.ceil(np.log2((lengths / roots).max() * roots[top] + 1e-9)))
    )
    lengths[top] = w[blocks.slices[top].start]
    kind = draw(st.sampled_from(kinds))
    L = (
        np.zeros((blocks.dimension, blocks.dimension))
        if kind == "block-diagonal"
        else np.outer(w, w)
    )
    for rows in blocks.slices:
        part = w[rows]
        L[rows, rows] = np.outer(part, part)
        if kind != "rank one":
            L[rows, rows] += 0.5 * ((part @ part) * np.eye(part.size) - np.outer(part, part))
    p = (lengths / roots) / (lengths / roots).max()
    exact = (tuple(vector_of(values)) for values in (w, lengths, roots))
    return RationalProblem(L, blocks, nested_law(p), roots**2, *exact)


@st.composite
def balanced(draw: DrawFn) -> Problem:
    """Block-diagonal with p_k proportional to L_k, all rational: there c(P) = sum c_k L_k, the
    optimum.
    """
    blocks = draw(partitions())
    L = np.zeros((blocks.dimension, blocks.dimension))
    constants = []
    for rows, size in zip(blocks.slices, blocks.sizes, strict=True):
        w = np.array(INTEGER_LENGTH[size - 1]) * float(draw(st.integers(1, 3)))
        L[rows, rows] = np.outer(w, w)
        constants.append(w @ w)
    power = int(np.ceil(np.log2(max(constants))))
    p = np.ldexp(np.array(constants), -power - draw(st.integers(0, 20)))
    costs = np.array(
        draw(
            st.lists(st.integers(1, 1000).map(float), min_size=blocks.count, max_size=blocks.count)
        )
    )
    return Problem(L, blocks, nested_law(p), costs)


@st.composite
def equal_products(draw: DrawFn, least: int = 1) -> Problem:
    """Block-diagonal with c_k L_k all equal to the square of an integer times a power of four."""
    blocks = draw(partitions(least=least))
    L = np.zeros((blocks.dimension, blocks.dimension))
    powers = [draw(st.integers(-10, 10)) for _ in blocks.sizes]
    for rows, power in zip(blocks.slices, powers, strict=True):
        L[rows.start, rows.start] = float(np.ldexp(9.0, power))
    return Problem(L, blocks, nested_law(np.ones(blocks.count)), np.ldexp(1.0, -np.array(powers)))
