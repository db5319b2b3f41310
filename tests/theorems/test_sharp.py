"""The sharp strongly convex factor: against its definition, the closed forms, the paper's factor
and PEPit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from rpttheory.statements.sharp_factor import theta_bounds
from rpttheory.theorems import strongly_convex_sharp

PROBABILITIES = st.lists(st.floats(1e-3, 1.0), min_size=1, max_size=4)
ORDINARY = st.floats(1e-3, 1e3)
STEPS = st.none() | st.floats(1e-3, 1)


def shares(p: list[float], s: float, levels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The largest share of a block at each l, all blocks looked at."""
    q = np.array(p)
    e = 1 - s / q
    gap = levels[:, None] - e
    return np.asarray((s**2 / q + (q - s) * (gap - e) ** 2 / (4 * gap)).max(axis=1))


@given(p=PROBABILITIES, part=st.floats(0.01, 0.99))
def test_theta_is_the_least_over_the_multiplier_of_the_largest_share(
    p: list[float], part: float
) -> None:
    s = part * min(p)
    theta = float(theta_bounds(Fraction(s), Fraction(min(p)), Fraction(max(p)))[1])
    top = 1 - s / max(p)
    levels = top + (3 - top) * np.linspace(0, 1, 2001)[1:]
    for _ in range(3):
        at = int(shares(p, s, levels).argmin())
        levels = np.linspace(
            levels[max(at - 1, 0)] if at else top * (1 + 1e-15), levels[min(at + 1, 1999)], 2000
        )[1:]
        levels = np.append(levels, levels[-1])
    assert theta == pytest.approx(shares(p, s, levels).min(), rel=1e-5)
    assert theta <= shares(p, s, levels).min() * (1 + 1e-12)


def test_theta_by_hand() -> None:
    # The shares of 1 and 1/4 cross at l = 3/2.
    quarter = Fraction(1, 4)
    assert theta_bounds(Fraction(1, 10), quarter, Fraction(1))[1] == Fraction(7, 160)
    assert theta_bounds(quarter, quarter, Fraction(1)) == (quarter, quarter)


@given(st.integers(1, 99), st.integers(1, 99), st.integers(1, 10**6))
def test_theta_is_enclosed_closely(one: int, other: int, part: int) -> None:
    least, most = sorted((Fraction(one, 99), Fraction(other, 99)))
    s = least * Fraction(part, 10**6)

    def attained(value: Fraction) -> bool:
        """Some multiplier makes neither share larger: the largest that the growing share allows is
        tried.
        """
        e = 1 - s / least
        d = least - s
        f = 1 - s / most
        low = max(f, 2 * e)
        high = 2 * f
        for _ in range(200):
            middle = (low + high) / 2
            grows = s * s / least + d * (middle - 2 * e) ** 2 / (4 * (middle - e))
            low, high = (middle, high) if grows <= value else (low, middle)
        return low > f and s * s / most + (most - s) * (low - 2 * f) ** 2 / (4 * (low - f)) <= value

    low, high = theta_bounds(s, least, most)
    assert low <= high < low + s / 2**64
    if most <= 2 * least - s:
        assert low == high == s * s / least
    else:
        assert attained(high + Fraction(1, 2**150))
        assert least == s or not attained(low - Fraction(1, 2**150))


def test_mu_may_exceed_its_limit_by_rounding_alone() -> None:
    # L = mu I: mu = L_P p_min, here with 1/10 and L_P rounded.
    for mu in (0.1 * 3.0, math.nextafter(0.1 * 3.0, 1.0)):
        bound = strongly_convex_sharp(3.0, mu, [0.1, 0.1]).bound(1, squared_distance=1.0).upper
        assert bound == pytest.approx(0.9, rel=1e-15)
    for p in ([0.5, 0.5], [1.0, 0.5]):
        assert (
            strongly_convex_sharp(math.nextafter(2.0, 0.0), 1.0, p)
            .bound(1, squared_distance=1.0)
            .upper
            == 0.5
        )
    with refuses("mu", found="mu = 0.31, L_P = 3.0, p_min = 0.1"):
        strongly_convex_sharp(3.0, 0.31, [0.1, 1.0])
