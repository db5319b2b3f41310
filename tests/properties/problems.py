"""Whole problems: a matrix, blocks, a sampling and costs, each with its meaning in fractions.

The fractions are written apart from the library, so that they can contradict it. Eigenvalues are
judged by tests/soundness/reals.py.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from soundness.reals import Rows, Top, inside, rows_of

import rpttheory
from rpttheory import (
    Blocks,
    Bracket,
    Decision,
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    Rigor,
    SingleBlockSampling,
    Verdict,
)
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.problem.eigen_brackets import Effort
from rpttheory.problem.sampling import OneOfEachGroup, TauNice
from rpttheory.testing import partitions, psd_matrices, samplings
from rpttheory.testing.strategies import LARGEST_DIMENSION, costs, dyadic

Outcomes = list[tuple[Fraction, tuple[bool, ...]]]


def vector_of(array: Any) -> list[Fraction]:
    return [Fraction(value) for value in np.asarray(array, dtype=np.float64).tolist()]


def dot(x: Iterable[Fraction], y: Iterable[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


def outcomes_of(sampling: Any) -> Outcomes:
    """The outcomes of a sampling by the definition of its kind."""
    if isinstance(sampling, ExplicitSampling):
        weights = sampling.weights.fractions()
        sets = map(tuple, sampling.active.tolist())
        return [(w / sum(weights), active) for w, active in zip(weights, sets, strict=True)]
    p = vector_of(sampling.probabilities)
    blocks = range(len(p))
    if isinstance(sampling, NestedSampling):
        # `def:PTsketch`: the i largest with probability p_i - p_{i+1}, nothing with 1 - p_1.
        order = sorted(blocks, key=lambda k: (-p[k], k))
        ranked = [Fraction(1), *(p[k] for k in order), Fraction(0)]
        return [
            (ranked[i] - ranked[i + 1], tuple(k in order[:i] for k in blocks))
            for i in range(len(p) + 1)
        ]
    if isinstance(sampling, IndependentSampling):
        outcomes = []
        for active in itertools.product((False, True), repeat=len(p)):
            chances = [
                q if active_block else 1 - q for q, active_block in zip(p, active, strict=True)
            ]
            outcomes.append((math.prod(chances, start=Fraction(1)), active))
        return outcomes
    if isinstance(sampling, TauNice):
        sets = list(itertools.combinations(blocks, sampling.tau))
        return [(Fraction(1, len(sets)), tuple(k in s for k in blocks)) for s in sets]
    if isinstance(sampling, OneOfEachGroup):
        return [
            (
                math.prod((p[k] for k in choice), start=Fraction(1)),
                tuple(k in choice for k in blocks),
            )
            for choice in itertools.product(*sampling.groups)
        ]
    assert isinstance(sampling, SingleBlockSampling)
    singles = [(q, tuple(m == k for m in blocks)) for k, q in enumerate(p)]
    return [*singles, (1 - sum(p, Fraction(0)), (False,) * len(p))]


@dataclass(frozen=True, eq=False)
class Problem:
    """L, blocks, a sampling and costs, with what they mean in fractions."""

    L: FloatArray
    blocks: Blocks
    sampling: Any
    costs: FloatArray

    def instance(self, effort: Effort = "exact") -> rpttheory.Problem:
        problem = rpttheory.Problem(self.L, self.blocks, costs=self.costs, sampling=self.sampling)
        return problem if effort == "fast" else problem.with_effort(effort)

    @cached_property
    def exact(self) -> Rows:
        return rows_of(self.L)

    @cached_property
    def outcomes(self) -> Outcomes:
        return outcomes_of(self.sampling)

    @cached_property
    def p(self) -> list[Fraction]:
        """The marginals."""
        return [self.pair(k, k) for k in range(self.blocks.count)]

    def pair(self, k: int, m: int) -> Fraction:
        """The probability that both blocks are updated."""
        return sum((q for q, active in self.outcomes if active[k] and active[m]), Fraction(0))

    @cached_property
    def weights(self) -> list[Fraction]:
        """The diagonal of P."""
        return [self.p[k] for k in self.blocks.labels.tolist()]

    @cached_property
    def clc(self) -> Rows:
        """E[CLC] as the average of the matrices C L C."""
        label = self.blocks.labels.tolist()
        mean = [[Fraction(0)] * len(label) for _ in label]
        for probability, active in self.outcomes:
            updated = [i for i, k in enumerate(label) if active[k]]
            for i, j in itertools.product(updated, updated):
                mean[i][j] += probability * self.exact[i][j] / (self.weights[i] * self.weights[j])
        return mean


def assert_encloses(
    bracket: Bracket, matrix: Rows, weights: Sequence[Fraction] | None = None
) -> None:
    """The largest eigenvalue of the pencil (matrix, Diag(weights)) lies in the bracket."""
    assert bracket.rigor is not Rigor.NUMERICAL
    assert isinstance(bracket.exact_lower, Fraction) and isinstance(bracket.exact_upper, Fraction)
    assert inside(bracket.exact_lower, bracket.exact_upper, Top(matrix, weights))


def assert_not_refuted(claims: Iterable[Decision]) -> None:
    for claim in claims:
        assert claim.verdict is not Verdict.REFUTED, claim


def assert_proved(claims: Iterable[Decision]) -> None:
    for claim in claims:
        assert claim.verdict is Verdict.PROVED, claim


def either_samplings(count: int) -> SearchStrategy[Any]:
    """Samplings of all kinds, also with marginals that no float holds."""
    kinds = ("fractions", "tau-nice")
    return st.one_of(samplings(count), *(samplings(count, kind=kind) for kind in kinds))


@st.composite
def problems(
    draw: DrawFn,
    *,
    matrices: Callable[[Blocks], SearchStrategy[FloatArray]] = psd_matrices,
    samplings_of: Callable[[int], SearchStrategy[Any]] = samplings,
    least: int = 1,
    largest: int = LARGEST_DIMENSION,
) -> Problem:
    blocks = draw(partitions(least=least, largest=largest))
    sampling = draw(samplings_of(blocks.count))
    return Problem(draw(matrices(blocks)), blocks, sampling, draw(costs(blocks.count, total=False)))


PARTITIONS = partitions()
# Integer vectors of integer length, by dimension: lengths 1, 5, 3, 2, 4, 3.
INTEGER_LENGTH = [(1,), (3, 4), (1, 2, 2), (1, 1, 1, 1), (1, 1, 1, 2, 3), (1, 1, 1, 1, 1, 2)]


@dataclass(frozen=True, eq=False)
class RationalProblem(Problem):
    """L_k = length_k^2 and c_k = root_k^2: every quantity of `lem:upperBound` is rational.

    The closed form p_k = (length_k / root_k) / max is dyadic as well, and is the sampling's.
    """

    bound: Fraction  # (sum sqrt(L_k c_k))^2
    lower: Fraction  # sum c_k L_k
    coupled: bool


@st.composite
def rational_problems(draw: DrawFn, *, coupled: bool | None = None) -> RationalProblem:
    blocks = draw(PARTITIONS)
    w = np.zeros(blocks.dimension)
    for rows, size in zip(blocks.slices, blocks.sizes, strict=True):
        w[rows] = np.array(INTEGER_LENGTH[size - 1]) * draw(st.sampled_from([-3, -2, -1, 1, 2, 3]))
    roots = np.array(draw(st.lists(dyadic(-6, 6), min_size=blocks.count, max_size=blocks.count)))
    # One block has a power of two for its length, so large that length / root is largest there.
    top = draw(st.integers(0, blocks.count - 1))
    w[blocks.slices[top]] = 0.0
    lengths = np.array([np.sqrt(w[rows] @ w[rows]) for rows in blocks.slices])
    lengths[top] = 2.0 ** max(0, int(np.ceil(np.log2((lengths / roots).max() * roots[top] + 1e-9))))
    w[blocks.slices[top].start] = lengths[top]
    joined = draw(st.booleans()) if coupled is None else coupled
    L = np.outer(w, w) if joined else np.zeros((blocks.dimension, blocks.dimension))
    spread = draw(st.sampled_from([0.0, 0.5]))  # of the eigenvalues below the largest of a block
    for rows in blocks.slices:
        part = w[rows]
        L[rows, rows] = np.outer(part, part)
        L[rows, rows] += spread * ((part @ part) * np.eye(part.size) - np.outer(part, part))
    p = (lengths / roots) / (lengths / roots).max()
    products = [a * b for a, b in zip(vector_of(lengths), vector_of(roots), strict=True)]
    return RationalProblem(
        L,
        blocks,
        NestedSampling(p),
        roots**2,
        sum(products, Fraction(0)) ** 2,
        dot(products, products),
        joined and blocks.count > 1,
    )


@st.composite
def balanced(draw: DrawFn) -> Problem:
    """Block-diagonal with p_k proportional to L_k, all rational: c(P) is the optimum."""
    blocks = draw(partitions())
    L = np.zeros((blocks.dimension, blocks.dimension))
    constants = []
    for rows, size in zip(blocks.slices, blocks.sizes, strict=True):
        w = np.array(INTEGER_LENGTH[size - 1]) * float(draw(st.integers(1, 3)))
        L[rows, rows] = np.outer(w, w)
        constants.append(w @ w)
    power = int(np.ceil(np.log2(max(constants))))
    p = np.ldexp(np.array(constants), -power - draw(st.integers(0, 20)))
    prices = st.lists(st.integers(1, 1000), min_size=blocks.count, max_size=blocks.count)
    return Problem(L, blocks, NestedSampling(p), np.array(draw(prices), dtype=float))


@st.composite
def equal_products(draw: DrawFn, least: int = 1) -> Problem:
    """Block-diagonal with c_k L_k = 9 for all k."""
    blocks = draw(partitions(least=least))
    L = np.zeros((blocks.dimension, blocks.dimension))
    powers = np.array([draw(st.integers(-10, 10)) for _ in blocks.sizes])
    starts = list(blocks.starts)
    L[starts, starts] = np.ldexp(9.0, powers)
    return Problem(L, blocks, NestedSampling(np.ones(blocks.count)), np.ldexp(1.0, -powers))
