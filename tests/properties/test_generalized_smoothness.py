"""lem:generalizedSmoothness: ||grad f||^2_W <= 2 A (f - f*) with A = lambda_max(W^1/2 L W^1/2), any W > 0."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import iv

from rpttheory import Blocks, Verdict, weighted_smoothness
from rpttheory.theory.bounds import second_moment

from .exact import (
    BELOW,
    Matrix,
    assert_not_refuted,
    counterexample,
    definiteness,
    dot,
    matrix_of,
    times,
    vector_of,
)
from .functions import (
    COSINE,
    LOG_COSH,
    LOGISTIC,
    RIDGES,
    Ridge,
    interval,
    surely_above,
    surely_at_most,
    value_and_gradient,
)
from .laws import dyadic, nested_law, nested_laws, wide
from .problems import Problem, problems
from .strategies import FloatArray, dominant, factors, matrices, rank_one, vectors

WIDE = wide()


@dataclass(frozen=True)
class Quadratic:
    """f(y) = y'Ly / 2 at a point x, with a weight for every coordinate: W = P^-1, one block per coordinate."""

    L: FloatArray
    p: FloatArray
    x: FloatArray

    @property
    def matrix(self) -> Matrix:
        return matrix_of(self.L)

    @property
    def W(self) -> list[Fraction]:
        return [1 / q for q in vector_of(self.p)]

    def constant(self) -> Any:
        """A, as the library's bracket."""
        return weighted_smoothness(self.L, Blocks.singletons(self.x.size), probabilities=self.p, effort="exact")

    def sides(self) -> tuple[Fraction, Fraction]:
        """||grad f||^2_W and 2 (f - f*)."""
        x = vector_of(self.x)
        gradient = times(self.matrix, x)
        return dot((g * g for g in gradient), self.W), dot(x, gradient)


@st.composite
def quadratics(draw: DrawFn, kind: Any = matrices, probability: st.SearchStrategy[float] = WIDE) -> Quadratic:
    d = draw(st.integers(1, 6))
    p = np.array(draw(st.lists(probability, min_size=d, max_size=d)))
    return Quadratic(draw(kind(Blocks.singletons(d))), p, draw(vectors(d)))


# -- quadratics, in fractions ------------------------------------------------------------------------


@given(quadratics())
def test_holds_on_quadratics(example: Quadratic) -> None:
    left, twice = example.sides()
    assert left <= example.constant().high * twice


@given(quadratics())
def test_holds_on_quadratics_at_every_point_at_once(example: Quadratic) -> None:
    # g'Wg <= A x'Lx for g = Lx and all x means that A L - L W L is semidefinite.
    L, W, A = example.matrix, example.W, example.constant().high
    columns = [[value * w for value, w in zip(row, W, strict=True)] for row in L]
    assert definiteness([[A * L[i][j] - dot(columns[i], L[j]) for j in range(len(L))] for i in range(len(L))]) >= 0


@given(quadratics(rank_one, dyadic()))
def test_equality_on_quadratics_of_rank_one(example: Quadratic) -> None:
    left, twice = example.sides()
    constant = example.constant()
    assert constant.exact is not None
    assert left == constant.exact * twice


@given(problems(), st.data())
def test_the_library_never_refutes_it(problem: Problem, data: st.DataObject) -> None:
    x = data.draw(vectors(problem.blocks.dimension))
    assert_bracketed(problem, x)


@given(problems(matrices=dominant), st.data())
def test_the_library_accounts_for_rounding(problem: Problem, data: st.DataObject) -> None:
    d = problem.blocks.dimension
    x = np.array(data.draw(st.lists(wide(-4, 4), min_size=d, max_size=d)))
    assert_bracketed(problem, x)


@given(st.floats(1, 2), st.floats(1, 2))
def test_the_library_accounts_for_cancellation(a: float, b: float) -> None:
    # (b, -a) is orthogonal to (a, b), so the gradient is nothing but the roundings of a a, a b and b b.
    L, x = np.outer([a, b], [a, b]), np.array([b, -a])
    problem = Problem(L, Blocks((1, 1)), nested_law(np.ones(2)), np.ones(2))
    left, _ = Quadratic(L, np.ones(2), x).sides()
    for effort in ("fast", "sharp", "exact"):
        claim = second_moment(problem.instance(effort), x)[0]
        assert claim.left.low <= left <= claim.left.high


def assert_bracketed(problem: Problem, x: FloatArray) -> None:
    left, twice = Quadratic(problem.L, np.array(problem.weights, dtype=np.float64), x).sides()
    L_P = problem.instance().L_P
    for effort in ("fast", "exact"):
        claim = second_moment(problem.instance(effort), x)[0]
        assert claim.label == "lem:generalizedSmoothness"
        assert_not_refuted([claim])
        assert claim.left.low <= left <= claim.left.high
        assert claim.right.low <= L_P.high * twice
        assert claim.right.high >= L_P.low * twice


@given(problems(laws=nested_laws), st.data())
def test_brackets_survive_extreme_scales(problem: Problem, data: st.DataObject) -> None:
    # Powers of two change nothing but the exponents, so squares reach far outside the range of floats.
    x = data.draw(vectors(problem.blocks.dimension))
    power = data.draw(st.sampled_from([-900, -560, -537, 520, 900]))
    scaled = Problem(np.ldexp(problem.L, power), problem.blocks, problem.law, problem.costs)
    claim = second_moment(scaled.instance(), x)[0]
    left, _ = Quadratic(scaled.L, np.array(scaled.weights, dtype=np.float64), x).sides()
    assert_not_refuted([claim])
    assert claim.left.low <= left <= claim.left.high


