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
        self._about = matrix, weights

    def sign(self, t: Fraction | float) -> int:
        """The sign of t - lambda_max."""
        return -self.top.sign(Fraction(t))

    def contains(self, low: Fraction | float, high: Fraction | float) -> bool:
        """Whether low <= lambda_max <= high, where infinite ends hold nothing back."""
        return bool(inside(low, high, self.top))

    def least_float_above(self) -> float:
        """The smallest float that is at least lambda_max (inf if there is none)."""
        low, high = self._guess()
        if self.sign(low) < 0 <= self.sign(high):
            while math.nextafter(low, high) < high:
                middle = low + (high - low) / 2
                low, high = (low, middle) if self.sign(middle) >= 0 else (middle, high)
            return high
        _, high = self.top(56)
        if high > Fraction(LARGEST) and self.sign(LARGEST) < 0:
            return math.inf
        found = float(max(-Fraction(LARGEST), min(high, Fraction(LARGEST))))
        while self.sign(found) < 0:
            found = math.nextafter(found, math.inf)
        while found > -LARGEST and self.sign(math.nextafter(found, -math.inf)) >= 0:
            found = math.nextafter(found, -math.inf)
        return found

    def _guess(self) -> tuple[float, float]:
        """Two floats that should enclose it, from numpy."""
        matrix, weights = self._about
        with np.errstate(all="ignore"):
            root = np.ones(len(matrix)) if weights is None else 1 / np.sqrt(weights)
            scaled = np.asarray(matrix, dtype=float) * root[:, None] * root
            top = float(np.linalg.eigvalsh(scaled)[-1]) if np.isfinite(scaled).all() else 0.0
        reach = 2.0**-40 * abs(top)
        return (top - reach, top + reach) if math.isfinite(top + reach) else (0.0, 0.0)


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
    """Whether -bound I <= error <= bound I."""
    return within(error, [Fraction(bound)] * len(error))
