"""What the appendix says of the theory of ProgFed (no labels), with explicit functions.

The network: a first layer x, and a second one that maps u to a u + y, with the loss u^2/2. So
f^s(x) = x^2/2 for the first layer alone, and f(x, y) = (a x + y)^2/2 for both, which is smooth with
the constant 1 + a^2.
"""

import sympy

from ..checks.symbolic import formula, letters
from ..checks.witness import refuted_by
from ..engine.entry import Entry, Erratum, Severity, Status
from .text_replaceLPbyLM import SUM


def norm_without_square_fails(scale: int = 1) -> bool:
    """f = f^s = c x^2/2 from x = 1, no noise, all alpha = 1: is |grad f(x_0)| > eps although T = 1
    should be enough?

    Enough means T >= K L F_0 / eps, with L F_0 = c^2/2 and eps = c/2; c = scale / K, for every
    constant K > 0.
    """
    K = letters("K > 0")
    c = scale / K
    eps = c / 2
    enough = 1 - K * (c * c / 2) / eps
    missing = sympy.simplify(c - eps)
    return sympy.simplify(enough).is_nonnegative is True and missing.is_positive is True


_FIRST = r"\tfrac{1}{T}\sum_{t=0}^{T-1} \alpha_t^2 \|\nabla f^s(x_t^s)\|"
_SQUARE = Erratum(_FIRST, _FIRST + "^2", Severity.FALSE)


CLAIMS = (
    Entry(
        label="text:progfedQ",
        title="ProgFed's q has no bound",
        latex=r"q_t = \frac{\|\nabla f(x_t)\|}{\alpha_t \|\nabla f^s(x_t^s)_{|E_s}\|},"
        r"\quad q_t^2 = \frac{1 + a^2}{a^2}",
        text=(
            "For f^s(x) = x^2/2 and f(x, y) = (a x + y)^2/2, with y = 0 while the first layer is"
            " trained, the weights are alpha_t = a^2 in every step, and q exceeds every bound as a"
            " falls. So the number of steps of the second result is not known beforehand."
        ),
        statement=Status.COMPUTED,
        proof=Status.NONE,
        errata=(
            Erratum(
                r"\text{claim that } \tfrac{1}{T}\sum_{t=0}^{T-1} \|\nabla f(x_t)\|^2 \text{ after"
                r" } O(\dots)",
                r"\tfrac{1}{T}\sum_{t=0}^{T-1} \|\nabla f(x_t)\|^2 < \varepsilon \text{ after }"
                r" O(\dots)"
                r"\text{ iterations; both } \epsilon \text{ and } \varepsilon \text{ are printed}",
                Severity.TYPO,
            ),
            Erratum(
                r"q = \max_{t \in [T]} q_t",
                r"the iterates are x_0, ..., x_{T-1}, so the maximum is over t < T",
                Severity.REMARK,
            ),
        ),
        checks=(
            formula(
                "f_x := a*(a*x); f_y := a*x; alpha := f_x*x/x^2; alpha = a^2; "
                "(f_x^2 + f_y^2)/(alpha*x)^2 = (1 + a^2)/a^2; a x > 0",
                "all a and x",
                words="the gradient of f at y = 0 is (f_x, f_y), that of f^s is x",
            ),
            formula("a := 1/n; n^2 <= (1 + a^2)/a^2, by 1; n > 0", "all n"),
        ),
    ),
    Entry(
        label="text:progfedFirst",
        title="ProgFed's first result as quoted",
        latex=_FIRST
        + r"< \varepsilon \text{ after } O\left(\tfrac{1}{\varepsilon}\right) L F_0 \text{"
        r" iterations}"
        r"\quad (\sigma = 0)",
        text=(
            "Quoted with the norm itself. The units do not fit: f times c multiplies L F_0 by c^2"
            " and the norm by c. No stepsize is quoted; the corrected line holds with the stepsizes"
            " alpha_t / L."
        ),
        statement=Status.CORRECTED,
        proof=Status.CITED,
        checks=(
            refuted_by(
                norm_without_square_fails,
                "f = f^s = c x^2/2, x_0 = 1, alpha_t = 1, L F_0 = c^2/2, eps = c/2: K L F_0 / eps ="
                " K c iterations, which is 1 for c = 1/K, whatever the constant K; but after one"
                " iteration the mean is c > eps",
            ),
        ),
        corrected=(
            formula(
                "gamma := alpha/L; alpha^2*n/(2*L) <= f - (f - gamma*(alpha*n + more) +"
                " L*gamma^2/2*n - room), by gamma*more + room; "
                + SUM
                + "T := 2*L*F_0/epsilon + extra; 2*L*F_0/T <= epsilon, by epsilon*extra/T; "
                "L F_0 epsilon > 0, alpha n room more extra slack slacks >= 0",
                "each step without noise, with the stepsize alpha_t/L and alpha_t >= 0; summed"
                " over t",
                words=(
                    "n = |G|^2 for G = grad f^s, and <grad f, G> = alpha n + more; then T >= 2 L"
                    " F_0 / eps steps"
                ),
            ),
        ),
        mends=(_SQUARE,),
        errata=(_SQUARE,),
    ),
)
