"""Where the statements are equalities, all numbers rational: ties are proved as ties, and the
closed form is exact.
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from companions import BELOW, counterexample, decisions
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from soundness.reals import Top

from rpttheory import Blocks, Bracket, Verdict
from rpttheory.problem.quantities import closed_form
from rpttheory.testing.strategies import (
    block_diagonal,
    dyadic,
    partitions,
    psd_matrices,
    tight,
    vectors,
)

from .exact import assert_proved, assert_true, dot, expand, times, vector_of
from .laws import nested_law
from .problems import (
    SINGLETONS,
    Problem,
    RationalProblem,
    balanced,
    equal_products,
    problems,
    rational_problems,
)


@given(problems(matrices=block_diagonal))
def test_block_diagonal_matrices_attain_the_left_halves(problem: Problem) -> None:
    instance = problem.instance()
    assert_proved(
        [decisions("lem:key_quantity", instance)[0], decisions("lem:twoBounds", instance)[0]]
    )
    assert_true(decisions("lem:twoBounds", instance))
    assert (instance.L_M >= instance.L_P) is Verdict.PROVED
    assert (Bracket.largest(instance.block_L) >= instance.lmax) is Verdict.PROVED
    # Seen by enumeration too: E[CLC] = L P^-1.
    assert problem.clc == [
        [value / w for value in row] for row, w in zip(problem.exact, problem.weights, strict=True)
    ]


@st.composite
def all_or_nothing(draw: DrawFn) -> Problem:
    """The same for any L, where the eigenvalues are irrational and the tie is one of algebraic
    numbers.
    """
    blocks = draw(partitions())
    p = np.full(blocks.count, draw(dyadic()))
    return Problem(draw(psd_matrices(blocks)), blocks, nested_law(p), np.ones(blocks.count))


@given(all_or_nothing())
def test_equal_probabilities_attain_both_halves(problem: Problem) -> None:
    assert_proved(decisions("lem:key_quantity", problem.instance()))


@st.composite
def tied_on_the_right(draw: DrawFn) -> Problem:
    """w lives in a block of least probability: L_P = lambda_max / p_min although the p differ."""
    blocks = draw(partitions(least=2))
    rows = blocks.slices[draw(st.integers(0, blocks.count - 1))]
    w = np.zeros(blocks.dimension)
    w[rows] = draw(vectors(rows.stop - rows.start))
    p = np.array(draw(st.lists(dyadic(-20), min_size=blocks.count, max_size=blocks.count)))
    p[blocks.labels[rows.start]] = p.min() / 2
    return Problem(np.outer(w, w), blocks, nested_law(p), np.ones(blocks.count))


@given(tied_on_the_right())
def test_a_top_eigenvector_of_least_probability_attains_the_right_half(problem: Problem) -> None:
    left, right = decisions("lem:key_quantity", problem.instance())
    assert_proved([left, right])
    assert (
        right.left.exact
        == right.right.exact
        == Fraction(float(np.trace(problem.L))) / min(problem.law.p)
    )


@given(problems(matrices=tight))
def test_tight_matrices_attain_the_sum_and_one_block_attains_everything(problem: Problem) -> None:
    instance = problem.instance()
    total = sum((instance.block_L[k].exact for k in range(problem.blocks.count)), Fraction(0))
    assert instance.lmax.exact == total
    assert_proved(decisions("lem:twoBounds", instance))
    assert (instance.lmax >= Bracket.sum(instance.block_L)) is Verdict.PROVED and Top(
        problem.exact
    ).sign(total) == 0
    whole = Problem(
        problem.L, Blocks((problem.blocks.dimension,)), nested_law(np.ones(1)), np.ones(1)
    )
    for claim in decisions("lem:twoBounds", whole.instance()):
        assert claim.verdict is Verdict.PROVED and (claim.left >= claim.right) is Verdict.PROVED


@given(SINGLETONS, st.data())
def test_with_one_block_per_coordinate_the_bounds_are_diagonal_and_trace(
    blocks: Blocks, data: st.DataObject
) -> None:
    problem = Problem(
        data.draw(psd_matrices(blocks)),
        blocks,
        nested_law(np.ones(blocks.count)),
        np.ones(blocks.count),
    )
    diagonal = [row[i] for i, row in enumerate(problem.exact)]
    assert Bracket.sum(problem.instance().block_L).exact == sum(diagonal, Fraction(0))
    assert Bracket.largest(problem.instance().block_L).exact == max(diagonal)


@given(balanced())
def test_the_lower_bound_is_attained(problem: Problem) -> None:
    instance = problem.instance()
    lower, upper = decisions("our:sandwich", instance)
    assert_proved([lower])
    assert_true([upper])
    assert (
        instance.c_P.exact
        == instance.one_block_cost.exact
        == instance.L_P.exact * instance.cost.exact
    )


@given(equal_products())
def test_the_factor_is_attained_by_the_bound(problem: Problem) -> None:
    instance = problem.instance()
    count = problem.blocks.count
    assert_proved(decisions("our:sandwich", instance))
    assert instance.closed.exact == count * instance.one_block_cost.exact == 9 * count**2
    # The closed-form probabilities themselves are optimal here: p_k is proportional to L_k.
    assert abs(instance.c_closed.midpoint / (9 * count) - 1) < 1e-14


def dual_value(problem: RationalProblem) -> Fraction:
    """v'Lv for the v with |v_k|^2 = c_k along w_k: at most c(P) at every P.

    Indeed c(P) = t sum p_k c_k = v'(tP)v, and t P - L is semidefinite for t = L_P.
    """
    scale = expand(
        [b / r for b, r in zip(problem.roots, problem.lengths, strict=True)], problem.blocks
    )
    v = [s * entry for s, entry in zip(scale, problem.w, strict=True)]
    return dot(v, times(problem.exact, v))


@given(rational_problems())
def test_the_whole_chain_in_fractions(problem: RationalProblem) -> None:
    c = vector_of(problem.costs)
    p = problem.law.p
    L = [length**2 for length in problem.lengths]
    lower = dot(L, c)
    instance = problem.instance()
    assert dot(L, (1 / q for q in p)) * dot(p, c) == problem.bound <= problem.blocks.count * lower
    assert (instance.one_block_cost.exact, instance.closed.exact) == (lower, problem.bound)
    assert lower <= instance.c_closed.high
    assert (
        Top(problem.exact, problem.weights).sign(problem.bound / dot(p, c)) <= 0
    )  # c(P_closed) <= bound
    (first,) = decisions("text:productBound", instance)
    (minimum,) = decisions("lem:upperBound", instance)
    assert_proved([*decisions("our:sandwich", instance), first, minimum])
    assert minimum.left.exact == minimum.right.exact == problem.bound
    found = closed_form(problem.L, problem.blocks, problem.costs)
    assert found.bound.low <= problem.bound <= found.bound.high
    # The optimum is the bound for tight matrices and sum c_k L_k for block-diagonal ones; both are
    # at least the latter.
    label = problem.blocks.labels.tolist()
    tied = any(
        x and label[i] != label[j] for i, row in enumerate(problem.exact) for j, x in enumerate(row)
    )
    (claim,) = decisions("text:corollary", instance)
    assert lower <= claim.left.low and claim.left.high >= (problem.bound if tied else lower)
    if claim.left is not claim.right:
        assert claim.left.low == lower
    if tied:  # the closed form reaches the optimum, and no P goes below the dual value
        assert instance.c_P.exact == problem.bound == dual_value(problem)


def test_the_corollary_has_no_room() -> None:
    # At several blocks, against the dual value.
    def refutes(problem: RationalProblem) -> bool:
        right = decisions("text:corollary", problem.instance())[0].right
        return problem.blocks.count > 2 and dual_value(problem) > BELOW * right.high

    counterexample(rational_problems(), refutes)


@given(rational_problems(partition=SINGLETONS))
def test_with_one_block_per_coordinate_the_closed_form_is_exact(problem: RationalProblem) -> None:
    found = closed_form(problem.L, problem.blocks, problem.costs)
    assert (
        tuple(vector_of(found.probabilities)) == problem.law.p
        and found.bound.exact == problem.bound
    )
    instance = problem.instance()
    assert_proved(decisions("text:corollary", instance))
    descent = instance.lmax * sum(vector_of(problem.costs), Fraction(0))
    assert decisions("text:corollary", instance)[0].right.high <= min(problem.bound, descent.high)
    sigma = found.order.sigma("rank->block")
    L = [length**2 for length in problem.lengths]
    c = vector_of(problem.costs)
    ratios = [L[s - 1] / c[s - 1] for s in sigma]
    assert all(a >= b for a, b in pairwise(ratios))
    # As printed: p_i by rank is the root of the ratio over the largest.
    by_rank = vector_of(found.order.by_rank(found.probabilities))
    assert [q * q for q in by_rank] == [ratio / max(ratios) for ratio in ratios]
    # As printed: sums over ranks, with p_i and sigma_i.
    left = dot((L[s - 1] for s in sigma), (1 / q for q in by_rank)) * dot(
        by_rank, (c[s - 1] for s in sigma)
    )
    assert left == problem.bound


def root_down(value: Fraction, bits: int = 400) -> Fraction:
    return Fraction(math.isqrt(value.numerator * 4**bits // value.denominator), 2**bits)


@given(problems())
def test_the_closed_form_is_bracketed_and_proportional_to_the_roots(problem: Problem) -> None:
    instance = problem.instance()
    c = vector_of(problem.costs)
    low = (
        sum(
            (root_down(max(L.low, 0) * a) for L, a in zip(instance.block_L, c, strict=True)),
            Fraction(0),
        )
        ** 2
    )
    high = (
        sum(
            (
                root_down(L.high * a) + Fraction(1, 2**400)
                for L, a in zip(instance.block_L, c, strict=True)
            )
        )
        ** 2
    )
    assert instance.closed.low <= high and instance.closed.high >= low
    assert instance.closed.high - instance.closed.low <= instance.closed.high / 2**100
    p = vector_of(closed_form(problem.L, problem.blocks, problem.costs).probabilities)
    assert max(p) == 1 and min(p) > 0
    squares = [L.high / a for L, a in zip(instance.block_L, c, strict=True)]
    if max(squares) == 0:
        assert set(p) == {1}
        return
    for q, square in zip(p, squares, strict=True):
        exact = square / max(squares)
        if exact > 0:
            assert abs(q * q / exact - 1) < Fraction(1, 10**13)
        else:
            assert q < Fraction(1, 10**100)  # L_k = 0 wants no probability at all
