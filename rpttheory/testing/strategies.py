"""Strategies of hypothesis for problems on which bounds are met and arithmetic goes wrong, built
rather than filtered.

Nearly all matrices are Gram matrices of small integers times powers of two, hence exactly
symmetric, exactly positive semidefinite and without rounding in float64; "dominant" has full
mantissas instead.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from ..problem.problem import Problem
from ..problem.sampling import (
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    Sampling,
    SingleBlockSampling,
)

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
    entries = draw(
        st.lists(st.integers(-4, 4), min_size=height * columns, max_size=height * columns)
    )
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
    powers = draw(
        st.lists(
            st.integers(-SPAN // 2, SPAN // 2), min_size=blocks.dimension, max_size=blocks.dimension
        )
    )
    return np.ldexp(A.T @ A, np.add.outer(powers, powers))


@st.composite
def clustered(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """The identity plus a perturbation between 2^-20 and 2^-43: eigenvalues agree to 6 digits and
    more.
    """
    A = draw(factors(blocks.dimension))
    return np.eye(blocks.dimension) + np.ldexp(A.T @ A, -draw(st.integers(20, 43)))


@st.composite
def nearly_singular(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """A large rank-one matrix plus a small Gram matrix: condition numbers up to 10^12."""
    w = draw(vectors(blocks.dimension, bound=4))
    A = draw(factors(blocks.dimension, rows=1))
    return np.ldexp(np.outer(w, w), draw(st.integers(10, 38))) + A.T @ A


@st.composite
def with_zero_blocks(draw: DrawFn, blocks: Blocks) -> FloatArray:
    A = draw(factors(blocks.dimension))
    A[:, blocks.slices[draw(st.integers(0, blocks.count - 1))]] = 0
    return A.T @ A


@st.composite
def tight(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """The matrix of `prop:reachable_upper_bound` at eps = 0, in integers: L_k = |w_k|^2, lambda_max
    = sum L_k.

    It is w w' plus BlockDiag(R_k) with R_k w_k = 0 and R_k at most |w_k|^2: a multiple in {0, 1/2,
    1} of
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
    """One block apart from the others and above them: L_P and L_M tie though L need not be
    block-diagonal.
    """
    A = draw(factors(blocks.dimension))
    k = draw(st.integers(0, blocks.count - 1))
    A[:, blocks.slices[k]] = 0
    L = A.T @ A
    first = blocks.slices[k].start
    L[first, first] = float(np.ldexp(1.0, draw(st.integers(0, 50))))
    return L


@st.composite
def dominant(draw: DrawFn, blocks: Blocks) -> FloatArray:
    """Full mantissas, so that nothing the library computes is free of rounding; diagonally
    dominant.
    """
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


KINDS: dict[str, Callable[[Blocks], SearchStrategy[FloatArray]]] = {
    "gram": gram_matrices,
    "rank one": rank_one,
    "block-diagonal": block_diagonal,
    "graded": graded,
    "clustered": clustered,
    "nearly singular": nearly_singular,
    "zero blocks": with_zero_blocks,
    "tight": tight,
    "decoupled": decoupled,
    "dominant": dominant,
    "scalar": scalar_matrices,
}


def psd_matrices(blocks: Blocks, *, kind: str | None = None) -> SearchStrategy[FloatArray]:
    """Positive semidefinite matrices of one kind, a name in `KINDS`, or of every kind.

    Examples
    --------
    >>> psd_matrices(Blocks([1, 2]), kind="rank one").example().shape  # doctest: +SKIP
    (3, 3)
    """
    return (
        _of_kind(KINDS, kind)(blocks)
        if kind
        else st.one_of([make(blocks) for make in KINDS.values()])
    )


def dyadic(least: int = -SPAN, most: int = 0) -> SearchStrategy[float]:
    """Powers of two."""
    return st.integers(least, most).map(lambda power: float(np.ldexp(1.0, power)))


def wide(least: int = -SPAN, most: int = 0) -> SearchStrategy[float]:
    """Any mantissa times a power of two: log-uniform, at most 2^most."""
    mantissa = st.floats(0.5, 1.0)
    return st.tuples(mantissa, st.integers(least, most)).map(lambda pair: float(np.ldexp(*pair)))


