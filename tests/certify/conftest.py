"""An exact judge of claims about eigenvalues, which shares no code with the package.

It decides whether t Diag(w) - L is positive definite, singular or indefinite by fraction-free
elimination with symmetric pivoting on integers. The package's exact route goes through characteristic
polynomials instead, and its floating-point routes through LAPACK.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest


def inertia_sign(matrix: list[list[int]]) -> int:
    """+1 positive definite, 0 positive semidefinite and singular, -1 neither; destroys its argument."""
    left = list(range(len(matrix)))
    previous = 1
    while left:
        if any(matrix[i][i] < 0 for i in left):
            return -1
        pivot = max(left, key=lambda i: matrix[i][i])
        value = matrix[pivot][pivot]
        if value == 0:
            return -1 if any(matrix[i][j] for i in left for j in left) else 0
        left.remove(pivot)
        row = matrix[pivot]
        for position, i in enumerate(left):
            factor = row[i]
            for j in left[position:]:
                # Bareiss: the division is exact, and what remains is a positive multiple of the Schur complement.
                entry = (value * matrix[i][j] - factor * row[j]) // previous
                matrix[i][j] = matrix[j][i] = entry
        previous = value
    return 1


class ExactPencil:
    """lambda_max of (L, Diag(w)), to which any level can be compared without rounding."""

    def __init__(self, matrix: Any, weights: Any = None) -> None:
        rows = [[Fraction(v) for v in row] for row in (matrix.tolist() if hasattr(matrix, "tolist") else matrix)]
        d = len(rows)
        w = [Fraction(1)] * d if weights is None else [Fraction(float(v)) for v in weights]
        # A congruence with powers of two keeps every answer and makes graded matrices short.
        steps = [-_half_exponent(w[i]) for i in range(d)]
        rows = [[v * Fraction(2) ** (steps[i] + steps[j]) for j, v in enumerate(row)] for i, row in enumerate(rows)]
        w = [v * Fraction(4) ** step for v, step in zip(w, steps, strict=True)]
        common = math.lcm(*(v.denominator for row in rows for v in row), *(v.denominator for v in w))
        self.rows = [[int(v * common) for v in row] for row in rows]
        self.weights = [int(v * common) for v in w]

    def sign(self, t: Fraction | float) -> int:
        """The sign of t - lambda_max."""
        level = Fraction(t)
        matrix = [[-level.denominator * v for v in row] for row in self.rows]
        for i, w in enumerate(self.weights):
            matrix[i][i] += level.numerator * w
        _shorten_gradually(matrix)
        return inertia_sign(matrix)

    def contains(self, low: Fraction | float, high: Fraction | float) -> bool:
        """Whether low <= lambda_max <= high, where infinite ends hold nothing back."""
        return (low == -math.inf or self.sign(low) <= 0) and (high == math.inf or self.sign(high) >= 0)

    def least_float_above(self) -> float:
        """The smallest float that is at least lambda_max (inf if there is none)."""
        largest = max(max(abs(v) for row in self.rows for v in row), 1)
        heaviest = max(self.weights)
        roots = [math.sqrt(Fraction(w, heaviest)) for w in self.weights]
        scaled = [
            [float(Fraction(v, largest)) / a / b for v, b in zip(row, roots, strict=True)]
            for row, a in zip(self.rows, roots, strict=True)
        ]
        top = Fraction(float(np.linalg.eigvalsh(np.array(scaled))[-1])) * Fraction(largest, heaviest)
        limit = math.nextafter(math.inf, 0.0)
        guess = float(top) if abs(top) < Fraction(limit) else (limit if top > 0 else -limit)
        return _walk(self, guess)


def _half_exponent(value: Fraction) -> int:
    return (value.numerator.bit_length() - value.denominator.bit_length()) // 2


def _shorten_gradually(matrix: list[list[int]]) -> None:
    """Divide rows and columns by powers of two that divide all of their entries."""
    for i, row in enumerate(matrix):
        trailing = min(((v & -v).bit_length() - 1 for j, v in enumerate(row) if v and j != i), default=0)
        if row[i]:
            trailing = min(trailing, ((row[i] & -row[i]).bit_length() - 1) // 2)
        if trailing > 0:
            for j in range(len(row)):
                if j != i:
                    row[j] >>= trailing
                    matrix[j][i] >>= trailing
            row[i] >>= 2 * trailing


def _order(value: float) -> int:
    """The position of a float among all floats, so that neighbours differ by one."""
    bits = int(np.float64(abs(value)).view(np.int64))
    return bits if value >= 0 else -bits


def _at(position: int) -> float:
    value = float(np.int64(abs(position)).view(np.float64))
    return value if position >= 0 else -value


_LARGEST = _order(math.nextafter(math.inf, 0.0))


def _walk(pencil: ExactPencil, guess: float) -> float:
    if pencil.sign(0) == 0:
        return 0.0
    start = _order(guess)
    reach = 8
    low, high = max(start - reach, -_LARGEST), min(start + reach, _LARGEST)
    while pencil.sign(_at(high)) < 0:
        if high == _LARGEST:
            return math.inf
        low, reach = high, reach * 8
        high = min(start + reach, _LARGEST)
    while pencil.sign(_at(low)) >= 0:
        if low == -_LARGEST:
            return _at(low)
        high, reach = low, reach * 8
        low = max(start - reach, -_LARGEST)
    while high - low > 1:
        middle = (low + high) // 2
        if pencil.sign(_at(middle)) >= 0:
            high = middle
        else:
            low = middle
    return _at(high)


def neighbour(value: float, steps: int) -> float:
    """The float `steps` places above (or below) the given one; the largest ones have no neighbours."""
    return _at(max(-_LARGEST, min(_LARGEST, _order(min(value, _at(_LARGEST))) + steps)))


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


def second_moment_entries(
    matrix: Any, pair: Sequence[Sequence[Fraction]], labels: Sequence[int]
) -> list[list[Fraction]]:
    """L_ij p_kl / (p_k p_l) in fractions, from exact pair probabilities (p_k = p_kk)."""
    return [
        [
            Fraction(float(v)) * pair[labels[i]][labels[j]] / (pair[labels[i]][labels[i]] * pair[labels[j]][labels[j]])
            for j, v in enumerate(row)
        ]
        for i, row in enumerate(np.asarray(matrix))
    ]


@pytest.fixture(scope="session")
def exact() -> SimpleNamespace:
    """The judge and its helpers."""
    return SimpleNamespace(
        Pencil=ExactPencil,
        inertia_sign=inertia_sign,
        neighbour=neighbour,
        gram_entries=gram_entries,
        second_moment_entries=second_moment_entries,
    )
