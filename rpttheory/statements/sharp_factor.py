"""The sharp factor of one step at gamma = 1/L_P on strongly convex functions.

E|x_1 - x*|^2 <= (1 - 2 s + theta) |x_0 - x*|^2. With s = mu / L_P and e_k = 1 - s / p_k, theta is
the least over l > max e_k of max_k [s^2 / p_k + (p_k - s) (l - 2 e_k)^2 / (4 (l - e_k))]. Only the
least and the largest probability matter.
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ..numbers.exact_array import FloatArray

# Halvings of an interval in floats, which no longer change it.
_HALVINGS = 60


def share(p: Any, s: Any, multiplier: Any) -> Any:
    """Return the share that a block of probability p adds to 1 - 2 s.

    `multiplier` is the multiplier l of cocoercivity.
    """
    e = 1 - s / p
    return s * s / p + (p - s) * (multiplier - 2 * e) ** 2 / (4 * (multiplier - e))


def _at_crossing(s: Any, least: Any, most: Any, halvings: int) -> tuple[Any, Any]:
    """Return bounds on theta where the shares of the two probabilities cross.

    Where 2 e(least) < l < 2 e(most) the share of `least` grows with l and that of `most` falls. At
    the crossing the slope of the former is at most 1/2, and l at the upper end is valid: its share
    stays the larger one.
    """
    low = np.maximum(1 - s / most, 2 * (1 - s / least))
    high = 2 * (1 - s / most)
    for _ in range(halvings):
        middle = (low + high) / 2
        is_before = share(most, s, middle) > share(least, s, middle)
        low = np.where(is_before, middle, low)
        high = np.where(is_before, high, middle)
    return share(least, s, low), share(least, s, high)


@lru_cache(maxsize=128)
def theta_bounds(s: Fraction, least: Fraction, most: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds on theta, without rounding and less than 2^-64 s apart.

    They are equal where the probabilities are so close that theta is rational.
    """
    if most <= 2 * least - s:
        return s * s / least, s * s / least
    return _at_crossing(s, least, most, 64 + math.ceil(1 / s).bit_length())


def theta(p: FloatArray, s: FloatArray) -> FloatArray:
    """Return theta in floats, for p of shape (n, B) and s of shape (n,)."""
    least = p.min(axis=1)
    most = p.max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        _, crossing = _at_crossing(s, least, most, _HALVINGS)
    # A little room, because s may exceed p_min by rounding.
    return np.asarray(np.where(most <= 2 * least - s + 1e-12, s * s / least, crossing))
