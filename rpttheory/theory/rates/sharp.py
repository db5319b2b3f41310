"""Convergence theorems that the paper does not have: as sharp as they can be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from numpy.typing import ArrayLike

from ...errors import InvalidInput
from ...validation import check_probabilities
from .arithmetic import decimal, digits, positive
from .rate import Rate, Start
from .shapes import Compounding, Geometric, Harmonic

# mu and L_P are often rounded, and for L = mu I with equal probabilities mu = L_P p_min.
_ROUNDING = Fraction(1, 10**12)


def convex_sharp(L_P: float) -> Rate:
    """E[f(x_bar_T) - f*] <= ||x_0 - x*||^2 / (2 gamma (T + 1)) for gamma <= 1/L_P; the paper does not have it.

    Paper: our:convexSharp (upper, tight)

    With g the gradient at x, convexity and L-smoothness give <g, x - x*> >= f(x) - f* + ||g||^2_{L^-1} / 2 (with the
    pseudo-inverse if L is singular), and L <= L_P P gives ||g||^2_{L^-1} >= ||g||^2_{P^-1} / L_P. Hence
    E||x_+ - x*||^2 <= ||x - x*||^2 - 2 gamma (f(x) - f*) - gamma (1/L_P - gamma) ||g||^2_{P^-1}; sum over the steps. At
    gamma = 1/L_P the bound is attained for every T: by a Huber function of one coordinate that is always updated.

    Examples
    --------
    >>> convex_sharp(2.0).bound(3, squared_distance=1.0)
    0.25
    """
    largest, half = 1 / positive(L_P, "L_P"), (Fraction(1, 2), 0, 0)
    return Harmonic("our:convexSharp", "E[f(x_bar_T) - f*]", ("squared_distance",), 0, largest=largest, weights=half)


def polyak_lojasiewicz(L_M: float, mu: float) -> Rate:
    """E[f(x_T) - f*] <= (1 - gamma mu)^T (f(x_0) - f*) for gamma <= 1/L_M, if ||grad f||^2 >= 2 mu (f - f*).

    Paper: our:polyakLojasiewicz (upper, tight)

    f need not be convex. With f mu-strongly convex it is our:functionValues, and with one coordinate at a time, drawn
    with probability L_ii / sum_j L_jj = L_ii / L_M, the known rate of randomised coordinate descent.

    Parameters
    ----------
    L_M : float
        lambda_max(E[CLC]); L_P, which is not less, will do.
    mu : float
        At most L_M.

    Examples
    --------
    >>> polyak_lojasiewicz(2.0, 1.0).bound(2, gap=4.0)
    1.0
    """
    smoothness, constant = positive(L_M, "L_M"), positive(mu, "mu")
    if constant > smoothness:
        raise InvalidInput("mu must not exceed L_M", f"mu = {mu!r}, L_M = {L_M!r}", "mu <= lambda_max(L)")
    return Geometric("our:polyakLojasiewicz", "E[f(x_T) - f*]", ("gap",), 0, largest=1 / smoothness, mu=constant)


def last_iterate(L_P: float) -> Rate:
    """E[f(x_T) - f*] <= ||x_0 - x*||^2 / ((3 T + 1) gamma) for gamma <= 1/L_P and T >= 1; the paper does not have it.

    Paper: our:lastIterate (upper)

    RPT puts out its last iterate. One step has the smaller bound L_P ||x_0 - x*||^2 / (2 (1 + 2 gamma L_P)), which is
    sharp (our:lastIterateOne); since the expected values fall, no later bound is above it. The bound of gradient
    descent, L_P ||x_0 - x*||^2 / (2 (1 + 2 T gamma L_P)), is false from T = 2 on (our:lastIterateDescent).

    Examples
    --------
    >>> rate = last_iterate(2.0)
    >>> rate.bound(1, squared_distance=3.0), rate.bound(3, squared_distance=5.0)
    (1.0, 1.0)
    """
    return _LastIterate(
        "our:lastIterate",
        "E[f(x_T) - f*]",
        ("squared_distance",),
        1,
        largest=1 / positive(L_P, "L_P"),
        weights=(1, 0, 0),
        count=(3, 1),
    )


@dataclass(frozen=True)
class _LastIterate(Harmonic):
    """||x_0 - x*||^2 times the lesser of 1 / ((3 T + 1) gamma) and L_P / (2 (1 + 2 gamma L_P))."""

    def _enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> tuple[Fraction, Fraction]:
        step = self.largest if gamma is None else gamma
        exact = min(
            super()._enclosure(steps, start, gamma, bits)[0], start.squared_distance / (2 * self.largest + 4 * step)
        )
        return exact, exact


def generic_nonconvex_sharp(L: float, A: float) -> Rate:
    """min_{t < T} E||grad f(x_t)||^2 <= L A gamma (f(x_0) - f*) / (1 - (1 + L A gamma^2)^-T), gamma <= 1/sqrt(L A T).

    Paper: our:genericNonconvex (upper)

    `generic_nonconvex` with the weights of its proof added up rather than bounded by the least: at most half of it.
    T >= 4 (f(x_0) - f*)^2 L A / eps^2 steps are enough at the largest stepsize, with 2.51 in place of 4 for large T.

    Examples
    --------
    >>> generic_nonconvex_sharp(1.0, 1.0).stepsize(4)
    0.5
    """
    return _Summed(
        "our:genericNonconvex", "min_t E||grad f(x_t)||^2", ("gap",), 1, LA=positive(L, "L") * positive(A, "A")
    )


@dataclass(frozen=True)
class _Summed(Compounding):
    """L A gamma gap / (1 - q^-T) = T (q - 1) / (1 - q^-T) times gap / (gamma T), q = 1 + L A gamma^2."""

    def _factor(self, low: Fraction, high: Fraction, growth: Fraction, steps: int) -> tuple[Fraction, Fraction]:
        rest = steps * (growth - 1)
        return rest / (1 - 1 / high), rest / (1 - 1 / low)

    def _estimate(self, target: Fraction, start: Start, gamma: Fraction | None) -> int:
        if start.gap == 0 or gamma is not None:
            return super()._estimate(target, start, gamma)
        with localcontext() as context:
            # (1 + 1/T)^-T is 1/e up to a relative 1/T.
            floor = start.gap**2 * self.LA / target**2
            context.prec = 50 + digits(floor)
            return int(decimal(floor) / (1 - Decimal(-1).exp()) ** 2)

    def _printed(self, target: Fraction, start: Start) -> int | None:
        return None


def strongly_convex_sharp(L_P: float, mu: float, probabilities: ArrayLike) -> Rate:
    """E||x_T - x*||^2 <= (1 - 2 s + theta)^T ||x_0 - x*||^2 for gamma <= 1/L_P, where s = gamma mu.

    Paper: our:stronglyConvexSharp (upper, tight)

    theta is the least over l > max e_k of the largest share s^2 / p_k + (p_k - s) (l - 2 e_k)^2 / (4 (l - e_k)), where
    e_k = 1 - s / p_k; only the least and the largest probability matter. The factor is the best possible in one step.
    It is 1 - 2 s + s^2 / p_min where p_max <= 2 p_min - s, and never more than 1 - 2 s p_min / (p_min + s), which is at
    most the paper's 1 - s. Where the probabilities are further apart, theta is a root of a polynomial and seldom
    rational: a fraction above it, by less than 2^-64 s, takes its place, for which `bound` and `iterations` are exact.

    Parameters
    ----------
    L_P : float
        lambda_max(P^-1/2 L P^-1/2).
    mu : float
        The strong convexity constant; at most L_P p_min, as L <= L_P P.
    probabilities : array
        One per block.

    Examples
    --------
    >>> rate = strongly_convex_sharp(8.0, 1.0, [1.0, 0.25])
    >>> round(rate.bound(1, squared_distance=1.0), 6)
    0.817983
    """
    smoothness, convexity = positive(L_P, "L_P"), positive(mu, "mu")
    p = check_probabilities(probabilities).near
    least, most = Fraction(float(p.min())), Fraction(float(p.max()))
    if convexity > (1 + _ROUNDING) * smoothness * least:
        raise InvalidInput(
            "mu must not exceed L_P times the least probability",
            f"mu = {mu!r}, L_P = {L_P!r}, p_min = {p.min():g}",
            "mu <= lambda_min(L), and L_P of these probabilities",
        )
    return _Sharp(
        "our:stronglyConvexSharp",
        "E||x_T - x*||^2",
        ("squared_distance",),
        0,
        largest=1 / smoothness,
        mu=min(convexity, smoothness * least),
        least=least,
        most=most,
    )


@dataclass(frozen=True)
class _Sharp(Geometric):
    """(1 - 2 s + theta)^T ||x_0 - x*||^2."""

    least: Fraction
    most: Fraction

    def _factor(self, gamma: Fraction | None) -> Fraction:
        s = 1 - super()._factor(gamma)
        return 1 - 2 * s + theta(s, self.least, self.most)


def share(p: Fraction, s: Fraction, multiplier: Fraction) -> Fraction:
    """What a block of probability p adds to 1 - 2 s, with the multiplier l of cocoercivity."""
    e = 1 - s / p
    return s * s / p + (p - s) * (multiplier - 2 * e) ** 2 / (4 * (multiplier - e))


@lru_cache(maxsize=128)
def theta(s: Fraction, least: Fraction, most: Fraction) -> Fraction:
    """The least over l of the larger share of the two blocks; where irrational, rounded up by less than 2^-64 s."""
    if most <= 2 * least - s:
        return s * s / least
    # Where 2 e(least) < l < 2 e(most) the share of `least` grows with l and that of `most` falls, and they cross.
    # There the slope of the former is at most 1/2, and l at the upper end is valid: its share stays the larger one.
    low, high = max(1 - s / most, 2 * (1 - s / least)), 2 * (1 - s / most)
    for _ in range(64 + math.ceil(1 / s).bit_length()):
        middle = (low + high) / 2
        if share(most, s, middle) > share(least, s, middle):
            low = middle
        else:
            high = middle
    return share(least, s, high)
