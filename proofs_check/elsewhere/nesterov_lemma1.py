"""Nesterov (2012), lemma 1, which lem:twoBounds cites."""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Kind, Step

# Terms (i, j), (j, i) of (sum a_i b_i)^2 <= sum a_i^2 sum b_i^2.
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
    checks=(holds_on_matrices("lem:twoBounds/upper"),),
    steps=(
        Step(
            latex=r"x_k^\top A_{kl} x_l = \langle y_k, y_l\rangle \leq \|y_k\| \|y_l\|",
            text=(
                "With A = R'R and y_k = R_k x_k, where |y_k|^2 = x_k'A_kk x_k <= L_k |x_k|^2 by"
                " assumption."
            ),
            check=formula(
                "2*y_i*z_i*y_j*z_j <= y_i^2*z_j^2 + y_j^2*z_i^2, by (y_i*z_j - y_j*z_i)^2",
                "pair (i, j) of coordinates, so all dimensions",
                words="y = y_k and z = y_l",
            ),
        ),
        Step(
            latex=(
                r"x^\top A x \leq \Big(\sum_k \sqrt{L_k} \|x_k\|\Big)^2 \leq \sum_k L_k \sum_k"
                r" \|x_k\|^2"
            ),
            text="Summed over k and l, and Cauchy and Schwarz once more.",
            check=formula(
                "a_k := sqrt(L_k); a_l := sqrt(L_l); 2*a_k*x_k*a_l*x_l <= a_k^2*x_l^2 +"
                " a_l^2*x_k^2, by (a_k*x_l - a_l*x_k)^2; L_k L_l >= 0",
                "pair (k, l), so any number of blocks",
                words="x_k stands for |x_k|",
            ),
        ),
    ),
    formal=Formal(
        "blockwise",
        "x'Mx <= sum_k l_k sum_k N_k for M positive semidefinite with x_k'Mx_k <= l_k N_k in every"
        " block",
        "that rank one attains it",
        instance="lem_twoBounds.two_bounds_sharp",
        file="our_twoBounds",
    ),
)
