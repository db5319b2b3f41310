"""Nesterov (2012), lemma 1, which lem:twoBounds cites."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..claim import Bound, Claim, Kind, Status, Step
from ..instances import Batch
from ..randomised import Brackets, on_random_matrices
from ..stacked import top_brackets
from ..symbolic import inequality

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Expr


def sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """lambda_max(A) and factor times the trace of A, which is an integer: scalar blocks have L_i = A_ii."""
    trace = factor * np.trace(batch.L, axis1=1, axis2=2)
    return top_brackets(batch.L, np.ones(batch.L.shape[:2])), (trace, trace)


def pair_of_terms(sign: int = -1) -> Sequence[tuple[Expr, Expr, Expr]]:
    """Terms (i, j), (j, i) of (sum sqrt(L_i) |x_i|)^2 <= sum L_i sum |x_i|^2, with a_i = sqrt(L_i) and n_i = |x_i|."""
    import sympy

    a_i, a_j, n_i, n_j = sympy.symbols("a_i a_j n_i n_j", nonnegative=True)
    return [(2 * a_i * n_i * a_j * n_j, a_i**2 * n_j**2 + a_j**2 * n_i**2, (a_i * n_j + sign * a_j * n_i) ** 2)]


CLAIM = Claim(
    label="nesterov2012:lemma1",
    kind=Kind.LEMMA,
    title="A semidefinite matrix is below the sum of its block constants",
    latex=r"A \succeq 0,\ A_{ii} \preceq L_i I \implies A \preceq \Big(\sum_i L_i\Big) I",
    text="The blocks' norms may be any Euclidean ones; a change of variables in each block makes them standard.",
    assumptions=("A is positive semidefinite",),
    source="Nesterov, Efficiency of coordinate descent methods on huge-scale optimization problems, SIAM J. Optim. 22 "
    "(2012)",
    statement=Status.VERIFIED,
    proof=Status.VERIFIED,
    bound=Bound.UPPER,
    tight=True,
    tightness="rank-one A, scalar blocks",
    proof_needs=("fact:cauchySchwarz",),
    checks=(on_random_matrices(sides),),
    steps=(
        Step(
            latex=r"x^\top A x \leq \Big(\sum_i \sqrt{L_i} \|x_i\|\Big)^2 \leq \sum_i L_i \sum_i \|x_i\|^2",
            text="|x_i'A_ij x_j| is at most the root of x_i'A_ii x_i x_j'A_jj x_j; then Cauchy and Schwarz.",
            check=inequality(pair_of_terms, "pair (i, j), so any number of blocks"),
        ),
    ),
)
