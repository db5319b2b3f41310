"""The theorems on functions that are not quadratic: all paths for small t.

f(x) = sum_i h(a_i'x) + mu |x|^2 / 2 with a piecewise quadratic h whose curvature lies between -1
and 1: values, gradients and expectations are fractions, so nothing is rounded.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from companions import BELOW, counterexample
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from oracles.quadratics import samplings

from rpttheory import Blocks, NestedSampling, second_moment_smoothness, weighted_smoothness
from rpttheory.theory.rates import (
    Rate,
    convex,
    convex_sharp,
    nonconvex,
    strongly_convex,
    strongly_convex_sharp,
)

STEPS = 3
Vector = list[Fraction]


@dataclass(frozen=True)
class Curve:
    """h >= 0 with h(0) = 0, |h''| <= 1, and its derivative."""

    name: str
    value: Callable[[Fraction], Fraction]
    slope: Callable[[Fraction], Fraction]

    def __repr__(self) -> str:
        return self.name


def huber(width: Fraction) -> Curve:
    """Convex: a parabola that goes on as a line."""

    def value(t: Fraction) -> Fraction:
        return t * t / 2 if abs(t) <= width else width * abs(t) - width * width / 2

    return Curve(f"Huber({width})", value, lambda t: max(-width, min(width, t)))


def _waves(t: Fraction) -> Fraction:
    t = t % 4
    return t * t / 2 if t <= 1 else (4 - t) ** 2 / 2 if t >= 3 else 1 - (2 - t) ** 2 / 2


def _wave_slope(t: Fraction) -> Fraction:
    t = t % 4
    return t if t <= 1 else t - 4 if t >= 3 else 2 - t


# Not convex: parabolas up and down in turn.
WAVES = Curve("waves", _waves, _wave_slope)


@dataclass(frozen=True, eq=False)
class Function:
    """sum_i h(a_i'x) + mu |x|^2 / 2, minimal with value 0 at 0."""

    curve: Curve
    A: Any
    mu: int

    @property
    def smoothness(self) -> Any:
        return self.A.T @ self.A + self.mu * np.eye(self.A.shape[1])

    def _arguments(self, x: Vector) -> Vector:
        return [
            sum((int(a) * v for a, v in zip(row, x, strict=True)), Fraction(0)) for row in self.A
        ]

    def value(self, x: Vector) -> Fraction:
        return (
            sum((self.curve.value(t) for t in self._arguments(x)), Fraction(0))
            + self.mu * square(x) / 2
        )

    def gradient(self, x: Vector) -> Vector:
        slopes = [self.curve.slope(t) for t in self._arguments(x)]
        return [
            sum((int(row[j]) * s for row, s in zip(self.A, slopes, strict=True)), Fraction(0))
            + self.mu * v
            for j, v in enumerate(x)
        ]


def square(x: Sequence[Fraction]) -> Fraction:
    return sum((v * v for v in x), Fraction(0))


@dataclass(frozen=True)
class Expectations:
    """After t steps: E|x_t|^2, E f(x_bar_t), E min_{s <= t} |f'(x_s)|^2."""

    distance: Fraction
    average: Fraction
    gradient: Fraction


def enumerated(
    f: Function, sampling: Any, blocks: Blocks, gamma: Fraction, x0: Vector, steps: int
) -> list[Expectations]:
    labels = blocks.labels.tolist()
    p = [Fraction(value) for value in sampling.probabilities.tolist()]
    outcomes = list(sampling.support())
    # (probability, x, sum of iterates, least squared gradient)
    paths = [(Fraction(1), x0, x0, square(f.gradient(x0)))]
    found = []
    for t in itertools.count():
        found.append(
            Expectations(
                sum((q * square(x) for q, x, _, _ in paths), Fraction(0)),
                sum(
                    (q * f.value([v / (t + 1) for v in total]) for q, _, total, _ in paths),
                    Fraction(0),
                ),
                sum((q * least for q, _, _, least in paths), Fraction(0)),
            )
        )
        if t == steps:
            return found
        grown = []
        for q, x, total, least in paths:
            g = f.gradient(x)
            for outcome in outcomes:
                y = [
                    v - gamma * g[i] / p[labels[i]] if outcome.active[labels[i]] else v
                    for i, v in enumerate(x)
                ]
                grown.append(
                    (
                        q * outcome.probability,
                        y,
                        [a + b for a, b in zip(total, y, strict=True)],
                        min(least, square(f.gradient(y))),
                    )
                )
        paths = grown
    raise AssertionError


@dataclass(frozen=True, eq=False)
class Case:
    f: Function
    blocks: Blocks
    sampling: Any
    x0: Vector

    def expectations(self, smoothness: float) -> list[Expectations]:
        return enumerated(
            self.f, self.sampling, self.blocks, 1 / Fraction(smoothness), self.x0, STEPS
        )

    @property
    def L_P(self) -> float:
        return weighted_smoothness(
            self.f.smoothness,
            self.blocks,
            probabilities=self.sampling.probabilities,
            effort="exact",
        ).upper

    @property
    def L_M(self) -> float:
        return second_moment_smoothness(
            self.f.smoothness, self.blocks, sampling=self.sampling, effort="exact"
        ).upper

    def bounds(self, rate: Rate) -> list[Fraction]:
        start = {"squared_distance": float(square(self.x0)), "gap": float(self.f.value(self.x0))}
        assert all(
            Fraction(value) in (square(self.x0), self.f.value(self.x0)) for value in start.values()
        )
        return [Fraction(rate.bound(t, **start).upper) for t in range(STEPS + 1)]


@st.composite
def cases(draw: DrawFn, *, curves: st.SearchStrategy[Curve], least_mu: int = 0) -> Case:
    sizes = draw(st.sampled_from([(1,), (1, 1), (2, 1), (1, 2)]))
    d = sum(sizes)
    rows = draw(st.integers(1, 3))
    A = np.array(
        draw(st.lists(st.integers(-2, 2), min_size=rows * d, max_size=rows * d)), dtype=float
    ).reshape(rows, d)
    if not A.any():
        A[0, 0] = 1.0
    x0 = [Fraction(v, 2) for v in draw(st.lists(st.integers(-6, 6), min_size=d, max_size=d))]
    f = Function(draw(curves), A, draw(st.integers(least_mu, 2)))
    return Case(f, Blocks(sizes), draw(samplings(len(sizes))), x0)


CONVEX = st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(2)]).map(huber)
ANY = st.one_of(CONVEX, st.just(WAVES))
FEW = settings(max_examples=30)


