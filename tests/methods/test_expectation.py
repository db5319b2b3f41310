"""The recursion for second moments against the enumeration of all paths, and against runs."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.quadratics import ExactQuadratic, exact_second_moments, quadratics

from rpttheory import Blocks, InvalidInput, NestedSampling
from rpttheory.methods import RPT, exact_moments, run
from rpttheory.objectives import Quadratic


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


def test_runs_have_these_moments() -> None:
    H = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 3.0]])
    p = [0.25, 1.0, 0.5]
    blocks = Blocks((1, 1, 1))
    x0 = np.array([1.0, -2.0, 0.5])
    steps = 4
    count = 500
    gamma = 0.1
    rng = np.random.default_rng(0)
    runs = np.array(
        [
            run(RPT(p, gamma), Quadratic(H), blocks, x0=x0, steps=steps, rng=rng).x
            for _ in range(count)
        ]
    )
    products = runs[:, :, None] * runs[:, None, :]
    exact = exact_second_moments(H, NestedSampling(p), blocks, gamma, x0, steps)[-1]
    # Nine entries; 4.5 standard errors of a normal variable leave about 6e-5 for all of them.
    error = products.std(axis=0) / np.sqrt(count)
    assert (np.abs(products.mean(axis=0) - exact) <= 4.5 * error).all()
    wrong = exact_second_moments(H, NestedSampling([1.0, 0.5, 0.25]), blocks, gamma, x0, steps)[-1]
    assert (np.abs(products.mean(axis=0) - wrong) > 4.5 * error).any()


@pytest.mark.parametrize(
    ("size", "start", "value"), [(2, [1.0], "(1,)"), (3, [1.0, 1.0], "add up to 3")]
)
def test_shapes_must_match(size: int, start: list[float], value: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        next(exact_moments(np.eye(2), NestedSampling([1.0]), Blocks((size,)), 0.1, start, 1))
    assert value in caught.value.found
