"""The number of iterations: the smallest one, by counting and at ties."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from rpttheory import theorems as rates
from rpttheory.numbers import Bracket, Rigor

ORDINARY = st.floats(1e-3, 1e3)


ANY = st.floats(1e-100, 1e100)


def _all(L_P: Any, small: Any, variance: Any = 0.0) -> list[rates.Rate]:
    return [
        rates.strongly_convex(L_P, small),
        rates.convex(L_P),
        rates.convex_sharp(L_P),
        rates.nonconvex(L_P),
        rates.generic_convex(small, L_P),
        rates.generic_nonconvex(small, L_P),
        rates.strongly_convex_sharp(L_P, small, [1.0, 1.0]),
        rates.strongly_convex_sharp(L_P, small / 4, [0.25, 1.0]),
        rates.generic_nonconvex_sharp(small, L_P),
        rates.last_iterate(L_P),
        rates.polyak_lojasiewicz(L_P, small),
        rates.noisy_convex(L_P, variance),
        rates.noisy_nonconvex(L_P, variance),
        rates.noisy_strongly_convex(L_P, small, variance),
    ]


@given(
    index=st.integers(0, 13),
    L_P=ANY,
    share=st.floats(1e-12, 1),
    eps=ANY,
    R2=ANY,
    delta=ANY,
    step=st.none() | st.floats(1e-3, 1),
)
def test_iterations_is_the_smallest_sufficient_number(
    index: int, L_P: float, share: float, eps: float, R2: float, delta: float, step: float | None
) -> None:
    rate = _all(L_P, L_P * share)[index]
    start: dict[str, Any] = {"squared_distance": R2, "gap": delta}
    if step is not None and index not in (5, 8):
        start["stepsize"] = rate.stepsize().lower * step
    T = int(rate.iterations(eps, **start).exact)
    assert T >= rate.first
    assert rate.bound(T, **start).upper <= eps
    assert T == rate.first or rate.bound(T - 1, **start).upper > eps


@pytest.mark.parametrize(
    ("rate", "start", "eps", "T"),
    [
        (rates.strongly_convex(2.0, 1.0), {"squared_distance": 1.0}, 2.0**-40, 40),
        (rates.strongly_convex(3.0, 2.0), {"squared_distance": 3.0**33}, 1.0, 33),
        (
            rates.strongly_convex_sharp(4.0, 1.0, [0.5, 0.75]),
            {"squared_distance": 8.0**17},
            5.0**17,
            17,
        ),
        (rates.convex_sharp(2.0), {"squared_distance": 3.0}, 0.5, 5),
        (rates.nonconvex(0.5), {"gap": 7.0}, 1.0, 6),
        (rates.last_iterate(2.0), {"squared_distance": 5.0}, 1.0, 3),
        (rates.generic_nonconvex_sharp(1.0, 1.0), {"gap": 1.0}, 2.0, 1),
        (rates.generic_convex(1.0, 1.0), {"gap": 1.0, "squared_distance": 1.0}, 0.5, 12),
        (rates.generic_nonconvex(2.0, 1.0), {"gap": 1.0}, 4.5, 2),
    ],
)
def test_ties_are_decided_exactly(
    rate: rates.Rate, start: dict[str, Any], eps: float, T: int
) -> None:
    assert rate.bound(T, **start).upper == eps
    assert rate.iterations(eps, **start).exact == T
    assert rate.iterations(math.nextafter(eps, math.inf), **start).exact == T
    assert rate.iterations(math.nextafter(eps, 0.0), **start).exact == T + 1


@pytest.mark.parametrize(
    ("rate", "start", "eps"),
    [
        (rates.strongly_convex_sharp(1.0, 1e-18, [0.25, 1.0]), {"squared_distance": 1.0}, 1e-9),
        (rates.strongly_convex(1.0, 0.999999), {"squared_distance": 1e308}, 5e-324),
        (rates.convex(1e300), {"squared_distance": 1e300}, 1e-300),
        (rates.generic_nonconvex(1e15, 1e15), {"gap": 1e15}, 1e-15),
        (rates.generic_nonconvex(1.0, 1.0), {"gap": 1.0, "stepsize": 1e-9}, 1e-8),
    ],
)
def test_huge_numbers_of_iterations_are_exact_too(
    rate: rates.Rate, start: dict[str, Any], eps: float
) -> None:
    T = int(rate.iterations(eps, **start).exact)
    assert rate.bound(T, **start).upper <= eps < rate.bound(T - 1, **start).upper
    assert T > 10**8 or "Strongly" in rate.label


def test_nothing_to_do_takes_no_iterations() -> None:
    start: dict[str, Any] = {"squared_distance": 0.0, "gap": 0.0}
    for rate in _all(1.0, 1.0):
        assert rate.iterations(0.1, **start).exact == rate.first
    assert rates.strongly_convex(1.0, 0.5).iterations(1.0, squared_distance=1.0).exact == 0
    assert rates.strongly_convex(1.0, 1.0).iterations(1e-300, squared_distance=1.0).exact == 1


def test_noise_is_not_taken_off_by_any_number_of_steps() -> None:
    rate = rates.noisy_convex(1.0, 1.0)
    assert rate.iterations(0.5, squared_distance=1.0, stepsize=0.5).exact == 3
    with refuses(found="0.5"):
        rate.iterations(0.5, squared_distance=1.0)
    # What noise leaves is largest where the smoothness is least, unlike all the rest.
    enclosure = rates.noisy_convex(Bracket(1.0, 2.0), Bracket(1.0, 4.0)).bound(
        10**9, squared_distance=1.0
    )
    least, most = (
        rates.noisy_convex(*ends).bound(10**9, squared_distance=1.0)
        for ends in ((2.0, 1.0), (1.0, 4.0))
    )
    assert enclosure.exact_lower < least.exact_lower < most.exact_upper < enclosure.exact_upper


@given(
    index=st.integers(0, 13),
    shares=st.lists(st.floats(0, 1), min_size=5, max_size=5),
    width=st.sampled_from([0.0, 1e-12, 0.25]),
    T=st.integers(1, 30),
    step=st.none() | st.floats(0.1, 1),
)
def test_brackets_hold_what_every_number_in_them_gives(
    index: int, shares: list[float], width: float, T: int, step: float | None
) -> None:
    """Of the constants, noise included, and of the start at once."""
    values = (3.0, 0.25, 2.0, 5.0, 2.0)
    brackets = [
        Bracket(v * (1 - width * s), v * (1 + width * (1 - s)))
        for v, s in zip(values, shares, strict=True)
    ]
    (exact, inside), (rate, bracketed) = (
        (
            _all(*numbers[:3])[index],
            dict(zip(("squared_distance", "gap"), numbers[3:], strict=True)),
        )
        for numbers in (values, brackets)
    )
    assert (
        rate.stepsize(T).exact_lower
        <= exact.stepsize(T).exact_lower
        <= exact.stepsize(T).exact_upper
        <= rate.stepsize(T).exact_upper
    )
    gamma = None if step is None else rate.stepsize(T).lower * step
    inner = exact.bound(T, stepsize=gamma, **inside)
    bound = rate.bound(T, stepsize=gamma, **bracketed)
    assert bound.exact_lower <= inner.exact_lower <= inner.exact_upper <= bound.exact_upper
    assert bound.rigor is Rigor.VERIFIED and inner.rigor is Rigor.EXACT
    eps = Bracket(bound.exact_upper * Fraction(17, 16), bound.exact_upper * 2)
    steps = rate.iterations(eps, stepsize=gamma, **bracketed)
    for target in (eps.exact_lower, eps.exact_upper):
        assert (
            steps.exact_lower
            <= exact.iterations(target, stepsize=gamma, **inside).exact
            <= steps.exact_upper
            <= T
        )
