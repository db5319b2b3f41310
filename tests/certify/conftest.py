"""The exact judge of soundness for matrices of floats, with the floats next to an eigenvalue."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from soundness.reals import Top, inside

LARGEST = math.nextafter(math.inf, 0.0)


class ExactPencil:
    """lambda_max of (L, Diag(w)), to which any level can be compared without rounding."""

    def __init__(self, matrix: Any, weights: Any = None) -> None:
        rows = matrix.tolist() if hasattr(matrix, "tolist") else matrix
        w = None if weights is None else [Fraction(float(v)) for v in weights]
        self.top = Top([[Fraction(v) for v in row] for row in rows], w)
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


def neighbour(value: float, steps: int) -> float:
    """The float `steps` places above (or below) the given one; the largest ones have no neighbours."""
    for _ in range(abs(steps)):
        value = math.nextafter(value, math.copysign(math.inf, steps))
    return max(-LARGEST, min(LARGEST, value))


def gram_entries(data: Any, scale: float, shift: float) -> list[list[Fraction]]:
    """scale A'A + shift I in fractions."""
    columns = [[Fraction(float(v)) for v in column] for column in np.asarray(data).T]
    return [
        [
            Fraction(scale) * sum(map(Fraction.__mul__, a, b)) + (Fraction(shift) if i == j else 0)
            for j, b in enumerate(columns)
        ]
        for i, a in enumerate(columns)
    ]


@pytest.fixture(scope="session")
def exact() -> SimpleNamespace:
    """The judge and its helpers."""
    return SimpleNamespace(Pencil=ExactPencil, neighbour=neighbour, gram_entries=gram_entries)
