"""thm:oldConvex: a generic bound for SGD, with a mean that is divided by the wrong letter."""

from fractions import Fraction
from functools import partial

from ..checks.assumptions import FRESH_ESTIMATORS_UNSAID, POSITIVE_UNSAID
from ..checks.exact import dot
from ..checks.runs import Comparisons, Pieces, Quadratic, huber, mean, on_paths, on_quadratics
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Severity, Status

STEPS = 3


def bound(gap: Fraction, distance: Fraction, gamma: Fraction, T: int) -> Fraction:
    """(2 gamma delta^0 + |x^0 - x*|^2) / (gamma T)."""
    return (2 * gamma * gap + distance) / (gamma * T)


def gaps(problem: Quadratic, factor: Fraction | int = 1) -> Comparisons:
    """E f(x_bar) - f* for the mean of x_0, ..., x_{T-1}, at gamma = 1/(4 L_P), which is the least
    of the two.
    """
    gamma = 1 / (4 * problem.smoothness)
    start = Fraction(0)
    for t, moments in enumerate(problem.moments(gamma, STEPS)):
        start = problem.gap(moments.iterate) if t == 0 else start
        right = factor * bound(start, problem.squared_distance, gamma, t + 1)
        yield problem.gap(moments.average), right, f"T = {t + 1}, gamma = {gamma}"


def gaps_on_paths(f: Pieces, factor: Fraction | int = 1) -> Comparisons:
    """The same for a function that is no quadratic, over all paths."""
    gamma = 1 / (4 * f.smoothness)
    for T in range(1, STEPS + 1):
        expected = sum((w * f.value(mean(path)) for w, path in f.paths(gamma, T - 1)), Fraction(0))
        yield (
            expected,
            factor * bound(f.value(f.x0), dot(f.x0, f.x0), gamma, T),
            f"T = {T}, gamma = {gamma}",
        )


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
        "For f convex with a minimiser x*, and an unbiased estimator with E|g(x)|^2 <= 2A(f(x) -"
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
    corrected=(on_quadratics(gaps), on_paths(gaps_on_paths, huber)),
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
)
