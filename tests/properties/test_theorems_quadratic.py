"""Each theorem against exact expectations on quadratics, at every t, without rounding.

Left-hand sides come from the recursion for second moments in fractions: E|x_t - x*|^2 = tr S_t; E
f(x_bar_t) for the mean x_bar_t of the iterates themselves (not the mean of the values, which is
larger); and the mean of E|f'(x_s)|^2 over s <= t, which is at least the E[min_s |f'(x_s)|^2] that
the theorem speaks of. Right-hand sides come from `rates`, rounded up.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from companions import ABOVE, BELOW, counterexample
from hypothesis import given, settings
from oracles.quadratics import ExactQuadratic, exact_second_moments, quadratics, trace, weighted

from rpttheory import Blocks, IndependentSampling, NestedSampling, lambda_max, weighted_smoothness
from rpttheory.theory.rates import (
    Rate,
    convex,
    convex_sharp,
    generic_convex,
    generic_nonconvex,
    nonconvex,
    strongly_convex,
    strongly_convex_sharp,
)

few = settings(max_examples=max(1, settings.default.max_examples // 2))


def distances(problem: ExactQuadratic, gamma: Fraction) -> list[Fraction]:
    return [trace(moments.iterate) for moments in problem.moments(gamma)]


def averages(problem: ExactQuadratic, gamma: Fraction) -> list[Fraction]:
    """E f(x_bar_t)."""
    return [weighted(problem.H, moments.average) / 2 for moments in problem.moments(gamma)]


def values(problem: ExactQuadratic, gamma: Fraction) -> list[Fraction]:
    """The mean over s <= t of E f(x_s), at least E f(x_bar_t)."""
    return running_means(
        weighted(problem.H, moments.iterate) / 2 for moments in problem.moments(gamma)
    )


def gradients(problem: ExactQuadratic, gamma: Fraction) -> list[Fraction]:
    """The mean over s <= t of E|f'(x_s)|^2."""
    H2 = problem.H @ problem.H
    return running_means(weighted(H2, moments.iterate) for moments in problem.moments(gamma))


def running_means(terms: Iterator[Fraction]) -> list[Fraction]:
    total = Fraction(0)
    means = []
    for t, term in enumerate(terms):
        total += term
        means.append(total / (t + 1))
    return means


def bounds(rate: Rate, problem: ExactQuadratic, told: float | None) -> list[Fraction]:
    return [
        Fraction(
            rate.bound(
                t, squared_distance=problem.squared_distance, gap=problem.gap, stepsize=told
            ).upper
        )
        for t in range(6)
    ]


def holds(left: list[Fraction], right: list[Fraction], factor: Fraction = Fraction(1)) -> bool:
    return all(a <= factor * b for a, b in zip(left, right, strict=True))


# -- what holds


@few
@given(quadratics(least_mu=1))
def test_strongly_convex_and_its_sharp_form(problem: ExactQuadratic) -> None:
    gamma, told = problem.stepsize(problem.L_P)
    sharp = strongly_convex_sharp(problem.L_P, problem.mu, problem.sampling.probabilities)
    for rate in (strongly_convex(problem.L_P, problem.mu), sharp):
        assert holds(distances(problem, gamma), bounds(rate, problem, told))


@few
@given(quadratics())
def test_convex_and_its_sharp_form(problem: ExactQuadratic) -> None:
    gamma, told = problem.stepsize(2 * problem.L_P)
    assert holds(averages(problem, gamma), bounds(convex(problem.L_P), problem, told))
    gamma, told = problem.stepsize(problem.L_P)
    right = bounds(convex_sharp(problem.L_P), problem, told)
    assert holds(averages(problem, gamma), right)
    assert holds(values(problem, gamma), right)


@pytest.mark.parametrize("constant", ["L_P", "L_M"])
@few
@given(problem=quadratics())
def test_nonconvex(constant: str, problem: ExactQuadratic) -> None:
    # L_M in place of L_P is our strengthening, which allows larger stepsizes.
    smoothness = getattr(problem, constant)
    gamma, told = problem.stepsize(smoothness)
    assert holds(gradients(problem, gamma), bounds(nonconvex(smoothness), problem, told))


@few
@given(quadratics())
def test_generic_theorems(problem: ExactQuadratic) -> None:
    # Their T counts iterates, not steps; the means over the iterates are at least the least that
    # they speak of.
    L = lambda_max(problem.H, effort="exact").upper
    start = {"squared_distance": problem.squared_distance, "gap": problem.gap}
    rate = generic_convex(L, problem.L_P)
    gamma = rate.stepsize().lower * problem.shrink
    for t, left in enumerate(averages(problem, Fraction(gamma))):
        assert left <= Fraction(rate.bound(t + 1, stepsize=gamma, **start).upper)
    other = generic_nonconvex(L, problem.L_P)
    gamma = other.stepsize(6).lower * problem.shrink
    least = min(
        weighted(problem.H @ problem.H, moments.iterate)
        for moments in problem.moments(Fraction(gamma))
    )
    assert least <= Fraction(other.bound(6, stepsize=gamma, **start).upper)


@few
@given(quadratics())
def test_one_step_of_the_nonconvex_theorem(problem: ExactQuadratic) -> None:
    # E f(x_1) <= f(x_0) - (gamma/2) |f'(x_0)|^2.
    gamma, _ = problem.stepsize(problem.L_M)
    zero, one = (weighted(problem.H, moments.iterate) / 2 for moments in problem.moments(gamma, 1))
    assert one <= zero - gamma / 2 * gradients(problem, gamma)[0]


# -- what does not: each statement made slightly stronger


