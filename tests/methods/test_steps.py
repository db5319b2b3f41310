"""Every method against its update written out in numpy."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from contracts.objectives import ALL, BLOCKS, DENSE, NONCONVEX, X0, D, FloatArray

from rpttheory import (
    L_M,
    L_P,
    Blocks,
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    OneOfEachGroup,
    SingleBlockSampling,
    TauNice,
    closed_form,
    diagonal,
)
from rpttheory.methods import CBCD, GD, NUACDM, PT, RBCD, RPT, Method, Setting, SkGD, Step, run
from rpttheory.objectives import Action, Objective, ProductCache, Quadratic
from rpttheory.problem.blocks import BlockOrder

ROBUST = NONCONVEX["robust"]
METHODS = (
    GD(),
    RPT([0.25, 1.0, 0.5]),
    SkGD(IndependentSampling([0.9, 0.5, 0.3])),
    PT((300, 300, 10_000)),
    CBCD(),
    RBCD(),
    NUACDM(),
)

STEPS = 60
# p is not monotone along the blocks: the order of admission is block 1, then 2, then 0 (a 3-cycle).
P = np.array([0.25, 1.0, 0.5])


def trajectory(method: Method, f: Objective, **options: Any) -> FloatArray:
    """The iterate after STEPS steps."""
    return run(method, f, BLOCKS, x0=X0, steps=STEPS, rng=5, **options).x


def close(a: FloatArray, b: FloatArray) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


CONVEX = [
    "dense",
    "diagonal",
    "diagonal without b",
    "sparse",
    "operator",
    "ridge, tall",
    "ridge, wide",
    "logistic",
]
NAMES = [*CONVEX, "robust"]
every = pytest.mark.parametrize("f", [ALL[name] for name in NAMES], ids=NAMES)
convex = pytest.mark.parametrize("f", [ALL[name] for name in CONVEX], ids=CONVEX)


SAMPLINGS = {
    "nested": NestedSampling(P),
    "nested below 1": NestedSampling(P / 2),
    "ties": NestedSampling([0.5, 1.0, 0.5]),
    "independent": IndependentSampling([0.9, 0.5, 0.3]),
    "single": SingleBlockSampling([0.5, 0.25, 0.25]),
    "explicit": ExplicitSampling([[True, False, True], [False, True, False]], [3, 1]),
    "tau-nice": TauNice(2, 3),
    "groups": OneOfEachGroup([[0, 2], [1]], [0.75, 1.0, 0.25]),
}
# The stepsize of each coordinate, 0 where it stays, step by step.
Stepsizes = Callable[[Objective], Iterator[FloatArray]]


def top(f: Objective, active: Any) -> float:
    """lambda_max of the part of L on these coordinates, by numpy."""
    L = f.smoothness.matmat(np.eye(D))
    return float(np.linalg.eigvalsh(L[active][:, active])[-1])


def sketched(sampling: Any) -> Stepsizes:
    def stepsizes(f: Objective) -> Iterator[FloatArray]:
        if f.strong_convexity is None:
            constant = L_M(f.smoothness, BLOCKS, sampling=sampling)
        else:
            p = sampling.probabilities
            constant = L_P(f.smoothness, BLOCKS, p)
        for mask in sampling.draw(np.random.default_rng(5), 1024):
            yield BLOCKS.expand(mask / sampling.probabilities) / constant.upper

    return stepsizes


def staged(lengths: Sequence[int], order: Sequence[int]) -> Stepsizes:
    def stepsizes(f: Objective) -> Iterator[FloatArray]:
        for stage, length in enumerate(lengths):
            active = np.isin(BLOCKS.labels, order[: stage + 1])
            yield from itertools.repeat(active / top(f, active), length)

    return stepsizes


def single(draw: Callable[[Objective], Iterable[int]]) -> Stepsizes:
    def stepsizes(f: Objective) -> Iterator[FloatArray]:
        for block in draw(f):
            active = BLOCKS.labels == block
            yield active / top(f, active)

    return stepsizes


REFERENCES: dict[str, tuple[Method, Stepsizes]] = {
    "GD": (GD(), sketched(NestedSampling([1.0, 1.0, 1.0]))),
    "RPT": (RPT(P), sketched(SAMPLINGS["nested"])),
    **{name: (SkGD(sampling), sketched(sampling)) for name, sampling in SAMPLINGS.items()},
    "PT": (PT((7, 0, 20)), staged((7, 0, 20), (0, 1, 2))),
    "PT, 3-cycle": (PT((7, 9, 4), order=BlockOrder((1, 2, 0))), staged((7, 9, 4), (1, 2, 0))),
    "CBCD": (CBCD(), single(lambda f: itertools.cycle(range(3)))),
    "CBCD, 3-cycle": (CBCD((1, 2, 0)), single(lambda f: itertools.cycle((1, 2, 0)))),
    **{
        f"RBCD({e})": (RBCD(e), single(lambda f, e=e: random_blocks(f, e)[0]))
        for e in (0.0, 0.5, 1.0)
    },
}


@every
@pytest.mark.parametrize("name", REFERENCES)
def test_every_method_is_its_update_written_out(f: Objective, name: str) -> None:
    method, stepsizes = REFERENCES[name]
    x = X0.copy()
    count = 0
    cost = 0.0
    for count, gamma in enumerate(itertools.islice(stepsizes(f), STEPS), start=1):  # noqa: B007
        x = x - gamma * f.gradient(x)
        cost += float((gamma > 0).mean())
    result = run(method, f, BLOCKS, x0=X0, steps=STEPS, rng=5)
    close(result.x, x)
    assert (result.steps, result.status) == (count, "budget")
    assert result.cost == pytest.approx(cost)


def test_rpt_takes_the_closed_form_for_the_costs_of_the_run() -> None:
    costs = np.array([5.0, 1.0, 2.0])
    p = closed_form(DENSE.smoothness, BLOCKS, costs).probabilities
    assert len(set(p.tolist())) == 3
    np.testing.assert_array_equal(trajectory(RPT(), DENSE, costs=costs), trajectory(RPT(p), DENSE))
    assert not np.array_equal(trajectory(RPT(), DENSE), trajectory(RPT(p), DENSE))


def random_blocks(f: Objective, exponent: float = 0.5) -> tuple[list[int], FloatArray, FloatArray]:
    """Blocks by inversion of the same uniforms, with p_k and L_k."""
    L = f.smoothness.matmat(np.eye(D))
    constants = np.array([np.linalg.eigvalsh(L[rows, rows])[-1] for rows in BLOCKS.slices])
    p = constants**exponent / (constants**exponent).sum()
    uniforms = np.random.default_rng(5).random(1024)
    return [int((np.cumsum(p) <= u).sum()) for u in uniforms], p, constants


def accelerated(f: Objective, mu: float) -> Iterator[FloatArray]:
    """NU_ACDM as printed, for mu > 0 and for mu = 0."""
    blocks, p, constants = random_blocks(f)
    S = np.sqrt(constants).sum()
    y = X0.copy()
    z = X0.copy()
    yield y
    for k, block in enumerate(blocks):
        rows = BLOCKS.slices[block]
        tau = 2 / (1 + np.sqrt(4 * S**2 / mu + 1)) if mu else 2 / (k + 2)
        eta = 1 / (tau * S**2)
        x = tau * z + (1 - tau) * y
        g = f.gradient(x)[rows]
        y = x.copy()
        z = (z + eta * mu * x) / (1 + eta * mu)
        y[rows] -= g / constants[block]
        z[rows] -= eta / (p[block] * (1 + eta * mu)) * g
        yield y


@pytest.mark.parametrize("mu", [None, 0.0, 0.01])
@convex
def test_accelerated(f: Objective, mu: float | None) -> None:
    assert f.strong_convexity is not None
    path = accelerated(f, f.strong_convexity if mu is None else mu)
    expected = [next(path) for _ in range(301)]
    for steps in (0, 1, 2, 300):
        x = run(NUACDM(mu), f, BLOCKS, x0=X0, steps=steps, rng=5).x
        np.testing.assert_allclose(x, expected[steps], rtol=1e-7, atol=1e-8)


class Counting(Quadratic):
    """A quadratic that records the ranges of its gradient evaluations, and the refreshes of a
    cache.
    """

    evaluated: list[tuple[int, int]]
    refreshed: list[int]

    def __init__(self) -> None:
        super().__init__(DENSE.A, DENSE.b)
        object.__setattr__(self, "evaluated", [])
        object.__setattr__(self, "refreshed", [])

    def block_gradient(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> FloatArray:
        super().gradient_action(x, start, stop, out)()
        return out

    def gradient_action(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> Action:
        def gradient() -> None:
            self.evaluated.append((start, stop))
            self.block_gradient(x, start, stop, out)

        return gradient

    def product_cache(self, x: FloatArray) -> ProductCache:
        return _CountingCache(self, x)


class _CountingCache(ProductCache):
    def __init__(self, objective: Counting, x: FloatArray) -> None:
        self._objective = objective
        self._x = x

    def gradient_action(self, start: int, stop: int, out: FloatArray) -> Action:
        return self._objective.gradient_action(self._x, start, stop, out)

    def update_action(self, start: int, stop: int, step: FloatArray) -> Action:
        return lambda: None

    def refresh(self) -> None:
        self._objective.refreshed.append(len(self._objective.evaluated))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_cost_is_the_share_of_the_gradient_that_was_computed(method: Method) -> None:
    f = Counting()
    result = run(method, f, BLOCKS, x0=X0, steps=200)
    assert sum(stop - start for start, stop in f.evaluated) == pytest.approx(
        D * result.cost, rel=1e-12
    )


def test_cached_products_are_computed_anew_now_and_then() -> None:
    f = Counting()
    run(GD(), f, BLOCKS, x0=X0, steps=3000)
    assert f.refreshed == [0, 1024, 2048]


class _OneBlockOfAll(Method):
    """A user's method: it visits every block and moves the second."""

    name = "one block of all"

    def steps(self, setting: Setting, rng: np.random.Generator) -> Iterator[Step]:
        return itertools.repeat(Step(np.ones(3, dtype=np.bool_), np.array([0.0, 0.1, 0.0])))


