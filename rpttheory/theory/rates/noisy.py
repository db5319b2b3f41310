"""Stochastic gradients: what the noise of the blocks adds to the three theorems."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...errors import InvalidInput
from .arithmetic import number, positive
from .rate import Rate, Start
from .shapes import Geometric, Harmonic


def noisy_convex(L_P: float, variance: float) -> Rate:
    """E[f(x_bar_T) - f*] <= (||x_0 - x*||^2 / (gamma (T + 1)) + gamma sum_k sigma_k^2 / p_k) / 2 for gamma <= 1/L_P.

    Paper: our:noisyConvex (upper)

    The gradient comes with noise of mean 0 that is drawn apart from the sketch. Stepsizes up to 2/L_P converge as well,
    to a larger right-hand side.

    Parameters
    ----------
    L_P : float
        lambda_max(P^-1/2 L P^-1/2).
    variance : float
        sum_k sigma_k^2 / p_k, where sigma_k^2 bounds the variance of block k.

    Examples
    --------
    >>> rate = noisy_convex(2.0, 1.0)
    >>> rate.bound(3, squared_distance=1.0), rate.bound(3, squared_distance=1.0, stepsize=0.25)
    (0.5, 0.625)
    """
    return _NoisyHarmonic(
        "our:noisyConvex",
        "E[f(x_bar_T) - f*]",
        ("squared_distance",),
        0,
        largest=1 / positive(L_P, "L_P"),
        weights=(Fraction(1, 2), 0, 0),
        noise=number(variance, "variance") / 2,
    )


def noisy_nonconvex(L_M: float, variance: float) -> Rate:
    """mean_t E||grad f(x_t)||^2 <= (2 gap / (gamma (T + 1)) + gamma L_M sum_k sigma_k^2) / (2 - gamma L_M).

    Paper: our:noisyNonconvex (upper)

    For gamma <= 1/L_M, and noise as in `noisy_convex`; `variance` is sum_k sigma_k^2 here, without probabilities.

    Examples
    --------
    >>> noisy_nonconvex(1.0, 3.0).bound(1, gap=1.0)
    4.0
    """
    smoothness = positive(L_M, "L_M")
    return _NoisyHarmonic(
        "our:noisyNonconvex",
        "mean_t E||grad f(x_t)||^2",
        ("gap",),
        0,
        largest=1 / smoothness,
        weights=(0, 2, 0),
        noise=smoothness * number(variance, "variance"),
        damped=True,
    )


def noisy_strongly_convex(L_P: float, mu: float, variance: float) -> Rate:
    """E||x_T - x*||^2 <= (1 - gamma mu u)^T ||x_0 - x*||^2 + gamma / (mu u) sum_k sigma_k^2 / p_k, u = 2 - gamma L_P.

    Paper: our:noisyStronglyConvex (upper, tight)

    For gamma <= 1/L_P, and noise and `variance` as in `noisy_convex`.

    Examples
    --------
    >>> noisy_strongly_convex(2.0, 1.0, 4.0).bound(1, squared_distance=2.0)
    3.0
    """
    smoothness, convexity = positive(L_P, "L_P"), positive(mu, "mu")
    if convexity > smoothness:
        raise InvalidInput("mu must not exceed L_P", f"mu = {mu!r}, L_P = {L_P!r}", "mu <= lambda_min(L)")
    return _NoisyGeometric(
        "our:noisyStronglyConvex",
        "E||x_T - x*||^2",
        ("squared_distance",),
        0,
        largest=1 / smoothness,
        mu=convexity,
        noise=number(variance, "variance") / convexity,
    )


def _room(gamma: Fraction, largest: Fraction) -> Fraction:
    """2 - gamma L."""
    return 2 - gamma / largest


@dataclass(frozen=True)
class _NoisyHarmonic(Harmonic):
    """With the term gamma `noise`; where `damped` all is divided by 2 - gamma L."""

    noise: Fraction = Fraction(0)
    damped: bool = False

    def _numerator(self, start: Start, gamma: Fraction) -> Fraction:
        return super()._numerator(start, gamma) / (_room(gamma, self.largest) if self.damped else 1)

    def _floor(self, gamma: Fraction) -> Fraction:
        return gamma * self.noise / (_room(gamma, self.largest) if self.damped else 1)


@dataclass(frozen=True)
class _NoisyGeometric(Geometric):
    """The factor 1 - gamma mu (2 - gamma L), and the term gamma `noise` / (2 - gamma L)."""

    noise: Fraction

    def _factor(self, gamma: Fraction | None) -> Fraction:
        step = self.largest if gamma is None else gamma
        return 1 - step * self.mu * _room(step, self.largest)

    def _floor(self, gamma: Fraction) -> Fraction:
        return gamma * self.noise / _room(gamma, self.largest)
