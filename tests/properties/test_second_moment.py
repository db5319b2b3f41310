"""lem:secondMoment: E||C g||^2 = ||g||^2_{P^-1} <= 2 L_P (f - f*). The paper prints the norm without its square."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rpttheory import Blocks, Verdict
from rpttheory.testing.strategies import vectors
from rpttheory.theory.bounds import second_moment

from .exact import BELOW, assert_not_refuted, assert_proved, times, vector_of
from .laws import any_explicit_laws, nested_law
from .problems import Problem, problems


def second_moment_of_sketch(problem: Problem, g: list[Fraction]) -> Fraction:
    """E||Cg||^2, outcome by outcome."""
    label, p = problem.blocks.labels.tolist(), problem.law.p
    return sum(
        (
            probability * sum(((v / p[k]) ** 2 for v, k in zip(g, label, strict=True) if active[k]), Fraction(0))
            for probability, active in problem.law.outcomes
        ),
        Fraction(0),
    )


def weighted_square(problem: Problem, g: list[Fraction]) -> Fraction:
    """||g||^2_{P^-1}."""
    return sum((a * a / w for a, w in zip(g, problem.weights, strict=True)), Fraction(0))


@given(problems(laws=any_explicit_laws), st.data())
def test_equality_for_every_vector_where_no_float_is_the_marginal(problem: Problem, data: st.DataObject) -> None:
    x = data.draw(vectors(problem.blocks.dimension))
    g = times(problem.exact, vector_of(x))
    assert second_moment_of_sketch(problem, g) == weighted_square(problem, g)
    for claim in second_moment(problem.instance(), x):
        assert_not_refuted([claim])
        assert claim.left.low <= weighted_square(problem, g) <= claim.left.high


@given(problems(), st.data())
def test_the_library_agrees(problem: Problem, data: st.DataObject) -> None:
    x = data.draw(vectors(problem.blocks.dimension))
    g = times(problem.exact, vector_of(x))
    for effort in ("fast", "exact"):
        claims = {claim.part: claim for claim in second_moment(problem.instance(effort), x)[1:]}
        assert_proved([claims["equality"]])
        assert_not_refuted([claims["upper"]])
        for claim in claims.values():
            assert claim.left.low <= second_moment_of_sketch(problem, g) <= claim.left.high


# -- what is false ----------------------------------------------------------------------------------


def test_the_library_refutes_a_sharper_bound() -> None:
    problem = Problem(np.ones((2, 2)), Blocks((1, 1)), nested_law(np.array([1.0, 0.5])), np.ones(2))
    upper = second_moment(problem.instance(), np.ones(2))[2]
    assert (upper.part, upper.statement) == ("upper", "E||Cg||^2 <= 2 L_P (f - f*)")
    assert (upper.left <= BELOW * upper.right) is Verdict.REFUTED
    # Both sides: g = (2, 2), so 4 + 8 = 12 = 3 * 4.
    assert upper.left.low <= 12 <= upper.left.high
    assert upper.right.low <= 12 <= upper.right.high
