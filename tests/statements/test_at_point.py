"""Statements at a point x: |(Lx)_k|^2 and x'Lx are enclosed for every matrix that the entries
allow, and lem:generalizedSmoothness and lem:secondMoment follow.
"""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from companions import BELOW, second_moment
from hypothesis import given
from hypothesis import strategies as st
from properties.problems import Problem as ExactProblem
from properties.problems import assert_not_refuted, assert_proved, dot, either_samplings, problems
from soundness.reals import Rows, gram_of, rows_of, semidefinite

from rpttheory import Blocks, NestedSampling, Problem, Verdict, diagonal, gram
from rpttheory.numbers import Bracket
from rpttheory.problem.sampling import IndependentSampling
from rpttheory.problem.sampling.base import Outcome
from rpttheory.problem.smoothness import EntrywiseSmoothness
from rpttheory.statements.at_point import dual_value, gradient_and_value, trial_point
from rpttheory.testing.strategies import MATRICES, wide

BLOCKS = Blocks((2, 1, 3))
P = (0.2, 1.0, 0.5)
HALF = np.random.default_rng(7).standard_normal((6, 6))
L = (HALF.T @ HALF + (HALF.T @ HALF).T) / 2
X = trial_point(6)


def assert_enclosed(instance: Problem, matrix: Rows, x: np.ndarray) -> None:
    """Both sides of every claim at x, for this matrix; and no lemma is refuted."""
    point = [Fraction(v) for v in x.tolist()]
    gradient = [dot(row, point) for row in matrix]
    value = dot(gradient, point)
    p = [instance.sampling.marginals.fractions()[k] for k in instance.blocks.labels]
    norm = sum((g * g / q for g, q in zip(gradient, p, strict=True)), Fraction(0))
    L_P = instance.with_effort("exact").L_P
    claims = second_moment(instance, x)
    if semidefinite(matrix):
        assert_not_refuted(claims)
    for claim in claims:
        assert claim.left.exact_lower <= norm <= claim.left.exact_upper
        if claim.part != "equality":
            assert claim.right.exact_lower <= L_P.exact_upper * value
            assert L_P.exact_lower * value <= claim.right.exact_upper


def test_the_dual_value_is_that_of_the_scaled_point() -> None:
    matrix = np.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, 5.0]])
    problem = Problem(matrix, [1, 2], costs=[4, 1])
    v = [Fraction(2), Fraction(3, 5), Fraction(4, 5)]
    value = dual_value(problem, np.array([3.0, 3.0, 4.0]))
    assert value.exact == dot(v, [dot(row, v) for row in rows_of(matrix)])
    nothing = dual_value(problem, np.array([0.0, 3.0, 4.0]))
    assert (nothing.lower, nothing.upper) == (-np.inf, np.inf)


@given(problems(samplings_of=either_samplings) | problems(matrices=MATRICES["dominant"]), st.data())
def test_both_sides_are_enclosed_at_every_scale(problem: ExactProblem, data: st.DataObject) -> None:
    d = problem.blocks.dimension
    x = np.array(data.draw(st.lists(wide(-4, 4), min_size=d, max_size=d)))
    # Powers of two change nothing but the exponents: squares leave the range of floats.
    power = data.draw(st.sampled_from([0, 0, -900, -560, -537, 520, 900]))
    scaled = replace(problem, L=np.ldexp(problem.L, power))
    assert_enclosed(scaled.instance("fast"), scaled.exact, x)
    if power == 0:
        assert_enclosed(scaled.instance("exact"), scaled.exact, x)
    float_marginals = [Fraction(q) for q in problem.sampling.probabilities.tolist()]
    if float_marginals == problem.p:
        assert_proved(second_moment(problem.instance("fast"), x)[1:2])


@given(
    data=st.lists(st.lists(st.floats(-4, 4), min_size=3, max_size=3), min_size=1, max_size=3),
    x=st.lists(st.integers(-8, 8), min_size=3, max_size=3),
    p=st.lists(st.sampled_from([1.0, 0.3, 1e-3, 1e-12]), min_size=2, max_size=2),
    powers=st.lists(st.integers(-20, 20), min_size=3, max_size=3),
)
def test_gradients_of_data_are_enclosed(
    data: list[list[float]], x: list[int], p: list[float], powers: list[int]
) -> None:
    """A Gram matrix is known only up to its slack, and columns of very different size share it."""
    rows = np.array(data) * 2.0 ** np.array(powers)
    instance = Problem(gram(rows, 0.3, 0.1), Blocks((1, 2)), probabilities=p)
    assert_enclosed(instance, gram_of(rows, 0.3, 0.1), np.array(x, dtype=np.float64))


@pytest.mark.parametrize("size", [1.0, 1e-160, 1e-300, 1e300])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_enclosures_are_narrow_at_every_size(form: Any, size: float) -> None:
    instance = Problem(form(L * size), BLOCKS, probabilities=P)
    assert_enclosed(instance, rows_of(L * size), X)
    for claim in second_moment(instance, X):
        assert claim.verdict is Verdict.PROVED
        for bracket in (claim.left, claim.right):
            assert bracket.exact_upper - bracket.exact_lower <= bracket.exact_upper / 10**11


