"""lem:generalizedSmoothness: ||grad f||^2_W <= 2 A (f - f*) with A = lambda_max(W^1/2 L W^1/2), any W > 0."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from soundness.reals import semidefinite

from rpttheory import Blocks, Verdict, weighted_smoothness
from rpttheory.reals import FloatArray
from rpttheory.testing.strategies import dominant, psd_matrices, vectors, wide
from rpttheory.theory.bounds import second_moment

from .exact import BELOW, Matrix, assert_not_refuted, counterexample, dot, matrix_of, times, vector_of
from .laws import nested_law, nested_laws
from .problems import Problem, problems

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
def quadratics(draw: DrawFn, kind: Any = psd_matrices, probability: st.SearchStrategy[float] = WIDE) -> Quadratic:
    d = draw(st.integers(1, 6))
    p = np.array(draw(st.lists(probability, min_size=d, max_size=d)))
    return Quadratic(draw(kind(Blocks.singletons(d))), p, draw(vectors(d)))


# -- quadratics, in fractions ------------------------------------------------------------------------


@given(quadratics())
def test_holds_on_quadratics_at_every_point_at_once(example: Quadratic) -> None:
    # g'Wg <= A x'Lx for g = Lx and all x means that A L - L W L is semidefinite.
    L, W, A = example.matrix, example.W, example.constant().high
    columns = [[value * w for value, w in zip(row, W, strict=True)] for row in L]
    assert semidefinite([[A * L[i][j] - dot(columns[i], L[j]) for j in range(len(L))] for i in range(len(L))])


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


# -- what is false ----------------------------------------------------------------------------------


def test_the_constant_cannot_be_lowered() -> None:
    def refutes(example: Quadratic) -> bool:
        left, twice = example.sides()
        return left > BELOW * example.constant().high * twice

    counterexample(quadratics(), refutes)


def test_the_library_refutes_the_stronger_constant_at_a_top_eigenvector() -> None:
    L, x = np.ones((3, 3)), np.ones(3)
    problem = Problem(L, Blocks.singletons(3), nested_law(np.array([1.0, 0.5, 0.25])), np.ones(3))
    claim = second_moment(problem.instance(), x)[0]
    assert (claim.left <= BELOW * claim.right) is Verdict.REFUTED