def test_strongly_convex_cannot_be_sharpened() -> None:
    def refutes(problem: ExactQuadratic) -> bool:
        gamma, told = problem.stepsize(problem.L_P)
        right = bounds(strongly_convex(problem.L_P, problem.mu), problem, told)
        return not holds(distances(problem, gamma)[1:], right[1:], BELOW)

    counterexample(quadratics(least_mu=1), refutes)


@pytest.mark.parametrize("p", [1.0, 0.5, 0.125])
@pytest.mark.parametrize("law", [NestedSampling, IndependentSampling])
def test_strongly_convex_is_an_equality_for_multiples_of_the_identity(p: float, law: type) -> None:
    mu = 3
    x0 = [1, 2]
    gamma = Fraction(p) / mu
    moments = exact_second_moments(mu * np.eye(2), law([p, p]), Blocks((1, 1)), gamma, x0, 6)
    assert [trace(S) for S in moments] == [5 * (1 - Fraction(p)) ** t for t in range(7)]


@pytest.mark.parametrize("law", [NestedSampling, IndependentSampling])
def test_strongly_convex_sharp_is_attained_in_every_step_where_probabilities_are_close(
    law: type,
) -> None:
    # L = diag(1, 3), L_P = 4, s = 1/4: p_max = 2 p_min - s, and the factor is 1 - 2/4 + 2/16.
    p = [0.5, 0.75]
    problem = ExactQuadratic(
        np.diag([1.0, 3.0]), 1, Blocks((1, 1)), law(p), np.array([1.0, 0.0]), 1.0
    )
    assert problem.L_P == 4.0
    found = distances(problem, Fraction(1, 4))
    assert (
        found
        == [Fraction(5, 8) ** t for t in range(6)]
        == bounds(strongly_convex_sharp(4.0, 1.0, p), problem, None)
    )


@pytest.mark.parametrize("p", [1.0, 0.5, 0.125])
def test_the_stepsize_of_the_strongly_convex_theorem_cannot_be_larger(p: float) -> None:
    mu = 3
    gamma = ABOVE * Fraction(p) / mu
    one = exact_second_moments(
        mu * np.eye(2), NestedSampling([p, p]), Blocks((1, 1)), gamma, [1, 2], 1
    )[1]
    assert trace(one) > (1 - gamma * mu) * 5


def test_convex_sharp_cannot_be_sharpened_on_quadratics_at_the_start() -> None:
    # For larger T no quadratic is tight; test_theorems_enumeration has functions that are.
    def refutes(problem: ExactQuadratic) -> bool:
        gamma, told = problem.stepsize(problem.L_P)
        return (
            averages(problem, gamma)[0]
            > BELOW * bounds(convex_sharp(problem.L_P), problem, told)[0]
            > 0
        )

    counterexample(quadratics(), refutes)


@pytest.mark.parametrize("constant", ["L_P", "L_M"])
def test_the_nonconvex_constant_cannot_be_sharpened(constant: str) -> None:
    def refutes(problem: ExactQuadratic) -> bool:
        smoothness = getattr(problem, constant)
        gamma, told = problem.stepsize(smoothness)
        return (
            gradients(problem, gamma)[0]
            > BELOW * bounds(nonconvex(smoothness), problem, told)[0]
            > 0
        )

    counterexample(quadratics(), refutes)


def test_one_step_of_the_nonconvex_theorem_is_tight_and_its_stepsize_too() -> None:
    # L = diag(1, 4), p = (1, 1/2): E[CLC] = diag(1, 8), and x = e_2 is its top eigenvector.
    H = np.diag([1.0, 4.0])
    sampling = NestedSampling([1.0, 0.5])
    blocks = Blocks((1, 1))
    for factor, tight in ((Fraction(1), True), (ABOVE, False)):
        gamma = factor / 8
        zero, one = (
            weighted(H, S) / 2 for S in exact_second_moments(H, sampling, blocks, gamma, [0, 1], 1)
        )
        promised = zero - gamma / 2 * 16
        assert (one == promised) if tight else (one > promised)


def test_the_smaller_constant_is_no_use_to_convex_functions() -> None:
    # L = 11' + I has E[CLC] = 11' + 15 I at p = 1/8, so L_M = 19 and L_P = 40; with stepsize 1/L_M
    # |x|^2 even grows.
    H = np.ones((4, 4)) + np.eye(4)
    sampling = IndependentSampling([0.125] * 4)
    blocks = Blocks((1, 1, 1, 1))
    problem = ExactQuadratic(H, 1, blocks, sampling, np.ones(4), 1.0)
    assert (problem.L_M, problem.L_P) == (19.0, 40.0)
    assert distances(problem, Fraction(1, 19))[1] == 4 * Fraction(371, 361)


def test_the_sharp_contraction_is_attained_where_probabilities_are_far_apart() -> None:
    # With the multiplier 3/2 both blocks have the share 7/160: the factor is 1 - 2/10 + 7/160 =
    # 27/32.
    v = [3, 3, -1, -1, -1]
    p = [1.0, 0.25]
    blocks = Blocks((2, 3))
    H = 4 * np.eye(5) + np.outer(v, v)
    L_P = weighted_smoothness(H, blocks, probabilities=p, effort="exact").upper
    assert L_P == 40.0
    zero, one = exact_second_moments(
        H, NestedSampling(p), blocks, Fraction(1, 40), [1, 1, 3, 3, 3], 1
    )
    sharp = Fraction(strongly_convex_sharp(L_P, 4.0, p).bound(1, squared_distance=1.0).upper)
    assert (
        trace(one) / trace(zero)
        == Fraction(27, 32)
        <= sharp
        <= (1 + Fraction(1, 2**52)) * Fraction(27, 32)
    )
