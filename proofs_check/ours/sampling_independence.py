"""L_P and the expected cost see the marginals of a sampling alone; L_M sees more."""

from fractions import Fraction
from functools import partial

import numpy as np

from ..checks.exact import Numbers, exact, lambda_max_at_most
from ..checks.symbolic import formula
from ..checks.witness import decided
from ..engine.entry import Entry, Formal, Step


def moment_depends(L: Numbers, nested: Numbers, separate: Numbers, bound: int) -> bool:
    """Return whether L_M > bound for the first pair probabilities, and L_M <= bound for the others
    (blocks of size one).
    """
    moments = []
    for pairs in (exact(nested), exact(separate)):
        p = np.diagonal(pairs)
        moments.append(exact(L) * pairs / np.outer(p, p))
    return not lambda_max_at_most(moments[0], bound) and lambda_max_at_most(moments[1], bound)


_L = ((1, 0, 0), (0, 1, 1), (0, 1, 1))
_HALF = Fraction(1, 2)
_NESTED = ((1, _HALF, _HALF), (_HALF, _HALF, _HALF), (_HALF, _HALF, _HALF))
_SEPARATE = ((1, _HALF, _HALF), (_HALF, _HALF, 0), (_HALF, 0, _HALF))


CLAIM = Entry(
    label="our:samplingIndependence",
    title="Nested sampling loses nothing where L_P gives the rate",
    latex=(
        r"L_P \text{ and } \mathbb{E}\Big[\sum_{k \in S} c_k\Big] = \sum_k p_k c_k \text{ depend on"
        r" the marginals } p"
        r"\text{ alone}"
    ),
    text=(
        "So no other sampling with the same marginals has a better c(P), nor a better bound in the"
        " theorems that use L_P (thm:rcdStronglyConvex, thm:rcdConvex, our:convexSharp). L_M, which"
        " the nonconvex theorem and our:functionValues may use, depends on the joint law: with p ="
        " (1, 1/2, 1/2) and L_23 = 1 it is 4 for the nested sampling and 2 where blocks 2 and 3"
        " exclude each other."
    ),
    see=("thm:rcdStronglyConvex", "thm:rcdConvex", "our:convexSharp", "our:functionValues"),
    needs=("text:SkGD", "text:LP"),
    steps=(
        Step(
            latex=r"\mathbb{E}[c_k 1_{k \in S}] = p_k c_k",
            text="Linearity of the expectation, block by block, for every sampling.",
            check=formula(
                "p_k*c_k + (1 - p_k)*0 = p_k*c_k; c_k p_k > 0", "block k, so any number of blocks"
            ),
        ),
        Step(
            latex=r"(P^{-1/2} L P^{-1/2})_{ij} = L_{ij} / \sqrt{p_i p_j}",
            text="No pair probability occurs.",
            check=formula(
                "diff(L_ij/sqrt(p_i*p_j), p_ij) = 0; p_i p_j p_ij > 0",
                "entry (i, j), so all dimensions and samplings",
            ),
        ),
        Step(
            latex=r"L = \begin{bmatrix} 1 & 0 & 0 \\ 0 & 1 & 1 \\ 0 & 1 & 1 \end{bmatrix},"
            r" p = (1, \tfrac{1}{2}, \tfrac{1}{2}): \quad L_M = 4 \text{ or } 2",
            text="The same marginals with p_23 = 1/2 and p_23 = 0.",
            check=decided(
                partial(moment_depends, _L, _NESTED, _SEPARATE, 2),
                "p = (1, 1/2, 1/2), nested against exclusive",
            ),
        ),
    ),
    formal=Formal(
        "cost_of_marginals LP_of_marginals LM_depends",
        "cost and L_P depend on the marginals alone; L_M does not: with p = (1, 1/2, 1/2) it "
        "is 4 for the nested sampling and 2 where blocks 2 and 3 exclude each other",
        instance="LM_depends",
    ),
)
