"""ass:ABC and thm:non-convex, which it is for."""

from fractions import Fraction

from ..checks.assumptions import FRESH_ESTIMATORS_UNSAID, POSITIVE_UNSAID
from ..checks.statements import holds_on_runs
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Status

ABC = Entry(
    label="ass:ABC",
    title="The ABC assumption",
    latex=(
        r"\mathbb{E} \|g(x)\|^2 \leq 2A (f(x) - f^{\inf}) + B \|\nabla f(x)\|^2 + C, \quad"
        r" \text{for all } x"
    ),
    text=(
        "For an unbiased estimator g of the gradient; A, B, C are non-negative constants that do"
        " not depend on x."
    ),
    statement=Status.NONE,
    proof=Status.NONE,
    source=(
        "the paper, after Khaled and Richtarik, Better theory for SGD in the nonconvex world"
        " (2020), assumption 2"
    ),
    errata=(
        Erratum(
            r"f^{\inf}",
            "f^inf is introduced nowhere; elsewhere f* is any lower bound; B is the number of"
            " blocks too, C the sketch",
            Severity.REMARK,
        ),
    ),
)


def short_steps_fail(
    inverse_step: int = 1000, T: int = 144, eps: Fraction = Fraction(1, 2)
) -> bool:
    """f = x^2/2 on a line with the exact gradient, so L = A = 1, from x^0 = 1, so delta_0 = 1/2,
    with a short step.

    Whether T >= 144 delta_0^2 L A / eps^2 and gamma <= 1/sqrt(L A T), and yet all squared gradients
    exceed eps.
    """
    gamma = Fraction(1, inverse_step)
    enough = 144 * Fraction(1, 4) / eps**2 <= T and gamma**2 * T <= 1
    return enough and (1 - gamma) ** (2 * (T - 1)) > eps


_LETTER = Erratum(
    r"\gamma \leq 1/\sqrt{LAK}", "K is not defined; it is the number of steps, T", Severity.TYPO
)
_STEPSIZE = Erratum(
    r"\text{In particular, for } T \geq 144 \delta_0^2 LA / \varepsilon^2",
    "at the longest stepsize allowed, with K = T, which is plainly meant; with shorter ones it is"
    " false",
    Severity.UNSTATED,
)

GENERIC = Entry(
    label="thm:non-convex",
    title="A generic bound for SGD, nonconvex",
    latex=(
        r"\min_{0 \leq t \leq T-1} \mathbb{E}\|\nabla f(x^t)\|^2 \leq \frac{2(1 + L\gamma^2 A)^T"
        r" \delta_0}{\gamma T},"
        r"\quad 0 < \gamma \leq \frac{1}{\sqrt{LAK}}; \qquad "
        r"T \geq \frac{144 \delta_0^2 L A}{\varepsilon^2} \implies "
        r"\min_{0 \leq t \leq T-1} \mathbb{E}\|\nabla f(x^t)\|^2 \leq \varepsilon"
    ),
    text=(
        "For f bounded below and L-smooth (L a number), an unbiased estimator that satisfies the"
        " ABC assumption with B = C = 0, and delta_0 = f(x^0) - f_inf."
    ),
    assumptions=(FRESH_ESTIMATORS_UNSAID, POSITIVE_UNSAID),
    proof=Status.CITED,
    bound=Bound.UPPER,
    tight=False,
    tightness=(
        "not tight: the factor 2 is not needed, nor is the condition on the stepsize for the first"
        " bound, and 144 can be 4 (our:genericNonconvex)"
    ),
    needs=("ass:ABC",),
    repaired_by="our:genericNonconvex",
    checks=(
        refuted_by(
            short_steps_fail,
            "f = x^2/2 with the exact gradient, L = A = 1, x^0 = 1, delta_0 = 1/2, eps = 1/2, T ="
            " 144 = 144/4 / (1/4), gamma = 1/1000, allowed as printed: all squared gradients are at"
            " least (999/1000)^286 > 3/4 > eps",
        ),
    ),
    corrected=(holds_on_runs("thm:non-convex"),),
    mends=(_STEPSIZE,),
    errata=(
        _LETTER,
        _STEPSIZE,
        Erratum(
            r"\text{lower-bounded and } L\text{-smooth}",
            "L is a number here and a matrix elsewhere; the paper means lambda_max of the matrix",
            Severity.REMARK,
        ),
    ),
    formal=Formal(
        "generic_printed generic_steps generic_instance",
        "the generic nonconvex bound, with 4 in place of 144; the estimator may depend on the past",
        "estimators whose law has infinitely many outcomes",
        instance="generic_instance",
        file="our_genericNonconvex",
    ),
)

CLAIMS = (ABC, GENERIC)
