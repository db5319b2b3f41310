"""The theorems on quadratics, where every expectation is exact."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.theory.rates import (
    convex,
    convex_sharp,
    generic_convex,
    generic_nonconvex,
    nonconvex,
    strongly_convex,
    strongly_convex_sharp,
)

from .quadratics import DEFINITE, SEMIDEFINITE, STEPS, TIMES, Quadratic, sketch, three_blocks


def _holds(left: float, right: float, scale: float) -> bool:
    """left <= right up to the rounding of the float recursion."""
    return left <= right * (1 + 1e-9) + 1e-12 * scale


@given(problem=DEFINITE, share=STEPS, T=TIMES)
def test_strongly_convex_theorems_on_exact_moments(problem: Quadratic, share: float, T: int) -> None:
    mu = float(np.linalg.eigvalsh(problem.H)[0]) * (1 - 1e-9)
    R2 = problem.scale(0)
    for rate in (strongly_convex(problem.L_P, mu), strongly_convex_sharp(problem.L_P, mu, problem.p)):
        gamma = rate.stepsize() * share
        for t, moment in enumerate(problem.moments(gamma, T)):
            assert _holds(problem.mean_squared_distance(moment), rate.bound(t, squared_distance=R2, stepsize=gamma), R2)


@given(problem=SEMIDEFINITE, share=STEPS, T=TIMES)
def test_convex_theorems_on_exact_moments(problem: Quadratic, share: float, T: int) -> None:
    start: dict[str, Any] = {"squared_distance": problem.squared_distance, "gap": problem.gap}
    L = float(np.linalg.eigvalsh(problem.H)[-1]) * (1 + 1e-12)
    for rate in (convex_sharp(problem.L_P), convex(problem.L_P), generic_convex(L, problem.L_P)):
        gamma = rate.stepsize() * share
        for t, moment in enumerate(problem.moments(gamma, T)):
            left = problem.mean_value_of_average(moment, t + 1)
            assert _holds(left, rate.bound(t + rate.first, stepsize=gamma, **start), problem.scale(1))


@given(problem=SEMIDEFINITE, share=STEPS, T=TIMES)
def test_nonconvex_theorem_on_exact_moments_with_L_P_and_L_M(problem: Quadratic, share: float, T: int) -> None:
    for smoothness in (problem.L_P, problem.L_M):
        rate = nonconvex(smoothness)
        gamma = rate.stepsize() * share
        gradients = [problem.mean_squared_gradient(moment) for moment in problem.moments(gamma, T)]
        for t in range(T + 1):
            # The proof bounds the mean over t, which is no less than the minimum.
            left = sum(gradients[: t + 1]) / (t + 1)
            assert _holds(left, rate.bound(t, gap=problem.gap, stepsize=gamma), problem.scale(2))


@given(problem=SEMIDEFINITE, share=STEPS, T=st.integers(1, 25))
def test_generic_nonconvex_theorem_on_exact_moments(problem: Quadratic, share: float, T: int) -> None:
    rate = generic_nonconvex(float(np.linalg.eigvalsh(problem.H)[-1]) * (1 + 1e-12), problem.L_P)
    gamma = rate.stepsize(T) * share
    gradients = [problem.mean_squared_gradient(moment) for moment in problem.moments(gamma, T - 1)]
    assert _holds(min(gradients), rate.bound(T, gap=problem.gap, stepsize=gamma), problem.scale(2))


@pytest.mark.parametrize("kind", ["nested", "independent", "single"])
def test_the_moments_are_those_of_all_paths(kind: str) -> None:
    problem, gamma, T = three_blocks(kind), 0.02, 3
    assert sum(weight for weight, _ in problem.outcomes) == pytest.approx(1)
    np.testing.assert_allclose(sum(weight * c for weight, c in problem.outcomes), np.ones(3))
    distance = value = average = gradient = 0.0
    for path in itertools.product(problem.outcomes, repeat=T):
        x, total, weight = problem.x0, problem.x0, 1.0
        for probability, c in path:
            x = x - gamma * c * (problem.H @ x)
            total, weight = total + x, weight * probability
        distance += weight * float(x @ x)
        value += weight * float(x @ problem.H @ x) / 2
        average += weight * float(total @ problem.H @ total) / 2 / (T + 1) ** 2
        gradient += weight * float(np.sum((problem.H @ x) ** 2))
    moment = problem.moments(gamma, T)[-1]
    assert problem.mean_squared_distance(moment) == pytest.approx(distance)
    assert problem.mean_value(moment) == pytest.approx(value)
    assert problem.mean_value_of_average(moment, T + 1) == pytest.approx(average)
    assert problem.mean_squared_gradient(moment) == pytest.approx(gradient)


def test_with_every_block_always_updated_the_rates_are_those_of_gradient_descent() -> None:
    full = three_blocks("nested")
    outcomes, marginals = sketch("nested", [1, 1, 1], [1.0, 1.0, 1.0])
    problem = Quadratic(full.H, outcomes, marginals, full.x0)
    values = np.linalg.eigvalsh(problem.H)
    L, mu = float(values[-1]), float(values[0])
    assert problem.L_P == pytest.approx(L)
    assert problem.L_M == pytest.approx(L)
    x, gamma, T = problem.x0, 1 / L, 10
    for moment in problem.moments(gamma, T):
        np.testing.assert_allclose(moment[:3, :3], np.outer(x, x), atol=1e-12)
        x = x - gamma * problem.H @ x
    R2, delta = float(problem.x0 @ problem.x0), problem.gap
    assert strongly_convex(L, mu).bound(T, squared_distance=R2) == pytest.approx((1 - mu / L) ** T * R2)
    assert convex_sharp(L).bound(T, squared_distance=R2) == pytest.approx(L * R2 / (2 * (T + 1)))
    assert nonconvex(L).bound(T, gap=delta) == pytest.approx(2 * L * delta / (T + 1))
