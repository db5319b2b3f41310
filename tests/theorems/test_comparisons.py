"""Which bound is better, and where."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.theorems import (
    convex,
    convex_sharp,
    generic_convex,
    generic_nonconvex,
    nonconvex,
)

ORDINARY = st.floats(1e-3, 1e3)


@given(L_P=ORDINARY, R2=ORDINARY, T=st.integers(0, 10**6))
def test_the_sharp_bound_is_a_quarter_of_the_papers_at_its_best_stepsize(
    L_P: float, R2: float, T: int
) -> None:
    assert (
        4 * convex_sharp(L_P).bound(T, squared_distance=R2).upper
        == convex(L_P).bound(T, squared_distance=R2).upper
    )
    gamma = convex(L_P).stepsize().lower
    sharp, paper = (
        rate.bound(T, squared_distance=R2, stepsize=gamma).upper
        for rate in (convex_sharp(L_P), convex(L_P))
    )
    assert 2 * sharp == paper


@given(L=ORDINARY, ratio=st.floats(1, 100), R2=ORDINARY, delta=ORDINARY, more=st.integers(0, 10**6))
def test_the_generic_bounds_are_worse(
    L: float, ratio: float, R2: float, delta: float, more: int
) -> None:
    L_P = L * ratio
    start: dict[str, Any] = {"squared_distance": R2, "gap": delta}
    for T in (1, 1 + more):
        assert (
            generic_convex(L, L_P).bound(T, **start).upper > convex(L_P).bound(T - 1, **start).upper
        )
    # From T = L_P / L on, also at the stepsize that minimises the generic bound.
    T = math.ceil(ratio * (1 + 1e-9)) + more
    generic = generic_nonconvex(L, L_P)
    best = 1 / math.sqrt(L * L_P * (2 * T - 1)) * (1 - 1e-12)
    for bound in (generic.bound(T, **start).upper, generic.bound(T, stepsize=best, **start).upper):
        assert bound > nonconvex(L_P).bound(T - 1, **start).upper


def test_for_few_steps_the_generic_nonconvex_bound_can_be_better() -> None:
    assert (
        generic_nonconvex(1.0, 100.0).bound(2, gap=1.0).upper
        < nonconvex(100.0).bound(1, gap=1.0).upper
    )


def test_the_generic_nonconvex_bound_decays_like_the_root_of_T() -> None:
    rate = generic_nonconvex(1.0, 1.0)
    assert rate.bound(4 * 10**6, gap=1.0).upper == pytest.approx(
        rate.bound(10**6, gap=1.0).upper / 2, rel=1e-6
    )
    assert (
        nonconvex(1.0).bound(4 * 10**6 - 1, gap=1.0).upper
        == nonconvex(1.0).bound(10**6 - 1, gap=1.0).upper / 4
    )


@given(L=ORDINARY, A=ORDINARY, T=st.integers(2, 1000))
def test_the_largest_generic_nonconvex_stepsize_is_not_the_best(L: float, A: float, T: int) -> None:
    rate = generic_nonconvex(L, A)
    best = 1 / math.sqrt(L * A * (2 * T - 1))
    least = rate.bound(T, gap=1.0, stepsize=best).upper
    assert least < rate.bound(T, gap=1.0).upper
    assert least <= rate.bound(T, gap=1.0, stepsize=best * 0.99).upper
    assert least <= rate.bound(T, gap=1.0, stepsize=best * 1.01).upper
