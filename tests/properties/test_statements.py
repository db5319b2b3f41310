"""Every statement on problems of every kind: it holds, no verdict contradicts the exact one, and it
has no room.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from companions import BELOW, all_decisions, counterexample, decisions
from hypothesis import given
from hypothesis import strategies as st
from soundness.reals import Top, semidefinite

from rpttheory import (
    Blocks,
    Bracket,
    Verdict,
    block_smoothness,
    lambda_max,
    second_moment_smoothness,
    weighted_smoothness,
)
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.statements import Decision
from rpttheory.testing.strategies import (
    clustered,
    decoupled,
    dominant,
    psd_matrices,
    rank_one,
    scalar_matrices,
)

from .exact import (
    assert_encloses,
    assert_not_refuted,
    assert_proved,
    assert_true,
    block_of,
    dot,
    vector_of,
)
from .laws import any_explicit_laws, either_laws, explicit_law, nested_law
from .problems import (
    Problem,
    balanced,
    equal_products,
    problems,
    rational_problems,
    symmetric_matrices,
)

# 1 - 2^-k and 1 + 2^-k.
NUDGES = st.tuples(st.sampled_from([-1, 1]), st.integers(25, 60)).map(
    lambda pair: 1 + Fraction(pair[0], 2 ** pair[1])
)
ALWAYS_PROVED = {("lem:upperBound", ""), ("text:expectedCost", "")}


def truth(left: Bracket, right: Bracket) -> Verdict:
    """left <= right by the ends alone."""
    if left.high <= right.low:
        return Verdict.PROVED
    return Verdict.REFUTED if left.low > right.high else Verdict.UNDECIDED


def contradicts(found: Verdict, known: Verdict) -> bool:
    return {found, known} == {Verdict.PROVED, Verdict.REFUTED}


def assert_holds_exactly(claim: Decision) -> None:
    if (
        claim.label == "text:corollary"
    ):  # what is left undecided are ties, missed by the rounding of the probabilities
        assert claim.verdict is not Verdict.REFUTED
        assert claim.left.high <= claim.right.low * (1 + Fraction(1, 2**45))
    elif (claim.label, claim.part) in ALWAYS_PROVED:
        assert_proved([claim])
    else:
        assert_true([claim])


@given(problems(), st.lists(NUDGES, min_size=8, max_size=8))
def test_every_statement_holds_and_moved_a_little_no_verdict_contradicts_the_exact_one(
    problem: Problem, nudges: list[Fraction]
) -> None:
    exact = all_decisions(problem.instance())
    assert {(claim.label, claim.part) for claim in exact} >= ALWAYS_PROVED
    for claim in exact:
        assert_holds_exactly(claim)
    for effort in ("fast", "sharp"):
        for rough, sharp in zip(all_decisions(problem.instance(effort)), exact, strict=True):
            assert rough.statement == sharp.statement
            assert_not_refuted([rough])
            for factor in nudges:
                # In both directions: one of them is usually false.
                forth = rough.left <= factor * rough.right
                assert not contradicts(forth, truth(sharp.left, factor * sharp.right)), (
                    rough,
                    factor,
                )
                back = factor * rough.right <= rough.left
                assert not contradicts(back, truth(factor * sharp.right, sharp.left)), (
                    rough,
                    factor,
                )


def unconnected(blocks: Blocks) -> st.SearchStrategy[FloatArray]:
    """Often with nothing between the blocks, where ties are many."""
    return psd_matrices(blocks) | decoupled(blocks)


@given(problems(laws=any_explicit_laws, matrices=unconnected))
def test_every_statement_holds_where_no_float_is_the_marginal(problem: Problem) -> None:
    assert_not_refuted(all_decisions(problem.instance()))
    assert_not_refuted(all_decisions(problem.instance("fast")))


def test_every_statement_holds_at_marginals_of_a_fifth() -> None:
    # L = I and p = 1/5 twice, which floats round up: c(P) = 5 * 2/5 = 2 = sum c_k L_k, and 5 * 2 *
    # 2/5 = (1 + 1)^2.
    law = explicit_law([(True, True), (False, False)], [Fraction(1), Fraction(4)])
    assert_not_refuted(
        all_decisions(Problem(np.eye(2), Blocks((1, 1)), law, np.ones(2)).instance())
    )


@given(problems(matrices=clustered), st.lists(NUDGES, min_size=8, max_size=8))
def test_no_verdict_contradicts_the_exact_one_where_eigenvalues_agree_to_many_digits(
    problem: Problem, nudges: list[Fraction]
) -> None:
    def numbers(effort: str) -> tuple[Bracket, ...]:
        instance = problem.instance(effort)
        least = min(instance.sampling.marginals.fractions())
        largest = Bracket.largest(instance.block_L)
        return instance.lmax, largest, instance.L_P * least, instance.L_M * least

    found = numbers("fast")
    known = numbers("exact")
    for i, j in ((i, j) for i in range(4) for j in range(4) if found[i] is not found[j]):
        # The same object is the same number, whatever its ends.
        for factor in (Fraction(1), *nudges):
            assert not contradicts(
                found[i] <= factor * found[j], truth(known[i], factor * known[j])
            )


def test_a_comparison_of_midpoints_contradicts_the_exact_one() -> None:
    def caught(pair: tuple[Problem, Fraction]) -> bool:
        problem, factor = pair
        rough = problem.instance("fast")
        sharp = problem.instance()
        careless = rough.lmax.midpoint <= factor * Fraction(Bracket.largest(rough.block_L).midpoint)
        found = Verdict.PROVED if careless else Verdict.REFUTED
        return contradicts(found, truth(sharp.lmax, factor * Bracket.largest(sharp.block_L)))

    counterexample(st.tuples(problems(matrices=decoupled), NUDGES), caught)


@given(problems(laws=either_laws))
def test_brackets_hold_the_eigenvalues_of_the_enumerated_matrices(problem: Problem) -> None:
    L = problem.L
    blocks = problem.blocks
    law = problem.law
    for effort in ("fast", "sharp", "exact"):
        instance = problem.instance(effort)
        # The functions themselves, too, without the short cuts that an instance takes.
        for bracket in (instance.lmax, lambda_max(L, effort=effort)):
            assert_encloses(bracket, problem.exact)
        assert_encloses(instance.L_P, problem.exact, problem.weights)
        p = law.sampling.probabilities
        if vector_of(p) == list(law.p):
            weighted = weighted_smoothness(L, blocks, probabilities=p, effort=effort)
            assert_encloses(weighted, problem.exact, problem.weights)
        for bracket in (
            instance.L_M,
            second_moment_smoothness(L, blocks, sampling=law.sampling, effort=effort),
        ):
            assert_encloses(bracket, problem.clc)
        for constants in (instance.block_L, block_smoothness(L, blocks, effort=effort)):
            for rows, bracket in zip(blocks.slices, constants, strict=True):
                assert_encloses(bracket, block_of(problem.exact, rows))


@given(problems(matrices=dominant, largest=3))
def test_rounding_in_the_entries_of_the_second_moment_is_accounted_for(problem: Problem) -> None:
    for effort in ("fast", "sharp"):
        moment = second_moment_smoothness(
            problem.L, problem.blocks, sampling=problem.law.sampling, effort=effort
        )
        assert_encloses(moment, problem.clc)


@given(problems(matrices=symmetric_matrices))
def test_the_left_halves_need_no_semidefinite_matrix(problem: Problem) -> None:
    # Schur's product bound is for symmetric matrices: t I - A semidefinite gives (t I - A) o K
    # semidefinite.
    instance = problem.instance()
    assert_true(
        [decisions("lem:key_quantity", instance)[0], decisions("lem:twoBounds", instance)[0]]
    )
    assert Top(problem.clc).sign(instance.L_P.high) <= 0


# A statement, its place, where it has no room, and the sign of its left side minus a number, in
# fractions.
SHARP: dict[str, tuple[str, int, st.SearchStrategy[Any], Callable[[Any, Fraction], int] | None]] = {
    "L_M <= L_P": (
        "lem:key_quantity",
        0,
        problems(matrices=rank_one, least=2),
        lambda problem, t: Top(problem.clc).sign(t),
    ),
    "L_P <= lmax / pmin": (
        "lem:key_quantity",
        1,
        problems(),
        lambda problem, t: Top(problem.exact, problem.weights).sign(t),
    ),
    "max L_k <= lmax": (
        "lem:twoBounds",
        0,
        problems(least=3),
        lambda problem, t: max(
            Top(block_of(problem.exact, rows)).sign(t) for rows in problem.blocks.slices
        ),
    ),
    "lmax <= sum L_k": (
        "lem:twoBounds",
        1,
        problems(least=3),
        lambda problem, t: Top(problem.exact).sign(t),
    ),
    "c(P) <= product": (
        "text:productBound",
        0,
        problems(matrices=rank_one, least=2),
        lambda problem, t: Top(problem.exact, problem.weights).sign(
            t / dot(problem.law.p, vector_of(problem.costs))
        ),
    ),
    "closed <= product": ("lem:upperBound", 0, rational_problems(), None),
    "corollary": ("text:corollary", 0, problems(matrices=scalar_matrices), None),
    "sum c_k L_k <= c(P)": ("our:sandwich", 0, problems(), None),
    "sum c_k L_k <= c(P) at the optimum": ("our:sandwich", 0, balanced(), None),
    "closed <= B sum c_k L_k": ("our:sandwich", 1, equal_products(least=3), None),
    "E[cost] <= sum p_k c_k": ("text:expectedCost", 0, problems(), None),
}


@pytest.mark.parametrize("name", SHARP)
def test_no_statement_has_room(name: str) -> None:
    label, place, strategy, sign = SHARP[name]

    def refutes(problem: Problem) -> bool:
        claim = decisions(label, problem.instance())[place]
        return (claim.left <= BELOW * claim.right) is Verdict.REFUTED

    problem = counterexample(strategy, refutes)
    assert (
        sign is None
        or sign(problem, BELOW * decisions(label, problem.instance())[place].right.low) > 0
    )


def test_the_upper_bound_is_false_for_indefinite_matrices() -> None:
    def refutes(problem: Problem) -> bool:
        return decisions("lem:twoBounds", problem.instance())[1].verdict is Verdict.REFUTED

    problem = counterexample(problems(matrices=symmetric_matrices, least=2), refutes)
    assert not semidefinite(problem.exact)
    # By hand: eigenvalues 1 and -1, diagonal 0.
    by_hand = Problem(
        np.array([[0.0, 1.0], [1.0, 0.0]]), Blocks((1, 1)), nested_law(np.ones(2)), np.ones(2)
    )
    assert refutes(by_hand) and (
        by_hand.instance().lmax.exact,
        by_hand.instance().block_L[0].exact,
    ) == (1, 0)


def test_the_key_quantity_needs_a_nonnegative_largest_eigenvalue() -> None:
    instance = Problem(
        -np.eye(2), Blocks((1, 1)), nested_law(np.array([1.0, 0.5])), np.ones(2)
    ).instance()
    left, right = decisions("lem:key_quantity", instance)
    assert (left.verdict, right.verdict) == (Verdict.PROVED, Verdict.REFUTED)
    assert (
        instance.L_P.exact,
        (instance.lmax / min(instance.sampling.marginals.fractions())).exact,
    ) == (-1, -2)


def test_the_corollary_is_false_for_costs_that_do_not_add_up_to_one() -> None:
    # As printed, min c(P) <= lambda_max; with c = 2 on the line c(P) = 2 L_P p >= 2.
    instance = Problem(
        np.ones((1, 1)), Blocks((1,)), nested_law(np.ones(1)), np.array([2.0])
    ).instance()
    assert (instance.one_block_cost <= instance.lmax) is Verdict.REFUTED
    assert_proved(decisions("text:corollary", instance))
