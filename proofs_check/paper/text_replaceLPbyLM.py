"""The remark that thm:rcdNonconvex holds with L_M in place of L_P (no label), and the steps that
both share.
"""

from ..checks.assumptions import FRESH_UNSAID, NONZERO_UNSAID
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step

MEAN_OF_THE_INNER_PRODUCT = formula(
    "p_i*(g_i*g_i/p_i) + (1 - p_i)*0 = g_i^2; "
    "p_ij*(g_i/p_i*L_ij*g_j/p_j) = g_i*(p_ij*L_ij/(p_i*p_j))*g_j; p_i p_j p_ij > 0",
    "coordinate i and term (i, j), so all dimensions and samplings",
)


# g'E[CLC]g = L_M |g|^2 - slack, and L_P = L_M + more.
FORM_BOUNDED = (
    "start := f - gamma*g^2; "
    "start + gamma^2/2*(L_M*g^2 - slack) <= start + gamma^2/2*L_M*g^2, by gamma^2/2*slack; "
    "start + gamma^2/2*L_M*g^2 <= start + gamma^2/2*(L_M + more)*g^2, by gamma^2/2*more*g^2; "
    "gamma > 0, L_M slack more >= 0"
)

# `rest` is 1 - gamma L, and `mean` a mean of squares.
HALF_BELOW_FACTOR = (
    "gamma/2*mean <= (gamma/2 + gamma/2*rest)*mean, by gamma/2*rest*mean; gamma > 0, mean rest >= 0"
)


# a E G_t = E f_t - E f_{t+1} - slack_t summed over t: for T = 0, and from T to T + 1.
SUM = (
    "f_0 - f_1 - slack <= f_0 - f_1, by slack; "
    "(f_0 - f_T1 - slacks) + (f_T1 - f_T2 - slack) <= f_0 - f_T2, by slack + slacks; "
)
SUMMED = formula(SUM + "slack slacks >= 0", "all T, by induction")

SOLVED = formula(
    "(delta/n - slack)*2/gamma <= 2*delta/(gamma*n), by 2*slack/gamma; gamma n delta > 0, slack"
    " >= 0",
    "all values",
    words="gamma / 2 m = delta / n - slack, solved for m",
)


CLAIM = Entry(
    label="text:replaceLPbyLM",
    title="L_M may stand for L_P in the nonconvex theorem",
    latex=r"\mathbb{E}\|\nabla f(\hat{x}^T)\|^2 \leq \frac{2 \delta^0}{\gamma (T+1)},"
    r"\quad 0 < \gamma \leq \tfrac{1}{L_M}, \quad L_M = \lambda_{\max}(\mathbb{E}[CLC]) \leq L_P",
    text=(
        "thm:rcdNonconvex holds for the longer stepsizes up to 1/L_M. (The strongly convex theorem,"
        " which bounds distances, does not: our:LMconvex.)"
    ),
    assumptions=(FRESH_UNSAID, NONZERO_UNSAID),
    see=("thm:rcdNonconvex", "our:nonconvexApproached", "our:LMconvex"),
    bound=Bound.UPPER,
    tight=True,
    tightness=(
        "approached for every T (our:nonconvexApproached); the decrease in one step is attained by"
        " every quadratic along a top eigenvector of E[CLC]"
    ),
    needs=("text:SkGD", "as:matrixSmoothness", "as:nonconvex"),
    proof_needs=("lem:key_quantity", "fact:rayleigh"),
    checks=(holds_on_runs("thm:rcdNonconvex/with L_M"),),
    steps=(
        Step(
            latex=r"\mathbb{E}[f(x^{t+1}) | x^t] \leq f(x^t) - \gamma \|\nabla f(x^t)\|^2"
            r"+ \tfrac{\gamma^2}{2} \nabla f(x^t)^\top \mathbb{E}[CLC] \nabla f(x^t)",
            text="As in the theorem.",
            check=MEAN_OF_THE_INNER_PRODUCT,
        ),
        Step(
            latex=(
                r"\leq f(x^t) - \gamma \|\nabla f(x^t)\|^2 + \tfrac{\gamma^2}{2} L_M \|\nabla"
                r" f(x^t)\|^2"
            ),
            text="Rayleigh's bound; L_P is not needed.",
            check=formula(FORM_BOUNDED, "any slack"),
        ),
        Step(
            latex=r"\tfrac{\gamma}{2} \leq \tfrac{\gamma}{2} + \tfrac{\gamma}{2}(1 - \gamma L_M)"
            r"= \gamma - \tfrac{\gamma^2 L_M}{2}",
            text="gamma <= 1/L_M.",
            check=formula(HALF_BELOW_FACTOR, "all gamma <= 1/L_M"),
        ),
        Step(
            latex=r"\tfrac{\gamma}{2} \sum_{t=0}^T \mathbb{E}\|\nabla f(x^t)\|^2 \leq "
            r"\mathbb{E}[f(x^0) - f(x^{T+1})] \leq \delta^0",
            text="The decrease summed, and f >= f*.",
            check=SUMMED,
        ),
        Step(
            latex=r"\mathbb{E}\|\nabla f(\hat{x}^T)\|^2 \leq \tfrac{2\delta^0}{\gamma(T+1)}",
            text="Solved.",
            check=SOLVED,
        ),
    ),
    formal=Formal(
        "least_gradient least_gradient_sharp least_gradient_instance",
        "the bound of thm:rcdNonconvex for stepsizes up to 1/L_M; no factor below 2 will do",
        instance="least_gradient_instance",
    ),
)
