"""The judge for matrices of floats: the floats next to an eigenvalue, and what a factor leaves of
its matrix.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from .reals import Rows, Top, gram_of, inside, rows_of, within

LARGEST = math.nextafter(math.inf, 0.0)


class ExactTop:
    """lambda_max of (L, Diag(w)), to which any level can be compared without rounding."""

    def __init__(self, matrix: Any, weights: Any = None) -> None:
        self.top = Top(
            rows_of(matrix), None if weights is None else [Fraction(float(v)) for v in weights]
        )

    def sign(self, t: Fraction | float) -> int:
        """The sign of t - lambda_max."""
        return -self.top.sign(Fraction(t))

    def contains(self, low: Fraction | float, high: Fraction | float) -> bool:
        """True if low <= lambda_max <= high."""
        return bool(inside(low, high, self.top))

    def least_float_above(self) -> float:
        """The smallest float that is at least lambda_max (inf if there is none)."""
        _, high = self.top(56)
        if high > Fraction(LARGEST) and self.sign(LARGEST) < 0:
            return math.inf
        level = float(max(-Fraction(LARGEST), min(high, Fraction(LARGEST))))
        while self.sign(level) < 0:
            level = math.nextafter(level, math.inf)
        while level > -LARGEST and self.sign(math.nextafter(level, -math.inf)) >= 0:
            level = math.nextafter(level, -math.inf)
        return level


def neighbor(value: float, steps: int) -> float:
    """The float `steps` places above (or below) the given one; the largest ones have no
    neighbors.
    """
    for _ in range(abs(steps)):
        value = math.nextafter(value, math.copysign(math.inf, steps))
    return max(-LARGEST, min(LARGEST, value))


def symmetric(matrix: Any) -> Any:
    """The upper triangle, twice."""
    return np.triu(matrix) + np.triu(matrix, 1).T


def path_laplacian(n: int) -> Any:
    chain = np.eye(n, k=1) + np.eye(n, k=-1)
    return np.diag(chain.sum(axis=1)) - chain


def left_by(matrix: Any, factor: Any) -> Rows:
    """A - F F'."""
    pairs = zip(rows_of(matrix), gram_of(factor.T), strict=True)
    return [[x - y for x, y in zip(*rows, strict=True)] for rows in pairs]


def covers(bound: float, error: Rows) -> bool:
    """True if -bound I <= error <= bound I."""
    return within(error, [Fraction(bound)] * len(error))
