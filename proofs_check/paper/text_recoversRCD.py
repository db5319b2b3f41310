"""The claim that the analysis recovers the known rates of randomised coordinate descent (no label)."""

from __future__ import annotations

from fractions import Fraction

from ..claim import Claim, Erratum, Kind, Status
from ..exact import Matrix, diag, form, is_semidefinite, plus
from ..ours.function_values import one_coordinate_at_a_time
from ..symbolic import identity
from ..witness import refuted_by


def known_rate_is_better(L: Matrix, mu: Fraction) -> bool:
    """Whether mu I <= L with mu > 0, and L_P > trace(L) for every sampling of one coordinate at a time.

    The marginals of such a sampling add up to one, so the vector of ones shows that L_P is at least the sum of all
    entries of L.
    """
    trace = sum((Fraction(row[i]) for i, row in enumerate(L)), Fraction(0))
    return mu > 0 and is_semidefinite(plus(L, diag([mu] * len(L)), -1)) and form(L, [1] * len(L)) > trace


CLAIM = Claim(
    label="text:recoversRCD",
    kind=Kind.REMARK,
    title="The known rates of randomised coordinate descent",
    latex=r"1 - \tfrac{\mu}{L_P} \leq 1 - \tfrac{\mu}{\sum_i L_{ii}}\ ?",
    text="The contributions say that the analysis recovers the known rates. For one coordinate at a time with "
    "p_i = L_ii / sum_j L_jj and steps 1/L_ii, f - f* is known to shrink by 1 - mu / sum_j L_jj. SkGD with "
    "gamma = 1 / sum_j L_jj is this method; thm:rcdStronglyConvex allows gamma <= 1/L_P only, and L_P is at least "
    "sum_j L_jj for every such sampling and larger where the entries of L add up to more. A theorem in function "
    "values with L_M for L_P does recover the rate (our:functionValues).",
    statement=Status.CORRECTED,
    proof=Status.NONE,
    needs=("text:SkGD", "text:LP", "as:stronglyConvex"),
    checks=(
        refuted_by(
            lambda: known_rate_is_better(((2, 1), (1, 2)), Fraction(1)),
            "L = [[2, 1], [1, 2]], mu = 1: known factor 1 - 1/4 = 3/4; L_P >= 6 for all p_1 + p_2 = 1, "
            "so the theorem gives 1 - 1/6 = 5/6 at best",
        ),
    ),
    corrected=(identity(one_coordinate_at_a_time, "entries (i, i) and (i, j), so all dimensions"),),
    repaired_by="our:functionValues",
    errata=(
        Erratum(
            r"\text{recovers previous convergence rates of RCD}",
            "for diagonal L it does; in general L_P is larger than the constant known. In function values and with L_M "
            "it always does (our:functionValues)",
        ),
        Erratum(
            r"\text{in its original form RCD used a biased estimator}",
            "with p_i = L_ii / sum_j L_jj its step is gamma times an unbiased estimator: it is SkGD itself. For other "
            "probabilities with steps 1/L_ii the mean step is indeed no multiple of the gradient",
        ),
    ),
    source="the paper; the known rate: Nesterov, Efficiency of coordinate descent methods on huge-scale optimization "
    "problems, SIAM J. Optim. 22 (2012), theorem 2",
)
