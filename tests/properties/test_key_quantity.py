"""lem:key_quantity: L_M <= L_P <= lambda_max(L) / p_min, for every sampling."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from soundness.reals import Top

from rpttheory import Blocks, Verdict, lambda_max, second_moment_smoothness, weighted_smoothness
from rpttheory.testing.strategies import block_diagonal, decoupled, dyadic, partitions, psd_matrices, rank_one, vectors
from rpttheory.theory.bounds import key_quantity

from .exact import BELOW, assert_encloses, assert_not_refuted, assert_proved, assert_true, counterexample
from .laws import any_explicit_laws, nested_law
from .problems import Problem, problems, symmetric_matrices

# -- the statement -----------------------------------------------------------------------------------


@given(problems())
def test_holds(problem: Problem) -> None:
    assert_true(key_quantity(problem.instance()))
    assert_not_refuted(key_quantity(problem.instance("fast")))
    assert_not_refuted(key_quantity(problem.instance("sharp")))


@given(problems(laws=any_explicit_laws, matrices=decoupled))
def test_holds_where_no_float_is_the_marginal(problem: Problem) -> None:
    assert_not_refuted(key_quantity(problem.instance()))
    assert_not_refuted(key_quantity(problem.instance("fast")))


@given(problems(laws=any_explicit_laws))
def test_brackets_hold_the_truth_where_no_float_is_the_marginal(problem: Problem) -> None:
    for effort in ("fast", "sharp", "exact"):
        instance = problem.instance(effort)
        assert_encloses(instance.L_P, problem.exact, problem.weights)
        assert_encloses(instance.L_M, problem.clc)


@given(problems())
def test_brackets_hold_the_eigenvalues_of_the_enumerated_matrices(problem: Problem) -> None:
    for effort in ("fast", "sharp", "exact"):
        instance = problem.instance(effort)
        assert_encloses(instance.lmax, problem.exact)
        assert_encloses(instance.L_P, problem.exact, problem.weights)
        assert_encloses(instance.L_M, problem.clc)
        # The functions themselves, without the short cuts that an instance takes.
        assert_encloses(lambda_max(problem.L, effort=effort), problem.exact)
        p = problem.law.sampling.probabilities
        assert_encloses(
            weighted_smoothness(problem.L, problem.blocks, probabilities=p, effort=effort),
            problem.exact,
            problem.weights,
        )
        moment = second_moment_smoothness(problem.L, problem.blocks, sampling=problem.law.sampling, effort=effort)
        assert_encloses(moment, problem.clc)


@given(problems(matrices=symmetric_matrices))
def test_left_half_needs_no_semidefinite_matrix(problem: Problem) -> None:
    # Schur's product bound is for symmetric matrices: t I - A semidefinite gives (t I - A) o K semidefinite.
    instance = problem.instance()
    assert_true(key_quantity(instance)[:1])
    assert Top(problem.clc).sign(instance.L_P.high) <= 0


# -- ties, where every number is rational ------------------------------------------------------------


@given(problems(matrices=block_diagonal))
def test_equality_on_the_left_for_block_diagonal_matrices(problem: Problem) -> None:
    instance = problem.instance()
    assert_proved(key_quantity(instance)[:1])
    assert (instance.L_M >= instance.L_P) is Verdict.PROVED
    # Seen by enumeration too: E[CLC] = L P^-1.
    assert problem.clc == [[value / w for value in row] for row, w in zip(problem.exact, problem.weights, strict=True)]


@st.composite
def all_or_nothing(draw: DrawFn) -> Problem:
    """The same for any L, where the eigenvalues are irrational and the tie is one of algebraic numbers."""
    blocks = draw(partitions())
    p = np.full(blocks.count, draw(dyadic()))
    return Problem(draw(psd_matrices(blocks)), blocks, nested_law(p), np.ones(blocks.count))


@given(all_or_nothing())
def test_equality_on_both_sides_for_equal_probabilities(problem: Problem) -> None:
    assert_proved(key_quantity(problem.instance()))


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
def test_equality_on_the_right_where_the_top_eigenvector_has_least_probability(problem: Problem) -> None:
    left, right = key_quantity(problem.instance())
    assert_proved([left, right])
    assert right.left.exact == right.right.exact == Fraction(float(np.trace(problem.L))) / min(problem.law.p)


# -- what is false ----------------------------------------------------------------------------------


def test_left_cannot_be_sharpened() -> None:
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        return (instance.L_M <= BELOW * instance.L_P) is Verdict.REFUTED

    problem = counterexample(problems(matrices=rank_one, least=2), refutes)
    t = BELOW * problem.instance().L_P.high
    assert Top(problem.clc).sign(t) > 0


def test_right_cannot_be_sharpened() -> None:
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        bound = BELOW * instance.lmax / instance.pmin
        return (bound >= instance.L_P) is Verdict.REFUTED

    problem = counterexample(problems(), refutes)
    t = BELOW * problem.instance().lmax.high / min(problem.law.p)
    assert Top(problem.exact, problem.weights).sign(t) > 0


def test_right_needs_a_nonnegative_largest_eigenvalue() -> None:
    instance = Problem(-np.eye(2), Blocks((1, 1)), nested_law(np.array([1.0, 0.5])), np.ones(2)).instance()
    left, right = key_quantity(instance)
    assert left.verdict is Verdict.PROVED
    assert right.verdict is Verdict.REFUTED
    assert (instance.L_P.exact, (instance.lmax / instance.pmin).exact) == (-1, -2)