@given(cases(curves=CONVEX, least_mu=1))
@FEW
def test_strongly_convex_and_its_sharp_form(case: Case) -> None:
    L_P = case.L_P
    mu = case.f.mu
    for rate in (
        strongly_convex(L_P, mu),
        strongly_convex_sharp(L_P, mu, case.sampling.probabilities),
    ):
        for found, bound in zip(case.expectations(L_P), case.bounds(rate), strict=True):
            assert found.distance <= bound


@given(cases(curves=CONVEX))
@FEW
def test_convex_and_its_sharp_form(case: Case) -> None:
    L_P = case.L_P
    for found, bound in zip(case.expectations(2 * L_P), case.bounds(convex(L_P)), strict=True):
        assert found.average <= bound
    for found, bound in zip(case.expectations(L_P), case.bounds(convex_sharp(L_P)), strict=True):
        assert found.average <= bound


@pytest.mark.parametrize("constant", ["L_P", "L_M"])
@given(cases(curves=ANY))
@FEW
def test_nonconvex(constant: str, case: Case) -> None:
    smoothness = getattr(case, constant)
    for found, bound in zip(
        case.expectations(smoothness), case.bounds(nonconvex(smoothness)), strict=True
    ):
        assert found.gradient <= bound


@pytest.mark.parametrize(("T", "idle"), [(0, 0), (1, 0), (5, 0), (9, 0), (0, 2), (1, 2), (4, 2)])
def test_convex_sharp_is_attained_for_every_number_of_steps(T: int, idle: int) -> None:
    """By a Huber function of one coordinate that is always updated, from 1, of width 1/(T + 1).

    While x_t = 1 - t w is beyond the width w the slope is w, so f(x_bar_T) = w (1 - T w / 2) - w^2
    / 2. Coordinates of other blocks, updated seldom, change nothing.
    """
    f = Function(huber(Fraction(1, T + 1)), np.array([[1.0] + [0.0] * idle]), 0)
    sampling = NestedSampling([1.0] + [0.5] * idle)
    blocks = Blocks.singletons(1 + idle)
    x0 = [Fraction(1)] + [Fraction(0)] * idle
    last = enumerated(f, sampling, blocks, Fraction(1), x0, T)[-1]
    bound = Fraction(1, 2 * (T + 1))
    assert last.average == bound
    assert (
        abs(Fraction(convex_sharp(1.0).bound(T, squared_distance=1.0).upper) - bound)
        <= bound / 2**50
    )
    # So anything stronger is false: a smaller constant, or T + 2 in place of T + 1.
    assert last.average > BELOW * bound
    assert last.average > Fraction(1, 2 * (T + 2))


def test_the_stepsize_of_the_sharp_theorem_cannot_be_larger() -> None:
    # With 1.001 / L the bound at T = 0 would be below f(x_0) on the parabola.
    f = Function(huber(Fraction(5)), np.array([[1.0]]), 0)
    start = enumerated(
        f, NestedSampling([1.0]), Blocks((1,)), Fraction(1001, 1000), [Fraction(1)], 0
    )[0]
    assert start.average > Fraction(1, 2) / Fraction(1001, 1000)


def test_the_convex_bound_needs_convexity() -> None:
    def refutes(case: Case) -> bool:
        L_P = case.L_P
        pairs = zip(case.expectations(L_P), case.bounds(convex_sharp(L_P)), strict=True)
        return any(found.average > bound for found, bound in pairs)

    counterexample(cases(curves=st.just(WAVES)), refutes)