@st.composite
def probabilities(draw: DrawFn, count: int) -> FloatArray:
    """Marginals: all 1, all equal, few distinct, dyadic, or 12 orders of magnitude apart; the
    largest 1 or not.
    """
    few = draw(st.lists(dyadic(-3), min_size=1, max_size=2))
    value = draw(
        st.sampled_from([st.just(1.0), st.just(few[0]), st.sampled_from(few), dyadic(), wide()])
    )
    p = np.array(draw(st.lists(value, min_size=count, max_size=count)))
    if draw(st.booleans()):
        p[draw(st.integers(0, count - 1))] = 1.0
    return p


@st.composite
def costs(draw: DrawFn, count: int, *, total: bool = True) -> FloatArray:
    """Positive costs over 12 orders of magnitude that add up to exactly 1; to anything where not
    `total`.
    """
    if total:
        return np.array([float(share) for share in draw(shares(count))])
    value = draw(
        st.sampled_from([st.just(1.0), dyadic(-SPAN // 2, SPAN // 2), wide(-SPAN // 2, SPAN // 2)])
    )
    return np.array(draw(st.lists(value, min_size=count, max_size=count)))


@st.composite
def shares(draw: DrawFn, count: int) -> list[Fraction]:
    """Positive dyadic numbers that add up to exactly 1, over up to 12 orders of magnitude."""
    parts = [Fraction(1)]
    room = SPAN
    while len(parts) < count:
        power = draw(st.integers(1, max(1, room // (count - len(parts)))))
        room -= power
        at = draw(st.integers(0, len(parts) - 1))
        parts.append(parts[at] / 2**power)
        parts[at] -= parts[-1]
    return parts


@st.composite
def _single(draw: DrawFn, count: int) -> Sampling:
    """One block per step; floats whose sum misses 1 by rounding leave the rest to the empty set."""
    if draw(st.booleans()):
        return SingleBlockSampling([float(q) for q in draw(shares(count))])
    weights = np.array(draw(st.lists(wide(-SPAN // 2), min_size=count, max_size=count)))
    return SingleBlockSampling(weights / weights.sum())


@st.composite
def _explicit(draw: DrawFn, count: int) -> Sampling:
    """Random sets whose weights add up to exactly 1, so that the marginals are floats; one set has
    every block.
    """
    sets = draw(st.lists(st.tuples(*[st.booleans()] * count), min_size=0, max_size=4))
    return ExplicitSampling(
        [*sets, (True,) * count], [float(share) for share in draw(shares(len(sets) + 1))]
    )


@st.composite
def _fractions(draw: DrawFn, count: int) -> Sampling:
    """Random sets with small integer weights: the marginals are fractions that no float holds."""
    sets = draw(st.lists(st.tuples(*[st.booleans()] * count), min_size=1, max_size=4))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(sets) + 1, max_size=len(sets) + 1))
    return ExplicitSampling([*sets, (True,) * count], weights)


SAMPLINGS: dict[str, Callable[[int], SearchStrategy[Sampling]]] = {
    "nested": lambda count: probabilities(count).map(NestedSampling),
    "independent": lambda count: probabilities(count).map(IndependentSampling),
    "single": _single,
    "explicit": _explicit,
    "fractions": _fractions,
}


def samplings(count: int, *, kind: str | None = None) -> SearchStrategy[Sampling]:
    """Laws of sets of `count` blocks: "nested", "independent", "single" or "explicit", whose
    marginals are floats.

    The kind "fractions" is explicit with marginals that no float holds, and is drawn only where
    asked for.
    """
    return (
        _of_kind(SAMPLINGS, kind)(count)
        if kind
        else st.one_of([SAMPLINGS[k](count) for k in list(SAMPLINGS)[:-1]])
    )


@st.composite
def problems(
    draw: DrawFn,
    *,
    kind: str | None = None,
    sampling: str | None = None,
    least: int = 1,
    largest: int = LARGEST_DIMENSION,
) -> Problem:
    """L of a kind in at least `least` blocks of at most `largest` coordinates, a law, and costs
    that add up to 1.
    """
    blocks = draw(partitions(least=least, largest=largest))
    L = draw(psd_matrices(blocks, kind=kind))
    law = draw(samplings(blocks.count, kind=sampling))
    return Problem(L, blocks, draw(costs(blocks.count)), law)


def _of_kind(table: dict[str, Any], kind: str) -> Any:
    if kind not in table:
        raise InvalidInput("unknown kind", repr(kind), ", ".join(table))
    return table[kind]
