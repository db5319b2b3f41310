"""lem:generalizedSmoothness. True, and its printed proof is right."""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Step

# From f(x*) = f(x) - N / (2A) - s.
REARRANGED = "N <= 2*A*(N/(2*A) + s), by 2*A*s; A > 0, N s >= 0"

CLAIM = Entry(
    label="lem:generalizedSmoothness",
    title="The gradient is bounded by the gap to the minimum",
    latex=(
        r"\|\nabla f(x)\|_W^2 \leq 2A (f(x) - f(x^*)), \quad A = \lambda_{\max}(W^{1/2} L W^{1/2})"
    ),
    text=(
        "For an L-smooth f, every x and every positive diagonal W. Any lower bound of f serves for"
        " f(x*)."
    ),
    assumptions=("f is L-smooth", "x* is a minimizer of f", "w_1, ..., w_d are positive"),
    see=("our:generalizedSmoothness", "lem:secondMoment", "thm:rcdNonconvex"),
    bound=Bound.UPPER,
    tight=True,
    tightness="attained by f = x'Lx/2 at x = W^1/2 v, v a top eigenvector of W^1/2 L W^1/2",
    needs=("text:matrixSmooth",),
    proof_needs=("fact:congruence", "fact:rayleigh"),
    checks=(holds_on_matrices("lem:generalizedSmoothness"),),
    errata=(
        Erratum(
            r"f(x^*)",
            "the lemma does not assume that a minimizer exists; any lower bound f* will do, which"
            " lem:secondMoment and thm:rcdNonconvex need (our:generalizedSmoothness)",
            Severity.UNSTATED,
        ),
    ),
    steps=(
        Step(
            latex=r"f(x^*) \leq f(x - \alpha W \nabla f(x))",
            text="The minimum is at most any other value.",
            check=formula("f_y - s <= f_y, by s; s >= 0", "all points, s being the gap"),
        ),
        Step(
            latex=r"\leq f(x) - \alpha \langle \nabla f(x), W \nabla f(x) \rangle"
            r"+ \tfrac{\alpha^2}{2} \|W \nabla f(x)\|_L^2",
            text="L-smoothness between x and x - alpha W f'(x), for every real alpha.",
            check=formula(
                "step_i := -alpha*w_i*g_i; g_i*step_i = -alpha*g_i*(w_i*g_i); "
                "step_i*L_ij*(-alpha*w_j*g_j) = alpha^2*(w_i*g_i)*L_ij*(w_j*g_j); w_i w_j > 0",
                "terms i and (i, j), so all dimensions",
            ),
        ),
        Step(
            latex=r"= f(x) - \alpha \langle \nabla f(x), W \nabla f(x) \rangle"
            r"+ \tfrac{\alpha^2}{2} \langle \nabla f(x), W L W \nabla f(x) \rangle",
            text="The norm as a quadratic form.",
            check=formula(
                "(w_i*g_i)*L_ij*(w_j*g_j) = g_i*(w_i*L_ij*w_j)*g_j; w_i w_j > 0",
                "term (i, j), so all dimensions",
            ),
        ),
        Step(
            latex=r"W^{1/2} L W^{1/2} \preceq A I_d \implies W L W \preceq A W",
            text="Congruence with W^1/2.",
            check=formula(
                "root_i := sqrt(w_i); root_j := sqrt(w_j); "
                "root_i*(root_i*L_ij*root_j)*root_j = w_i*L_ij*w_j; "
                "root_i*A*root_i = A*w_i; w_i w_j > 0",
                "entry (i, j), so all dimensions",
            ),
        ),
        Step(
            latex=(
                r"f(x^*) \leq f(x) - \alpha \|\nabla f(x)\|_W^2 + \tfrac{\alpha^2 A}{2} \|\nabla"
                r" f(x)\|_W^2"
                r"= f(x) - (\alpha - \tfrac{\alpha^2 A}{2}) \|\nabla f(x)\|_W^2"
            ),
            text="The three before together.",
            check=formula(
                "f_x - alpha*N + alpha^2/2*(A*N - r) - s <= f_x - (alpha - alpha^2*A/2)*N, by s +"
                " alpha^2*r/2; A N s r >= 0",
                "all real alpha",
                words="<g, WLWg> = A N - r, and s is the slack of the two inequalities before",
            ),
        ),
        Step(
            latex=(
                r"\alpha^* = \tfrac{1}{A} \text{; this } \alpha \text{ maximizes the expression } "
                r"\alpha - \tfrac{\alpha^2 A}{2}"
            ),
            text=(
                "A square completed. For A = 0, which takes L = 0, let alpha grow: the gradient"
                " vanishes."
            ),
            check=formula(
                "alpha - alpha^2*A/2 = 1/(2*A) - A/2*(alpha - 1/A)^2; "
                "(f_min + delta) - (delta + 1)/N*N = f_min - 1; A N > 0, delta >= 0",
                "all A > 0, and A = 0",
                words=(
                    "delta = f(x) - f(x*); for A = 0 and N = |f'(x)|_W^2 > 0 alpha = (delta + 1) /"
                    " N would go below the minimum"
                ),
            ),
        ),
        Step(
            latex=r"\|\nabla f(x)\|_W^2 \leq 2A (f(x) - f(x^*))",
            text="Rearranged.",
            check=formula(REARRANGED, "all A > 0; for A = 0 both sides are zero"),
        ),
    ),
    formal=Formal(
        "generalized_smoothness generalized_smoothness_sharp",
        "|g(x)|^2_W <= 2A (f(x) - f*), W diagonal and positive; no factor below 2 will do",
        instance="generalized_smoothness_sharp",
    ),
)
