"""Where the statements are attained, so that nothing stronger is true."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from rpttheory.theory.rates import convex, convex_sharp, nonconvex, strongly_convex

from .quadratics import Quadratic, sketch, three_blocks


@pytest.mark.parametrize("p", [Fraction(1), Fraction(1, 2), Fraction(1, 8)])
@pytest.mark.parametrize("T", [0, 1, 7])
def test_strongly_convex_theorem_is_attained_when_L_is_a_multiple_of_the_identity(p: Fraction, T: int) -> None:
    mu = Fraction(2)
    gamma = p / mu
    second_moment = (p * (1 - gamma * mu / p) ** 2 + (1 - p)) ** T
    rate = strongly_convex(float(mu / p), float(mu))
    assert second_moment == Fraction(rate.bound(T, squared_distance=1.0))
    if T and p < 1:
        assert second_moment > (1 - Fraction(1001, 1000) * gamma * mu) ** T


@pytest.mark.parametrize("L", [Fraction(1), Fraction(4)])
@pytest.mark.parametrize("T", [0, 1, 3, 15])
def test_sharp_convex_bound_is_attained_by_a_huber_function(L: Fraction, T: int) -> None:
    # f(x) = L x^2 / 2 up to |x| = 1 / (T + 1), linear beyond; the one coordinate is always updated, so L_P = L.
    width = Fraction(1, T + 1)

    def value(x: Fraction) -> Fraction:
        return L * x**2 / 2 if abs(x) <= width else L * width * (abs(x) - width / 2)

    def slope(x: Fraction) -> Fraction:
        return L * max(-width, min(width, x))

    iterates = [Fraction(1)]
    for _ in range(T):
        iterates.append(iterates[-1] - slope(iterates[-1]) / L)
    attained = value(sum(iterates, Fraction(0)) / (T + 1))
    bound = Fraction(convex_sharp(float(L)).bound(T, squared_distance=1.0))
    assert attained == bound
    assert attained > Fraction(999, 1000) * bound
    # The paper's bound is never less than 4 times that.
    assert Fraction(convex(float(L)).bound(T, squared_distance=1.0)) == 4 * attained


def test_nonconvex_bound_is_attained_at_the_start() -> None:
    L = 4.0
    x = 3.0
    assert (L * x) ** 2 == nonconvex(L).bound(0, gap=L * x * x / 2)


@pytest.mark.parametrize("kind", ["nested", "independent", "single"])
def test_nonconvex_one_step_decrease_is_attained(kind: str) -> None:
    problem = three_blocks(kind)
    moment = sum(weight * np.outer(c, c) for weight, c in problem.outcomes) * problem.H
    top = np.linalg.eigh(moment)[1][:, -1]
    problem = Quadratic(problem.H, problem.outcomes, problem.p, np.linalg.solve(problem.H, top))
    gamma = 1 / problem.L_M
    before, after = problem.moments(gamma, 1)
    decrease = problem.mean_value(before) - problem.mean_value(after)
    claimed = gamma / 2 * problem.mean_squared_gradient(before)
    assert decrease == pytest.approx(claimed)
    assert decrease < 1.001 * claimed


def test_nonconvex_theorem_does_not_hold_with_a_smaller_constant_than_L_M() -> None:
    # One coordinate, L = 1, p = 1/4, L_M = 4: from stepsize 2/L_M on nothing decreases.
    outcomes, marginals = sketch("nested", [1], [0.25])
    problem = Quadratic(np.eye(1), outcomes, marginals, np.ones(1))
    assert problem.L_M == pytest.approx(4.0)
    rate = nonconvex(1.0)
    gradients = [problem.mean_squared_gradient(moment) for moment in problem.moments(rate.stepsize(), 10)]
    assert min(gradients) > rate.bound(10, gap=problem.gap)


def test_a_longer_stepsize_breaks_the_strongly_convex_theorem() -> None:
    outcomes, marginals = sketch("nested", [1], [0.25])
    problem = Quadratic(np.eye(1), outcomes, marginals, np.ones(1))
    gamma = 0.25 * 1.01
    after = problem.mean_squared_distance(problem.moments(gamma, 1)[1])
    assert after > 1 - gamma
