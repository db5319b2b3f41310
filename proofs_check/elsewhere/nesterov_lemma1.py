"""Nesterov (2012), lemma 1, which lem:twoBounds cites."""

import numpy as np

from rpttheory.eigen.batch import lambda_max_batch

from ..checks.instances import Batch
from ..checks.randomised import Brackets, on_random_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Kind, Step


def sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """lambda_max(A) and factor times the trace of A, which is an integer: scalar blocks have L_i =
    A_ii.
    """
    trace = factor * np.trace(batch.L, axis1=1, axis2=2)
    return lambda_max_batch(batch.L, np.ones(batch.L.shape[:2])), (trace, trace)


# Terms (i, j), (j, i) of (sum a_i b_i)^2 <= sum a_i^2 sum b_i^2.
LAGRANGE = "2*a_i*b_i*a_j*b_j <= a_i^2*b_j^2 + a_j^2*b_i^2, by (a_i*b_j - a_j*b_i)^2"

CLAIM = Entry(
    label="nesterov2012:lemma1",
    sort=Kind.LEMMA,
    title="Below the sum of the block constants",
    latex=r"A \succeq 0,\ A_{ii} \preceq L_i I \implies A \preceq \Big(\sum_i L_i\Big) I",
    text=(
        "For A positive semidefinite; the blocks' norms may be any Euclidean ones. Rank one"
        " attains it."
    ),
    source="Nesterov, Efficiency of coordinate descent methods, SIAM J. Optim. 22 (2012), lemma 1",
    bound=Bound.UPPER,
    tight=True,
    checks=(on_random_matrices(sides),),
    steps=(
        Step(
            latex=r"x_k^\top A_{kl} x_l = \langle y_k, y_l\rangle \leq \|y_k\| \|y_l\|",
            text=(
                "With A = R'R and y_k = R_k x_k, where |y_k|^2 = x_k'A_kk x_k <= L_k |x_k|^2 by"
                " assumption."
            ),
            check=formula(
                LAGRANGE,
                "pair (i, j) of coordinates, so all dimensions",
                words="a = y_k and b = y_l",
            ),
        ),
        Step(
            latex=(
                r"x^\top A x \leq \Big(\sum_k \sqrt{L_k} \|x_k\|\Big)^2 \leq \sum_k L_k \sum_k"
                r" \|x_k\|^2"
            ),
            text="Summed over k and l, and Cauchy and Schwarz once more.",
            check=formula(
                LAGRANGE,
                "pair (k, l), so any number of blocks",
                words="a = sqrt(L) and b = |x|, by blocks",
            ),
        ),
    ),
)
