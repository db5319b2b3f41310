"""Input that a rate refuses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from rpttheory.numbers import Bracket
from rpttheory.theorems import (
    convex,
    generic_convex,
    generic_nonconvex,
    nonconvex,
    strongly_convex,
    strongly_convex_sharp,
)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, None, "x"])
def test_numbers_must_be_positive_and_finite(bad: Any) -> None:
    for make, argument in (
        (convex, "L_P"),
        (nonconvex, "smoothness"),
        (lambda value: strongly_convex(value, 1.0), "L_P"),
        (lambda value: strongly_convex(1.0, value), "mu"),
        (lambda value: generic_convex(value, 1.0), "L"),
        (lambda value: strongly_convex_sharp(value, 1.0, [1.0]), "L_P"),
        (lambda value: generic_nonconvex(1.0, value), "A"),
        (lambda value: convex(1.0).iterations(value, squared_distance=1.0), "eps"),
    ):
        with refuses(argument):
            make(bad)
    if bad is not None:
        for rate, start in ((convex(1.0), "squared_distance"), (generic_nonconvex(1, 1), "gap")):
            with refuses("stepsize"):
                rate.bound(1, stepsize=bad, **{start: 1.0})
    if bad != 0.0:
        with refuses("squared_distance"):
            convex(1.0).bound(1, squared_distance=bad)


@pytest.mark.parametrize("T", [-1, 1.5, "3", None, True])
def test_T_must_be_a_count(T: Any) -> None:
    with refuses(found=repr(T)):
        convex(1.0).bound(T, squared_distance=1.0)


def test_more_refusals() -> None:
    with refuses("mu"):
        strongly_convex(1.0, math.nextafter(1.0, 2.0))
    for probabilities in ([0.5, 0.0], []):
        with refuses("probabilities"):
            strongly_convex_sharp(1.0, 0.5, probabilities)
    with refuses("gap", found="None"):
        nonconvex(1.0).bound(1, squared_distance=1.0)
    with refuses(found="0"):
        generic_convex(1.0, 1.0).bound(0, squared_distance=1.0, gap=1.0)
    with refuses(found="T=None"):
        generic_nonconvex(1.0, 1.0).stepsize()


def test_the_generic_nonconvex_stepsize_limits_T() -> None:
    rate = generic_nonconvex(1.0, 1.0)
    assert rate.bound(4, gap=1.0, stepsize=0.5).upper == rate.bound(4, gap=1.0).upper
    with refuses("stepsize"):
        rate.bound(5, gap=1.0, stepsize=0.5)
    with refuses("stepsize"):
        rate.iterations(1.0, gap=1.0, stepsize=1.5)
    best = rate.bound(4, gap=1.0, stepsize=0.5).upper
    assert rate.iterations(best, gap=1.0, stepsize=0.5).exact == 4
    with refuses(found="at most 4 iterations"):
        rate.iterations(math.nextafter(best, 0.0), gap=1.0, stepsize=0.5)


def test_brackets_must_hold_a_number_that_will_do() -> None:
    """One that reaches below the numbers allowed is cut off there."""
    assert convex(Bracket(-1.0, 4.0)).bound(7, squared_distance=Bracket(-1.0, 1.0)).exact_upper == 1
    for bad in (Bracket(-2.0, -1.0), Bracket(1.0, math.inf)):
        with refuses("L_P"):
            convex(bad)
    unknown: Any = Bracket(0.25, 0.5)
    with refuses("stepsize"):
        convex(1.0).bound(1, squared_distance=1.0, stepsize=unknown)
    with refuses("mu"):
        strongly_convex(Bracket(1.0, 2.0), Bracket(2.5, 3.0))
    wide = strongly_convex(Bracket(1.0, 2.0), Bracket(1.5, 3.0))
    assert wide.bound(1, squared_distance=1.0).exact_lower == 0


def test_numpy_scalars_are_numbers() -> None:
    assert convex(np.float64(4.0)).bound(np.int64(7), squared_distance=np.float64(1.0)).upper == 1.0
