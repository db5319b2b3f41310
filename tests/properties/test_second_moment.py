"""lem:secondMoment: E||C g||^2 = ||g||^2_{P^-1} <= 2 L_P (f - f*). The paper prints the norm without its square."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory import Blocks, Verdict
from rpttheory.theory.bounds import second_moment

from .exact import (
    ABOVE,
    BELOW,
    Outcomes,
    assert_not_refuted,
    assert_proved,
    counterexample,
    dot,
    expand,
    matrix_of,
    times,
    vector_of,
)
from .functions import RIDGES, Ridge, interval, surely_at_most, value_and_gradient
from .laws import Law, any_explicit_laws, laws, nested_law
from .problems import Problem, problems
from .strategies import factors, partitions, rank_one, vectors


def enumerated(outcomes: Outcomes, scale: list[Fraction], g: list[Fraction], blocks: Blocks) -> Fraction:
    """E||Cg||^2 with C = Diag(scale_k if block k is active)."""
    mean = Fraction(0)
    for probability, active in outcomes:
        diagonal = expand([s if included else Fraction(0) for s, included in zip(scale, active, strict=True)], blocks)
        mean += probability * sum(((c * a) ** 2 for c, a in zip(diagonal, g, strict=True)), Fraction(0))
    return mean


def second_moment_of_sketch(problem: Problem, g: list[Fraction]) -> Fraction:
    return enumerated(problem.law.outcomes, [1 / q for q in problem.law.p], g, problem.blocks)


def weighted_square(problem: Problem, g: list[Fraction]) -> Fraction:
    """||g||^2_{P^-1}."""
    return sum((a * a / w for a, w in zip(g, problem.weights, strict=True)), Fraction(0))


@given(problems(), st.data())
def test_equality_for_every_vector(problem: Problem, data: st.DataObject) -> None:
    g = vector_of(data.draw(vectors(problem.blocks.dimension)))
    assert second_moment_of_sketch(problem, g) == weighted_square(problem, g)


@given(problems(laws=any_explicit_laws), st.data())
def test_equality_for_every_vector_where_no_float_is_the_marginal(problem: Problem, data: st.DataObject) -> None:
    x = data.draw(vectors(problem.blocks.dimension))
    g = times(problem.exact, vector_of(x))
    assert second_moment_of_sketch(problem, g) == weighted_square(problem, g)
    for claim in second_moment(problem.instance(), x):
        assert_not_refuted([claim])
        assert claim.left.low <= weighted_square(problem, g) <= claim.left.high


@given(problems(), st.data())
def test_upper_bound_on_quadratics(problem: Problem, data: st.DataObject) -> None:
    x = vector_of(data.draw(vectors(problem.blocks.dimension)))
    g = times(problem.exact, x)
    assert second_moment_of_sketch(problem, g) <= problem.instance().L_P.high * dot(x, g)


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


@given(problems(matrices=rank_one), st.data())
def test_equality_throughout_for_rank_one(problem: Problem, data: st.DataObject) -> None:
    x = vector_of(data.draw(vectors(problem.blocks.dimension)))
    g = times(problem.exact, x)
    assert weighted_square(problem, g) == dot(x, g) * sum(
        (problem.exact[i][i] / w for i, w in enumerate(problem.weights)), Fraction(0)
    )


@pytest.mark.parametrize("ridge", RIDGES, ids=repr)
@given(st.data())
def test_upper_bound_on_functions_that_are_not_quadratic(ridge: Ridge, data: st.DataObject) -> None:
    blocks = data.draw(partitions(largest=4))
    A, law = data.draw(factors(blocks.dimension)), data.draw(laws(blocks.count))
    problem = Problem(A.T @ A, blocks, law, np.ones(blocks.count))
    power = data.draw(st.integers(0, 10))
    x = [Fraction(int(entry), 2**power) for entry in data.draw(vectors(blocks.dimension)).tolist()]
    value, gradient = value_and_gradient(ridge, A, x)
    left = sum(
        (
            interval(probability)
            * sum((gradient[i] / interval(w)) ** 2 for i, w in enumerate(problem.weights) if active[k[i]])
            for probability, active in law.outcomes
            for k in [blocks.labels.tolist()]
        ),
        interval(Fraction(0)),
    )
    assert surely_at_most(left, 2 * interval(problem.instance().L_P.high) * value)


# -- what is false ----------------------------------------------------------------------------------


def on_the_line(x: float) -> tuple[Problem, list[Fraction], Fraction]:
    """f(y) = y^2 / 2 with p = 1: E||g||^2 = x^2, ||g||_{P^-1} = |x|, 2 L_P (f - f*) = x^2."""
    problem = Problem(np.ones((1, 1)), Blocks((1,)), nested_law(np.ones(1)), np.ones(1))
    g = times(problem.exact, vector_of([x]))
    return problem, g, problem.instance().L_P.high * dot(vector_of([x]), g)


def test_the_printed_equality_without_the_square_is_false() -> None:
    problem, g, _ = on_the_line(2.0)
    assert second_moment_of_sketch(problem, g) == 4
    assert weighted_square(problem, g) == 4
    # The norm is the root of 4, and 4 is not 2.
    assert second_moment_of_sketch(problem, g) ** 2 != weighted_square(problem, g)


def test_the_printed_inequality_without_the_square_is_false() -> None:
    problem, g, right = on_the_line(0.5)
    assert right == Fraction(1, 4)
    # The norm is 1/2, above 1/4: compare squares.
    assert weighted_square(problem, g) == Fraction(1, 4) > right**2


def test_the_bound_cannot_be_sharpened() -> None:
    def refutes(pair: tuple[Problem, list[int]]) -> bool:
        problem, entries = pair
        x = vector_of(entries[: problem.blocks.dimension])
        g = times(problem.exact, x)
        return second_moment_of_sketch(problem, g) > BELOW * problem.instance().L_P.high * dot(x, g)

    points = st.lists(st.integers(-6, 6), min_size=6, max_size=6)
    counterexample(st.tuples(problems(), points), refutes)


def test_the_library_refutes_a_sharper_bound() -> None:
    problem = Problem(np.ones((2, 2)), Blocks((1, 1)), nested_law(np.array([1.0, 0.5])), np.ones(2))
    upper = second_moment(problem.instance(), np.ones(2))[2]
    assert (upper.part, upper.statement) == ("upper", "E||Cg||^2 <= 2 L_P (f - f*)")
    assert (upper.left <= BELOW * upper.right) is Verdict.REFUTED
    # Both sides: g = (2, 2), so 4 + 8 = 12 = 3 * 4.
    assert upper.left.low <= 12 <= upper.left.high
    assert upper.right.low <= 12 <= upper.right.high


def test_the_second_moment_is_not_that_of_another_law() -> None:
    # The bound with L_M in place of L_P is false: L_M <= L_P, and the equality above leaves no room.
    def refutes(problem: Problem) -> bool:
        x = [Fraction(1)] * problem.blocks.dimension
        g = times(problem.exact, x)
        return second_moment_of_sketch(problem, g) > ABOVE * problem.instance().L_M.high * dot(x, g)

    counterexample(problems(matrices=rank_one, least=2), refutes)


def test_a_sketch_without_the_division_by_p_breaks_the_equality() -> None:
    def refutes(pair: tuple[Problem, Law]) -> bool:
        problem, _ = pair
        g = [Fraction(1)] * problem.blocks.dimension
        ones = [Fraction(1)] * problem.blocks.count
        return enumerated(problem.law.outcomes, ones, g, problem.blocks) != weighted_square(problem, g)

    counterexample(st.tuples(problems(), laws(1)), refutes)


def test_the_equality_is_with_p_and_not_with_its_square() -> None:
    # E[C^2] = P^-1: C has 1/p^2 on its squared diagonal, with probability p.
    problem = Problem(np.eye(2), Blocks((1, 1)), nested_law(np.array([1.0, 0.25])), np.ones(2))
    assert second_moment_of_sketch(problem, vector_of([0.0, 1.0])) == 4
    assert matrix_of(problem.L)[1][1] / problem.weights[1] ** 2 == 16
