"""Decimal text of exact numbers, with the direction of every rounding chosen by the caller."""

from __future__ import annotations

import math
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    Context,
    Decimal,
    Inexact,
)
from fractions import Fraction

# Exponents between these are written out; more_digits are printed as powers of ten. Python's floats
# change over at nearly the same sizes (-5 and 16).
_SMALLEST_EXPONENT = -5
_LARGEST_EXPONENT = 15
# Enough to tell any two doubles apart.
_TRUNCATED_DIGITS = 17


def decimal_floor(value: Fraction | float, digits: int) -> str:
    """Return the largest decimal of `digits` significant digits that is at most `value`.

    Examples
    --------
    >>> decimal_floor(851.0634, 4), decimal_floor(-0.12345, 3), decimal_floor(2.0, 4)
    ('851', '-0.124', '2')
    """
    return _rounded(value, digits, ROUND_FLOOR)


def decimal_ceiling(value: Fraction | float, digits: int) -> str:
    """Return the smallest decimal of `digits` significant digits that is at least `value`.

    Examples
    --------
    >>> decimal_ceiling(851.0634, 4), decimal_ceiling(-0.12345, 3)
    ('851.1', '-0.123')
    """
    return _rounded(value, digits, ROUND_CEILING)


def exact_decimal(value: Fraction) -> str | None:
    """Return the decimal that equals `value`, or None if it needs more than 17 significant digits.

    Examples
    --------
    >>> exact_decimal(Fraction("0.30000000000000001")), exact_decimal(Fraction(1, 3))
    ('0.30000000000000001', None)
    """
    quotient, inexact = _divide(value, _TRUNCATED_DIGITS, ROUND_DOWN)
    return None if inexact else decimal_text(_without_trailing_zeros(quotient))


def truncated_decimal(value: Fraction) -> str:
    """Return the first 17 significant digits of `value`, truncated, so that every digit is one of
    the number's.

    Examples
    --------
    >>> truncated_decimal(Fraction(2, 3))
    '0.66666666666666666'
    """
    return decimal_text(_divide(value, _TRUNCATED_DIGITS, ROUND_DOWN)[0])


def _rounded(value: Fraction | float, digits: int, rounding: str) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value:g}"
    return decimal_text(_without_trailing_zeros(_divide(Fraction(value), digits, rounding)[0]))


def _divide(value: Fraction, digits: int, rounding: str) -> tuple[Decimal, bool]:
    """Return numerator over denominator, rounded once, and whether that changed the value."""
    context = Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return quotient, bool(context.flags[Inexact])


def _without_trailing_zeros(value: Decimal) -> Decimal:
    digits = len(value.as_tuple().digits)
    shortest = Context(prec=digits, Emin=MIN_EMIN, Emax=MAX_EMAX).normalize(value)
    return shortest if shortest else Decimal(0)


def decimal_text(value: Decimal, error: str = "") -> str:
    """Return all digits of a decimal, followed by `error`, with a power of ten where it is large or
    small.

    Zeros are appended only where there is no error: after an error in the last digit they would
    claim more than is known.
    """
    sign, digits, last = value.as_tuple()
    exponent = value.adjusted()
    ordinary = _SMALLEST_EXPONENT <= exponent <= _LARGEST_EXPONENT or value == 0
    if ordinary and not (error and int(last) > 0):
        return f"{value:f}{error}"
    first, *more_digits = map(str, digits)
    mantissa = f"{first}.{''.join(more_digits)}" if more_digits else first
    return f"{'-' if sign else ''}{mantissa}{error}e{exponent:+03d}"
