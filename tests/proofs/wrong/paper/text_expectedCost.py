"""Wrong twins for the expected cost."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.symbolic import identity
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import text_expectedCost as right

COSTS = (Fraction(1, 4), Fraction(3, 4))

WRONG = {
    "text:expectedCost": (
        right.enumerated("block->rank"),
        refuted_by(lambda: right.printed_cost_fails((1, 2), COSTS, 1), "sigma is the identity"),
        identity(partial(right.blocks_of_the_first_ranks, shift=1), "the block of the next rank"),
        identity(partial(right.sum_over_iterations, power=2), "T twice"),
        identity(partial(right.abel, last=1), "p_{B+1} = 1"),
    )
}
