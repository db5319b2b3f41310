"""sum c_k L_k <= c(P) for every P, c(P_closed) <= (sum sqrt(c_k L_k))^2 <= B sum c_k L_k."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rpttheory import Blocks, Verdict, second_moment_complexity
from rpttheory.theory.bounds import sandwich

from .exact import (
    ABOVE,
    BELOW,
    assert_not_refuted,
    assert_proved,
    assert_true,
    counterexample,
    definiteness,
    dot,
    expand,
    pencil,
    times,
    vector_of,
)
from .laws import Law, any_explicit_laws, explicit_law, nested_law, probabilities
from .problems import INTEGER_LENGTH, Problem, RationalProblem, problems, rational_problems
from .strategies import matrices, partitions, vectors

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


@given(problems())
def test_lower_half_from_the_diagonal_blocks(problem: Problem) -> None:
    # t P - L semidefinite needs t p_k >= L_k for every k; weigh with c_k and add up.
    instance = problem.instance()
    t, c = instance.L_P.high, vector_of(problem.costs)
    assert definiteness(pencil(t, problem.weights, problem.exact)) >= 0
    assert all(t * q >= bracket.low for q, bracket in zip(problem.law.p, instance.block_L, strict=True))
    assert t * dot(problem.law.p, c) >= dot((bracket.low for bracket in instance.block_L), c)


@given(problems())
def test_the_lower_half_holds_for_the_second_moment_too(problem: Problem) -> None:
    # The diagonal blocks of E[CLC] are L_kk / p_k whatever the law.
    c_M = second_moment_complexity(
        problem.L, problem.blocks, problem.costs, sampling=problem.law.sampling, effort="exact"
    )
    assert c_M.high >= problem.instance().sumcL.low


@st.composite
def dual_points(draw: DrawFn) -> tuple[Problem, list[Fraction]]:
    """A vector v and the costs c_k = |v_k|^2."""
    blocks = draw(partitions())
    v = np.concatenate([draw(vectors(size)) for size in blocks.sizes])
    costs = np.array([v[rows] @ v[rows] for rows in blocks.slices])
    problem = Problem(draw(matrices(blocks)), blocks, nested_law(draw(probabilities(blocks.count))), costs)
    return problem, vector_of(v)


@given(dual_points())
def test_weak_duality(example: tuple[Problem, list[Fraction]]) -> None:
    problem, v = example
    assert dot(v, times(problem.exact, v)) <= problem.instance().c_P.high
    assert dot(v, times(problem.exact, v)) <= problem.instance().gradient_descent.high


@given(rational_problems())
def test_the_whole_chain_in_fractions(problem: RationalProblem) -> None:
    c = vector_of(problem.costs)
    lower = dot((r**2 for r in problem.lengths), c)
    instance = problem.instance()
    assert (instance.sumcL.exact, instance.closed.exact) == (lower, problem.bound)
    assert lower <= instance.c_closed.high
    t = problem.bound / dot(problem.law.p, c)
    assert definiteness(pencil(t, problem.weights, problem.exact)) >= 0  # c(P_closed) <= bound
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

    problem = counterexample(problems(), refutes)
    assert definiteness(problem.exact) >= 0
    counterexample(balanced(), refutes)


def test_the_factor_cannot_be_lowered() -> None:
    def refutes(problem: Problem) -> bool:
        upper = sandwich(problem.instance())[1]
        return problem.blocks.count >= 3 and (upper.left <= BELOW * upper.right) is Verdict.REFUTED

    counterexample(equal_products(), refutes)


def test_the_optimum_cannot_reach_the_closed_form_bound_in_general() -> None:
    # c* >= 0.999 (sum sqrt(c_k L_k))^2 is false: at p ~ L_k a block-diagonal matrix is far below.
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        return (instance.c_P >= BELOW * instance.closed) is Verdict.REFUTED

    counterexample(balanced(), refutes)


def test_the_lower_bound_needs_the_block_eigenvalues() -> None:
    # With lambda_max(L) sum c_k in place of sum c_k L_k it is false: RPT can beat gradient descent.
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        return (BELOW * instance.gradient_descent <= instance.c_P) is Verdict.REFUTED

    counterexample(balanced(), refutes)


def test_the_factor_is_the_number_of_blocks_not_a_smaller_power() -> None:
    # sqrt(B) sum c_k L_k is not enough.
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        return (instance.closed.squared() <= problem.blocks.count * instance.sumcL.squared()) is Verdict.REFUTED

    counterexample(equal_products(), refutes)


def test_weak_duality_needs_the_traces() -> None:
    # v with |v_k|^2 = c_k scaled by 1.01 exceeds c(P) somewhere.
    def refutes(example: tuple[Problem, list[Fraction]]) -> bool:
        problem, v = example
        longer = [ABOVE * entry for entry in v]
        return dot(longer, times(problem.exact, longer)) > problem.instance().c_P.high

    counterexample(dual_points(), refutes)


def test_the_sandwich_is_about_costs_per_block_not_per_coordinate() -> None:
    # sum over coordinates of c_k L_ii counts a block of size 2 twice.
    problem = Problem(np.eye(2), Blocks((2,)), only_law(), np.ones(1))
    assert dot(expand(vector_of(problem.costs), problem.blocks), [Fraction(1)] * 2) == 2
    assert (problem.instance().c_P >= Fraction(2)) is Verdict.REFUTED


def only_law() -> Law:
    return nested_law(np.ones(1))