def test_a_visited_block_with_stepsize_0_is_paid_for_and_not_evaluated() -> None:
    f = Counting()
    result = run(_OneBlockOfAll(), f, BLOCKS, x0=X0, steps=5)
    assert f.evaluated == [(2, 3)] * 5 and result.cost == 5.0


def test_a_step_touches_its_active_prefix_alone() -> None:
    # d = 25,510 with the last block never drawn in 200 steps: its coordinates keep their bits.
    blocks = Blocks((10, 500, 25_000))
    f = Quadratic(diagonal(blocks.expand([27363.0, 550.0, 11.0])))
    x0 = np.random.default_rng(0).standard_normal(blocks.dimension)
    result = run(RPT([1.0, 0.1, 1e-9]), f, blocks, x0=x0, steps=200, record=1000)
    np.testing.assert_array_equal(result.x[510:], x0[510:])
    assert (result.x[:510] != x0[:510]).all() and result.cost < 200 * 0.02


def test_blocks_without_curvature_are_never_drawn() -> None:
    f = Quadratic(diagonal([0.0, 0.0, 9.0, 4.0, 3.0, 0.5]))
    for method in (RBCD(), CBCD(), NUACDM()):
        result = run(method, f, BLOCKS, x0=X0, steps=600)
        np.testing.assert_array_equal(result.x[:2], X0[:2])
        assert result.trace.gap[-1] < 1e-6
