"""Runs in fractions: quadratics by exact moments, functions made of pieces by enumerated paths.

On these the left-hand sides of the convergence theorems are exact.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
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
