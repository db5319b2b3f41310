"""Bounds and stepsizes, against the statements written out once more in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from rpttheory import theorems as rates
from rpttheory.attack.instance import Function, Instance
from rpttheory.statements.runs import RUN_STATEMENTS, squared_distance, start_value

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
        (rates.generic_convex(small, L_P), n, lambda g: (2 * g * gap + square) / (g * n)),
        (rates.last_iterate(L_P), n, lambda g: square / max((3 * n + 1) * g, 2 / L + 4 * g)),
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


# L = diag(9/2, 3/2) and p = (1/2, 1/4): L_P = L_M = 9 and lambda_max = 9/2, without rounding.
ROWS = ((Fraction(2), Fraction(0)), (Fraction(0), Fraction(1)))
MU = Fraction(1, 2)
P = (Fraction(1, 2), Fraction(1, 4))
X = (Fraction(3), Fraction(-2))


def variance(gamma: Fraction, *, over_p: bool) -> Fraction:
    """Return the variance of noise that is as long as x_0 after a step."""
    return sum((x / gamma) ** 2 / (p if over_p else 1) for x, p in zip(X, P, strict=True))


RATES_OF_STATEMENTS: dict[str, tuple[int, Fraction, Callable[[Fraction], rates.Rate]]] = {
    "thm:rcdStronglyConvex": (3, Fraction(1, 9), lambda g: rates.strongly_convex(9, MU)),
    "our:stronglyConvexSharp": (1, Fraction(1, 9), lambda g: rates.strongly_convex_sharp(9, MU, P)),
    "our:functionValues": (3, Fraction(1, 10), lambda g: rates.polyak_lojasiewicz(9, MU)),
    "our:lastIterate": (3, Fraction(1, 9), lambda g: rates.last_iterate(9)),
    "thm:rcdConvex": (3, Fraction(1, 20), lambda g: rates.convex(9)),
    "our:convexSharp": (3, Fraction(1, 10), lambda g: rates.convex_sharp(9)),
    "thm:rcdNonconvex": (3, Fraction(1, 10), lambda g: rates.nonconvex(9)),
    "thm:oldConvex": (3, Fraction(1, 40), lambda g: rates.generic_convex(Fraction(9, 2), 9)),
    "thm:non-convex": (3, Fraction(1, 40), lambda g: rates.generic_nonconvex(Fraction(9, 2), 9)),
    "our:genericNonconvex": (
        3,
        Fraction(1, 40),
        lambda g: rates.generic_nonconvex_sharp(Fraction(9, 2), 9),
    ),
    "our:noisyConvex": (
        2,
        Fraction(1, 10),
        lambda g: rates.noisy_convex(9, variance(g, over_p=True)),
    ),
    "our:noisyStronglyConvex": (
        2,
        Fraction(1, 9),
        lambda g: rates.noisy_strongly_convex(9, MU, variance(g, over_p=True)),
    ),
    "our:noisyNonconvex": (
        2,
        Fraction(1, 9),
        lambda g: rates.noisy_nonconvex(9, variance(g, over_p=False)),
    ),
}


@pytest.mark.parametrize("name", RATES_OF_STATEMENTS)
def test_rates_are_the_statements_that_are_attacked(name: str) -> None:
    """The right-hand side of a rate is that of the statement of the same theorem about runs."""
    T, gamma, make = RATES_OF_STATEMENTS[name]
    function = Function(ROWS, (None, None), MU, "huber")
    L = ((Fraction(9, 2), Fraction(0)), (Fraction(0), Fraction(3, 2)))
    instance = Instance((1, 1), L, P, "nested", P, X, function, gamma, T)
    (statement,) = (s for s in RUN_STATEMENTS if s.name == name)
    assert statement.limit is not None and statement.limit.allows(instance.exact)
    left, right = statement.brackets(instance.exact)
    start = {"squared_distance": squared_distance(instance.exact)[0]}
    start["gap"] = start_value(instance.exact)[0]
    rate = make(gamma)
    bound = rate.bound(T, stepsize=gamma, **start)
    if "<= 1 - E" in statement.text:
        # The decrease that is promised is what the bound takes off.
        right = start[rate.needs[0]] - left
    assert right.exact_lower * (1 - Fraction(1, 10**15)) <= bound.exact_upper
    assert bound.exact_lower <= right.exact_upper * (1 + Fraction(1, 10**15))
