"""When no choice of P is better than gradient descent."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from rpttheory import Blocks, optimal_probabilities

from ..checks.exact import Matrix, apply, is_semidefinite, times, top_at_most
from ..checks.instances import Tries, on_instances
from ..checks.symbolic import formula
from ..checks.witness import decided
from ..engine.entry import Entry, Evidence, Formal, Step
from .sandwich import CONSTANT_Q, FEASIBLE


def gradient_descent_is_best(L: Matrix, top: int, Y: Matrix, costs: Sequence[Fraction]) -> bool:
    """Whether Y is semidefinite, in the eigenspace of `top` = lambda_max(L), with the costs on its
    diagonal.
    """
    in_the_eigenspace = times(L, Y) == [[top * Fraction(v) for v in row] for row in Y]
    in_the_eigenspace = in_the_eigenspace and is_semidefinite(Y) and top_at_most(L, top)
    return in_the_eigenspace and [Fraction(Y[i][i]) for i in range(len(Y))] == list(costs)


def no_such_point(L: Matrix, top: int, x: Sequence[int], costs: Sequence[Fraction]) -> bool:
    """Whether the eigenspace of `top` is spanned by x alone (L is 2 x 2) and xx' scaled misses the
    costs.
    """
    eigenvector = apply(L, x) == [top * Fraction(v) for v in x] and L[0][0] + L[1][1] != 2 * top
    size = sum(v * v for v in x)
    return eigenvector and [Fraction(v * v, size) for v in x] != list(costs)


_HALF = Fraction(1, 2)


def rank_one(rng: np.random.Generator, more: int = 0) -> Tries:
    """L = uu', whose top eigenspace is that of u: c* is lambda_max sum c for the costs u_k^2, and
    less for others.
    """
    u = rng.integers(1, 5, int(rng.integers(2, 4)))
    L = np.outer(u, u).astype(float)
    top = int(u @ u)
    blocks = Blocks((1,) * len(u))
    for extra in (more, 1 + int(rng.integers(0, 5))):
        costs = u * u + extra * (np.arange(len(u)) == 0)
        found = optimal_probabilities(L, blocks, costs, tol=1e-6)
        bound = top * int(costs.sum())
        met = (
            found.lower >= bound * (1 - 1e-5) if extra == more else found.upper < bound * (1 - 1e-5)
        )
        yield (
            met,
            (
                f"u = {u.tolist()}, c = {costs.tolist()}: c* <= {found.upper}, c* >= {found.lower},"
                f" lambda_max {bound}"
            ),
        )


CLAIM = Entry(
    label="our:whenRPTHelps",
    title="When RPT cannot beat gradient descent",
    latex=(
        r"c^* = \lambda_{\max}(L) \iff \exists\, Y \succeq 0: \mathrm{range}\, Y \subseteq"
        r" \ker(\lambda_{\max} I - "
        r"L), \mathrm{tr}\, Y_{kk} = c_k"
    ),
    text=(
        "In the sense of c(P), with c* the optimum of our:sdp: the best factor over gradient"
        " descent is lambda_max(L) / c*, and it is one exactly when the top eigenspace holds a Y"
        " whose block traces are the costs. For a simple top eigenvector u: when |u_k|^2 = c_k."
    ),
    assumptions=("L is positive semidefinite", "the costs are positive and add up to one"),
    needs=("our:sdp", "as:normalized"),
    proof_needs=("our:duality",),
    checks=(on_instances(rank_one, 20, Evidence.RIGOROUS),),
    steps=(
        FEASIBLE,
        Step(
            latex=(
                r"c^* \leq \langle c, q\rangle = \lambda_{\max}(L) \sum_k c_k = \lambda_{\max}(L)"
            ),
            text="and has the value lambda_max(L), also where some L_k = 0.",
            check=CONSTANT_Q,
        ),
        Step(
            latex=r"\langle L, Y\rangle \leq \lambda_{\max}\, \mathrm{tr}\, Y",
            text="For any dual point, in the eigenbasis of L.",
            check=formula(
                "(L_max - delta_i)*Y_ii <= L_max*Y_ii, by delta_i*Y_ii; delta_i Y_ii >= 0",
                "term i in the eigenbasis, so all dimensions",
                words="delta_i = L_max - lambda_i",
            ),
        ),
        Step(
            latex=r"\lambda_{\max}\, \mathrm{tr}\, Y = \lambda_{\max} \sum_k c_k = \lambda_{\max}",
            text="The costs add up to one.",
            check=formula(
                "L_max*c_k = L_max*c_k; c_k L_max > 0", "block k, so any number of blocks"
            ),
        ),
        Step(
            latex=(
                r"\langle L, Y\rangle = \lambda_{\max} \iff Y_{ii} = 0 \text{ wherever } \lambda_i"
                r" < \lambda_{\max}"
            ),
            text=(
                "A semidefinite Y with a zero on the diagonal has a zero row there: its range is in"
                " the eigenspace. So such a Y is a dual point of value lambda_max. Conversely the"
                " dual optimum is attained (our:duality), and if it is lambda_max its Y is such a"
                " one."
            ),
            check=formula(
                "Y_ij := v_ia*v_ja + v_ib*v_jb; Y_ii := v_ia^2 + v_ib^2; Y_jj := v_ja^2 + v_jb^2; "
                "Y_ij^2 <= Y_ii*Y_jj, by (v_ia*v_jb - v_ib*v_ja)^2",
                "columns (a, b), so all dimensions",
                words="with Y = VV'",
            ),
        ),
        Step(
            latex=(
                r"L = \begin{bmatrix} 2 & 1 \\ 1 & 2 \end{bmatrix},\ c = (\tfrac{1}{2},"
                r" \tfrac{1}{2}): \quad "
                r"Y = \tfrac{1}{2} \begin{bmatrix} 1 & 1 \\ 1 & 1 \end{bmatrix}"
            ),
            text="An instance where gradient descent is best,",
            check=decided(
                partial(
                    gradient_descent_is_best,
                    ((2, 1), (1, 2)),
                    3,
                    ((_HALF, _HALF), (_HALF, _HALF)),
                    (_HALF, _HALF),
                ),
                "L = [[2, 1], [1, 2]], c = (1/2, 1/2)",
            ),
        ),
        Step(
            latex=r"c = (\tfrac{1}{4}, \tfrac{3}{4})",
            text="and with other costs for the same L, where it is not.",
            check=decided(
                partial(
                    no_such_point, ((2, 1), (1, 2)), 3, (1, 1), (Fraction(1, 4), Fraction(3, 4))
                ),
                "L = [[2, 1], [1, 2]], c = (1/4, 3/4)",
            ),
        ),
    ),
    formal=Formal(
        "rpt_does_not_help equal_costs_no_help unequal_costs_help",
        "if the eigenspace of lambda_max(L) holds a Y with block traces c_k then no q, hence "
        "no p, costs less than lambda_max(L); both examples",
        "the converse; the case of a simple top eigenvector",
        instance="equal_costs_no_help",
    ),
)
