"""lem:generalizedSmoothness for any lower bound of f, any positive semidefinite W, and A = 0
included.
"""

from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step

CLAIM = Entry(
    label="our:generalizedSmoothness",
    title="The gradient is bounded by the gap to any lower bound",
    latex=r"\|\nabla f(x)\|_W^2 \leq 2A (f(x) - f^*), \quad A = \lambda_{\max}(W^{1/2} L W^{1/2})",
    text=(
        "For an L-smooth f, every lower bound f* of f and every positive semidefinite W, diagonal"
        " or not: no minimizer is needed, and L = 0 is allowed."
    ),
    bound=Bound.UPPER,
    tight=True,
    tightness="attained by f = x'Lx/2 at x = W^1/2 v, v a top eigenvector of W^1/2 L W^1/2",
    needs=("text:matrixSmooth",),
    proof_needs=("fact:congruence", "fact:rayleigh"),
    steps=(
        Step(
            latex=r"W^{1/2} L W^{1/2} \preceq A I \implies W L W \preceq A W",
            text="Congruence with W^1/2, which exists for every positive semidefinite W.",
            check=formula(
                "R_ik*(R_kl*L_lm*R_mn)*R_nj = (R_ik*R_kl)*L_lm*(R_mn*R_nj); R_ik*A*R_kl ="
                " A*(R_ik*R_kl)",
                "term by term, so all dimensions",
                words="W = RR with R symmetric",
            ),
        ),
        Step(
            latex=r"f^* \leq f(x - \alpha W \nabla f(x))"
            r"\leq f(x) - \alpha \|\nabla f(x)\|_W^2 + \tfrac{\alpha^2 A}{2} \|\nabla f(x)\|_W^2",
            text="The lower bound, smoothness, and the step before, for every real alpha.",
            check=formula(
                "f_x - alpha*N + alpha^2/2*(A*N - r) - u - s <= f_x - alpha*N + alpha^2*A/2*N, "
                "by s + u + alpha^2*r/2; A N s u r >= 0",
                "all real alpha",
                words="the slacks are s (lower bound), u (smoothness) and r (<g, WLWg> = A N - r)",
            ),
        ),
        Step(
            latex=(
                r"0 \leq f(x) - f^* - \tfrac{1}{2A} \|\nabla f(x)\|_W^2 \text{ for } A > 0; \quad "
                r"\|\nabla f(x)\|_W = 0 \text{ for } A = 0"
            ),
            text=(
                "alpha = 1/A; for A = 0 and a norm that is not zero, a large alpha would go below"
                " the lower bound."
            ),
            check=formula(
                "delta - (1/A)*N + (1/A)^2*A/2*N = delta - N/(2*A); delta - (delta + 1)/N*N = -1; A"
                " N > 0, delta >= 0",
                "all A >= 0",
                words="alpha = 1/A for A > 0, and alpha = (delta + 1)/N for A = 0 < N",
            ),
        ),
    ),
    formal=Formal(
        "generalized_smoothness_form generalized_smoothness_instance",
        "|g(x)|^2_W <= 2A (f(x) - f*) for every symmetric positive semidefinite W with WLW <= AW "
        "and every lower bound f*",
        instance="generalized_smoothness_instance",
        file="lem_generalizedSmoothness",
    ),
)
