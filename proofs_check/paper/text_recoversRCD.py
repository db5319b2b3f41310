"""The claim that the analysis recovers the known rates of randomized coordinate descent (no
label).
"""

from fractions import Fraction
from functools import partial

from ..checks.exact import Numbers, exact, identity, is_semidefinite
from ..checks.statements import holds_on_runs
from ..checks.witness import refuted_by
from ..engine.entry import Entry, Erratum, Severity, Status
from ..ours.function_values import ONE_COORDINATE_AT_A_TIME


def known_rate_is_better(L: Numbers, mu: Fraction) -> bool:
    """Return whether mu I <= L with mu > 0, and L_P > trace(L) for every sampling of one coordinate
    at a time.

    The marginals of such a sampling add up to one, so the vector of ones shows that L_P is at least
    the sum of all entries of L.
    """
    matrix = exact(L)
    strongly_convex = mu > 0 and is_semidefinite(matrix - mu * identity(len(matrix)))
    return strongly_convex and bool(matrix.sum() > matrix.trace())


def uniform_steps_are_better(L: tuple[int, ...]) -> bool:
    """f = sum L_ii x_i^2 / 2, one coordinate with p = 1/n and the step 1/L_ii: x_i turns 0, and f
    shrinks by 1 - 1/n.

    Whether this is below 1 - mu / sum_j L_jj, the best that L_P or L_M gives for one coordinate at
    a time: both are max_i L_ii / p_i for diagonal L, so at least sum_j L_jj.
    """
    n = len(L)
    start = Fraction(sum(L), 2)
    after = sum((start - Fraction(value, 2) for value in L), Fraction(0)) / n
    return after / start < 1 - Fraction(min(L), sum(L)) and after == (1 - Fraction(1, n)) * start


_RATES = Erratum(
    r"\text{recovers previous convergence rates of RCD}",
    "in general not with L_P, which can exceed the constant known. In function values with L_M it"
    " does for p_i proportional to L_ii, and for uniform p or other powers after the coordinates"
    " are rescaled (our:functionValues)",
    Severity.FALSE,
)

CLAIM = Entry(
    label="text:recoversRCD",
    title="The known rates of randomized coordinate descent",
    latex=r"1 - \tfrac{\mu}{L_P} \leq 1 - \tfrac{\mu}{\sum_i L_{ii}}\ ?",
    text=(
        "The contributions say that the analysis recovers the known rates. For one coordinate at a"
        " time with steps 1/L_ii and p_i = L_ii^a / sum_j L_jj^a, f - f* is known to shrink by 1 -"
        " m / sum_j L_jj^a, with m the strong convexity in the norm with the weights L_ii^(1-a)."
        " For a = 1, where m = mu, SkGD with gamma = 1 / sum_j L_jj is this method; but"
        " thm:rcdStronglyConvex allows gamma <= 1/L_P only, and L_P is at least sum_j L_jj for"
        " every such sampling and larger where the entries of L add up to more. A theorem in"
        " function values with L_M for L_P recovers this rate (our:functionValues). For other a,"
        " such as uniform p, the method is SkGD in rescaled coordinates only: there the same"
        " theorem gives the known rate, in the given ones a worse."
    ),
    statement=Status.CORRECTED,
    proof=Status.NONE,
    see=("thm:rcdStronglyConvex",),
    needs=("text:SkGD", "text:LP", "as:stronglyConvex"),
    checks=(
        refuted_by(
            partial(known_rate_is_better, ((2, 1), (1, 2)), Fraction(1)),
            "L = [[2, 1], [1, 2]], mu = 1: known factor 1 - 1/4 = 3/4; L_P >= 6 for all p_1 + p_2 ="
            " 1, so the theorem gives 1 - 1/6 = 5/6 at best",
        ),
        refuted_by(
            partial(uniform_steps_are_better, (100, 1)),
            "L = diag(100, 1), mu = 1, f = x'Lx/2: with uniform p and steps 1/L_ii the factor is"
            " 1/2, while SkGD with one coordinate at a time has L_P = L_M >= 101, so the factor 1 -"
            " 1/101 at best",
        ),
    ),
    corrected=(
        ONE_COORDINATE_AT_A_TIME,
        holds_on_runs("our:functionValues"),
    ),
    repaired_by="our:functionValues",
    mends=(_RATES,),
    errata=(_RATES,),
    source=(
        "the paper; the known rate: Nesterov, Efficiency of coordinate descent methods on"
        " huge-scale optimization problems, SIAM J. Optim. 22 (2012), theorem 2"
    ),
)
