"""The sharp factor of one step at gamma = 1/L_P on strongly convex functions.

E|x_1 - x*|^2 <= (1 - 2 s + theta) |x_0 - x*|^2. With s = mu / L_P and e_k = 1 - s / p_k, theta is
the least value over l >= max e_k of max_k [s^2 / p_k + p_k e_k (l - 2 e_k)^2 / (4 (l - e_k))], a
convex function of l.

`rpttheory/rates` computes theta in another way, from two of the probabilities, and the ledger in a
third. They are separate on purpose: each of them checks the others.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..numbers.exact_array import FloatArray

_GOLDEN = (5**0.5 - 1) / 2
_ROUNDS = 50


def theta(p: FloatArray, s: FloatArray) -> FloatArray:
    """Return theta in floats, for p of shape (n, B) and s of shape (n,)."""
    e = np.maximum(1 - s[:, None] / p, 0.0)
    largest = e.max(axis=1)

    def height(level: FloatArray) -> FloatArray:
        gap = level[:, None] - e
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = np.where(e > 0, p * e * (gap - e) ** 2 / (4 * gap), 0.0)
        return np.asarray(
            (s[:, None] ** 2 / p + np.where(np.isnan(bend), np.inf, bend)).max(axis=1)
        )

    low = largest * (1 + 1e-12)
    high = 2 * largest
    for _ in range(_ROUNDS):
        width = high - low
        left = high - _GOLDEN * width
        right = low + _GOLDEN * width
        falls = height(left) > height(right)
        low = np.where(falls, left, low)
        high = np.where(falls, high, right)
    # Kinks lie at 2 e_k, where the k-th piece is least.
    best = height(high)
    for k in range(p.shape[1]):
        best = np.minimum(best, height(np.maximum(2 * e[:, k], largest)))
    return best


def theta_bounds(p: Sequence[Fraction], s: Fraction) -> tuple[Fraction, Fraction]:
    """Return lower and upper bounds on theta, without rounding.

    Any l gives an upper bound. Two tangents with slopes of different signs meet at a lower bound.
    The bounds are equal where theta is attained at the bottom of a piece.
    """
    e = [1 - s / q for q in p]
    if min(e) < 0:
        raise ValueError("mu must be at most L_P p_k")
    largest = max(e)
    lower_bound = max(s * s / q for q in p)
    if largest == 0:
        return lower_bound, lower_bound

    def active(level: Fraction) -> tuple[Fraction, Fraction]:
        """Return the height at a level, and the slope of a piece that attains it."""
        pieces = []
        for q, a in zip(p, e, strict=True):
            gap = level - a
            bend = q * a * (gap - a) ** 2 / (4 * gap) if a else Fraction(0)
            pieces.append(
                (s * s / q + bend, q * a / 4 * (1 - a * a / gap**2) if a else Fraction(0))
            )
        return max(pieces)

    best = min(active(2 * a)[0] for a in e if 2 * a > largest)
    low = largest
    high = 2 * largest
    share = Fraction(1, 2)
    while active(largest * (1 + share))[1] >= 0 and share > Fraction(1, 2**200):
        high = largest * (1 + share)
        share = share / 2
    low = largest * (1 + share)
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        value, slope = active(middle)
        best = min(best, value)
        low, high = (middle, high) if slope < 0 else (low, middle)
    (a, down) = active(low)
    (b, up) = active(high)
    best = min(best, a, b)
    if down < 0 < up:
        meeting = (b - a + down * low - up * high) / (down - up)
        lower_bound = max(lower_bound, a + down * (meeting - low))
    return lower_bound, best
