"""thm:rcdStronglyConvex. Cited, not proved; printed with two letters for the number of steps."""

from fractions import Fraction
from functools import partial

from ..checks.assumptions import FRESH_UNSAID
from ..checks.statements import holds_on_runs
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Status


def letters_differ(t: int, k: int) -> bool:
    """Return whether f = x^2 / 2 with p = 1 and gamma = 1/2 violates E|x_t|^2 <= (1 - gamma mu)^k
    |x_0|^2.
    """
    gamma = Fraction(1, 2)
    return (1 - gamma) ** (2 * t) > (1 - gamma) ** k


_LETTER = Erratum(
    r"\mathbb{E}\|x^t - x^*\|^2 \leq (1 - \gamma\mu)^k \|x^0 - x^*\|^2",
    "k on the right should be t",
    Severity.TYPO,
)

CLAIM = Entry(
    label="thm:rcdStronglyConvex",
    title="SkGD, strongly convex",
    latex=(
        r"\mathbb{E}\|x^t - x^*\|^2 \leq (1 - \gamma\mu)^k \|x^0 - x^*\|^2, \quad 0 < \gamma \leq"
        r" 1/L_P"
    ),
    text=(
        "For f L-smooth and mu-strongly convex, the iterates of SkGD approach the minimizer at the"
        " rate 1 - gamma mu."
    ),
    assumptions=(FRESH_UNSAID,),
    proof=Status.CITED,
    see=("our:stronglyConvexSharp",),
    bound=Bound.UPPER,
    tight=True,
    tight_where="gamma mu = p_min",
    tightness=(
        "attained for all t by L = mu I with equal probabilities at gamma = 1/L_P; "
        "otherwise improvable (our:stronglyConvexSharp)"
    ),
    needs=("text:SkGD", "text:LP", "as:stronglyConvex", "as:matrixSmoothness"),
    repaired_by="our:stronglyConvex",
    checks=(
        refuted_by(
            partial(letters_differ, 0, 1),
            "t = 0, k = 1, f = x^2/2, p = 1, gamma = 1/2, x_0 = 1: E|x^0 - x*|^2 = 1 > 1/2; t and k"
            " must be the same",
        ),
    ),
    corrected=(holds_on_runs("thm:rcdStronglyConvex"),),
    mends=(_LETTER,),
    errata=(_LETTER,),
    formal=Formal(
        "strongly_convex_rate strongly_convex_instance",
        "E|x_T - x*|^2 <= (1 - gamma mu)^T |x_0 - x*|^2",
        instance="strongly_convex_instance",
    ),
)
