"""thm:rcdStronglyConvex. Cited, not proved; printed with two letters for the number of steps."""

from fractions import Fraction
from functools import partial

from rpttheory import Blocks, NestedSampling

from ..checks.assumptions import FRESH_UNSAID
from ..checks.exact import diag
from ..checks.instances import Tries, tried
from ..checks.runs import (
    quadratic,
    trace,
)
from ..checks.statements import holds_on_runs
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Evidence, Severity, Status, Trial


def letters_differ(t: int, k: int) -> bool:
    """Whether f = x^2 / 2 with p = 1 and gamma = 1/2 violates E|x_t|^2 <= (1 - gamma mu)^k
    |x_0|^2.
    """
    gamma = Fraction(1, 2)
    return (1 - gamma) ** (2 * t) > (1 - gamma) ** k


def attained(_: Trial, scale: Fraction | int = 1) -> Tries:
    """E|x_t|^2 = (1 - gamma mu)^t |x_0|^2 at gamma = scale / L_P for L = mu I and equal
    probabilities.
    """
    problem = quadratic(diag([3] * 3), NestedSampling([0.25] * 3), Blocks((1, 1, 1)), (1, 2, 3))
    gamma = scale / problem.smoothness
    for t, moments in enumerate(problem.moments(gamma, 6)):
        expected = trace(moments.iterate)
        yield expected == (1 - gamma * 3) ** t * problem.squared_distance, f"t = {t}: {expected}"


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
    corrected=(
        holds_on_runs("thm:rcdStronglyConvex"),
        tried(attained, "L = 3 I, p = 1/4, t = 0 to 6", Evidence.EXACT_EXPECTATION),
    ),
    mends=(_LETTER,),
    errata=(_LETTER,),
)
