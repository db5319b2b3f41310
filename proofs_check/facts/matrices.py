"""Textbook facts about forms and positive semidefinite matrices."""

from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step

SQUARE_OF_A_SUM = formula(
    "0 <= S^2 + 2*S*a_i*x_i + (a_i*x_i)^2, by (S + a_i*x_i)^2",
    "one more term of the sum, so all dimensions",
    words="S is the sum so far, a_i x_i one more term",
)


CONGRUENCE = Entry(
    label="fact:congruence",
    title="Congruence keeps the order",
    latex=r"M \succeq 0 \implies T^\top M T \succeq 0",
    text=(
        "If M is positive semidefinite then so is T'MT for every T; so M <= N implies T'MT <= T'NT."
    ),
    source="Horn and Johnson, Matrix Analysis, section 4.5",
    steps=(
        Step(
            latex=r"x^\top (T^\top M T) x = (Tx)^\top M (Tx) \geq 0",
            text="The quadratic form of T'MT at x is that of M at Tx.",
            check=formula(
                "x_i*(T_ki*M_kl*T_lj)*x_j = (T_ki*x_i)*M_kl*(T_lj*x_j)",
                "term (i, k, l, j), so all dimensions",
            ),
        ),
        Step(
            latex=(
                r"M = \sum_a v_a v_a^\top: \quad (Tx)^\top M (Tx) = \sum_a \langle v_a, Tx\rangle^2"
            ),
            text="M is a sum of outer products, and each of them gives a square.",
            check=SQUARE_OF_A_SUM,
        ),
    ),
    formal=Formal(
        "form_congruent congruent_psd congruent_le congruence_instance",
        "T'MT is positive semidefinite if M is, and M <= N implies T'MT <= T'NT",
        instance="congruence_instance",
    ),
)


RAYLEIGH = Entry(
    label="fact:rayleigh",
    title="Rayleigh's bound",
    latex=(
        r"x^\top M x \leq \lambda_{\max}(M) \|x\|^2, \quad M \preceq t I \iff \lambda_{\max}(M)"
        r" \leq t"
    ),
    text=(
        "x'Mx <= lambda_max(M) |x|^2 for symmetric M, and lambda_max(M) <= t says the same as t I -"
        " M >= 0."
    ),
    source="Horn and Johnson, Matrix Analysis, theorem 4.2.2 (with the spectral theorem)",
    steps=(
        Step(
            latex=r"\sum_i \lambda_i y_i^2 \leq \lambda_{\max} \sum_i y_i^2",
            text="In the eigenbasis, where x has coordinates y with the same norm, term by term.",
            check=formula(
                "(lambda_max - delta_i)*y_i^2 <= lambda_max*y_i^2, by delta_i*y_i^2; delta_i >= 0",
                "term i, so all dimensions",
                words="delta_i = lambda_max - lambda_i",
            ),
        ),
    ),
)


CAUCHY_SCHWARZ = Entry(
    label="fact:cauchySchwarz",
    title="The inequality of Cauchy and Schwarz",
    latex=(
        r"\Big(\sum_i a_i b_i\Big)^2 \leq \sum_i a_i^2 \sum_i b_i^2, \quad \langle a, b\rangle \leq"
        r" \|a\| \|b\|"
    ),
    text=(
        "(sum a_i b_i)^2 <= sum a_i^2 sum b_i^2, with equality exactly when a and b are"
        " proportional."
    ),
    bound=Bound.UPPER,
    tight=True,
    tightness="b proportional to a, where every square in the proof vanishes",
    source="Lagrange's identity; Horn and Johnson, Matrix Analysis, section 0.6",
    steps=(
        Step(
            latex=r"a_i^2 b_j^2 + a_j^2 b_i^2 - 2 a_i b_i a_j b_j = (a_i b_j - a_j b_i)^2 \geq 0",
            text=(
                "Both sides as double sums: each pair i < j differs by a square, and the terms with"
                " i = j agree."
            ),
            check=formula(
                "2*a_i*b_i*a_j*b_j <= a_i^2*b_j^2 + a_j^2*b_i^2, by (a_i*b_j - a_j*b_i)^2",
                "pair (i, j), so all dimensions",
            ),
        ),
    ),
    formal=Formal(
        "cauchy_schwarz cauchy_schwarz_equal titu",
        "(sum a_i b_i)^2 <= sum a_i^2 sum b_i^2, with equality exactly when a and b are"
        " proportional",
        no_instance=(
            "the first two theorems have no hypotheses, and titu asks for positive weights only"
        ),
    ),
)


SCHUR_COMPLEMENT = Entry(
    label="fact:schurComplement",
    title="Definiteness by the Schur complement",
    latex=(
        r"M_2 - C M_1^{-1} C^\top \succ 0 \iff \begin{bmatrix} M_1 & C^\top \\ C & M_2"
        r" \end{bmatrix} \succ 0"
        r" \quad (M_1 \succ 0)"
    ),
    text=(
        "With M_1 positive definite, the block matrix is positive definite exactly when its Schur"
        " complement is."
    ),
    source="Horn and Johnson, Matrix Analysis, theorem 7.7.7",
    steps=(
        Step(
            latex=r"x^\top M_1 x + 2 y^\top C x + y^\top M_2 y = \|x + M_1^{-1} C^\top y\|^2_{M_1}"
            r" + y^\top (M_2 - C M_1^{-1} C^\top) y",
            text=(
                "Completing the square: two forms, of which the first can be made 0 for any y by"
                " the choice of x."
            ),
            check=formula(
                "lambda_i*x_i^2 + 2*x_i*g_i = lambda_i*(x_i + g_i/lambda_i)^2 - g_i^2/lambda_i;"
                " lambda_i > 0",
                "term i in the eigenbasis of M_1, so all dimensions",
                words="with g = C'y",
            ),
        ),
    ),
)


SCHUR_PRODUCT = Entry(
    label="fact:schurProduct",
    title="Schur's product theorem",
    latex=r"A \succeq 0,\ B \succeq 0 \implies A \circ B \succeq 0",
    text="The entrywise product of positive semidefinite matrices is positive semidefinite.",
    source="Schur (1911); Horn and Johnson, Matrix Analysis, theorem 7.5.3",
    steps=(
        Step(
            latex=r"A = \sum_r a_r a_r^\top,\ B = \sum_s b_s b_s^\top, \quad"
            r"(a a^\top) \circ (b b^\top) = (a \circ b)(a \circ b)^\top",
            text=(
                "Both are sums of outer products, and the entrywise product of two of these is one"
                " again."
            ),
            check=formula(
                "(a_i*a_j)*(b_i*b_j) = (a_i*b_i)*(a_j*b_j)", "entry (i, j), so all dimensions"
            ),
        ),
        Step(
            latex=r"x^\top (a \circ b)(a \circ b)^\top x = \Big(\sum_i a_i b_i x_i\Big)^2 \geq 0",
            text="Each of them gives a square.",
            check=SQUARE_OF_A_SUM,
        ),
    ),
    formal=Formal(
        "schur_product inner_psd schur_product_needs_psd schur_product_instance",
        "the entrywise product of positive semidefinite matrices, one of them symmetric, is "
        "positive semidefinite; not so for indefinite ones",
        instance="schur_product_instance",
    ),
)

CLAIMS = (CONGRUENCE, RAYLEIGH, CAUCHY_SCHWARZ, SCHUR_COMPLEMENT, SCHUR_PRODUCT)
