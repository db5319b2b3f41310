"""Wrong twins for the bound on c(P)."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.paper import text_productBound as right

WRONG = {
    "text:productBound": (
        on_random_matrices(partial(right.sides, factor=0.99)),
        identity(partial(right.diagonal_block, power=2), "divided by p twice"),
        inequality(partial(right.times_cost, sign=-1), "the inequality turned round"),
    )
}
