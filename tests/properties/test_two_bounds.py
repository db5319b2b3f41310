"""lem:twoBounds: max_k L_k <= lambda_max(L) <= sum_k L_k for a positive semidefinite L."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rpttheory import Blocks, Verdict, block_smoothness
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
    definiteness,
    pencil,
)
from .laws import Law, nested_law
from .problems import Problem, problems
from .strategies import LARGEST_DIMENSION, block_diagonal, factors, partitions, symmetric_matrices, tight


def certain(count: int) -> st.SearchStrategy[Law]:
    """The lemma knows no law; every block is updated."""
    return st.just(nested_law(np.ones(count)))


def ones(problem: Problem) -> list[Fraction]:
    return [Fraction(1)] * len(problem.exact)


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


@given(problems(laws=certain), st.integers(0, 2**60))
def test_holds_as_implications_between_semidefinite_matrices(problem: Problem, excess: int) -> None:
    # t_k I - L_kk semidefinite for all k gives (sum t_k) I - L semidefinite ...
    constants = problem.instance().block_L
    levels = [bracket.high * (1 + Fraction(excess, 2**60)) for bracket in constants]
    for rows, t in zip(problem.blocks.slices, levels, strict=True):
        block = block_of(problem.exact, rows)
        assert definiteness(pencil(t, [Fraction(1)] * len(block), block)) >= 0
    assert definiteness(pencil(sum(levels, Fraction(0)), ones(problem), problem.exact)) >= 0
    # ... and t I - L is not definite where some t I - L_kk is not.
    assert definiteness(pencil(max(bracket.low for bracket in constants), ones(problem), problem.exact)) <= 0


# -- ties --------------------------------------------------------------------------------------------


@given(problems(matrices=tight, laws=certain))
def test_upper_bound_is_attained(problem: Problem) -> None:
    instance = problem.instance()
    total = sum((instance.block_L[k].exact for k in range(problem.blocks.count)), Fraction(0))
    assert instance.lmax.exact == total
    assert_proved(two_bounds(instance))
    assert (instance.lmax >= instance.sumL) is Verdict.PROVED
    assert definiteness(pencil(total, ones(problem), problem.exact)) == 0


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
    assert definiteness(pencil(BELOW * problem.instance().sumL.high, ones(problem), problem.exact)) < 0


def test_the_maximum_cannot_be_raised() -> None:
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        return (instance.lmax >= ABOVE * instance.maxL) is Verdict.REFUTED

    problem = counterexample(problems(laws=certain, least=3), refutes)
    assert definiteness(pencil(ABOVE * problem.instance().maxL.low, ones(problem), problem.exact)) > 0


def test_the_upper_bound_is_false_for_indefinite_matrices() -> None:
    def refutes(problem: Problem) -> bool:
        return two_bounds(problem.instance())[1].verdict is Verdict.REFUTED

    problem = counterexample(problems(matrices=symmetric_matrices, laws=certain, least=2), refutes)
    assert definiteness(problem.exact) < 0
    # By hand: eigenvalues 1 and -1, diagonal 0.
    by_hand = Problem(np.array([[0.0, 1.0], [1.0, 0.0]]), Blocks((1, 1)), nested_law(np.ones(2)), np.ones(2))
    assert refutes(by_hand)
    assert (by_hand.instance().lmax.exact, by_hand.instance().sumL.exact) == (1, 0)


@given(problems(matrices=symmetric_matrices, laws=certain))
def test_the_lower_bound_needs_no_semidefinite_matrix(problem: Problem) -> None:
    assert_true(two_bounds(problem.instance())[:1])


def test_the_upper_bound_is_false_with_all_but_the_smallest_block() -> None:
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        kept = sorted((bracket.high for bracket in instance.block_L), reverse=True)[:-1]
        return (instance.lmax <= sum(kept, Fraction(0))) is Verdict.REFUTED

    counterexample(problems(matrices=tight, laws=certain, least=2), refutes)


def test_the_upper_bound_is_false_with_diagonal_entries_for_block_eigenvalues() -> None:
    # sum_k max_i L_ii over the blocks: for all ones in one block that is 1, not d.
    problem = Problem(np.ones((3, 3)), Blocks((3,)), nested_law(np.ones(1)), np.ones(1))
    assert (problem.instance().lmax <= Fraction(1)) is Verdict.REFUTED
    assert problem.instance().sumL.exact == 3
