"""The recursion for second moments against the enumeration of all paths, and against runs."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.quadratics import ExactQuadratic, quadratics

from rpttheory import Blocks, InvalidInput, NestedSampling
from rpttheory.methods import exact_moments


def enumerated(problem: ExactQuadratic, gamma: Fraction, steps: int) -> tuple[Any, Any]:
    """E[x_t x_t'] and E[x_bar x_bar'] as sums over all sequences of outcomes."""
    exactly = np.vectorize(Fraction, otypes=[object])
    H = exactly(problem.H)
    inverses = 1 / exactly(problem.sampling.probabilities)
    second: Any = 0
    average: Any = 0
    for path in itertools.product(list(problem.sampling.support()), repeat=steps):
        x = mean = exactly(problem.x0)
        probability = Fraction(1)
        for outcome in path:
            probability *= outcome.probability
            x = x - gamma * (outcome.active * inverses)[problem.blocks.labels] * (H @ x)
            mean = mean + x
        second += probability * np.outer(x, x)
        average += probability * np.outer(mean, mean) / (steps + 1) ** 2
    return second, average


@given(quadratics())
@settings(max_examples=40)
def test_the_recursion_is_the_sum_over_all_paths(problem: ExactQuadratic) -> None:
    gamma, _ = problem.stepsize(problem.L_P)
    for steps, moments in enumerate(problem.moments(gamma, 2)):
        second, average = enumerated(problem, gamma, steps)
        assert (moments.iterate == second).all() and (moments.average == average).all()


@given(quadratics())
@settings(max_examples=30)
def test_floats_follow_the_fractions(problem: ExactQuadratic) -> None:
    gamma, _ = problem.stepsize(problem.L_P)
    exact = problem.moments(gamma)
    rounded = exact_moments(
        problem.H, problem.sampling, problem.blocks, float(gamma), problem.x0, len(exact) - 1
    )
    for fractions, floats in zip(exact, rounded, strict=True):
        assert floats.iterate.dtype == np.float64
        np.testing.assert_allclose(
            floats.iterate, fractions.iterate.astype(float), rtol=1e-11, atol=1e-11
        )
        np.testing.assert_allclose(
            floats.average, fractions.average.astype(float), rtol=1e-11, atol=1e-11
        )


@pytest.mark.parametrize(
    ("size", "start", "value"), [(2, [1.0], "(1,)"), (3, [1.0, 1.0], "add up to 3")]
)
def test_shapes_must_match(size: int, start: list[float], value: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        next(exact_moments(np.eye(2), NestedSampling([1.0]), Blocks((size,)), 0.1, start, 1))
    assert value in caught.value.found
