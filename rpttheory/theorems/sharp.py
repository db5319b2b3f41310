"""Convergence theorems that the paper does not have: as sharp as they can be, and with stochastic
gradients.
"""

from dataclasses import dataclass
from fractions import Fraction

from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..numbers.checks import check_probabilities
from ..statements.sharp_factor import theta_bounds
from .rate import Number, Rate, checked_number, theorem
from .shapes import Compounding, Geometric, Harmonic, LastIterate

# mu and L_P are often rounded, and for L = mu I with equal probabilities mu = L_P p_min.
_ROUNDING = Fraction(1, 10**12)


def convex_sharp(L_P: Number) -> Rate:
    """E[f(x_bar_T) - f*] <= ||x_0 - x*||^2 / (2 gamma (T + 1)) for gamma <= 1/L_P; the paper does
    not have it.

    Paper: our:convexSharp (upper, tight)

    With g the gradient at x, convexity and L-smoothness give <g, x - x*> >= f(x) - f* +
    ||g||^2_{L^-1} / 2 (with the pseudo-inverse if L is singular), and L <= L_P P gives
    ||g||^2_{L^-1} >= ||g||^2_{P^-1} / L_P. Hence E||x_+ - x*||^2 <= ||x - x*||^2 - 2 gamma (f(x) -
    f*) - gamma (1/L_P - gamma) ||g||^2_{P^-1}; sum over the steps. At gamma = 1/L_P the bound is
    attained for every T: by a Huber function of one coordinate that is always updated.

    Parameters
    ----------
    L_P : Bracket or number
        lambda_max(P^-1/2 L P^-1/2).

    Returns
    -------
    Rate

    Examples
    --------
    >>> print(convex_sharp(2.0).bound(3, squared_distance=1.0))
    0.25
    """
    measure = "E[f(x_bar_T) - f*]"
    half = (Fraction(1, 2), 0, 0)
    return theorem("our:convexSharp", measure, lambda L_P: Harmonic(L_P, half), L_P=L_P)


def polyak_lojasiewicz(L_M: Number, mu: Number) -> Rate:
    """E[f(x_T) - f*] <= (1 - gamma mu)^T (f(x_0) - f*) for gamma <= 1/L_M, if ||grad f||^2 >= 2 mu
    (f - f*).

    Paper: our:polyakLojasiewicz (upper, tight)

    f need not be convex. With f mu-strongly convex it is our:functionValues, and with one
    coordinate at a time, drawn with probability L_ii / sum_j L_jj = L_ii / L_M, the known rate of
    randomized coordinate descent.

    Parameters
    ----------
    L_M : Bracket or number
        lambda_max(E[CLC]); L_P, which is not less, will do.
    mu : Bracket or number
        At most L_M.

    Returns
    -------
    Rate

    Examples
    --------
    >>> print(polyak_lojasiewicz(2.0, 1.0).bound(2, gap=4.0))
    1
    """
    return theorem(
        "our:polyakLojasiewicz",
        "E[f(x_T) - f*]",
        lambda L_M, mu: Geometric(L_M, mu, "gap"),
        L_M=L_M,
        mu=mu,
    )


def last_iterate(L_P: Number) -> Rate:
    """E[f(x_T) - f*] <= ||x_0 - x*||^2 / ((3 T + 1) gamma) for gamma <= 1/L_P and T >= 1; the paper
    does not have it.

    Paper: our:lastIterate (upper)

    RPT puts out its last iterate. One step has the smaller bound L_P ||x_0 - x*||^2 / (2 (1 + 2
    gamma L_P)), which is sharp (our:lastIterateOne); since the expected values fall, no later bound
    is above it. The bound of gradient descent, L_P ||x_0 - x*||^2 / (2 (1 + 2 T gamma L_P)), is
    false from T = 2 on (our:lastIterateDescent).

    Parameters
    ----------
    L_P : Bracket or number
        lambda_max(P^-1/2 L P^-1/2).

    Returns
    -------
    Rate

    Examples
    --------
    >>> rate = last_iterate(2.0)
    >>> print(rate.bound(1, squared_distance=3.0), rate.bound(3, squared_distance=5.0))
    1 1
    """
    return theorem(
        "our:lastIterate",
        "E[f(x_T) - f*]",
        lambda L_P: LastIterate(L_P, (1, 0, 0), count=(3, 1)),
        first=1,
        L_P=L_P,
    )


