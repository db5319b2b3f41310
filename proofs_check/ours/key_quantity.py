"""A second proof of the left half of lem:key_quantity, for every symmetric L."""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step

CLAIM = Entry(
    label="our:keyQuantity",
    title="L_M <= L_P for every symmetric L: a second proof, by Schur's product theorem",
    latex=r"\lambda_{\max}(\mathbb{E}[C L C]) \leq \lambda_{\max}(P^{-1/2} L P^{-1/2})",
    text=(
        "For every sampling with positive marginals and every symmetric L, L_M <= L_P. The printed"
        " proof of lem:key_quantity takes a root of L, which must be positive semidefinite there;"
        " this one takes none."
    ),
    see=("lem:key_quantity",),
    bound=Bound.UPPER,
    tight=True,
    needs=("text:LP",),
    proof_needs=("fact:schurProduct", "fact:rayleigh"),
    tightness="attained by every block-diagonal L",
    checks=(holds_on_matrices("lem:key_quantity/left"),),
    steps=(
        Step(
            latex=(
                r"\mathbb{E}[C L C] = (P^{-1/2} L P^{-1/2}) \circ K, \quad K_{ij} = p_{ij} /"
                r" \sqrt{p_i p_j}"
            ),
            text="E[CLC] is an entrywise product.",
            check=formula(
                "p_ij*(1/p_i)*L_ij*(1/p_j) = L_ij/(sqrt(p_i)*sqrt(p_j))*(p_ij/sqrt(p_i*p_j)); p_i"
                " p_j p_ij > 0",
                "entry (i, j), so all dimensions and samplings",
                words=(
                    "i and j are active with probability p_ij, and then the factor is 1 / (p_i p_j)"
                ),
            ),
        ),
        Step(
            latex=(
                r"K = \mathbb{E}[z z^\top] \succeq 0, \quad z_i = 1_{i \in S} / \sqrt{p_i}, \quad"
                r" K_{ii} = 1"
            ),
            text="K is a matrix of second moments with ones on the diagonal.",
            check=formula(
                "p_ij*(1/sqrt(p_i))*(1/sqrt(p_j)) = p_ij/sqrt(p_i*p_j); p_i*(1/sqrt(p_i))^2 = 1;"
                " p_i p_j p_ij > 0",
                "entry (i, j), so all dimensions and samplings",
            ),
        ),
        Step(
            latex=r"x^\top K x = \sum_o w_o \Big(\sum_i z_{oi} x_i\Big)^2 \geq 0",
            text="A mean of squares over the outcomes o, whose probabilities w_o are not negative.",
            check=formula(
                "0 <= w_o*(S^2 + 2*S*u + u^2), by w_o*(S + u)^2; w_o >= 0",
                "outcome o and one more term, so all dimensions and samplings",
                words="S is the sum so far, u = z_oi x_i one more term",
            ),
        ),
        Step(
            latex=r"t I - X \succeq 0 \implies (t I - X) \circ K = t I - X \circ K \succeq 0",
            text="With X = P^-1/2 L P^-1/2 and t = L_P: Schur's theorem, and K leaves t I alone.",
            check=formula(
                "(0 - X_ij)*K_ij = 0 - X_ij*K_ij; (t - X_ij)*1 = t - X_ij*1",
                "entry (i, j), so all dimensions",
                words="off the diagonal t I has a zero, on it K has a one",
            ),
        ),
    ),
    formal=Formal(
        "key_quantity_left",
        "L_M <= L_P for every sampling and every L",
        instance="key_quantity_instance",
        file="lem_key_quantity",
    ),
)
