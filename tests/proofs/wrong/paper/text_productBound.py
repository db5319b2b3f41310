"""Wrong twins for the bound on c(P)."""

from __future__ import annotations

from functools import partial

from proofs_check.paper import text_productBound as right
from proofs_check.randomised import on_random_matrices
from proofs_check.symbolic import identity, inequality

WRONG = {
    "text:productBound": (
        on_random_matrices(partial(right.sides, factor=0.99)),
        identity(partial(right.diagonal_block, power=2), "divided by p twice"),
        inequality(partial(right.times_cost, sign=-1), "the inequality turned round"),
    )
}
