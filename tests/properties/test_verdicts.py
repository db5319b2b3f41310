"""Every statement, moved so little that only careful arithmetic can tell: no verdict may contradict the exact one."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from rpttheory import Bracket, Verdict, second_moment_smoothness
from rpttheory.testing.strategies import clustered, decoupled, dominant
from rpttheory.theory.bounds import all_claims

from .exact import assert_encloses, counterexample
from .laws import nested_laws
from .problems import Problem, costs, problems

# 1 - 2^-k and 1 + 2^-k.
NUDGES = st.tuples(st.sampled_from([-1, 1]), st.integers(25, 60)).map(lambda pair: 1 + Fraction(pair[0], 2 ** pair[1]))


def truth(left: Bracket, right: Bracket) -> Verdict:
    """left <= right by the ends alone."""
    if left.high <= right.low:
        return Verdict.PROVED
    return Verdict.REFUTED if left.low > right.high else Verdict.UNDECIDED


def contradicts(found: Verdict, known: Verdict) -> bool:
    return {found, known} == {Verdict.PROVED, Verdict.REFUTED}


@given(problems(), st.lists(NUDGES, min_size=8, max_size=8))
def test_no_verdict_on_a_nudged_statement_contradicts_the_exact_one(problem: Problem, nudges: list[Fraction]) -> None:
    exact = all_claims(problem.instance())
    for effort in ("fast", "sharp"):
        for rough, sharp in zip(all_claims(problem.instance(effort)), exact, strict=True):
            assert rough.statement == sharp.statement
            for factor in nudges:
                # In both directions: one of them is usually false.
                forth = rough.left <= factor * rough.right
                assert not contradicts(forth, truth(sharp.left, factor * sharp.right)), (rough, factor)
                back = factor * rough.right <= rough.left
                assert not contradicts(back, truth(factor * sharp.right, sharp.left)), (rough, factor)


@given(problems(matrices=clustered), st.lists(NUDGES, min_size=8, max_size=8))
def test_nor_where_eigenvalues_agree_to_many_digits(problem: Problem, nudges: list[Fraction]) -> None:
    rough, sharp = problem.instance("fast"), problem.instance()
    pairs = [
        ((a.lmax, a.maxL, a.L_P * a.pmin, a.L_M * a.pmin), (b.lmax, b.maxL, b.L_P * b.pmin, b.L_M * b.pmin))
        for a, b in [(rough, sharp)]
    ]
    for found, known in pairs:
        for i in range(4):
            for j in range(4):
                for factor in (Fraction(1), *nudges):
                    verdict = found[i] <= factor * found[j]
                    # The same object is the same number, whatever its ends.
                    if found[i] is not found[j]:
                        assert not contradicts(verdict, truth(known[i], factor * known[j]))


@given(problems(matrices=dominant, laws=nested_laws, costs=costs, largest=3))
def test_rounding_in_the_entries_of_the_second_moment_is_accounted_for(problem: Problem) -> None:
    for effort in ("fast", "sharp"):
        moment = second_moment_smoothness(problem.L, problem.blocks, sampling=problem.law.sampling, effort=effort)
        assert_encloses(moment, problem.clc)


# -- the test can fail -------------------------------------------------------------------------------


def test_a_comparison_of_midpoints_contradicts_the_exact_one() -> None:
    def caught(pair: tuple[Problem, Fraction]) -> bool:
        problem, factor = pair
        rough, sharp = problem.instance("fast"), problem.instance()
        careless = rough.lmax.midpoint <= factor * Fraction(rough.maxL.midpoint)
        found = Verdict.PROVED if careless else Verdict.REFUTED
        return contradicts(found, truth(sharp.lmax, factor * sharp.maxL))

    counterexample(st.tuples(problems(matrices=decoupled), NUDGES), caught)
