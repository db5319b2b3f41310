"""The paper's convergence theorems for SkGD, and the generic bounds that it compares them with."""

from __future__ import annotations

from ...errors import InvalidInput
from .arithmetic import positive
from .rate import Rate
from .shapes import Compounding, Geometric, Harmonic


def strongly_convex(L_P: float, mu: float) -> Rate:
    """E||x_T - x*||^2 <= (1 - gamma mu)^T ||x_0 - x*||^2 for gamma <= 1/L_P.

    Paper: thm:rcdStronglyConvex (upper, tight)

    Erratum: the left side counts with t and the right side with k; both mean T. Equality holds for L = mu I with equal
    probabilities at gamma = 1/L_P, where gamma mu = p_min; elsewhere `strongly_convex_sharp` has a smaller factor. The
    same holds with a proximal term of each block (our:proximal).

    Parameters
    ----------
    L_P : float
        lambda_max(P^-1/2 L P^-1/2).
    mu : float
        The strong convexity constant, at most L_P.

    Examples
    --------
    >>> strongly_convex(2.0, 1.0).bound(2, squared_distance=4.0)
    1.0
    """
    smoothness, convexity = positive(L_P, "L_P"), positive(mu, "mu")
    if convexity > smoothness:
        raise InvalidInput("mu must not exceed L_P", f"mu = {mu!r}, L_P = {L_P!r}", "mu <= lambda_min(L)")
    return Geometric(
        "thm:rcdStronglyConvex", "E||x_T - x*||^2", ("squared_distance",), 0, largest=1 / smoothness, mu=convexity
    )


def convex(L_P: float) -> Rate:
    """E[f(x_bar_T) - f*] <= ||x_0 - x*||^2 / (gamma (T + 1)) for gamma <= 1/(2 L_P), x_bar_T the mean of x_0, ..., x_T.

    Paper: thm:rcdConvex (upper)

    It prints the sufficient condition T + 1 >= 2 L_P ||x_0 - x*||^2 / eps. `convex_sharp` is 4 times smaller.

    Examples
    --------
    >>> convex(2.0).iterations(0.5, squared_distance=1.0)
    7
    """
    return Harmonic(
        "thm:rcdConvex",
        "E[f(x_bar_T) - f*]",
        ("squared_distance",),
        0,
        largest=1 / (2 * positive(L_P, "L_P")),
        weights=(1, 0, 0),
        printed=True,
    )


def nonconvex(smoothness: float) -> Rate:
    """E[min_{t <= T} ||grad f(x_t)||^2] <= 2 (f(x_0) - f*) / (gamma (T + 1)) for gamma <= 1/L_P, or 1/L_M.

    Paper: thm:rcdNonconvex (upper, tight)

    It prints the sufficient condition T + 1 >= 2 L_P (f(x_0) - f*) / eps. Errata: the proof leaves out the expectations
    after averaging, and sums over i what is indexed by t.

    Parameters
    ----------
    smoothness : float
        L_P, or the smaller L_M = lambda_max(E[CLC]), with which the theorem holds as well.

    Examples
    --------
    >>> nonconvex(2.0).bound(3, gap=1.0)
    1.0
    """
    return Harmonic(
        "thm:rcdNonconvex",
        "E[min_t ||grad f(x_t)||^2]",
        ("gap",),
        0,
        largest=1 / positive(smoothness, "smoothness"),
        weights=(0, 2, 0),
        printed=True,
    )


def generic_nonconvex(L: float, A: float) -> Rate:
    """min_{t < T} E||grad f(x_t)||^2 <= 2 (1 + L A gamma^2)^T (f(x_0) - f*) / (gamma T) for gamma <= 1/sqrt(L A T).

    Paper: thm:non-convex (upper)

    A generic bound for SGD with E||g||^2 <= 2 A (f - f*), that is, A = L_P here. It prints the sufficient condition
    T >= 144 (f(x_0) - f*)^2 L A / eps^2; about 4 e^2 = 29.6 in place of 144 is enough, and `generic_nonconvex_sharp`
    has 4. Erratum: the stepsize is printed with the undefined letter K for T. The largest stepsize is not the best:
    1/sqrt(L A (2 T - 1)) minimises the bound.

    Parameters
    ----------
    L : float
        The smoothness constant lambda_max(L).
    A : float
        The constant of the second-moment assumption.

    Examples
    --------
    >>> generic_nonconvex(1.0, 1.0).stepsize(4)
    0.5
    """
    return Compounding(
        "thm:non-convex", "min_t E||grad f(x_t)||^2", ("gap",), 1, LA=positive(L, "L") * positive(A, "A")
    )


def generic_convex(L: float, A: float) -> Rate:
    """E[f(x_bar) - f*] <= (2 gamma (f(x_0) - f*) + ||x_0 - x*||^2) / (gamma T) for gamma <= min(1/(4 A), 1/(2 L)).

    Paper: thm:oldConvex (upper)

    A generic bound for SGD with E||g||^2 <= 2 A (f - f*), that is, A = L_P here; x_bar is the mean of x_0, ...,
    x_{T-1}. Erratum: the sum over i < T is printed as divided by t.

    Examples
    --------
    >>> generic_convex(1.0, 1.0).bound(4, squared_distance=1.0, gap=1.0)
    1.5
    """
    largest = min(1 / (4 * positive(A, "A")), 1 / (2 * positive(L, "L")))
    needs = ("squared_distance", "gap")
    return Harmonic("thm:oldConvex", "E[f(x_bar) - f*]", needs, 1, largest=largest, weights=(1, 0, 2), count=(1, 0))
