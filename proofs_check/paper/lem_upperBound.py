"""The bound of c(P) by a product (no label), and lem:upperBound, its least value."""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Step

PRODUCT = Entry(
    label="text:productBound",
    title="c(P) bounded by the block constants",
    latex=r"c(P) \leq \sum_{i=1}^B \frac{L_{\sigma_i}}{p_i} \cdot \sum_{i=1}^B p_i c_{\sigma_i}",
    text=(
        "Per block: L_P times the expected cost is at most sum_k L_k / p_k times sum_k p_k c_k."
        " With P as def:PTsketch prints it the left side reads sigma the other way, and the bound"
        " fails (text:sigma)."
    ),
    assumptions=("L is positive semidefinite", "sigma is read as rank to block, in P as well"),
    see=("def:PTsketch", "our:tightness"),
    bound=Bound.UPPER,
    tight=True,
    tightness="one matrix with given block constants attains it for all P at once (our:tightness)",
    needs=("text:LP", "text:sigma", "text:expectedCost"),
    proof_needs=("lem:twoBounds",),
    checks=(holds_on_matrices("text:productBound"),),
    steps=(
        Step(
            latex=r"(P^{-1/2} L P^{-1/2})_{kk} = L_{kk} / p_k",
            text=(
                "The diagonal blocks of the matrix in L_P have the constants L_k / p_k;"
                " lem:twoBounds adds them up."
            ),
            check=formula(
                "L_ij/(sqrt(p_k)*sqrt(p_k)) = L_ij/p_k; p_k > 0",
                "entry (i, j) of block k, so all dimensions",
            ),
        ),
        Step(
            latex=(
                r"L_P \leq \sum_k L_k / p_k \implies c(P) \leq \sum_k L_k / p_k \cdot \sum_k"
                r" p_k c_k"
            ),
            text="Both sides times the expected cost.",
            check=formula(
                "L_P*K <= (L_P + w)*K, by w*K; L_P K > 0, w >= 0",
                "all values",
                words="K is the expected cost, and L_P + w the sum of L_k / p_k",
            ),
        ),
    ),
    formal=Formal(
        "product_bound_LP product_bound",
        "L_P <= sum_k L_k / p_k, so c(P) <= sum_k L_k / p_k sum_k p_k c_k",
        instance="text_corollary.corollary_instance",
    ),
)


