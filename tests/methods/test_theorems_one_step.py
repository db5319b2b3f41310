"""One strongly convex step: the sharp factor is attained, and a simpler one that we conjectured is false."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rpttheory import Blocks, NestedSampling, weighted_smoothness
from rpttheory.methods import exact_second_moments
from rpttheory.theory.rates import strongly_convex_sharp

from .exact_problems import ABOVE, BELOW, trace


def conjectured(gamma: Fraction, mu: Fraction, p: list[float]) -> Fraction:
    """1 - 2 gamma mu + (gamma mu)^2 / p_min, which performance estimation suggested at gamma = 1/L_P."""
    return 1 - 2 * gamma * mu + (gamma * mu) ** 2 / Fraction(min(p))


def one_step(H: list[list[int]], p: list[float], gamma: Fraction, x: list[int], sizes: tuple[int, ...]) -> Fraction:
    moments = exact_second_moments(H, NestedSampling(p), Blocks(sizes), gamma, x, 1)
    return trace(moments[1]) / trace(moments[0])


def test_the_conjectured_contraction_is_refuted() -> None:
    # P^-1/2 H P^-1/2 = [[8, -2], [-2, 5]] has the eigenvalues 9 and 4, and H >= 5/3 because (2 - 5/3)(5 - 5/3) > 1.
    H, p, mu, gamma = [[2, -1], [-1, 5]], [0.25, 1.0], Fraction(5, 3), Fraction(1, 9)
    assert (2 - mu) * (5 - mu) > 1
    contraction = one_step(H, p, gamma, [8, 1], (1, 1))
    assert contraction > ABOVE * conjectured(gamma, mu, p)
    # The theorem of the paper stands, and so does the sharp one.
    sharp = strongly_convex_sharp(9.0, 5 / 3, p).bound(1, squared_distance=1.0)
    assert contraction <= Fraction(sharp) < 1 - gamma * mu


@given(st.lists(st.integers(1, 9), min_size=2, max_size=3), st.data())
def test_the_conjectured_contraction_holds_for_diagonal_matrices(h: list[int], data: st.DataObject) -> None:
    p = data.draw(st.lists(st.integers(-4, 0).map(lambda e: 2.0**e), min_size=len(h), max_size=len(h)))
    gamma = 1 / max(Fraction(a) / Fraction(q) for a, q in zip(h, p, strict=True))
    H = np.diag(h).tolist()
    for k in range(len(h)):
        unit = [int(j == k) for j in range(len(h))]
        assert one_step(H, p, gamma, unit, (1,) * len(h)) <= conjectured(gamma, Fraction(min(h)), p)


def test_the_sharp_contraction_is_attained() -> None:
    # With the multiplier 3/2 both blocks have the share 7/160: the factor is 1 - 2/10 + 7/160 = 27/32.
    v, p, sizes = [3, 3, -1, -1, -1], [1.0, 0.25], (2, 3)
    H = (4 * np.eye(5, dtype=int) + np.outer(v, v)).tolist()
    L_P = weighted_smoothness(np.array(H, dtype=float), Blocks(sizes), probabilities=p, effort="exact").upper
    assert L_P == 40.0
    contraction = one_step(H, p, Fraction(1, 40), [1, 1, 3, 3, 3], sizes)
    sharp = Fraction(strongly_convex_sharp(L_P, 4.0, p).bound(1, squared_distance=1.0))
    assert contraction == Fraction(27, 32) <= sharp <= (1 + Fraction(1, 2**52)) * contraction
    # So nothing stronger is true: a smaller factor, or the conjectured one.
    assert contraction > BELOW * sharp
    assert contraction > conjectured(Fraction(1, 40), Fraction(4), p)
