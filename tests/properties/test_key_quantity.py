"""lem:key_quantity: L_M <= L_P <= lambda_max(L) / p_min, for every sampling."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rpttheory import (
    Blocks,
    NestedSampling,
    Verdict,
    expected_clc,
    lambda_max,
    second_moment_smoothness,
    weighted_smoothness,
)
from rpttheory.theory.bounds import key_quantity

from .exact import (
    ABOVE,
    BELOW,
    Matrix,
    assert_encloses,
    assert_not_refuted,
    assert_proved,
    assert_true,
    counterexample,
    definiteness,
    dot,
    pencil,
    vector_of,
)
from .laws import any_explicit_laws, dyadic, nested_law, nested_laws
from .problems import Problem, problems
from .strategies import block_diagonal, decoupled, matrices, partitions, rank_one, symmetric_matrices, vectors

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


@given(problems(), st.integers(0, 2**60))
def test_holds_as_implications_between_semidefinite_matrices(problem: Problem, excess: int) -> None:
    ones = [Fraction(1)] * len(problem.exact)
    # Any t >= L_P: t P - L is semidefinite, and then so must t I - E[CLC] be.
    t = problem.instance().L_P.high * (1 + Fraction(excess, 2**60))
    assert definiteness(pencil(t, problem.weights, problem.exact)) >= 0
    assert definiteness(pencil(t, ones, problem.clc)) >= 0
    # Any t >= lambda_max: t I - L is semidefinite, and then so must t / p_min P - L be.
    t = problem.instance().lmax.high * (1 + Fraction(excess, 2**60))
    assert definiteness(pencil(t, ones, problem.exact)) >= 0
    assert definiteness(pencil(t / min(problem.law.p), problem.weights, problem.exact)) >= 0


@given(problems(matrices=symmetric_matrices))
def test_left_half_needs_no_semidefinite_matrix(problem: Problem) -> None:
    # Schur's product bound is for symmetric matrices: t I - A semidefinite gives (t I - A) o K semidefinite.
    instance = problem.instance()
    assert_true(key_quantity(instance)[:1])
    assert definiteness(pencil(instance.L_P.high, [Fraction(1)] * len(problem.exact), problem.clc)) >= 0


# -- ties, where every number is rational ------------------------------------------------------------


@given(problems(matrices=block_diagonal))
def test_equality_on_the_left_for_block_diagonal_matrices(problem: Problem) -> None:
    instance = problem.instance()
    assert_proved(key_quantity(instance)[:1])
    assert (instance.L_M >= instance.L_P) is Verdict.PROVED
    # Seen by enumeration too: E[CLC] = L P^-1.
    assert problem.clc == [[value / w for value in row] for row, w in zip(problem.exact, problem.weights, strict=True)]


@st.composite
def tied_on_both_sides(draw: DrawFn) -> Problem:
    """Rank one with all p equal, nested: all blocks or none, so L_M = L_P = lambda_max / p_min."""
    blocks = draw(partitions())
    p = np.full(blocks.count, draw(dyadic()))
    return Problem(draw(rank_one(blocks)), blocks, nested_law(p), np.ones(blocks.count))


@given(tied_on_both_sides())
def test_equality_on_both_sides_for_rank_one_and_equal_probabilities(problem: Problem) -> None:
    instance = problem.instance()
    assert_proved(key_quantity(instance))
    value = Fraction(float(np.trace(problem.L))) / problem.law.p[0]
    for claim in key_quantity(instance):
        assert claim.left.exact == claim.right.exact == value


@st.composite
def all_or_nothing(draw: DrawFn) -> Problem:
    """The same for any L, where the eigenvalues are irrational and the tie is one of algebraic numbers."""
    blocks = draw(partitions())
    p = np.full(blocks.count, draw(dyadic()))
    return Problem(draw(matrices(blocks)), blocks, nested_law(p), np.ones(blocks.count))


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
    assert definiteness(pencil(t, [Fraction(1)] * len(problem.exact), problem.clc)) < 0


def test_left_is_not_an_equality() -> None:
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        return (ABOVE * instance.L_M >= instance.L_P) is Verdict.REFUTED

    counterexample(problems(matrices=rank_one, least=2), refutes)


def test_right_cannot_be_sharpened() -> None:
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        bound = BELOW * instance.lmax / instance.pmin
        return (bound >= instance.L_P) is Verdict.REFUTED

    problem = counterexample(problems(), refutes)
    t = BELOW * problem.instance().lmax.high / min(problem.law.p)
    assert definiteness(pencil(t, problem.weights, problem.exact)) < 0


def test_right_is_false_with_the_largest_probability() -> None:
    def refutes(problem: Problem) -> bool:
        instance = problem.instance()
        bound = instance.lmax / max(problem.law.p)
        return (bound >= instance.L_P) is Verdict.REFUTED

    counterexample(problems(), refutes)


def test_right_needs_a_nonnegative_largest_eigenvalue() -> None:
    instance = Problem(-np.eye(2), Blocks((1, 1)), nested_law(np.array([1.0, 0.5])), np.ones(2)).instance()
    left, right = key_quantity(instance)
    assert left.verdict is Verdict.PROVED
    assert right.verdict is Verdict.REFUTED
    assert (instance.L_P.exact, (instance.lmax / instance.pmin).exact) == (-1, -2)


def divided_by_the_smaller(problem: Problem) -> Matrix:
    w = problem.weights
    return [[value / min(w[i], w[j]) for j, value in enumerate(row)] for i, row in enumerate(problem.exact)]


def test_left_is_false_with_min_and_max_exchanged() -> None:
    # p_kl / (p_k p_l) would be 1 / min(p_k, p_l) if p_kl were max(p_k, p_l).
    def refutes(problem: Problem) -> bool:
        t = problem.instance().L_P.high
        return definiteness(pencil(t, [Fraction(1)] * len(problem.exact), divided_by_the_smaller(problem))) < 0

    problem = counterexample(problems(laws=nested_laws, matrices=rank_one, least=2), refutes)
    assert problem.clc != divided_by_the_smaller(problem)
    # By hand: L = J, p = (1, 1/4): L_P = 5, and [[1, 4], [4, 4]] has the eigenvalue 6.77.
    by_hand = Problem(np.ones((2, 2)), Blocks((1, 1)), nested_law(np.array([1.0, 0.25])), np.ones(2))
    assert by_hand.instance().L_P.exact == 5
    assert divided_by_the_smaller(by_hand) == [[1, 4], [4, 4]]
    assert refutes(by_hand)


@st.composite
def inferences(draw: DrawFn) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """p, w and v for the matrices L = w w' and X = v v' of two coordinates."""
    w, v = vector_of(draw(vectors(2))), vector_of(draw(vectors(2, bound=20)))
    return [Fraction(1), Fraction(draw(dyadic(-6, -1)))], w, v


def premise_without_conclusion(example: tuple[list[Fraction], list[Fraction], list[Fraction]]) -> bool:
    p, w, v = example
    inverse = [1 / q for q in p]
    # P^1/2 X P^1/2 <= lambda_max(L) I says that v'Pv <= w'w; the conclusion is that v'v <= w'P^-1 w.
    premise = dot((a * a for a in v), p) <= dot(w, w)
    L, X = ([[a * b for b in x] for a in x] for x in (w, v))
    assert premise is (definiteness(pencil(dot(w, w), inverse, X)) >= 0)
    L_P = dot((a * a for a in w), inverse)
    assert definiteness(pencil(L_P, p, L)) == 0
    return premise and dot(v, v) > L_P


def test_the_printed_proof_infers_what_does_not_follow() -> None:
    # It shows P^1/2 X P^1/2 <= lambda_max(L) I for X = E[CLC] and writes "i.e. lambda_max(X) <= L_P".
    counterexample(inferences(), premise_without_conclusion)
    # By hand: L = Diag(4, 0), p = (1, 1/4), X = Diag(0, 16), but L_P = 4.
    p, w, v = [Fraction(1), Fraction(1, 4)], [Fraction(2), Fraction(0)], [Fraction(0), Fraction(4)]
    assert premise_without_conclusion((p, w, v))
    # The lemma is true all the same, because E[CLC] is not any such X.
    assert (
        lambda_max(
            expected_clc(np.diag([4.0, 0.0]), "each", sampling=NestedSampling([1.0, 0.25])), effort="exact"
        ).exact
        == 4
    )
