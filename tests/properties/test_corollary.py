"""The Corollary: min c(P) <= min(lambda_max, (sum sqrt(L_k c_k))^2), costs adding up to 1.

For other costs lambda_max stands for lambda_max sum c_k, the cost of gradient descent.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given

from rpttheory import Blocks, Verdict
from rpttheory.testing.strategies import scalar_matrices
from rpttheory.theory.bounds import corollary

from .exact import BELOW, assert_not_refuted, assert_proved, counterexample, dot, expand, times, vector_of
from .laws import nested_law
from .problems import SINGLETONS, Problem, RationalProblem, problems, rational_problems


@given(problems())
def test_holds(problem: Problem) -> None:
    instance = problem.instance()
    claims = corollary(instance)
    assert_not_refuted(claims)
    assert_not_refuted(corollary(problem.instance("fast")))
    # What is left undecided are ties (such as rank one), missed by the rounding of the probabilities.
    assert claims[0].left.high <= claims[0].right.low * (1 + Fraction(1, 2**45))


@given(rational_problems(partition=SINGLETONS))
def test_is_proved_where_the_closed_form_is_rational(problem: RationalProblem) -> None:
    instance = problem.instance()
    assert_proved(corollary(instance))
    descent = instance.lmax * sum(vector_of(problem.costs), Fraction(0))
    assert corollary(instance)[0].right.high <= min(problem.bound, descent.high)


def dual_value(problem: RationalProblem) -> Fraction:
    """v'Lv for the v with |v_k|^2 = c_k along w_k: at most c(P) at every P.

    Indeed c(P) = t sum p_k c_k = v'(tP)v, and t P - L is semidefinite for t = L_P.
    """
    scale = expand([b / r for b, r in zip(problem.roots, problem.lengths, strict=True)], problem.blocks)
    v = [s * entry for s, entry in zip(scale, problem.w, strict=True)]
    return dot(v, times(problem.exact, v))


@given(rational_problems(kinds=("rank one", "tight")))
def test_equality_for_tight_matrices(problem: RationalProblem) -> None:
    # c* = (sum sqrt(L_k c_k))^2: the closed form reaches it, and no P goes below the dual value.
    assert problem.instance().c_P.exact == problem.bound == dual_value(problem)


@given(rational_problems())
def test_the_library_brackets_the_optimum(problem: RationalProblem) -> None:
    # The optimum is the bound for tight matrices and sum c_k L_k for block-diagonal ones; both are at least the latter.
    lower = dot((r**2 for r in problem.lengths), vector_of(problem.costs))
    tight = any(problem.exact[i][j] for i, j in outside_the_blocks(problem))
    (claim,) = corollary(problem.instance())
    assert lower <= claim.left.low
    assert claim.left.high >= (problem.bound if tight else lower)
    if claim.left is not claim.right:
        assert claim.left.low == lower


def outside_the_blocks(problem: RationalProblem) -> list[tuple[int, int]]:
    """The entries outside the diagonal blocks."""
    label = problem.blocks.labels.tolist()
    return [(i, j) for i in range(len(label)) for j in range(len(label)) if label[i] != label[j]]


# -- what is false ----------------------------------------------------------------------------------


def test_the_bound_cannot_be_lowered() -> None:
    # At several blocks, against the dual value.
    def refutes(problem: RationalProblem) -> bool:
        right = corollary(problem.instance())[0].right
        return problem.blocks.count > 2 and dual_value(problem) > BELOW * right.high

    counterexample(rational_problems(), refutes)


def test_the_library_refutes_a_lower_bound() -> None:
    # sum c_k L_k is below every c(P), so the optimum is bracketed.
    def refutes(problem: Problem) -> bool:
        (claim,) = corollary(problem.instance())
        return (claim.left <= BELOW * claim.right) is Verdict.REFUTED

    counterexample(problems(matrices=scalar_matrices), refutes)


def test_it_is_false_for_costs_that_do_not_add_up_to_one() -> None:
    # As printed, min c(P) <= lambda_max; with c = 2 on the line c(P) = 2 L_P p >= 2.
    problem = Problem(np.ones((1, 1)), Blocks((1,)), nested_law(np.ones(1)), np.array([2.0]))
    instance = problem.instance()
    assert (instance.sumcL <= instance.lmax) is Verdict.REFUTED
    assert_proved(corollary(instance))