def generic_nonconvex_sharp(L: Number, A: Number) -> Rate:
    """min_{t < T} E||grad f(x_t)||^2 <= L A gamma (f(x_0) - f*) / (1 - (1 + L A gamma^2)^-T), gamma
    <= 1/sqrt(L A T).

    Paper: our:genericNonconvex (upper)

    `generic_nonconvex` with the weights of its proof added up rather than bounded by the least: at
    most half of it. T >= 4 (f(x_0) - f*)^2 L A / eps^2 steps are enough at the largest stepsize,
    with 2.51 in place of 4 for large T.

    Parameters
    ----------
    L : Bracket or number
        The smoothness constant lambda_max(L).
    A : Bracket or number
        The constant of the second-moment assumption.

    Returns
    -------
    Rate

    Examples
    --------
    >>> print(generic_nonconvex_sharp(1.0, 1.0).stepsize(4))
    0.5
    """
    measure = "min_t E||grad f(x_t)||^2"
    return theorem(
        "our:genericNonconvex",
        measure,
        lambda L, A: Compounding(L * A, summed=True),
        first=1,
        L=L,
        A=A,
    )


def noisy_convex(L_P: Number, variance: Number) -> Rate:
    """E[f(x_bar_T) - f*] <= (||x_0 - x*||^2 / (gamma (T + 1)) + gamma sum_k sigma_k^2 / p_k) / 2
    for gamma <= 1/L_P.

    Paper: our:noisyConvex (upper)

    The gradient comes with noise of mean 0 that is drawn apart from the sketch. Stepsizes up to
    2/L_P converge as well, to a larger right-hand side.

    Parameters
    ----------
    L_P : Bracket or number
        lambda_max(P^-1/2 L P^-1/2).
    variance : Bracket or number
        sum_k sigma_k^2 / p_k, where sigma_k^2 bounds the variance of block k.

    Returns
    -------
    Rate

    Examples
    --------
    >>> rate = noisy_convex(2.0, 1.0)
    >>> print(rate.bound(3, squared_distance=1.0))
    0.5
    >>> print(rate.bound(3, squared_distance=1.0, stepsize=0.25))
    0.625
    """
    return theorem(
        "our:noisyConvex",
        "E[f(x_bar_T) - f*]",
        lambda L_P, variance: Harmonic(L_P, (Fraction(1, 2), 0, 0), noise=variance / 2),
        L_P=L_P,
        variance=variance,
    )


def noisy_nonconvex(L_M: Number, variance: Number) -> Rate:
    """mean_t E||grad f(x_t)||^2 <= (2 gap / (gamma (T + 1)) + gamma L_M sum_k sigma_k^2) / (2 -
    gamma L_M).

    Paper: our:noisyNonconvex (upper)

    For gamma <= 1/L_M, and noise as in `noisy_convex`; `variance` is sum_k sigma_k^2 here, without
    probabilities.

    Parameters
    ----------
    L_M : Bracket or number
        lambda_max(E[CLC]).
    variance : Bracket or number
        sum_k sigma_k^2.

    Returns
    -------
    Rate

    Examples
    --------
    >>> print(noisy_nonconvex(1.0, 3.0).bound(1, gap=1.0))
    4
    """
    return theorem(
        "our:noisyNonconvex",
        "mean_t E||grad f(x_t)||^2",
        lambda L_M, variance: Harmonic(L_M, (0, 2, 0), noise=L_M * variance, damped=True),
        L_M=L_M,
        variance=variance,
    )


