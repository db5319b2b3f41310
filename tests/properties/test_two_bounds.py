"""lem:twoBounds: max_k L_k <= lambda_max(L) <= sum_k L_k for a positive semidefinite L."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from soundness.reals import Top, semidefinite

from rpttheory import Blocks, Verdict, block_smoothness
from rpttheory.testing.strategies import LARGEST_DIMENSION, block_diagonal, factors, partitions, tight
from rpttheory.theory.bounds import two_bounds

from .exact import (
    ABOVE,
    BELOW,
    assert_encloses,
    assert_not_refuted,
    assert_proved,
    assert_true,
    block_of,
    counterexample,
)
from .laws import Law, nested_law
from .problems import Problem, problems, symmetric_matrices


def certain(count: int) -> st.SearchStrategy[Law]:
    """The lemma knows no law; every block is updated."""
    return st.just(nested_law(np.ones(count)))


# -- the statement -----------------------------------------------------------------------------------


@given(problems(laws=certain, largest=8))
def test_holds(problem: Problem) -> None:
    assert_true(two_bounds(problem.instance()))
    assert_not_refuted(two_bounds(problem.instance("fast")))
    assert_not_refuted(two_bounds(problem.instance("sharp")))


@given(problems(laws=certain))
def test_brackets_hold_the_block_constants(problem: Problem) -> None:
    for effort in ("fast", "sharp", "exact"):
        constants = problem.instance(effort).block_L
        again = block_smoothness(problem.L, problem.blocks, effort=effort)
        for rows, bracket, same in zip(problem.blocks.slices, constants, again, strict=True):
            assert_encloses(bracket, block_of(problem.exact, rows))
            assert_encloses(same, block_of(problem.exact, rows))


# -- ties --------------------------------------------------------------------------------------------


@given(problems(matrices=tight, laws=certain))
def test_upper_bound_is_attained(problem: Problem) -> None:
    instance = problem.instance()
    total = sum((instance.block_L[k].exact for k in range(problem.blocks.count)), Fraction(0))
    assert instance.lmax.exact == total
    assert_proved(two_bounds(instance))
    assert (instance.lmax >= instance.sumL) is Verdict.PROVED
    assert Top(problem.exact).sign(total) == 0


@given(problems(matrices=block_diagonal, laws=certain))
def test_lower_bound_is_attained(problem: Problem) -> None:
    instance = problem.instance()
    lower, upper = two_bounds(instance)
    assert_proved([lower])
    assert_true([upper])
    assert (instance.maxL >= instance.lmax) is Verdict.PROVED


@st.composite
def singletons(draw: DrawFn) -> Problem:
    """One block per coordinate: the sum is the trace."""
    d = draw(st.integers(1, LARGEST_DIMENSION))
    A = draw(factors(d))
    return Problem(A.T @ A, Blocks.singletons(d), nested_law(np.ones(d)), np.ones(d))


@given(singletons())
def test_with_one_block_per_coordinate_the_bounds_are_diagonal_and_trace(problem: Problem) -> None:
    instance = problem.instance()
    diagonal = [row[i] for i, row in enumerate(problem.exact)]
    assert instance.sumL.exact == sum(diagonal, Fraction(0))
    assert instance.maxL.exact == max(diagonal)


@given(partitions(), st.data())
def test_with_one_block_all_three_numbers_are_one(blocks: Blocks, data: st.DataObject) -> None:
    whole = Blocks((blocks.dimension,))
    L = data.draw(tight(blocks))
    instance = Problem(L, whole, nested_law(np.ones(1)), np.ones(1)).instance()
    for claim in two_bounds(instance):
        assert claim.verdict is Verdict.PROVED
        assert (claim.left >= claim.right) is Verdict.PROVED


# -- what is false ----------------------------------------------------------------------------------


def test_the_sum_cannot_be_lowered() -> None:
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        return (instance.lmax <= BELOW * instance.sumL) is Verdict.REFUTED

    problem = counterexample(problems(laws=certain, least=3), refutes)
    assert Top(problem.exact).sign(BELOW * problem.instance().sumL.high) > 0


def test_the_maximum_cannot_be_raised() -> None:
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        return (instance.lmax >= ABOVE * instance.maxL) is Verdict.REFUTED

    problem = counterexample(problems(laws=certain, least=3), refutes)
    assert Top(problem.exact).sign(ABOVE * problem.instance().maxL.low) < 0


def test_the_upper_bound_is_false_for_indefinite_matrices() -> None:
    def refutes(problem: Problem) -> bool:
        return two_bounds(problem.instance())[1].verdict is Verdict.REFUTED

    problem = counterexample(problems(matrices=symmetric_matrices, laws=certain, least=2), refutes)
    assert not semidefinite(problem.exact)
    # By hand: eigenvalues 1 and -1, diagonal 0.
    by_hand = Problem(np.array([[0.0, 1.0], [1.0, 0.0]]), Blocks((1, 1)), nested_law(np.ones(2)), np.ones(2))
    assert refutes(by_hand)
    assert (by_hand.instance().lmax.exact, by_hand.instance().sumL.exact) == (1, 0)


@given(problems(matrices=symmetric_matrices, laws=certain))
def test_the_lower_bound_needs_no_semidefinite_matrix(problem: Problem) -> None:
    assert_true(two_bounds(problem.instance())[:1])
