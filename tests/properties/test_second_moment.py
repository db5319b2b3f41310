"""lem:generalizedSmoothness and lem:secondMoment on quadratics.

||grad f||^2_W <= 2 A (f - f*) with A = lambda_max(W^1/2 L W^1/2) for any W > 0, and E||C g||^2 =
||g||^2_{P^-1}, which
is at most 2 L_P (f - f*). The paper prints that norm without its square.
"""

from fractions import Fraction

import numpy as np
from companions import BELOW, counterexample, second_moment
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from soundness.reals import semidefinite

from rpttheory import Blocks, Verdict, weighted_smoothness
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.testing.strategies import dominant, psd_matrices, vectors, wide

from .exact import assert_not_refuted, assert_proved, dot, times, vector_of
from .laws import any_explicit_laws, nested_law, nested_laws
from .problems import Problem, problems


def sides(problem: Problem, x: FloatArray) -> tuple[Fraction, Fraction]:
    """||g||^2_{P^-1} and 2 (f - f*) for f(x) = x'Lx / 2; the former is E||Cg||^2, outcome by
    outcome.
    """
    g = times(problem.exact, vector_of(x))
    label = problem.blocks.labels.tolist()
    p = problem.law.p
    square = sum((a * a / w for a, w in zip(g, problem.weights, strict=True)), Fraction(0))
    moment = Fraction(0)
    for probability, active in problem.law.outcomes:
        moment += probability * sum(
            ((v / p[k]) ** 2 for v, k in zip(g, label, strict=True) if active[k]), Fraction(0)
        )
    assert moment == square
    return square, dot(vector_of(x), g)


def assert_bracketed(problem: Problem, x: FloatArray, *, proved: bool = True) -> None:
    left, twice = sides(problem, x)
    L_P = problem.instance().L_P
    for effort in ("fast", "exact"):
        claims = second_moment(problem.instance(effort), x)
        assert [claim.part for claim in claims[1:]] == ["equality", "upper"]
        assert claims[0].label == "lem:generalizedSmoothness"
        assert_not_refuted(claims)
        assert_proved(claims[1:2] if proved else ())
        assert all(claim.left.low <= left <= claim.left.high for claim in claims)
        for claim in claims[::2]:
            assert claim.right.low <= L_P.high * twice and claim.right.high >= L_P.low * twice


@given(problems(), st.data())
def test_every_claim_is_bracketed(problem: Problem, data: st.DataObject) -> None:
    assert_bracketed(problem, data.draw(vectors(problem.blocks.dimension)))


@given(problems(laws=any_explicit_laws), st.data())
def test_every_claim_is_bracketed_where_no_float_is_the_marginal(
    problem: Problem, data: st.DataObject
) -> None:
    assert_bracketed(problem, data.draw(vectors(problem.blocks.dimension)), proved=False)


@given(problems(matrices=dominant), st.data())
def test_rounding_is_accounted_for(problem: Problem, data: st.DataObject) -> None:
    d = problem.blocks.dimension
    assert_bracketed(problem, np.array(data.draw(st.lists(wide(-4, 4), min_size=d, max_size=d))))


@given(st.floats(1, 2), st.floats(1, 2))
def test_cancellation_is_accounted_for(a: float, b: float) -> None:
    # (b, -a) is orthogonal to (a, b), so the gradient is nothing but the roundings of a a, a b and
    # b b.
    x = np.array([b, -a])
    problem = Problem(np.outer([a, b], [a, b]), Blocks((1, 1)), nested_law(np.ones(2)), np.ones(2))
    for effort in ("fast", "sharp", "exact"):
        claim = second_moment(problem.instance(effort), x)[0]
        assert claim.left.low <= sides(problem, x)[0] <= claim.left.high


@given(problems(laws=nested_laws), st.data())
def test_brackets_survive_extreme_scales(problem: Problem, data: st.DataObject) -> None:
    # Powers of two change nothing but the exponents, so squares reach far outside the range of
    # floats.
    x = data.draw(vectors(problem.blocks.dimension))
    power = data.draw(st.sampled_from([-900, -560, -537, 520, 900]))
    scaled = Problem(np.ldexp(problem.L, power), problem.blocks, problem.law, problem.costs)
    claim = second_moment(scaled.instance(), x)[0]
    assert_not_refuted([claim])
    assert claim.left.low <= sides(scaled, x)[0] <= claim.left.high


def test_a_square_that_a_subnormal_rounds_up_refutes_nothing() -> None:
    # L^2 = 0.765 2^-1074 lies between 0 and the smallest float, which is nearer; both sides are L^2
    # exactly.
    scale = float(np.ldexp(0.875, -537))
    problem = Problem(np.array([[scale]]), Blocks((1,)), nested_law(np.ones(1)), np.ones(1))
    for claim in second_moment(problem.instance(), np.ones(1)):
        assert_not_refuted([claim])
        assert claim.left.low <= Fraction(scale) ** 2 <= claim.left.high


@st.composite
def weighted(draw: DrawFn) -> tuple[Problem, Fraction]:
    """One block per coordinate, W = P^-1, and A."""
    d = draw(st.integers(1, 6))
    p = np.array(draw(st.lists(wide(), min_size=d, max_size=d)))
    problem = Problem(
        draw(psd_matrices(Blocks.singletons(d))), Blocks.singletons(d), nested_law(p), np.ones(d)
    )
    A = weighted_smoothness(problem.L, problem.blocks, probabilities=p, effort="exact").high
    assert isinstance(A, Fraction)
    return problem, A


@given(weighted())
def test_the_constant_holds_at_every_point_at_once(pair: tuple[Problem, Fraction]) -> None:
    # g'Wg <= A x'Lx for g = Lx and all x means that A L - L W L is semidefinite.
    (problem, A) = pair
    L = pair[0].exact
    columns = [[value / w for value, w in zip(row, problem.weights, strict=True)] for row in L]
    assert semidefinite(
        [[A * L[i][j] - dot(columns[i], L[j]) for j in range(len(L))] for i in range(len(L))]
    )


def test_the_constant_has_no_room() -> None:
    def refutes(drawn: tuple[tuple[Problem, Fraction], list[int]]) -> bool:
        (problem, A), x = drawn
        left, twice = sides(problem, np.array(x[: problem.blocks.count], dtype=float))
        return left > BELOW * A * twice

    counterexample(
        st.tuples(weighted(), st.lists(st.integers(-4, 4), min_size=6, max_size=6)), refutes
    )


def test_the_library_refutes_a_sharper_bound_at_a_top_eigenvector() -> None:
    problem = Problem(np.ones((2, 2)), Blocks((1, 1)), nested_law(np.array([1.0, 0.5])), np.ones(2))
    general, _, upper = second_moment(problem.instance(), np.ones(2))
    assert (upper.part, upper.statement) == ("upper", "sum(q*g/p^2) <= L_P*xLx")
    for claim in (general, upper):
        assert (claim.left <= BELOW * claim.right) is Verdict.REFUTED
        # Both sides: g = (2, 2), so 4 + 8 = 12 = 3 * 4.
        assert claim.left.low <= 12 <= claim.left.high and claim.right.low <= 12 <= claim.right.high
