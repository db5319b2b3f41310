"""What a certificate that anyone can recheck rests on: a Gram matrix and a diagonal that
dominates.
"""

from fractions import Fraction

import numpy as np

from ..checks.exact import is_semidefinite
from ..checks.instances import Tries, on_instances
from ..checks.symbolic import formula
from ..engine.entry import Entry, Step


def certified(rng: np.random.Generator, room: int = 0) -> Tries:
    """A = R'R + E where the diagonal of E is the sum of the other entries in size, less `room`."""
    d = int(rng.integers(1, 5))
    factor = rng.integers(-3, 4, (int(rng.integers(0, 3)), d))
    rest = rng.integers(-3, 4, (d, d))
    rest = rest + rest.T
    np.fill_diagonal(rest, np.abs(rest - np.diag(np.diag(rest))).sum(axis=1) - room)
    A = [[Fraction(int(v)) for v in row] for row in factor.T @ factor + rest]
    yield is_semidefinite(A), f"R = {factor.tolist()}, E = {rest.tolist()}"


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
    checks=(on_instances(certified),),
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
)
