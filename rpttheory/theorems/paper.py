"""The paper's convergence theorems for SkGD, and the generic bounds that it compares them with."""

from .rate import Number, Rate, theorem
from .shapes import Compounding, Geometric, Harmonic


def strongly_convex(L_P: Number, mu: Number) -> Rate:
    """E||x_T - x*||^2 <= (1 - gamma mu)^T ||x_0 - x*||^2 for gamma <= 1/L_P.

    Paper: thm:rcdStronglyConvex (upper, tight)

    Erratum: the left side counts with t and the right side with k; both mean T. Equality holds for
    L = mu I with equal probabilities at gamma = 1/L_P, where gamma mu = p_min; elsewhere
    `strongly_convex_sharp` has a smaller factor. The same holds with a proximal term of each block
    (our:proximal).

    Parameters
    ----------
    L_P : Bracket or number
        lambda_max(P^-1/2 L P^-1/2).
    mu : Bracket or number
        The strong convexity constant, at most L_P.

    Returns
    -------
    Rate

    Examples
    --------
    >>> print(strongly_convex(2.0, 1.0).bound(2, squared_distance=4.0))
    1
    """
    return theorem(
        "thm:rcdStronglyConvex",
        "E||x_T - x*||^2",
        lambda L_P, mu: Geometric(L_P, mu),
        L_P=L_P,
        mu=mu,
    )


def convex(L_P: Number) -> Rate:
    """E[f(x_bar_T) - f*] <= ||x_0 - x*||^2 / (gamma (T + 1)) for gamma <= 1/(2 L_P), x_bar_T the
    mean of x_0, ..., x_T.

    Paper: thm:rcdConvex (upper)

    It prints the sufficient condition T + 1 >= 2 L_P ||x_0 - x*||^2 / eps. `convex_sharp` is 4
    times smaller.

    Parameters
    ----------
    L_P : Bracket or number
        lambda_max(P^-1/2 L P^-1/2).

    Returns
    -------
    Rate

    Examples
    --------
    >>> print(convex(2.0).iterations(0.5, squared_distance=1.0))
    7
    """
    return theorem(
        "thm:rcdConvex",
        "E[f(x_bar_T) - f*]",
        lambda L_P: Harmonic(2 * L_P, (1, 0, 0)),
        L_P=L_P,
    )


def nonconvex(smoothness: Number) -> Rate:
    """E[min_{t <= T} ||grad f(x_t)||^2] <= 2 (f(x_0) - f*) / (gamma (T + 1)) for gamma <= 1/L_P, or
    1/L_M.

    Paper: thm:rcdNonconvex (upper, tight)

    It prints the sufficient condition T + 1 >= 2 L_P (f(x_0) - f*) / eps. Errata: the proof leaves
    out the expectations after averaging, and sums over i what is indexed by t.

    Parameters
    ----------
    smoothness : Bracket or number
        L_P, or the smaller L_M = lambda_max(E[CLC]), with which the theorem holds as well.

    Returns
    -------
    Rate

    Examples
    --------
    >>> print(nonconvex(2.0).bound(3, gap=1.0))
    1
    """
    return theorem(
        "thm:rcdNonconvex",
        "E[min_t ||grad f(x_t)||^2]",
        lambda smoothness: Harmonic(smoothness, (0, 2, 0)),
        smoothness=smoothness,
    )


def generic_nonconvex(L: Number, A: Number) -> Rate:
    """min_{t < T} E||grad f(x_t)||^2 <= 2 (1 + L A gamma^2)^T (f(x_0) - f*) / (gamma T) for gamma
    <= 1/sqrt(L A T).

    Paper: thm:non-convex (upper)

    A generic bound for SGD with E||g||^2 <= 2 A (f - f*), that is, A = L_P here. It prints the
    sufficient condition T >= 144 (f(x_0) - f*)^2 L A / eps^2; about 4 e^2 = 29.6 in place of 144 is
    enough, and `generic_nonconvex_sharp` has 4. Erratum: the stepsize is printed with the undefined
    letter K for T. The largest stepsize is not the best: 1/sqrt(L A (2 T - 1)) minimizes the bound.

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
    >>> print(generic_nonconvex(1.0, 1.0).stepsize(4))
    0.5
    """
    measure = "min_t E||grad f(x_t)||^2"
    return theorem("thm:non-convex", measure, lambda L, A: Compounding(L * A), first=1, L=L, A=A)


def generic_convex(L: Number, A: Number) -> Rate:
    """E[f(x_bar) - f*] <= (2 gamma (f(x_0) - f*) + ||x_0 - x*||^2) / (gamma T) for gamma <=
    min(1/(4 A), 1/(2 L)).

    Paper: thm:oldConvex (upper)

    A generic bound for SGD with E||g||^2 <= 2 A (f - f*), that is, A = L_P here; x_bar is the mean
    of x_0, ..., x_{T-1}. Erratum: the sum over i < T is printed as divided by t.

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
    >>> print(generic_convex(1.0, 1.0).bound(4, squared_distance=1.0, gap=1.0))
    1.5
    """
    return theorem(
        "thm:oldConvex",
        "E[f(x_bar) - f*]",
        lambda L, A: Harmonic(max(4 * A, 2 * L), (1, 0, 2), count=(1, 0)),
        first=1,
        L=L,
        A=A,
    )
