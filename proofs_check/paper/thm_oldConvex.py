"""thm:oldConvex: a generic bound for SGD, with a mean that is divided by the wrong letter."""

from fractions import Fraction
from functools import partial

from ..checks.assumptions import FRESH_ESTIMATORS_UNSAID, POSITIVE_UNSAID
from ..checks.statements import holds_on_runs
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Status

STEPS = 3


def bound(gap: Fraction, distance: Fraction, gamma: Fraction, T: int) -> Fraction:
    """(2 gamma delta^0 + |x^0 - x*|^2) / (gamma T)."""
    return (2 * gamma * gap + distance) / (gamma * T)


def divided_by_t_fails(t: int, T: int) -> bool:
    """f = x^2/2 with the exact gradient, A = L = 1, gamma = 1/4, x^0 = 1: is f(sum_{i<T} x^i / t)
    above the bound?
    """
    gamma = Fraction(1, 4)
    x = sum(((1 - gamma) ** i for i in range(T)), Fraction(0)) / t
    return x * x / 2 > bound(Fraction(1, 2), Fraction(1), gamma, T)


_LETTER = Erratum(
    r"\bar{x}^T = \tfrac{1}{t}\sum_{i=0}^{T-1} x^i",
    r"\tfrac{1}{T}\sum_{i=0}^{T-1} x^i",
    Severity.TYPO,
)

CLAIM = Entry(
    label="thm:oldConvex",
    title="A generic bound for SGD, convex",
    latex=(
        r"\mathbb{E}[f(\bar{x}^T) - f(x^*)] \leq \frac{2\gamma\delta^0 + \|x^0 - x^*\|^2}{\gamma"
        r" T}, \quad "
        r"\gamma \leq \min\left\{\tfrac{1}{4A}, \tfrac{1}{2L}\right\}, \quad \bar{x}^T ="
        r" \tfrac{1}{t}\sum_{i=0}^{T-1} x^i"
    ),
    text=(
        "For f convex with a minimizer x*, and an unbiased estimator with E|g(x)|^2 <= 2A(f(x) -"
        " f*)."
    ),
    assumptions=(FRESH_ESTIMATORS_UNSAID, POSITIVE_UNSAID),
    proof=Status.CITED,
    bound=Bound.UPPER,
    tight=False,
    tightness=(
        "not tight: the term 2 gamma delta^0 is not needed, and two thirds of the rest are enough "
        "(our:genericConvex)"
    ),
    needs=("as:convex",),
    repaired_by="our:genericConvex",
    checks=(
        refuted_by(
            partial(divided_by_t_fails, 1, 3),
            "t = 1, T = 3, f = x^2/2 with the exact gradient, A = L = 1, gamma = 1/4, x^0 = 1: the"
            " sum of the iterates is 37/16, f there 1369/512 > 2.6, and the bound is (1/4 + 1) /"
            " (3/4) = 5/3",
        ),
    ),
    corrected=(holds_on_runs("thm:oldConvex"),),
    mends=(_LETTER,),
    errata=(
        _LETTER,
        Erratum(
            r"\gamma \leq \min\{\tfrac{1}{4A}, \tfrac{1}{2L}\}",
            "L is not introduced: f is not assumed to be smooth; gamma <= 1/(4A) is enough"
            " (our:genericConvex)",
            Severity.UNSTATED,
        ),
    ),
    formal=Formal(
        "old_convex",
        "the printed generic convex bound, with T points in the mean; the estimator may depend on"
        " the past",
        "estimators whose law has infinitely many outcomes",
        instance="our_genericNonconvex.generic_instance",
        file="our_genericConvex",
    ),
)
