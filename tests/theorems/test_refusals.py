"""What a rate does not accept, and how it says so."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from rpttheory.errors import InvalidInput
from rpttheory.numbers import Bracket
from rpttheory.theorems import (
    convex,
    convex_sharp,
    generic_convex,
    generic_nonconvex,
    nonconvex,
    strongly_convex,
)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, None, "x"])
def test_constants_must_be_positive_and_finite(bad: Any) -> None:
    for make in (
        convex,
        convex_sharp,
        nonconvex,
        lambda v: strongly_convex(v, 1.0),
        lambda v: strongly_convex(1.0, v),
    ):
        with pytest.raises(InvalidInput):
            make(bad)
    for pair in (generic_convex, generic_nonconvex):
        with pytest.raises(InvalidInput):
            pair(bad, 1.0)
        with pytest.raises(InvalidInput):
            pair(1.0, bad)
    with pytest.raises(InvalidInput, match="eps"):
        convex(1.0).iterations(bad, squared_distance=1.0)
    if bad is not None:
        with pytest.raises(InvalidInput, match="stepsize"):
            convex(1.0).bound(1, squared_distance=1.0, stepsize=bad)
        with pytest.raises(InvalidInput, match="stepsize"):
            generic_nonconvex(1.0, 1.0).bound(1, gap=1.0, stepsize=bad)
    if bad != 0.0:
        with pytest.raises(InvalidInput, match="squared_distance"):
            convex(1.0).bound(1, squared_distance=bad)


@pytest.mark.parametrize("T", [-1, 1.5, "3", None, True])
def test_T_must_be_a_count(T: Any) -> None:
    with pytest.raises(InvalidInput, match="T must be a whole number"):
        convex(1.0).bound(T, squared_distance=1.0)


def test_more_refusals() -> None:
    with refuses("mu"):
        strongly_convex(1.0, math.nextafter(1.0, 2.0))
    with refuses("gap", found="None"):
        nonconvex(1.0).bound(1, squared_distance=1.0)
    with refuses("squared_distance", found="None"):
        convex(1.0).iterations(1.0, gap=1.0)
    with pytest.raises(InvalidInput, match="at least 1"):
        generic_convex(1.0, 1.0).bound(0, squared_distance=1.0, gap=1.0)
    with pytest.raises(InvalidInput, match="depends on T"):
        generic_nonconvex(1.0, 1.0).stepsize()


def test_the_generic_nonconvex_stepsize_limits_T() -> None:
    rate = generic_nonconvex(1.0, 1.0)
    assert rate.bound(4, gap=1.0, stepsize=0.5).upper == rate.bound(4, gap=1.0).upper
    with pytest.raises(InvalidInput, match="T = 5"):
        rate.bound(5, gap=1.0, stepsize=0.5)
    with pytest.raises(InvalidInput, match="T = 1"):
        rate.iterations(1.0, gap=1.0, stepsize=1.5)
    best = rate.bound(4, gap=1.0, stepsize=0.5).upper
    assert rate.iterations(best, gap=1.0, stepsize=0.5).exact == 4
    with pytest.raises(InvalidInput, match="does not reach"):
        rate.iterations(math.nextafter(best, 0.0), gap=1.0, stepsize=0.5)


def test_brackets_must_hold_a_number_that_will_do() -> None:
    """One that reaches below the numbers allowed is cut off there."""
    assert convex(Bracket(-1.0, 4.0)).bound(7, squared_distance=Bracket(-1.0, 1.0)).high == 1
    for bad in (Bracket(-2.0, -1.0), Bracket(1.0, math.inf)):
        with pytest.raises(InvalidInput, match="L_P must be positive and finite"):
            convex(bad)
    with pytest.raises(InvalidInput, match="stepsize must be known exactly"):
        convex(1.0).bound(1, squared_distance=1.0, stepsize=Bracket(0.25, 0.5))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="mu must not exceed L_P"):
        strongly_convex(Bracket(1.0, 2.0), Bracket(2.5, 3.0))
    assert (
        strongly_convex(Bracket(1.0, 2.0), Bracket(1.5, 3.0)).bound(1, squared_distance=1.0).low
        == 0
    )


def test_numpy_scalars_are_numbers() -> None:
    assert convex(np.float64(4.0)).bound(np.int64(7), squared_distance=np.float64(1.0)).upper == 1.0