LEAST = Entry(
    label="lem:upperBound",
    title="The minimizer of the bound on c(P)",
    latex=r"\sum_{i=1}^B \frac{L_{\sigma_i}}{p_i} \cdot \sum_{i=1}^B p_i c_{\sigma_i} \geq "
    r"\Big(\sum_{i=1}^B \sqrt{L_i c_i}\Big)^2, \quad "
    r"p_i = \frac{\sqrt{L_{\sigma_i} / c_{\sigma_i}}}{\max_j \sqrt{L_j / c_j}}",
    text=(
        "Equality holds for these p, where sigma sorts sqrt(L_k / c_k) in descending order. Up to "
        "the scale fixed by p_1 = 1 no other p meets it."
    ),
    assumptions=("all c_k are positive", "all L_k are positive", "sigma is read as rank to block"),
    bound=Bound.LOWER,
    tight=True,
    tightness="met by the stated p alone",
    needs=("text:sigma",),
    proof_needs=("fact:cauchySchwarz",),
    checks=(holds_on_matrices("lem:upperBound"),),
    errata=(
        Erratum(
            r"\text{penalty } c_i",
            "positivity is nowhere assumed; with c_i = 0 the stated p is undefined, and with L_i ="
            " 0 (excluded by a definite L, not by a smoothness matrix that is only semidefinite) it"
            " is 0: L = diag(1, 0), c = (1/2, 1/2) has the bound 1/2, which every p > 0 exceeds",
            Severity.UNSTATED,
        ),
    ),
    steps=(
        Step(
            latex=r"\sum_{i=1}^B \frac{L_{\sigma_i}}{p_i} \cdot \sum_{i=1}^B p_i c_{\sigma_i} \geq "
            r"\Big(\sum_{i=1}^B \sqrt{L_{\sigma_i} / p_i} \cdot \sqrt{p_i c_{\sigma_i}}\Big)^2",
            text="Cauchy and Schwarz, by Lagrange's identity.",
            check=formula(
                "a_i := sqrt(L_i/p_i); a_j := sqrt(L_j/p_j); b_i := sqrt(p_i*c_i); b_j :="
                " sqrt(p_j*c_j); 2*a_i*b_i*a_j*b_j <= a_i^2*b_j^2 + a_j^2*b_i^2, by (a_i*b_j -"
                " a_j*b_i)^2; L_i L_j p_i p_j c_i c_j > 0",
                "pair (i, j), so any number of blocks",
            ),
        ),
        Step(
            latex=r"= \Big(\sum_{i=1}^B \sqrt{L_i c_i}\Big)^2",
            text="p cancels, and a permutation does not change a sum.",
            check=formula(
                "sqrt(L_i/p_i)*sqrt(p_i*c_i) = sqrt(L_i*c_i); L_i c_i p_i > 0",
                "term i, so any number of blocks",
            ),
        ),
        Step(
            latex=r"1 = p_1 \geq \ldots \geq p_B > 0",
            text="Sorting the ratios makes the stated p admissible.",
            check=formula(
                "p_i := (rho_{i+1} + s)/rho_1; p_{i+1} := rho_{i+1}/rho_1; p_{i+1} <= p_i, by"
                " s/rho_1; "
                "1 <= rho_1/rho_1, by 0; rho_{i+1} rho_1 > 0, s >= 0",
                "neighbors i and i + 1, so any number of blocks",
                words="with the ratios rho_i = rho_{i+1} + s, and p_1 = 1",
            ),
        ),
        Step(
            latex=r"\frac{L_{\sigma_i}}{p_i} = m \sqrt{L_{\sigma_i} c_{\sigma_i}}, \quad "
            r"p_i c_{\sigma_i} = \tfrac{1}{m} \sqrt{L_{\sigma_i} c_{\sigma_i}}, \quad m = \max_j"
            r" \sqrt{L_j / c_j}",
            text="Plugging in: the two sums are m and 1/m times the same.",
            check=formula(
                "p := sqrt(L_i/c_i)/m; L_i/p = m*sqrt(L_i*c_i); p*c_i = sqrt(L_i*c_i)/m; L_i c_i"
                " m > 0",
                "term i, so any number of blocks",
            ),
        ),
        Step(
            latex=r"\frac{L_{\sigma_i}}{c_{\sigma_i} p_i^2} = \kappa^2 \text{ for all } i \implies "
            r"p_i = \tfrac{1}{\kappa} \sqrt{L_{\sigma_i} / c_{\sigma_i}}",
            text=(
                "Called the global minimizer: it is the only one, since equality needs all squares"
                " to vanish."
            ),
            check=formula(
                "(sqrt(L_i/p_i)/sqrt(p_i*c_i))^2 = L_i/(c_i*p_i^2); "
                "sqrt(L_i/(c_i*kappa^2)) = sqrt(L_i/c_i)/kappa; L_i c_i p_i kappa > 0",
                "term i, so any number of blocks",
            ),
        ),
    ),
    formal=Formal(
        "upper_bound upper_bound_met upper_bound_met_only sorting_exists first_is_largest "
        "upper_bound_admissible upper_bound_minimizer upper_bound_minimizer_unique "
        "upper_bound_instance",
        "sum_k L_k / p_k sum_k p_k c_k >= (sum_k sqrt(L_k c_k))^2; an order that sorts sqrt(L_k / "
        "c_k) exists, and along it p_i = sqrt(L_i / c_i) / max is admissible and the only "
        "admissible p that meets the bound",
        instance="upper_bound_instance",
    ),
)

CLAIMS = (PRODUCT, LEAST)
