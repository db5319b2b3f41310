"""Wrong twins for the bounds on the optimum."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.optima import never_contradicted
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import sandwich as right

WRONG = {
    "our:sandwich": (
        never_contradicted(partial(right.links, factor=1.01)),
        inequality(partial(right.above_the_blocks, sign=-1), "q below the block constants"),
        identity(partial(right.value_of_the_closed_form, power=2), "p twice"),
        inequality(partial(right.over_blocks, sign=1), "the square of the sum"),
        inequality(partial(right.eigenvalue_constraint, sign=-1), "the smallest eigenvalue"),
        identity(partial(right.constant_q, power=2), "the eigenvalue squared"),
        inequality(partial(right.block_constraint, sign=-1), "the smallest eigenvalue of the block"),
        identity(partial(right.equal_products, power=2), "the bound B^2 times the optimum"),
    )
}
