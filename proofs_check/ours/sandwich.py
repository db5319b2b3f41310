"""Where the optimum c* lies."""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step

VALUE_OF_THE_CLOSED_FORM = formula(
    "p := sqrt(L_k/c_k); L_k/p = sqrt(c_k*L_k); p*c_k = sqrt(c_k*L_k); L_k c_k > 0",
    "term k, so any number of blocks",
)


CONSTANT_Q = formula("c_k*L_max = L_max*c_k; L_max c_k > 0", "term k, so any number of blocks")


FEASIBLE = Step(
    latex=r"\lambda_{\max}(L)\, I \succeq L",
    text="q = lambda_max(L) (1, ..., 1) is feasible",
    check=formula(
        "lambda_i*z_i^2 <= (lambda_i + delta_i)*z_i^2, by delta_i*z_i^2; delta_i >= 0",
        "term i in the eigenbasis, so all dimensions",
        words="lambda_i + delta_i = lambda_max",
    ),
)

CLAIM = Entry(
    label="our:sandwich",
    title="Bounds on the optimum by the block constants",
    latex=(
        r"\sum_k c_k L_k \leq c^* \leq c(P_{closed}) \leq \Big(\sum_k \sqrt{c_k L_k}\Big)^2 \leq B"
        r" \sum_k c_k L_k,"
        r"\quad c^* \leq \lambda_{\max}(L)"
    ),
    text=(
        "c* is the minimum of c(P) and P_closed the choice of lem:upperBound. The paper's bound is"
        " at most B times c*. It is B times c* for block-diagonal L with equal c_k L_k, where the"
        " closed form itself is optimal (our:closedFormFactor)."
    ),
    assumptions=(
        "L is positive semidefinite",
        "all c_k and L_k are positive",
        "the costs add up to one (last bound)",
    ),
    see=("our:tightness", "our:closedFormFactor", "our:whenRPTHelps"),
    bound=Bound.UPPER,
    tight=True,
    tightness=(
        "left end: block-diagonal L; (sum sqrt(c_k L_k))^2: our:tightness; B: block-diagonal with"
        " equal c_k L_k; lambda_max: our:whenRPTHelps"
    ),
    needs=("our:sdp",),
    proof_needs=("text:productBound", "lem:upperBound", "fact:rayleigh"),
    checks=(holds_on_matrices("our:sandwich"),),
    steps=(
        Step(
            latex=r"\mathrm{Diag}(q) \succeq L \implies \langle c, q\rangle \geq \sum_k c_k L_k",
            text="q_k is at least L_k (our:sdp).",
            check=formula(
                "c_k*L_k <= c_k*(L_k + s_k), by s_k*c_k; c_k L_k > 0, s_k >= 0",
                "block k, so any number of blocks",
                words="q_k = L_k + s_k (our:sdp)",
            ),
        ),
        Step(
            latex=r"c^* \leq c(P_{closed}) \leq \Big(\sum_k \sqrt{c_k L_k}\Big)^2",
            text=(
                "P_closed is one of the P, and text:productBound holds at it with the value of"
                " lem:upperBound."
            ),
            check=VALUE_OF_THE_CLOSED_FORM,
        ),
        Step(
            latex=r"\Big(\sum_k s_k\Big)^2 \leq B \sum_k s_k^2, \quad s_k = \sqrt{c_k L_k}",
            text="Cauchy and Schwarz against ones.",
            check=formula(
                "2*s_k*s_l <= s_k^2 + s_l^2, by (s_k - s_l)^2; s_k s_l >= 0",
                "pair (k, l), so any number of blocks",
            ),
        ),
        FEASIBLE,
        Step(
            latex=r"\langle c, q\rangle = \lambda_{\max}(L) \sum_k c_k = \lambda_{\max}(L)",
            text="and has the value lambda_max(L), since the costs add up to one.",
            check=CONSTANT_Q,
        ),
        Step(
            latex=(
                r"L \text{ block-diagonal}: \quad \mathrm{Diag}(L_k) \succeq L, \quad c^* = \sum_k"
                r" c_k L_k"
            ),
            text="q = (L_k) is feasible, and below every feasible q by the first step.",
            check=formula(
                "L_k := lambda_ki + delta_ki; lambda_ki*z_i^2 <= L_k*z_i^2, by delta_ki*z_i^2;"
                " delta_ki >= 0",
                "term i in the eigenbasis of block k, so all dimensions and blocks",
            ),
        ),
        Step(
            latex=(
                r"c_k L_k = s^2,\ L \text{ block-diagonal}: \quad c^* = c(P_{closed}) = B s^2,"
                r" \quad "
                r"\Big(\sum_k \sqrt{c_k L_k}\Big)^2 = B^2 s^2"
            ),
            text="The factor B is attained; it is the bound's, not the closed form's.",
            check=formula(
                "c := s^2/L_k; p := sqrt(L_k/c); optimum := B*s^2; c*L_k = s^2; L_k/p = s; "
                "p*c = s; s*(B*s) = optimum; (B*s)^2 = B*optimum; L_k s B > 0",
                "block k, all B, L_k and s",
                words="c_k L_k = s^2: term k of c*, of L_P and of sum_k p_k c_k, then the sums",
            ),
        ),
    ),
    formal=Formal(
        "sandwich_below sandwich_closed sandwich_above sandwich_gd sandwich_factor_attained",
        "sum c_k L_k <= c* <= c(P_closed) <= (sum s_k)^2 <= B sum c_k L_k, the factor B "
        "attained by L = I, and c* <= lambda_max(L)",
        "the factor B for block-diagonal L other than I",
        instance="text_corollary.corollary_instance",
    ),
)