def noisy_strongly_convex(L_P: Number, mu: Number, variance: Number) -> Rate:
    """E||x_T - x*||^2 <= (1 - gamma mu u)^T ||x_0 - x*||^2 + gamma / (mu u) sum_k sigma_k^2 / p_k,
    u = 2 - gamma L_P.

    Paper: our:noisyStronglyConvex (upper, tight)

    For gamma <= 1/L_P, and noise and `variance` as in `noisy_convex`.

    Parameters
    ----------
    L_P : Bracket or number
        lambda_max(P^-1/2 L P^-1/2).
    mu : Bracket or number
        The strong convexity constant, at most L_P.
    variance : Bracket or number
        sum_k sigma_k^2 / p_k.

    Returns
    -------
    Rate

    Examples
    --------
    >>> print(noisy_strongly_convex(2.0, 1.0, 4.0).bound(1, squared_distance=2.0))
    3
    """
    return theorem(
        "our:noisyStronglyConvex",
        "E||x_T - x*||^2",
        lambda L_P, mu, variance: Geometric(L_P, mu, noise=variance / mu, damped=True),
        L_P=L_P,
        mu=mu,
        variance=variance,
    )


def strongly_convex_sharp(L_P: Number, mu: Number, probabilities: ArrayLike) -> Rate:
    """E||x_T - x*||^2 <= (1 - 2 s + theta)^T ||x_0 - x*||^2 for gamma <= 1/L_P, where s = gamma mu.

    Paper: our:stronglyConvexSharp (upper, tight)

    theta is the least over l > max e_k of the largest share s^2 / p_k + (p_k - s) (l - 2 e_k)^2 /
    (4 (l - e_k)), where e_k = 1 - s / p_k; only the least and the largest probability matter. The
    factor is the best possible in one step. It is 1 - 2 s + s^2 / p_min where p_max <= 2 p_min - s,
    and never more than 1 - 2 s p_min / (p_min + s), which is at most the paper's 1 - s. Where the
    probabilities are further apart, theta is a root of a polynomial and seldom rational: a fraction
    above it, by less than 2^-64 s, takes its place, for which `bound` and `iterations` are exact.

    Parameters
    ----------
    L_P : Bracket or number
        lambda_max(P^-1/2 L P^-1/2).
    mu : Bracket or number
        The strong convexity constant; at most L_P p_min, as L <= L_P P.
    probabilities : array
        One per block.

    Returns
    -------
    Rate

    Examples
    --------
    >>> rate = strongly_convex_sharp(8.0, 1.0, [1.0, 0.25])
    >>> print(f"{rate.bound(1, squared_distance=1.0):.6f}")
    0.817983
    """
    p = check_probabilities(probabilities).fractions()
    least = min(p)
    most = max(p)
    if checked_number(mu, "mu").exact_lower > (1 + _ROUNDING) * least * Fraction(
        checked_number(L_P, "L_P").exact_upper
    ):
        values = f"mu = {mu}, L_P = {L_P}, p_min = {float(least):g}"
        remedy = "mu <= lambda_min(L), and L_P of these probabilities"
        raise InvalidInput(
            "must not exceed L_P times the least probability", values, remedy, argument="mu"
        )
    return theorem(
        "our:stronglyConvexSharp",
        "E||x_T - x*||^2",
        lambda L_P, mu: _Sharp(L_P, min(mu, L_P * least), least=least, most=most),
        L_P=L_P,
        mu=mu,
    )


@dataclass(frozen=True)
class _Sharp(Geometric):
    """(1 - 2 s + theta)^T ||x_0 - x*||^2."""

    least: Fraction = Fraction(1)
    most: Fraction = Fraction(1)

    def _factor(self, gamma: Fraction | None) -> Fraction:
        s = 1 - super()._factor(gamma)
        return 1 - 2 * s + theta_bounds(s, self.least, self.most)[1]
