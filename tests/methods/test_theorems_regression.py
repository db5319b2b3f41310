"""The theorems on the library's logistic and robust regression: all paths for small t, in floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rpttheory import IndependentSampling, NestedSampling, second_moment_smoothness, weighted_smoothness
from rpttheory.methods import GradientDescent, run
from rpttheory.objectives import Logistic, Objective, Robust
from rpttheory.theory.rates import convex_sharp, nonconvex, strongly_convex_sharp

from .problems import BLOCKS, LOGISTIC, ROBUST, X0

STEPS = 3


def paths(f: Objective, sampling: Any, gamma: float, steps: int) -> list[tuple[float, float, float]]:
    """E|x_t - x*|^2, E f(x_bar_t), E min |f'|^2 for t = 0, ..., steps; nan for distances without a minimiser."""
    star = np.full(f.dimension, np.nan) if f.minimiser is None else f.minimiser
    found = []
    now = [(1.0, X0, X0, float((f.gradient(X0) ** 2).sum()))]
    for t in range(steps + 1):
        found.append(
            (
                sum(q * float(((x - star) ** 2).sum()) for q, x, _, _ in now),
                sum(q * f.value(total / (t + 1)) for q, _, total, _ in now),
                sum(q * least for q, _, _, least in now),
            )
        )
        now = [
            (q * float(outcome.probability), y, total + y, min(least, float((f.gradient(y) ** 2).sum())))
            for q, x, total, least in now
            for outcome in sampling.support()
            for y in [x - gamma * BLOCKS.expand(sampling.sketch(outcome.active)) * f.gradient(x)]
        ]
    return found


LAWS = {"nested": NestedSampling([0.25, 1.0, 0.5]), "independent": IndependentSampling([0.9, 0.5, 0.3])}
by_law = pytest.mark.parametrize("sampling", list(LAWS.values()), ids=list(LAWS))
ROUNDING = 1 + 1e-9


@by_law
def test_logistic_regression(sampling: Any) -> None:
    L_P = weighted_smoothness(LOGISTIC.smoothness, BLOCKS, probabilities=sampling.probabilities).upper
    assert LOGISTIC.minimiser is not None and LOGISTIC.minimum is not None and LOGISTIC.strong_convexity
    start = float(((X0 - LOGISTIC.minimiser) ** 2).sum())
    contraction = strongly_convex_sharp(L_P, LOGISTIC.strong_convexity, sampling.probabilities)
    sharp = convex_sharp(L_P)
    for t, (distance, average, _) in enumerate(paths(LOGISTIC, sampling, 1 / L_P, STEPS)):
        assert distance <= ROUNDING * contraction.bound(t, squared_distance=start)
        assert average - LOGISTIC.minimum <= ROUNDING * sharp.bound(t, squared_distance=start)


@by_law
def test_robust_regression(sampling: Any) -> None:
    L_M = second_moment_smoothness(ROBUST.smoothness, BLOCKS, sampling=sampling).upper
    for t, (_, _, gradient) in enumerate(paths(ROBUST, sampling, 1 / L_M, STEPS)):
        # 0 is a lower bound on the minimum.
        assert gradient <= ROUNDING * nonconvex(L_M).bound(t, gap=ROBUST.value(X0))


def test_single_paths_are_runs() -> None:
    # With all probabilities 1 there is one path: gradient descent.
    ones = NestedSampling([1.0, 1.0, 1.0])
    for f in (LOGISTIC, ROBUST):
        assert isinstance(f, Logistic | Robust)
        result = run(GradientDescent(), f, BLOCKS, x0=X0, steps=STEPS, record=1)
        gamma = 1 / weighted_smoothness(f.smoothness, BLOCKS, probabilities=[1.0, 1.0, 1.0]).upper
        least = np.minimum.accumulate(result.trace.gradient2)
        np.testing.assert_allclose([row[2] for row in paths(f, ones, gamma, STEPS)], least, rtol=1e-9)