def nearly_null(matrix: np.ndarray) -> np.ndarray:
    """Whole numbers near the direction of the smallest eigenvalue, where Lx is cancellation."""
    return np.rint(2.0**25 * np.linalg.eigh(matrix)[1][:, 0])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, gram], ids=["dense", "sparse", "gram"])
def test_gradients_are_enclosed_under_cancellation(form: Any) -> None:
    for seed in range(5):
        data = np.random.default_rng(seed).standard_normal((5, 6))
        matrix = (data.T @ data + (data.T @ data).T) / 2
        exact = gram_of(data) if form is gram else rows_of(matrix)
        instance = Problem(form(data if form is gram else matrix), BLOCKS, probabilities=P)
        assert_enclosed(instance, exact, nearly_null(matrix))


@pytest.mark.parametrize("kind", ["plus", "minus", "reflection", "one coordinate"])
def test_gradients_allow_for_what_is_unknown_of_l(kind: str) -> None:
    """Matrices within the slack: shifted either way, one that turns x into e_1, and one that
    differs in the only coordinate with a slack.
    """
    normal = X / np.linalg.norm(X) - np.eye(6)[0]
    reflection = np.eye(6) - 2 * np.outer(normal, normal) / (normal @ normal)
    kinds = {"plus": np.eye(6), "minus": -np.eye(6), "reflection": (reflection + reflection.T) / 2}
    kinds["one coordinate"] = np.diag(np.eye(6)[3])
    slack = 0.25 * (np.eye(6)[3] if kind == "one coordinate" else np.ones(6))
    error = rows_of(kinds[kind] * 0.249)
    matrix = [
        [a + b for a, b in zip(*rows, strict=True)] for rows in zip(rows_of(L), error, strict=True)
    ]
    point = SimpleNamespace(smoothness=EntrywiseSmoothness(L, slack), effort="fast", blocks=BLOCKS)
    for x in (X, nearly_null(L)):
        exact = [Fraction(v) for v in x.tolist()]
        gradient = [dot(row, exact) for row in matrix]
        squares, value = gradient_and_value(point, x)  # type: ignore[arg-type]
        for bracket, rows in zip(squares, BLOCKS.slices, strict=True):
            assert bracket.exact_lower <= dot(gradient[rows], gradient[rows]) <= bracket.exact_upper
        assert value.exact_lower <= dot(gradient, exact) <= value.exact_upper


def encloses(bracket: Bracket, value: Fraction, width: float) -> bool:
    room = (1 + abs(value)) * Fraction(width)
    return bool(bracket.exact_lower <= value <= bracket.exact_upper <= bracket.exact_lower + room)


@pytest.mark.parametrize("unit", [1.0, 2.0**-700, 2.0**600])
def test_every_rounding_is_paid_for(unit: float, staircase: Any) -> None:
    d = 200
    matrix, x = staircase(d)
    instance: Any = SimpleNamespace(
        smoothness=EntrywiseSmoothness(matrix * unit), effort="fast", blocks=Blocks((1, d - 1))
    )
    row = [Fraction(a) for a in matrix[0].tolist()]
    first = dot(row, (Fraction(a) for a in x.tolist()))
    size = Fraction(unit)
    (top, tail), value = gradient_and_value(instance, x)
    assert encloses(top * (1 / size**2), first**2, 1e-12)
    assert encloses(tail * (1 / size**2), dot(row[1:], row[1:]), 1e-12)
    assert encloses(value * (1 / size), 2 * first - 1, 1e-12)


@pytest.mark.parametrize("dimension", [1, 2, 3, 6])
def test_the_default_point_sees_every_coordinate(dimension: int) -> None:
    """At x = 0 the lemmas would say 0 <= 0; where x_i = 0 they would not see row i."""
    for k in range(dimension):
        instance = Problem(diagonal(np.eye(dimension)[k]), Blocks.singletons(dimension))
        for claim in second_moment(instance):
            assert claim.left.exact_lower > 0 and claim.right.exact_lower > 0


def test_a_sharper_bound_is_refuted_at_a_leading_eigenvector() -> None:
    instance = Problem(np.ones((2, 2)), Blocks((1, 1)), sampling=NestedSampling([1.0, 0.5]))
    general, _, upper = second_moment(instance.with_effort("exact"), np.ones(2))
    for claim in (general, upper):
        assert (claim.left <= BELOW * claim.right) is Verdict.REFUTED
        # Both sides: g = (2, 2), so 4 + 8 = 12 = 3 * 4.
        assert (
            claim.left.exact_lower <= 12 <= claim.left.exact_upper
            and claim.right.exact_lower <= 12 <= claim.right.exact_upper
        )


def test_a_sampling_with_other_outcomes_than_its_marginals_is_refuted() -> None:
    """Every block at every step, where the probabilities say half of the time: E[C^2] is 4, not
    2.
    """

    class Wrong(IndependentSampling):
        def support(self) -> Any:
            return [Outcome(Fraction(1), np.array([True, True]))]

    instance = Problem(np.eye(2), "each", sampling=Wrong([0.5, 0.5]))
    equality = second_moment(instance, np.array([1.0, 2.0]))[1]
    assert equality.verdict is Verdict.REFUTED
    assert equality.left.exact_lower <= 20 <= equality.left.exact_upper
    assert equality.right.exact_lower <= 10 <= equality.right.exact_upper
