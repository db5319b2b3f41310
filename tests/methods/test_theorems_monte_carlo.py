"""The theorems on whole runs of the library: means over many seeds, with a stated confidence.

A mean over n independent runs plus Z standard errors is compared with the bound at every record. For a normal mean a
violation would escape with probability below 3e-7 at Z = 5; means over 150 runs are nearly normal. The seeds are fixed,
so the outcome is too. `test_the_errors_are_small` checks that the errors do not decide.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from rpttheory import Blocks, NestedSampling, second_moment_smoothness, weighted_smoothness
from rpttheory.methods import RPT, Trace, run
from rpttheory.objectives import Logistic, Objective, Ridge, Robust
from rpttheory.theory.rates import convex_sharp, nonconvex, strongly_convex

Z = 5.0
RUNS, STEPS = 150, 40
BLOCKS = Blocks((3, 4, 5))
D = BLOCKS.dimension
P = np.array([1.0, 0.5, 0.125])


def data(rows: int) -> NDArray[np.float64]:
    return np.random.default_rng(0).standard_normal((rows, D)) * BLOCKS.expand([2.0, 1.0, 0.5])


LABELS = np.where(np.random.default_rng(1).random(30) < 0.5, -1.0, 1.0)
FUNCTIONS: dict[str, Objective] = {
    "logistic": Logistic(data(30), LABELS, 0.02),
    "ridge": Ridge(data(8), LABELS[:8], 0.0),
    "robust": Robust(data(30), 3 * LABELS),
}
X0 = np.random.default_rng(2).standard_normal(D)


@lru_cache
def traces(name: str) -> list[Trace]:
    return [run(RPT(P), FUNCTIONS[name], BLOCKS, x0=X0, steps=STEPS, record=1, rng=seed).trace for seed in range(RUNS)]


def upper(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean plus Z standard errors, for each record."""
    return np.asarray(samples.mean(axis=0) + Z * samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))


def running_mean(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.cumsum(samples, axis=1) / np.arange(1, samples.shape[1] + 1))


@pytest.mark.parametrize("name", ["logistic"])
def test_strongly_convex(name: str) -> None:
    f = FUNCTIONS[name]
    assert f.strong_convexity
    rate = strongly_convex(weighted_smoothness(f.smoothness, BLOCKS, probabilities=P).upper, f.strong_convexity)
    distances = np.array([trace.distance2 for trace in traces(name)])
    bounds = [rate.bound(t, squared_distance=distances[0, 0]).upper for t in range(STEPS + 1)]
    # The start is the same in all runs: there the theorem is an equality up to rounding.
    assert (upper(distances) <= np.array(bounds) * (1 + 1e-12)).all()


@pytest.mark.parametrize("name", ["logistic", "ridge"])
def test_convex_sharp(name: str) -> None:
    f = FUNCTIONS[name]
    rate = convex_sharp(weighted_smoothness(f.smoothness, BLOCKS, probabilities=P).upper)
    # The mean of the values over the iterates, which is at least the value at their mean.
    gaps = running_mean(np.array([trace.gap for trace in traces(name)]))
    start = float(traces(name)[0].distance2[0])
    assert (upper(gaps) <= [rate.bound(t, squared_distance=start).upper for t in range(STEPS + 1)]).all()


def test_nonconvex() -> None:
    f = FUNCTIONS["robust"]
    rate = nonconvex(second_moment_smoothness(f.smoothness, BLOCKS, sampling=NestedSampling(P)).upper)
    least = np.minimum.accumulate(np.array([trace.gradient2 for trace in traces("robust")]), axis=1)
    # 0 is a lower bound on the minimum.
    assert (upper(least) <= [rate.bound(t, gap=f.value(X0)).upper for t in range(STEPS + 1)]).all()


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_the_errors_are_small(name: str) -> None:
    for column in ("gradient2",) if name == "robust" else ("gap", "distance2", "gradient2"):
        samples = np.array([getattr(trace, column) for trace in traces(name)])
        assert (upper(samples) <= 2.5 * samples.mean(axis=0)).all()
        # The runs do differ.
        assert (samples.std(axis=0)[1:] > 0).all()


def test_a_bound_that_is_too_small_is_noticed() -> None:
    # The contraction of gradient descent with the same stepsize, squared: what no random method could have.
    f = FUNCTIONS["logistic"]
    assert f.strong_convexity
    gamma = 1 / weighted_smoothness(f.smoothness, BLOCKS, probabilities=P).upper
    distances = np.array([trace.distance2 for trace in traces("logistic")])
    L = float(np.linalg.eigvalsh(f.smoothness.matmat(np.eye(D)))[-1])
    fast = distances[0, 0] * (1 - gamma * L) ** (2 * np.arange(STEPS + 1))
    assert (upper(distances) > fast * (1 + 1e-12)).any()
