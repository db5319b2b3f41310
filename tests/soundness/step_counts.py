"""The number of steps that each theorem promises, derived again from the theorem.

A right-hand side is an enclosure in fractions. Where it has a power or a root, mpmath computes 80
digits, and the enclosure allows for an error in the sixtieth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath as mp

from .reals import Pair

DIGITS = 80
ERROR = Fraction(1, 10**60)
EXPONENT = 5000
"""Larger in size than the exponent of 2 in any eps."""


@dataclass
class Constants:
    """What the theorems are about, at one choice of probabilities."""

    lmax: Pair
    L_P: Pair
    L_M: Pair
    p: Sequence[Fraction]
    mu: Fraction
    distance: Fraction
    gap: Pair


FIRST = {"our:lastIterate": 1, "thm:oldConvex": 1, "thm:non-convex": 1, "our:genericNonconvex": 1}
"""The least number of steps that a theorem speaks of, where that is not 0."""


def right_side(label: str, steps: int, constants: Constants) -> Pair:
    """Bounds of the right-hand side of a theorem after so many steps with the largest stepsize."""
    ends = [_right_side(label, steps, constants, end) for end in (0, 1)]
    return min(ends), max(ends)


def _right_side(label: str, T: int, constants: Constants, end: int) -> Fraction | float:
    """The same with all constants at their lower ends (0) or upper ends (1), rounded outwards."""
    lmax, L_P, L_M, gap = (
        pair[end] for pair in (constants.lmax, constants.L_P, constants.L_M, constants.gap)
    )
    D = constants.distance
    fractions = {
        "thm:rcdConvex": lambda: 2 * L_P * D / (T + 1),
        "our:convexSharp": lambda: L_P * D / (2 * (T + 1)),
        "our:lastIterate": lambda: min(L_P * D / (3 * T + 1), L_P * D / 6),
        "thm:oldConvex": lambda: (2 * gap + max(4 * L_P, 2 * lmax) * D) / T,
        "thm:rcdNonconvex": lambda: 2 * L_P * gap / (T + 1),
        "thm:rcdNonconvex with L_M": lambda: 2 * L_M * gap / (T + 1),
    }
    if label in fractions:
        return fractions[label]()
    with mp.workdps(DIGITS):
        compounded = mp.exp(T * mp.log1p(mp.mpf(1) / T)) if T else mp.mpf(1)
        reals = {
            "thm:rcdStronglyConvex": lambda: _geometric(-constants.mu / L_P, T) * _mpf(D),
            "our:polyakLojasiewicz": lambda: _geometric(-constants.mu / L_M, T) * _mpf(gap),
            "our:stronglyConvexSharp": lambda: (
                _geometric(sharp_change(constants.mu / L_P, constants.p), T) * _mpf(D)
            ),
            "thm:non-convex": lambda: 2 * compounded * _mpf(gap) * mp.sqrt(_mpf(lmax * L_P / T)),
            "our:genericNonconvex": lambda: (
                _mpf(gap) * mp.sqrt(_mpf(lmax * L_P / T)) / (1 - 1 / compounded)
            ),
        }
        _, mantissa, exponent, _ = mp.mpf(reals[label]())._mpf_
    return _enclosed(mantissa, exponent, end)


def _enclosed(mantissa: int, exponent: int, end: int) -> Fraction | float:
    """Return a bound of mantissa * 2^exponent from below (end 0) or above (end 1).

    A number beyond every eps that the attack draws gets a bound that takes no memory.
    """
    magnitude = mantissa.bit_length() + exponent
    if mantissa and magnitude < -EXPONENT:
        return Fraction(end, 2**EXPONENT)
    if mantissa and magnitude > EXPONENT:
        return math.inf if end else Fraction(2**EXPONENT)
    return Fraction(mantissa) * Fraction(2) ** exponent * (1 + (2 * end - 1) * ERROR)


def _mpf(value: Fraction) -> Any:
    return mp.mpf(value.numerator) / value.denominator


def _geometric(change: Any, T: int) -> Any:
    """(1 + change)^T."""
    change = _mpf(change) if isinstance(change, Fraction) else change
    if T == 0:
        return mp.mpf(1)
    return mp.exp(T * mp.log1p(change)) if change > -1 else mp.mpf(0)


def sharp_change(s: Fraction, p: Sequence[Fraction]) -> Any:
    """-2 s + theta: theta is the least over l of the largest share, a convex function of l."""
    small = _mpf(s)
    pairs = [(_mpf(q), 1 - small / _mpf(q)) for q in {min(p), max(p)}]

    def largest_share(multiplier: Any) -> Any:
        return max(
            small**2 / q + (q - small) * (multiplier - 2 * e) ** 2 / (4 * (multiplier - e))
            for q, e in pairs
        )

    most = max(e for _, e in pairs)
    if most <= 0:
        return -2 * small + small**2 / min(q for q, _ in pairs)
    low = most
    high = 2 * most
    for _ in range(330):
        third = (high - low) / 3
        if third == 0:
            break
        if largest_share(low + third) > largest_share(high - third):
            low += third
        else:
            high -= third
    return -2 * small + largest_share(high)


def needs_more(label: str, steps: int, eps: Fraction, constants: Constants) -> bool | None:
    """True if so many steps are too few; None where that stays open."""
    low, high = right_side(label, steps, constants)
    if label == "our:stronglyConvexSharp" and abs(low - eps) < eps / 10**9:
        return None  # its theta is rounded up
    if low > eps:
        return True
    return False if high <= eps else None
