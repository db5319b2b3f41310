"""A proof of the upper half of lem:twoBounds, and why the matrix must be semidefinite."""

from functools import partial

from ..checks.exact import Numbers, exact
from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..checks.witness import decided
from ..engine.entry import Bound, Entry, Formal, Status, Step

GRAM_FORM = formula(
    "x_i*(R_ai*R_aj)*x_j = (R_ai*x_i)*(R_aj*x_j)",
    "term (a, i, j), so all dimensions",
    words="with M_ij = sum_a R_ai R_aj",
)


def breaks_the_upper_bound(matrix: Numbers, x: Numbers) -> bool:
    """Return whether x'Mx / |x|^2, and so lambda_max, exceeds the trace of M (blocks of size
    one).
    """
    M = exact(matrix)
    v = exact(x)
    return bool(v @ M @ v > M.trace() * (v @ v))


CLAIMS = (
    Entry(
        label="our:twoBounds",
        title="The upper half of lem:twoBounds, by Cauchy and Schwarz",
        latex=r"M \succeq 0 \implies \lambda_{\max}(M) \leq \sum_k \lambda_{\max}(M_{kk})",
        text="For every positive semidefinite M and every partition into blocks.",
        assumptions=("M is positive semidefinite",),
        see=("our:tightness",),
        bound=Bound.UPPER,
        tight=True,
        tightness="attained for any diagonal blocks: our:tightness",
        proof_needs=("fact:cauchySchwarz", "fact:rayleigh"),
        checks=(holds_on_matrices("lem:twoBounds/upper"),),
        steps=(
            Step(
                latex=(
                    r"M = R^\top R, \quad x^\top M x = \sum_{k,l} \langle y_k, y_l\rangle, \quad"
                    r" y_k = R_k x_k"
                ),
                text=(
                    "A semidefinite matrix is a Gram matrix; y_k is what block k of x contributes"
                    " to Rx."
                ),
                check=GRAM_FORM,
            ),
            Step(
                latex=r"\langle y_k, y_l\rangle \leq \|y_k\| \|y_l\|",
                text="Cauchy and Schwarz, by Lagrange's identity.",
                check=formula(
                    "2*y_ka*y_la*y_kb*y_lb <= y_ka^2*y_lb^2 + y_kb^2*y_la^2, by (y_ka*y_lb -"
                    " y_kb*y_la)^2",
                    "pair (a, b), so all dimensions",
                ),
            ),
            Step(
                latex=r"\|y_k\|^2 = x_k^\top M_{kk} x_k \leq M_k \|x_k\|^2",
                text="The largest eigenvalue of the block bounds its form.",
                check=formula(
                    "(M_k - delta_ki)*x_ki^2 <= M_k*x_ki^2, by delta_ki*x_ki^2; M_k >= 0, delta_ki"
                    " >= 0",
                    "term i in the eigenbasis of the block, so all dimensions",
                ),
            ),
            Step(
                latex=r"\Big(\sum_k \sqrt{M_k} \|x_k\|\Big)^2 \leq \sum_k M_k \sum_k \|x_k\|^2",
                text="Cauchy and Schwarz once more, over the blocks.",
                check=formula(
                    "a_k := sqrt(M_k); a_l := sqrt(M_l); 2*a_k*x_k*a_l*x_l <= a_k^2*x_l^2 +"
                    " a_l^2*x_k^2, by (a_k*x_l - a_l*x_k)^2; M_k M_l x_k x_l >= 0",
                    "pair (k, l), so any number of blocks",
                    words="x_k stands for |x_k|",
                ),
            ),
        ),
        formal=Formal(
            "blockwise two_bounds_upper",
            "lambda_max(M) <= sum_k lambda_max(M_kk) for M positive semidefinite",
            instance="lem_twoBounds.two_bounds_sharp",
        ),
    ),
    Entry(
        label="our:indefinite",
        title="Without semidefiniteness the upper bound fails",
        latex=r"\lambda_{\max} \begin{bmatrix} 1 & 2 \\ 2 & 1 \end{bmatrix} = 3 > 1 + 1, \quad "
        r"\lambda_{\max} \begin{bmatrix} 0 & 1 \\ 1 & 0 \end{bmatrix} = 1 > 0 + 0",
        text=(
            "For indefinite M the sum of the block constants bounds nothing, even where the blocks"
            " are positive."
        ),
        statement=Status.COMPUTED,
        proof=Status.NONE,
        checks=(
            decided(
                partial(breaks_the_upper_bound, ((1, 2), (2, 1)), (1, 1)),
                "the matrix [[1, 2], [2, 1]], x = (1, 1)",
            ),
            decided(
                partial(breaks_the_upper_bound, ((0, 1), (1, 0)), (1, 1)),
                "the matrix [[0, 1], [1, 0]], x = (1, 1)",
            ),
        ),
        formal=Formal(
            "two_bounds_needs_psd two_bounds_needs_psd_zero",
            "lambda_max(M) <= sum_k lambda_max(M_kk) fails for indefinite M: 3 > 1 + 1, and 1 > 0"
            " + 0",
            no_instance="it is an example",
        ),
    ),
)
