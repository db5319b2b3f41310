"""What a certificate that anyone can recheck rests on: a Gram matrix and a diagonal that
dominates.
"""

from ..checks.symbolic import formula
from ..engine.entry import Entry, Formal, Step

CLAIM = Entry(
    label="our:portableCertificate",
    title="A factor and a diagonal that dominates prove semidefiniteness",
    latex=(
        r"A = R^\top R + E,\ E = E^\top,\ E_{ii} \geq \sum_{j \neq i} |E_{ij}| \implies A \succeq 0"
    ),
    text=(
        "Whoever has A and any R can check it by products and sums alone: no solver and no"
        " eigenvalue is trusted."
    ),
    steps=(
        Step(
            latex=r"x^\top R^\top R x = \sum_a (Rx)_a^2 \geq 0",
            text="A sum of squares.",
            check=formula(
                "r_ai^2*x_i^2 + 2*r_ai*r_aj*x_i*x_j + r_aj^2*x_j^2 = (r_ai*x_i + r_aj*x_j)^2",
                "row a and a pair (i, j), so all dimensions",
            ),
        ),
        Step(
            latex=r"-2 E_{ij} x_i x_j \leq |E_{ij}| (x_i^2 + x_j^2)",
            text=(
                "Summed over the pairs, row i has |E_ij| x_i^2 from every j, which E_ii x_i^2"
                " outweighs."
            ),
            check=formula(
                "squares := m*(x_i^2 + x_j^2); -2*m*x_i*x_j <= squares, by m*(x_i + x_j)^2; "
                "2*m*x_i*x_j <= squares, by m*(x_i - x_j)^2; m >= 0",
                "both signs of E_ij",
                words="m = |E_ij|",
            ),
        ),
    ),
    formal=Formal(
        "gram_psd dominant_psd certificate dominance_needed certificate_instance",
        "R'R is positive semidefinite, and so is a symmetric matrix whose diagonal dominates, and"
        " their sum",
        instance="certificate_instance",
    ),
)
