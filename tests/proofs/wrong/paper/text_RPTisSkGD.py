"""Wrong twins for RPT as an instance of SkGD."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.symbolic import identity
from proofs_check.paper import text_RPTisSkGD as right
from proofs_check.paper.def_PTsketch import moments_of_a_block, tails

WRONG = {
    "text:RPTisSkGD": (
        right.marginals("rank->block"),
        identity(partial(tails, last=1), "p_{B+1} = 1"),
        identity(partial(moments_of_a_block, power=1), "the second moment without its square"),
    )
}
