"""Powers and roots are enclosed as closely as they say."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from rpttheory.numbers import Bracket, Verdict
from rpttheory.numbers.powers import power, power_end, square_root


@given(value=st.fractions(Fraction(1, 10**9), 10**9), bits=st.integers(2, 200))
def test_roots_are_enclosed_to_the_precision_asked_for(value: Fraction, bits: int) -> None:
    low, high = square_root(value, bits)
    assert low**2 <= value <= high**2
    assert high - low <= 2 * high / 2**bits
    assert square_root(value**2, bits) == (value, value)


@given(base=st.fractions(0, 2), exponent=st.integers(0, 300), extra=st.integers(1, 200))
def test_powers_are_enclosed_to_the_precision_asked_for(
    base: Fraction, exponent: int, extra: int
) -> None:
    bits = 2 * exponent.bit_length() + extra
    assert power(base, exponent, bits) == (base**exponent, base**exponent)
    low, high = (power_end(base + 1, exponent, bits, sign) for sign in (1, -1))
    assert low <= (base + 1) ** exponent <= high <= low * (1 + Fraction(exponent * 8, 2**bits))


def test_a_negligible_power_is_not_called_zero() -> None:
    low, high = power(Fraction(1, 3), 10**7, 128)
    assert 0 == low < high < Fraction(1, 2**3999)


@given(
    root=st.fractions(Fraction(1, 1000), 1000), gap=st.integers(150, 700), bits=st.integers(2, 128)
)
def test_roots_just_below_a_square_stay_below_it(root: Fraction, gap: int, bits: int) -> None:
    """The lower end is rounded down although sqrt(value) agrees with `root` to many more bits."""
    value = root**2 - Fraction(1, 2**gap)
    low, high = square_root(value, bits)
    assert low**2 <= value <= high**2


def test_a_root_just_below_one_is_not_proved_to_be_one() -> None:
    root = Bracket.of_fraction(1 - Fraction(1, 2**600)).sqrt()
    assert (root >= 1) is not Verdict.PROVED and root.exact_lower < 1