def test_a_square_that_a_subnormal_rounds_up_refutes_nothing() -> None:
    # L^2 = 0.765 2^-1074 lies between 0 and the smallest float, which is nearer; both sides are L^2 exactly.
    scale = float(np.ldexp(0.875, -537))
    problem = Problem(np.array([[scale]]), Blocks((1,)), nested_law(np.ones(1)), np.ones(1))
    for claim in second_moment(problem.instance(), np.ones(1)):
        assert_not_refuted([claim])
        assert claim.left.low <= Fraction(scale) ** 2 <= claim.left.high


def test_the_default_point_of_the_library_is_never_zero() -> None:
    # At x = 0 both sides are 0 and nothing is checked.
    for d in range(1, 40):
        blocks = Blocks.singletons(d)
        problem = Problem(np.eye(d), blocks, nested_law(np.ones(d)), np.ones(d))
        assert second_moment(problem.instance("fast"))[0].left.lower > 0, d


# -- functions that are not quadratic, in intervals --------------------------------------------------


@dataclass(frozen=True)
class Smooth:
    """f(y) = sum_i h(a_i'y), which is A'A-smooth, at a point x."""

    ridge: Ridge
    A: FloatArray
    p: FloatArray
    x: list[Fraction]

    def sides(self) -> tuple[Any, Any]:
        """||grad f||^2_W and 2 A (f - f*), as intervals."""
        value, gradient = value_and_gradient(self.ridge, self.A, self.x)
        W = [interval(1 / q) for q in vector_of(self.p)]
        bracket = weighted_smoothness(
            self.A.T @ self.A, Blocks.singletons(len(self.x)), probabilities=self.p, effort="exact"
        )
        constant = iv.mpf([interval(bracket.low).a, interval(bracket.high).b])
        squares = sum((g * g * w for g, w in zip(gradient, W, strict=True)), iv.mpf(0))
        return squares, 2 * constant * value


@st.composite
def smooth_functions(draw: DrawFn, ridge: Ridge) -> Smooth:
    """Points between far out and so near 0 that the function is almost its quadratic model."""
    d = draw(st.integers(1, 4))
    p = np.array(draw(st.lists(wide(), min_size=d, max_size=d)))
    power = draw(st.integers(0, 10))
    x = [Fraction(int(entry), 2**power) for entry in draw(vectors(d)).tolist()]
    return Smooth(ridge, draw(factors(d)), p, x)


@pytest.mark.parametrize("ridge", RIDGES, ids=repr)
@given(st.data())
def test_holds_on_functions_that_are_not_quadratic(ridge: Ridge, data: st.DataObject) -> None:
    left, right = data.draw(smooth_functions(ridge)).sides()
    assert surely_at_most(left, right)


# -- what is false ----------------------------------------------------------------------------------


def test_the_constant_cannot_be_lowered() -> None:
    def refutes(example: Quadratic) -> bool:
        left, twice = example.sides()
        return left > BELOW * example.constant().high * twice

    counterexample(quadratics(), refutes)


@pytest.mark.parametrize("ridge", [LOG_COSH, COSINE], ids=repr)
def test_the_constant_cannot_be_lowered_for_other_functions(ridge: Ridge) -> None:
    def refutes(example: Smooth) -> bool:
        left, right = example.sides()
        return surely_above(left, interval(BELOW) * right)

    counterexample(smooth_functions(ridge), refutes)


def test_a_lower_bound_must_be_one() -> None:
    # With f* replaced by a value that f goes below, here f* + 1/8.
    def refutes(example: Smooth) -> bool:
        left, right = example.sides()
        value, _ = value_and_gradient(LOGISTIC, example.A, example.x)
        return surely_above(left, right * (1 - interval(Fraction(1, 8)) / value))

    counterexample(smooth_functions(LOGISTIC), refutes)


def test_false_for_a_function_that_is_not_smooth_enough() -> None:
    # f = y'Ly / 2 is not (L/2)-smooth: A halves, the gradient does not.
    def refutes(example: Quadratic) -> bool:
        left, twice = example.sides()
        return left > example.constant().high / 2 * twice

    counterexample(quadratics(), refutes)


def test_false_with_the_weights_inverted() -> None:
    # A = lambda_max(W^-1/2 L W^-1/2): right only where all weights are 1.
    def refutes(example: Quadratic) -> bool:
        left, twice = example.sides()
        inverse = Quadratic(example.L, np.ones(example.x.size), example.x).constant()
        return left > inverse.high * twice

    counterexample(quadratics(), refutes)


def test_the_library_refutes_the_stronger_constant_at_a_top_eigenvector() -> None:
    L, x = np.ones((3, 3)), np.ones(3)
    problem = Problem(L, Blocks.singletons(3), nested_law(np.array([1.0, 0.5, 0.25])), np.ones(3))
    claim = second_moment(problem.instance(), x)[0]
    assert (claim.left <= BELOW * claim.right) is Verdict.REFUTED
