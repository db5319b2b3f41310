"""Roots and powers of fractions between two fractions, as closely as asked for."""

import math
from fractions import Fraction

# Powers whose numerator and denominator stay below this many bits are formed exactly. An equality
# between a power and a quotient of floats needs far fewer, so ties never depend on the enclosures
# of longer ones.
_EXACT_BITS = 100_000
_NEGLIGIBLE = -4000


def square_root(value: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds on sqrt(value) to `bits` significant bits; equal for squares of fractions."""
    top = math.isqrt(value.numerator)
    bottom = math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom), Fraction(top, bottom)
    shift = max(0, bits - (value.numerator.bit_length() - value.denominator.bit_length()) // 2)
    low = math.isqrt((value.numerator << 2 * shift) // value.denominator)
    return Fraction(low, 1 << shift), Fraction(low + 1, 1 << shift)


def power(base: Fraction, exponent: int, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds on base**exponent to a relative precision of about exponent * 2^(2 - bits); equal
    where they are exact.
    """
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if base == 0 or exponent * size <= _EXACT_BITS:
        exact = base**exponent
        return exact, exact
    return power_end(base, exponent, bits, 1), power_end(base, exponent, bits, -1)


def power_end(base: Fraction, exponent: int, bits: int, sign: int) -> Fraction:
    """The power rounded down (sign 1) or up (sign -1) at every step, as a whole number times a
    power of two.
    """
    shift = max(0, bits - base.numerator.bit_length() + base.denominator.bit_length())
    factor = sign * ((sign * base.numerator << shift) // base.denominator)
    value = 1
    scale = 0
    for bit in f"{exponent:b}":
        value = value * value
        scale = 2 * scale
        if bit == "1":
            value = value * factor
            scale = scale - shift
        excess = max(0, value.bit_length() - bits)
        value = sign * (sign * value >> excess)
        scale = scale + excess
        if scale + value.bit_length() < _NEGLIGIBLE:
            # Only for base < 1: multiplied by any float this stays below all floats, whatever
            # factors follow.
            return Fraction(0) if sign > 0 else Fraction(1, 1 << -_NEGLIGIBLE)
    return Fraction(value << scale) if scale >= 0 else Fraction(value, 1 << -scale)
