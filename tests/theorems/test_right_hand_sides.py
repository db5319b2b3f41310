"""Bounds and stepsizes, against the statements written out once more in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from rpttheory import theorems as rates

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
    """At the largest stepsize and at smaller ones; the variance of noise is delta."""
    small = L_P * share
    start: dict[str, Any] = {"squared_distance": R2, "gap": delta}
    L, mu, square, gap = map(Fraction, (L_P, small, R2, delta))
    n = T + 1
    formulas: list[tuple[rates.Rate, int, Callable[[Fraction], Fraction]]] = [
        (rates.strongly_convex(L_P, small), T, lambda g: (1 - g * mu) ** T * square),
        (rates.polyak_lojasiewicz(L_P, small), T, lambda g: (1 - g * mu) ** T * gap),
        (rates.convex(L_P), T, lambda g: square / (g * n)),
        (rates.convex_sharp(L_P), T, lambda g: square / (2 * g * n)),
        (rates.nonconvex(L_P), T, lambda g: 2 * gap / (g * n)),
        (rates.generic_convex(small, L_P), n, lambda g: (2 * g * gap + square) / (g * n)),
        (rates.last_iterate(L_P), n, lambda g: square / max((3 * n + 1) * g, 2 / L + 4 * g)),
        (rates.noisy_convex(L_P, delta), T, lambda g: (square / (g * n) + g * gap) / 2),
        (
            rates.noisy_nonconvex(L_P, delta),
            T,
            lambda g: (2 * gap / (g * n) + g * L * gap) / (2 - g * L),
        ),
        (
            rates.noisy_strongly_convex(L_P, small, delta),
            T,
            lambda g: (1 - g * mu * (2 - g * L)) ** T * square + g * gap / (mu * (2 - g * L)),
        ),
    ]
    gamma = step / (5 * L_P)
    for rate, steps, formula in formulas:
        largest = rate.stepsize().exact
        assert largest is not None
        for stepsize, g in ((None, largest), (gamma, Fraction(gamma))):
            bound = rate.bound(steps, stepsize=stepsize, **start)
            assert bound.upper == _ceiling(formula(g))
    generic = rates.generic_nonconvex(small, L_P)
    sharp = rates.generic_nonconvex_sharp(small, L_P)
    squared = 4 * (1 + Fraction(1, n)) ** (2 * n) * gap**2 * mu * L / n
    assert generic.bound(n, **start).upper == _sqrt_ceiling(squared)
    squared = gap**2 * mu * L / n / (1 - Fraction(n, n + 1) ** n) ** 2
    assert sharp.bound(n, **start).upper == _sqrt_ceiling(squared)
    g = Fraction(gamma / 8)
    a = mu * g**2 * L
    exact = 2 * (1 + a) ** n * gap / (g * n)
    assert generic.bound(n, stepsize=gamma / 8, **start).upper == _ceiling(exact)
    exact = a / g * gap / (1 - (1 + a) ** -n)
    assert sharp.bound(n, stepsize=gamma / 8, **start).upper == _ceiling(exact)


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
        with refuses("stepsize"):
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
