"""Random quadratics in fractions, on which the left-hand sides of the convergence theorems are
exact.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

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
from .exact import Matrix, diag, dot, is_semidefinite, plus

# Left and right sides that should be in this order, and where.
Comparisons = Iterator[tuple[Fraction, Fraction, str]]
# Of a run: f - f* at the mean of its points or at the last of them, or the squared distance of that
# to the minimiser.
Measured = Literal["gap of the mean", "gap", "distance"]


@dataclass(frozen=True)
class Quadratic:
    """f(x) = x'Hx / 2 with its minimiser at 0, and a sampling.

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

    def run(self, measured: Measured, gamma: Fraction, steps: int) -> Iterator[Fraction]:
        """What is measured after 0, ..., `steps` steps, in expectation."""
        for moments in self.moments(gamma, steps):
            if measured == "distance":
                yield trace(moments.iterate)
            else:
                yield self.gap(
                    moments.average if measured == "gap of the mean" else moments.iterate
                )

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


def ordered(
    compare: Callable[[Any], Comparisons],
    problems: Callable[[Trial], Iterator[Any]],
    evidence: Evidence,
    kind: str,
) -> Check:
    """A check that left <= right in every comparison on every problem."""

    def run(trial: Trial) -> Finding:
        compared = tried = 0
        for problem in problems(trial):
            tried += 1
            for left, right, words in compare(problem):
                compared += 1
                if left > right:
                    return failed(f"{words}: {left} > {right}; {problem.describe()}")
        return held(f"{compared} exact comparisons on {tried} {kind}")

    return Check(evidence, run)


def on_quadratics(compare: Callable[[Quadratic], Comparisons], count: int = 60) -> Check:
    """A check that left <= right in every comparison, on random quadratics with exact
    expectations.
    """
    return ordered(
        compare, lambda trial: quadratics(trial, count), Evidence.EXACT_EXPECTATION, "quadratics"
    )


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
            _start(rng),
        )


def quadratic(
    H: Matrix, sampling: Sampling, blocks: Blocks, start: Callable[[int], tuple[int, ...]]
) -> Quadratic:
    """With constants that are tight to 1/64 and decided exactly."""
    p = [sampling.pair_fraction(k, k) for k in blocks.labels.tolist()]
    top = level_above(H, p)
    floats = np.array([[float(v) for v in row] for row in H])
    mu = max(Fraction(0), _grid(float(np.linalg.eigvalsh(floats)[0]), math.floor))
    while not is_semidefinite(plus(H, diag([mu] * len(p)), -1)):
        mu -= Fraction(1, 64)
    return Quadratic(H, sampling, blocks, top, mu, start(len(p)))


def level_above(H: Matrix, p: Sequence[Fraction | int]) -> Fraction:
    """A multiple of 1/64 that is at least lambda_max(P^-1/2 H P^-1/2), decided exactly, and mostly
    the least such.
    """
    floats = np.array([[float(v) for v in row] for row in H])
    roots = np.sqrt([float(v) for v in p])
    top = _grid(float(np.linalg.eigvalsh(floats / np.outer(roots, roots))[-1]), math.ceil)
    while not is_semidefinite(plus(diag([top * v for v in p]), H, -1)):
        top += Fraction(1, 64)
    return top


def _grid(value: float, rounding: Callable[[float], int]) -> Fraction:
    """A multiple of 1/64 on one side, or the nearest one where that is as good as equal."""
    near = Fraction(round(64 * value), 64)
    return (
        near
        if abs(float(near) - value) <= 1e-9 * abs(value)
        else Fraction(rounding(64 * value), 64)
    )


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


def _start(rng: np.random.Generator) -> Callable[[int], tuple[int, ...]]:
    return lambda d: tuple(int(v) for v in rng.choice([-3, -2, -1, 1, 2, 3], d))
