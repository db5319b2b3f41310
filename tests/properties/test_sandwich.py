"""sum c_k L_k <= c(P) for every P, c(P_closed) <= (sum sqrt(c_k L_k))^2 <= B sum c_k L_k."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from soundness.reals import Top

from rpttheory import Blocks, Verdict
from rpttheory.testing.strategies import partitions
from rpttheory.theory.bounds import sandwich

from .exact import ABOVE, BELOW, assert_not_refuted, assert_proved, assert_true, counterexample, dot, vector_of
from .laws import any_explicit_laws, explicit_law, nested_law
from .problems import INTEGER_LENGTH, Problem, RationalProblem, problems, rational_problems

# -- the statement -----------------------------------------------------------------------------------


@given(problems())
def test_holds(problem: Problem) -> None:
    assert_true(sandwich(problem.instance()))
    assert_not_refuted(sandwich(problem.instance("fast")))
    assert_not_refuted(sandwich(problem.instance("sharp")))


@given(problems(laws=any_explicit_laws))
def test_holds_where_no_float_is_the_marginal(problem: Problem) -> None:
    assert_not_refuted(sandwich(problem.instance()))


def test_holds_at_marginals_of_a_fifth() -> None:
    # L = I and p = 1/5 twice, which floats round up: c(P) = 5 * 2/5 = 2 = sum c_k L_k.
    law = explicit_law([(True, True), (False, False)], [Fraction(1), Fraction(4)])
    assert_not_refuted(sandwich(Problem(np.eye(2), Blocks((1, 1)), law, np.ones(2)).instance()))


@given(rational_problems())
def test_the_whole_chain_in_fractions(problem: RationalProblem) -> None:
    c = vector_of(problem.costs)
    lower = dot((r**2 for r in problem.lengths), c)
    instance = problem.instance()
    assert (instance.sumcL.exact, instance.closed.exact) == (lower, problem.bound)
    assert lower <= instance.c_closed.high
    t = problem.bound / dot(problem.law.p, c)
    assert Top(problem.exact, problem.weights).sign(t) <= 0  # c(P_closed) <= bound
    assert problem.bound <= problem.blocks.count * lower
    assert_proved(sandwich(instance))


# -- ties --------------------------------------------------------------------------------------------


@st.composite
def balanced(draw: DrawFn) -> Problem:
    """Block-diagonal with p_k proportional to L_k, all rational: there c(P) = sum c_k L_k, the optimum."""
    blocks = draw(partitions())
    L = np.zeros((blocks.dimension, blocks.dimension))
    constants = []
    for rows, size in zip(blocks.slices, blocks.sizes, strict=True):
        w = np.array(INTEGER_LENGTH[size - 1]) * float(draw(st.integers(1, 3)))
        L[rows, rows] = np.outer(w, w)
        constants.append(w @ w)
    power = int(np.ceil(np.log2(max(constants))))
    p = np.ldexp(np.array(constants), -power - draw(st.integers(0, 20)))
    costs = np.array(draw(st.lists(st.integers(1, 1000).map(float), min_size=blocks.count, max_size=blocks.count)))
    return Problem(L, blocks, nested_law(p), costs)


@given(balanced())
def test_the_lower_bound_is_attained(problem: Problem) -> None:
    instance = problem.instance()
    lower, upper = sandwich(instance)
    assert_proved([lower])
    assert_true([upper])
    assert instance.c_P.exact == instance.sumcL.exact == instance.L_P.exact * instance.cost.exact


@st.composite
def equal_products(draw: DrawFn) -> Problem:
    """Block-diagonal with c_k L_k all equal to the square of an integer times a power of four."""
    blocks = draw(partitions())
    L = np.zeros((blocks.dimension, blocks.dimension))
    powers = [draw(st.integers(-10, 10)) for _ in blocks.sizes]
    for rows, power in zip(blocks.slices, powers, strict=True):
        L[rows.start, rows.start] = float(np.ldexp(9.0, power))
    return Problem(L, blocks, nested_law(np.ones(blocks.count)), np.ldexp(1.0, -np.array(powers)))


@given(equal_products())
def test_the_factor_is_attained_by_the_bound(problem: Problem) -> None:
    instance = problem.instance()
    count = problem.blocks.count
    assert_proved(sandwich(instance))
    assert instance.closed.exact == count * instance.sumcL.exact == 9 * count**2
    # The closed-form probabilities themselves are optimal here: p_k is proportional to L_k.
    assert abs(instance.c_closed.midpoint / (9 * count) - 1) < 1e-14


# -- what is false ----------------------------------------------------------------------------------


def test_the_lower_bound_cannot_be_raised() -> None:
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        return (ABOVE * instance.sumcL <= instance.c_P) is Verdict.REFUTED

    counterexample(problems(), refutes)
    counterexample(balanced(), refutes)


def test_the_factor_cannot_be_lowered() -> None:
    def refutes(problem: Problem) -> bool:
        upper = sandwich(problem.instance())[1]
        return problem.blocks.count >= 3 and (upper.left <= BELOW * upper.right) is Verdict.REFUTED

    counterexample(equal_products(), refutes)
