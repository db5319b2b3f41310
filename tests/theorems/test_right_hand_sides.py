"""Bounds and stepsizes, against the statements written out once more in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory import theorems as rates
from rpttheory.errors import InvalidInput

ORDINARY = st.floats(1e-3, 1e3)


def _sqrt_ceiling(square: Fraction) -> float:
    """The smallest float whose square is at least `square`."""
    value = math.sqrt(square)
    while Fraction(value) ** 2 >= square:
        value = math.nextafter(value, 0.0)
    while Fraction(value) ** 2 < square:
        value = math.nextafter(value, math.inf)
    return value


def _ceiling(value: Fraction) -> float:
    """The smallest float that is at least `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


@given(
    L_P=ORDINARY,
    share=st.floats(0.01, 1),
    R2=ORDINARY,
    delta=ORDINARY,
    T=st.integers(0, 60),
    step=st.floats(0.01, 1),
)
def test_bounds_are_the_printed_right_hand_sides_rounded_up(
    L_P: float, share: float, R2: float, delta: float, T: int, step: float
) -> None:
    F = Fraction
    mu = L_P * share
    start: dict[str, Any] = {"squared_distance": R2, "gap": delta}
    assert rates.strongly_convex(L_P, mu).bound(T, **start).upper == _ceiling(
        (1 - F(mu) / F(L_P)) ** T * F(R2)
    )
    assert rates.polyak_lojasiewicz(L_P, mu).bound(T, **start).upper == _ceiling(
        (1 - F(mu) / F(L_P)) ** T * F(delta)
    )
    assert rates.convex(L_P).bound(T, **start).upper == _ceiling(2 * F(L_P) * F(R2) / (T + 1))
    assert rates.convex_sharp(L_P).bound(T, **start).upper == _ceiling(
        F(L_P) * F(R2) / (2 * (T + 1))
    )
    assert rates.nonconvex(L_P).bound(T, **start).upper == _ceiling(2 * F(L_P) * F(delta) / (T + 1))
    n = T + 1
    assert rates.generic_convex(mu, L_P).bound(n, **start).upper == _ceiling(
        (2 * F(delta) + 4 * F(L_P) * F(R2)) / n
    )
    squared = 4 * (1 + F(1, n)) ** (2 * n) * F(delta) ** 2 * F(mu) * F(L_P) / n
    assert rates.generic_nonconvex(mu, L_P).bound(n, **start).upper == _sqrt_ceiling(squared)
    squared = F(delta) ** 2 * F(mu) * F(L_P) / n / (1 - F(n, n + 1) ** n) ** 2
    assert rates.generic_nonconvex_sharp(mu, L_P).bound(n, **start).upper == _sqrt_ceiling(squared)
    assert rates.last_iterate(L_P).bound(n, **start).upper == _ceiling(
        F(L_P) * F(R2) / max(6, 3 * n + 1)
    )

    gamma = step / (5 * L_P)
    g = F(gamma)
    assert rates.strongly_convex(L_P, mu).bound(T, stepsize=gamma, **start).upper == _ceiling(
        (1 - g * F(mu)) ** T * F(R2)
    )
    assert rates.convex(L_P).bound(T, stepsize=gamma, **start).upper == _ceiling(
        F(R2) / (g * (T + 1))
    )
    assert rates.convex_sharp(L_P).bound(T, stepsize=gamma, **start).upper == _ceiling(
        F(R2) / (2 * g * (T + 1))
    )
    assert rates.nonconvex(L_P).bound(T, stepsize=gamma, **start).upper == _ceiling(
        2 * F(delta) / (g * (T + 1))
    )
    assert rates.generic_convex(mu, L_P).bound(n, stepsize=gamma, **start).upper == _ceiling(
        (2 * g * F(delta) + F(R2)) / (g * n)
    )
    small = gamma / 8
    exact = 2 * (1 + F(mu) * F(small) ** 2 * F(L_P)) ** n * F(delta) / (F(small) * n)
    assert rates.generic_nonconvex(mu, L_P).bound(n, stepsize=small, **start).upper == _ceiling(
        exact
    )
    a = F(mu) * F(small) ** 2 * F(L_P)
    exact = a / F(small) * F(delta) / (1 - (1 + a) ** -n)
    assert rates.generic_nonconvex_sharp(mu, L_P).bound(
        n, stepsize=small, **start
    ).upper == _ceiling(exact)
    exact = F(R2) / max((3 * n + 1) * g, 2 / F(L_P) + 4 * g)
    assert rates.last_iterate(L_P).bound(n, stepsize=gamma, **start).upper == _ceiling(exact)
    # any variance
    u = 2 - g * F(L_P)
    s = F(delta)
    exact = (F(R2) / (g * n) + g * s) / 2
    assert rates.noisy_convex(L_P, delta).bound(T, stepsize=gamma, **start).upper == _ceiling(exact)
    exact = (2 * F(delta) / (g * n) + g * F(L_P) * s) / u
    assert rates.noisy_nonconvex(L_P, delta).bound(T, stepsize=gamma, **start).upper == _ceiling(
        exact
    )
    exact = (1 - g * F(mu) * u) ** T * F(R2) + g * s / (F(mu) * u)
    assert rates.noisy_strongly_convex(L_P, mu, delta).bound(
        T, stepsize=gamma, **start
    ).upper == _ceiling(exact)


def test_largest_stepsizes() -> None:
    assert rates.strongly_convex(4.0, 1.0).stepsize().lower == 0.25
    assert rates.convex(4.0).stepsize().lower == 0.125
    assert rates.convex_sharp(4.0).stepsize().lower == 0.25
    assert rates.nonconvex(4.0).stepsize(7).lower == 0.25
    assert rates.generic_convex(4.0, 4.0).stepsize().lower == 1 / 16
    assert rates.generic_convex(16.0, 4.0).stepsize().lower == 1 / 32
    assert rates.generic_nonconvex(2.0, 8.0).stepsize(4).lower == 1 / 8


@given(L=ORDINARY, A=ORDINARY, T=st.integers(1, 10**30))
def test_the_largest_stepsize_is_rounded_down_to_the_next_float(L: float, A: float, T: int) -> None:
    gamma = rates.generic_nonconvex(L, A).stepsize(T).lower
    above = math.nextafter(gamma, math.inf)
    assert (
        Fraction(L) * Fraction(A) * Fraction(gamma) ** 2 * T
        <= 1
        < Fraction(L) * Fraction(A) * Fraction(above) ** 2 * T
    )
    gamma = rates.nonconvex(L).stepsize().lower
    assert (
        Fraction(gamma) * Fraction(L) <= 1 < Fraction(math.nextafter(gamma, math.inf)) * Fraction(L)
    )


@given(L_P=ORDINARY, T=st.integers(0, 100))
def test_a_stepsize_above_the_largest_by_rounding_alone_is_taken_as_the_largest(
    L_P: float, T: int
) -> None:
    for rate, typed in (
        (rates.convex(L_P), 1 / (2 * L_P)),
        (rates.convex_sharp(L_P), 1 / L_P),
        (rates.strongly_convex(L_P, L_P), 1 / L_P),
    ):
        plain = rate.bound(T, squared_distance=1.0).upper
        assert (
            plain
            <= rate.bound(T, squared_distance=1.0, stepsize=typed).upper
            <= plain * (1 + 1e-13) + 1e-13
        )
        with pytest.raises(InvalidInput, match="must not exceed"):
            rate.bound(T, squared_distance=1.0, stepsize=typed * (1 + 1e-15))


def test_a_bound_that_underflows_or_overflows_stays_a_bound() -> None:
    rate = rates.strongly_convex(1.0, 0.5)
    assert rate.bound(10**400, squared_distance=1.0).upper == 5e-324
    assert rates.convex(1e300).bound(0, squared_distance=1e300).upper == math.inf
    assert rates.convex(1.0).bound(10**400, squared_distance=1.0).upper == 5e-324
    assert (
        rates.convex_sharp(5e-324).bound(0, squared_distance=1.0, stepsize=2.0**1000).upper
        == 2.0**-1001
    )
