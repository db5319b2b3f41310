"""When no choice of P is better than gradient descent."""

import numpy as np

from rpttheory import Blocks, optimal_probabilities

from ..checks.instances import Tries, on_instances
from ..checks.symbolic import formula
from ..engine.entry import Entry, Evidence, Formal, Step
from .sandwich import CONSTANT_Q, FEASIBLE


def rank_one(rng: np.random.Generator, more: int = 0) -> Tries:
    """For L = uu' the optimum c* is lambda_max sum c at the costs u_k^2, and less at others."""
    u = rng.integers(1, 5, int(rng.integers(2, 4)))
    L = np.outer(u, u).astype(float)
    blocks = Blocks((1,) * len(u))
    for extra in (more, 1 + int(rng.integers(0, 5))):
        costs = u * u + extra * (np.arange(len(u)) == 0)
        result = optimal_probabilities(L, blocks, costs, tol=1e-6)
        bound = int(u @ u) * int(costs.sum())
        below = result.upper < bound * (1 - 1e-5)
        above = result.lower >= bound * (1 - 1e-5)
        words = f"u = {u.tolist()}, c = {costs.tolist()}: c* is in [{result.lower}, {result.upper}]"
        yield above if extra == more else below, f"{words}, lambda_max sum c = {bound}"


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
            latex=r"\langle L, Y\rangle \leq \lambda_{\max}\, \mathrm{tr}\, Y = \lambda_{\max}",
            text="For any dual point, in the eigenbasis of L; the costs add up to one.",
            check=formula(
                "(L_max - delta_i)*Y_ii <= L_max*Y_ii, by delta_i*Y_ii; delta_i Y_ii >= 0",
                "term i in the eigenbasis, so all dimensions",
                words="delta_i = L_max - lambda_i",
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
    ),
    formal=Formal(
        "rpt_does_not_help equal_costs_no_help unequal_costs_help",
        "if the eigenspace of lambda_max(L) holds a Y with block traces c_k then no q, hence "
        "no p, costs less than lambda_max(L); both examples",
        "the converse; the case of a simple top eigenvector",
        instance="equal_costs_no_help",
    ),
)
