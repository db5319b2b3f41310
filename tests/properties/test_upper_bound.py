"""lem:upperBound: c(P) <= sum(L_k/p_k) sum(p_k c_k), itself at least (sum sqrt(L_k c_k))^2."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from soundness.reals import Top

from rpttheory import Blocks, Verdict
from rpttheory.problem.quantities import closed_form
from rpttheory.testing.strategies import rank_one
from rpttheory.theory.bounds import upper_bound

from .exact import ABOVE, BELOW, assert_not_refuted, assert_proved, assert_true, counterexample, dot, vector_of
from .laws import any_explicit_laws, explicit_law
from .problems import SINGLETONS, Problem, RationalProblem, problems, rational_problems


def product(L: list[Fraction], p: list[Fraction], c: list[Fraction]) -> Fraction:
    """sum(L_k / p_k) sum(p_k c_k)."""
    return dot(L, (1 / q for q in p)) * dot(p, c)


def constants(problem: RationalProblem) -> list[Fraction]:
    return [length**2 for length in problem.lengths]


def root_down(value: Fraction, bits: int = 400) -> Fraction:
    return Fraction(math.isqrt(value.numerator * 4**bits // value.denominator), 2**bits)


# -- the statement -----------------------------------------------------------------------------------


@given(problems())
def test_holds(problem: Problem) -> None:
    first, minimum = upper_bound(problem.instance())
    assert_true([first])
    assert_proved([minimum])
    assert_not_refuted(upper_bound(problem.instance("fast")))


@given(problems(laws=any_explicit_laws))
def test_holds_where_no_float_is_the_marginal(problem: Problem) -> None:
    assert_not_refuted(upper_bound(problem.instance()))


def test_holds_at_marginals_of_a_fifth() -> None:
    # L = I, both blocks with probability 1/5, which floats round up: 5 * 2 * 2/5 = 4 = (1 + 1)^2.
    law = explicit_law([(True, True), (False, False)], [Fraction(1), Fraction(4)])
    assert_not_refuted(upper_bound(Problem(np.eye(2), Blocks((1, 1)), law, np.ones(2)).instance()))


@given(problems())
def test_the_bracket_of_the_bound_holds_it(problem: Problem) -> None:
    instance = problem.instance()
    c = vector_of(problem.costs)
    low = sum((root_down(max(L.low, 0) * a) for L, a in zip(instance.block_L, c, strict=True)), Fraction(0)) ** 2
    high = sum((root_down(L.high * a) + Fraction(1, 2**400) for L, a in zip(instance.block_L, c, strict=True))) ** 2
    assert instance.closed.low <= high
    assert instance.closed.high >= low
    assert instance.closed.high - instance.closed.low <= instance.closed.high / 2**100


# -- the closed form ---------------------------------------------------------------------------------


@given(rational_problems())
def test_the_closed_form_attains_the_bound(problem: RationalProblem) -> None:
    assert product(constants(problem), list(problem.law.p), vector_of(problem.costs)) == problem.bound
    instance = problem.instance()
    assert instance.closed.exact == problem.bound
    first, minimum = upper_bound(instance)
    assert_proved([first, minimum])
    assert minimum.left.exact == minimum.right.exact == problem.bound
    found = closed_form(problem.L, problem.blocks, problem.costs)
    assert found.bound.low <= problem.bound <= found.bound.high


@given(rational_problems(partition=SINGLETONS))
def test_closed_form_probabilities_are_exact_where_they_are_floats(problem: RationalProblem) -> None:
    found = closed_form(problem.L, problem.blocks, problem.costs)
    assert tuple(vector_of(found.probabilities)) == problem.law.p
    assert found.bound.exact == problem.bound


@given(problems())
def test_closed_form_probabilities_are_proportional_to_the_roots(problem: Problem) -> None:
    found = closed_form(problem.L, problem.blocks, problem.costs)
    p = vector_of(found.probabilities)
    assert max(p) == 1
    assert min(p) > 0
    constants = [bracket.high for bracket in problem.instance().block_L]
    squares = [L / c for L, c in zip(constants, vector_of(problem.costs), strict=True)]
    if max(squares) == 0:
        assert set(p) == {1}
        return
    for q, square in zip(p, squares, strict=True):
        exact = square / max(squares)
        if exact > 0:
            assert abs(q * q / exact - 1) < Fraction(1, 10**13)
        else:
            assert q < Fraction(1, 10**100)  # L_k = 0 wants no probability at all


@given(rational_problems(partition=SINGLETONS))
def test_the_order_follows_the_ratios(problem: RationalProblem) -> None:
    found = closed_form(problem.L, problem.blocks, problem.costs)
    sigma = found.order.sigma("rank->block")
    L, c = constants(problem), vector_of(problem.costs)
    ratios = [L[s - 1] / c[s - 1] for s in sigma]
    assert all(a >= b for a, b in pairwise(ratios))
    # As printed: p_i by rank is the root of the ratio over the largest.
    by_rank = vector_of(found.order.by_rank(found.probabilities))
    assert [q * q for q in by_rank] == [ratio / max(ratios) for ratio in ratios]
    # As printed: sums over ranks, with p_i and sigma_i.
    left = dot((L[s - 1] for s in sigma), (1 / q for q in by_rank)) * dot(by_rank, (c[s - 1] for s in sigma))
    assert left == problem.bound


# -- what is false ----------------------------------------------------------------------------------


def test_the_bound_cannot_be_raised() -> None:
    def refutes(problem: Problem) -> bool:
        minimum = upper_bound(problem.instance())[1]
        return (ABOVE * minimum.left <= minimum.right) is Verdict.REFUTED

    counterexample(rational_problems(), refutes)


def test_the_product_cannot_be_lowered() -> None:
    def refutes(problem: Problem) -> bool:
        first = upper_bound(problem.instance())[0]
        return (first.left <= BELOW * first.right) is Verdict.REFUTED

    problem = counterexample(problems(matrices=rank_one, least=2), refutes)
    t = BELOW * dot((bracket.low for bracket in problem.instance().block_L), (1 / q for q in problem.law.p))
    assert Top(problem.exact, problem.weights).sign(t) > 0
