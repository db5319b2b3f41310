"""Runs in fractions: quadratics by exact moments, functions made of pieces by enumerated paths.

On these the left-hand sides of the convergence theorems are exact.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from rpttheory.methods.expectation import Matrix as Moment
from rpttheory.methods.expectation import Moments, exact_moments
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.sampling import (
    IndependentSampling,
    NestedSampling,
    Sampling,
    SingleBlockSampling,
)

from ..engine.entry import Check, Evidence, Finding, Trial, failed, held
from .exact import Matrix, diag, dot, is_semidefinite, level_above, nearest_64th, plus

# Left and right sides that should be in this order, and where.
Comparisons = Iterator[tuple[Fraction, Fraction, str]]


@dataclass(frozen=True)
class Quadratic:
    """f(x) = x'Hx / 2 with its minimizer at 0, and a sampling.

    Attributes
    ----------
    H : rows of fractions
        Positive semidefinite; also the smoothness matrix.
    smoothness : Fraction
        At least L_P, decided exactly; mostly L_P itself or a little more.
    mu : Fraction
        At most lambda_min(H), decided exactly.
    """

    H: Matrix
    sampling: Sampling
    blocks: Blocks
    smoothness: Fraction
    mu: Fraction
    x0: tuple[int, ...]

    @property
    def squared_distance(self) -> Fraction:
        """|x0 - x*|^2."""
        return dot(self.x0, self.x0)

    def moments(self, gamma: Fraction, steps: int) -> Iterator[Moments]:
        """Exact second moments of x_t and of the running mean, for t = 0, ..., steps."""
        return exact_moments(self.H, self.sampling, self.blocks, gamma, list(self.x0), steps)

    def expected_gap(self, gamma: Fraction, steps: int) -> Fraction:
        """E f(x_t) - f* after `steps` steps."""
        *_, last = self.moments(gamma, steps)
        return self.gap(last.iterate)

    def gap(self, moment: Moment) -> Fraction:
        """E[f(x) - f*] where E[xx'] is `moment`."""
        return (
            sum((dot(row, column) for row, column in zip(self.H, moment, strict=True)), Fraction(0))
            / 2
        )

    def squared_gradient(self, moment: Moment) -> Fraction:
        """E|grad f(x)|^2 where E[xx'] is `moment`."""
        columns = list(zip(*moment, strict=True))
        # tr(H S H) = sum over rows h of H of h'Sh.
        return sum((dot(h, [dot(h, c) for c in columns]) for h in self.H), Fraction(0))

    def describe(self) -> str:
        """The problem in words."""
        p = [str(Fraction(v)) for v in self.sampling.probabilities.tolist()]
        H = [[str(v) for v in row] for row in self.H]
        return (
            f"{type(self.sampling).__name__}, p = {p}, blocks {self.blocks.sizes}, H = {H}, x0 ="
            f" {self.x0}"
        )


def trace(moment: Moment) -> Fraction:
    """E|x|^2 where E[xx'] is `moment`."""
    return sum((Fraction(moment[i][i]) for i in range(len(moment))), Fraction(0))


def on_quadratics(compare: Callable[[Quadratic], Comparisons], count: int = 60) -> Check:
    """A check that left <= right in every comparison, on random quadratics with exact
    expectations.
    """
    return Check(Evidence.EXACT_EXPECTATION, _compare, (compare, quadratics, "quadratics", count))


def _compare(
    trial: Trial,
    compare: Callable[[Any], Comparisons],
    problems: Callable[[Trial, int], Iterator[Any]],
    kind: str,
    count: int,
) -> Finding:
    comparisons = 0
    for problem in problems(trial, count):
        for left, right, words in compare(problem):
            comparisons += 1
            if left > right:
                return failed(f"{words}: {left} > {right}; {problem.describe()}")
    return held(f"{comparisons} exact comparisons on {trial.instances(count)} {kind}")


def quadratics(trial: Trial, count: int) -> Iterator[Quadratic]:
    """Random ones, every third with a matrix that makes theorems tight: a multiple of I, with equal
    probabilities.
    """
    rng = trial.rng
    for number in range(trial.instances(count)):
        sizes = [(1,), (1, 1), (2, 1), (1, 1, 1)][int(rng.integers(4))]
        blocks = Blocks(sizes)
        tight = number % 3 == 0
        yield quadratic(
            _matrix(rng, blocks.dimension, tight),
            _sampling(rng, blocks.count, tight),
            blocks,
            tuple(rng.choice([-3, -2, -1, 1, 2, 3], blocks.dimension).tolist()),
        )


def quadratic(H: Matrix, sampling: Sampling, blocks: Blocks, x0: tuple[int, ...]) -> Quadratic:
    """With constants that are tight to 1/64 and decided exactly."""
    p = [sampling.pair_fraction(k, k) for k in blocks.labels.tolist()]
    top = level_above(H, p)
    floats = np.array([[float(v) for v in row] for row in H])
    mu = max(Fraction(0), nearest_64th(float(np.linalg.eigvalsh(floats)[0]), math.floor))
    while not is_semidefinite(plus(H, diag([mu] * len(p)), -1)):
        mu -= Fraction(1, 64)
    return Quadratic(H, sampling, blocks, top, mu, x0)


def _matrix(rng: np.random.Generator, d: int, tight: bool) -> Matrix:
    """All away from 1, where gradients and points, or L and its square, would be confused without a
    trace.
    """
    if tight:
        return diag([int(rng.integers(2, 9))] * d)
    factor = rng.integers(-3, 4, (d + 1, d))
    gram = factor.T @ factor + np.eye(d, dtype=int) * int(rng.integers(0, 3))
    return [
        [Fraction(2 * int(v)) for v in row]
        for row in (gram if gram.any() else np.eye(d, dtype=int))
    ]


def _sampling(rng: np.random.Generator, blocks: int, tight: bool) -> Sampling:
    p = np.full(blocks, 0.5 ** rng.integers(0, 3)) if tight else 0.5 ** rng.integers(0, 4, blocks)
    kind = int(rng.integers(3))
    if kind == 2 and blocks <= 2:
        return SingleBlockSampling(
            [0.5, 0.5] if blocks == 2 and tight else [[1.0], [0.25, 0.75]][blocks - 1]
        )
    return NestedSampling(p) if kind else IndependentSampling(p)


Point = tuple[Fraction, ...]
Path = tuple[Fraction, tuple[Point, ...]]


def huber(u: Fraction) -> tuple[Fraction, Fraction]:
    """u^2 / 2 up to 1, then linear: convex, 1-smooth; the value and the slope."""
    return (
        (u * u / 2, u) if abs(u) <= 1 else (abs(u) - Fraction(1, 2), Fraction(1 if u > 0 else -1))
    )


@dataclass(frozen=True)
class Pieces:
    """f(x) = sum_i shape(<a_i, x>) + mu |x|^2 / 2, with its least value 0 at 0.

    It is L-smooth with L = sum_i a_i a_i' + mu I; `smoothness` is at least L_P, decided exactly.
    """

    rows: tuple[tuple[int, ...], ...]
    shape: Callable[[Fraction], tuple[Fraction, Fraction]]
    mu: Fraction
    sampling: Sampling
    blocks: Blocks
    smoothness: Fraction
    x0: Point

    def value(self, x: Sequence[Fraction]) -> Fraction:
        """f(x)."""
        return sum((self.shape(dot(a, x))[0] for a in self.rows), self.mu * dot(x, x) / 2)

    def gradient(self, x: Sequence[Fraction]) -> Point:
        """The gradient at x."""
        slopes = [self.shape(dot(a, x))[1] for a in self.rows]
        return tuple(self.mu * v + dot(slopes, [a[i] for a in self.rows]) for i, v in enumerate(x))

    def squared_gradient(self, x: Sequence[Fraction]) -> Fraction:
        """|grad f(x)|^2."""
        g = self.gradient(x)
        return dot(g, g)

    def paths(self, gamma: Fraction, steps: int) -> Iterator[Path]:
        """Every path x_0, ..., x_steps with its probability."""
        outcomes = [
            (outcome.probability, self._sketch(outcome.active.tolist()))
            for outcome in self.sampling.support()
        ]
        yield from _continued(Fraction(1), (self.x0,), steps, outcomes, gamma, self.gradient)

    @property
    def squared_distance(self) -> Fraction:
        """|x0 - x*|^2."""
        return dot(self.x0, self.x0)

    def expected_gap(self, gamma: Fraction, steps: int) -> Fraction:
        """E f(x_t) - f* after `steps` steps, over all paths."""
        paths = self.paths(gamma, steps)
        return sum((weight * self.value(path[-1]) for weight, path in paths), Fraction(0))

    def _sketch(self, active: Sequence[bool]) -> Point:
        inverse = [
            1 / self.sampling.pair_fraction(k, k) if on else Fraction(0)
            for k, on in enumerate(active)
        ]
        return tuple(inverse[k] for k in self.blocks.labels.tolist())

    def describe(self) -> str:
        """The problem in words."""
        p = [str(Fraction(v)) for v in self.sampling.probabilities.tolist()]
        return (
            f"a_i = {self.rows}, {self.shape.__name__}, mu = {self.mu}, p = {p}, x0 ="
            f" {[str(v) for v in self.x0]}"
        )


def _continued(
    weight: Fraction,
    path: tuple[Point, ...],
    steps: int,
    outcomes: Sequence[tuple[Fraction, Point]],
    gamma: Fraction,
    gradient: Callable[[Point], Point],
) -> Iterator[Path]:
    if steps == 0:
        yield weight, path
        return
    x = path[-1]
    g = gradient(x)
    for probability, sketch in outcomes:
        following = tuple(v - gamma * c * w for v, c, w in zip(x, sketch, g, strict=True))
        yield from _continued(
            weight * probability, (*path, following), steps - 1, outcomes, gamma, gradient
        )


def mean(path: Sequence[Point]) -> Point:
    """The mean of the points of a path."""
    return tuple(sum(column, Fraction(0)) / len(path) for column in zip(*path, strict=True))


def on_paths(
    compare: Callable[[Pieces], Comparisons],
    shape: Callable[[Fraction], tuple[Fraction, Fraction]],
    count: int = 40,
    mu: Fraction | int = 0,
) -> Check:
    """A check that left <= right in every comparison, with expectations summed over all paths
    exactly.
    """
    problems = partial(_problems, shape=shape, mu=Fraction(mu))
    kind = "functions made of pieces of quadratics"
    return Check(Evidence.ENUMERATED, _compare, (compare, problems, kind, count))


def _problems(
    trial: Trial, count: int, shape: Callable[[Fraction], tuple[Fraction, Fraction]], mu: Fraction
) -> Iterator[Pieces]:
    """Random ones, after two that are tight.

    The first has one coordinate, always updated, and starts where the quadratic part ends. The
    second is mu |x|^2 / 2 with equal probabilities below 1, so that what the sketch does counts.
    """
    rng = trial.rng
    yield Pieces(((1,),), shape, mu, NestedSampling([1.0]), Blocks((1,)), 1 + mu, (Fraction(1),))
    half = NestedSampling([0.5, 0.5])
    yield Pieces(
        ((0, 0),),
        shape,
        mu,
        half,
        Blocks((1, 1)),
        2 * mu or Fraction(1),
        (Fraction(1), Fraction(2)),
    )
    for _ in range(trial.instances(count) - 2):
        blocks = Blocks([(1,), (1, 1), (2, 1)][int(rng.integers(3))])
        rows = tuple(tuple(int(v) for v in rng.integers(-2, 3, blocks.dimension)) for _ in range(2))
        p = 0.5 ** rng.integers(0, 3, blocks.count)
        sampling = NestedSampling(p) if rng.integers(2) else IndependentSampling(p)
        # Some start far out, where the pieces are straight.
        x0 = tuple(
            Fraction(int(v), 2) for v in rng.integers(-6, 7, blocks.dimension) * rng.choice([1, 32])
        )
        yield Pieces(
            rows, shape, mu, sampling, blocks, _weighted_bound(rows, mu, sampling, blocks), x0
        )


def _weighted_bound(
    rows: Sequence[Sequence[int]], mu: Fraction, sampling: Sampling, blocks: Blocks
) -> Fraction:
    """A multiple of 1/16 that is at least L_P and positive, and the least such."""
    p = [sampling.pair_fraction(k, k) for k in blocks.labels.tolist()]
    L: Matrix = diag([mu] * len(p))
    for a in rows:
        L = plus(L, [[Fraction(u * v) for v in a] for u in a])
    low = 0
    high = 16 * (1 + sum(int(L[i][i] / p[i]) + 1 for i in range(len(p))))
    while high - low > 1:
        middle = (low + high) // 2
        enough = is_semidefinite(plus(diag([Fraction(middle, 16) * v for v in p]), L, -1))
        low, high = (low, middle) if enough else (middle, high)
    return Fraction(high, 16)


def share(p: Fraction, s: Fraction, multiplier: Fraction) -> Fraction:
    """s^2 / p + (p - s)(l - 2 e)^2 / (4 (l - e)) with e = 1 - s / p and the multiplier l > e.

    What a block of probability p adds to 1 - 2 s, where s = gamma mu.
    """
    e = 1 - s / p
    return s * s / p + (p - s) * (multiplier - 2 * e) ** 2 / (4 * (multiplier - e))


def best_multiplier(p: Sequence[Fraction], s: Fraction, digits: int = 6) -> Fraction:
    """About the l > max e that makes the largest share least: ternary search on a grid, for a
    convex function.

    Any l gives a valid bound; only its quality depends on the search.
    """
    unit = 10**digits
    low = int((1 - s / max(p)) * unit) + 1
    high = 3 * unit

    def largest(number: int) -> Fraction:
        return max(share(q, s, Fraction(number, unit)) for q in p)

    while high - low > 2:
        a = low + (high - low) // 3
        b = high - (high - low) // 3
        low, high = (low, b) if largest(a) < largest(b) else (a, high)
    return Fraction(min(range(low, high + 1), key=largest), unit)
