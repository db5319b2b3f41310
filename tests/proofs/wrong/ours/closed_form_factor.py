"""Wrong twins for the factor of the closed form."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.optima import never_contradicted
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import closed_form_factor as right

WRONG = {
    "our:closedFormFactor": (
        never_contradicted(partial(right.sides, factor=0.95)),
        identity(partial(right.scaled_blocks, power=2), "D twice"),
        inequality(partial(right.top_component, sign=-1), "negative eigenvalues"),
        identity(partial(right.dual_point, power=2), "the share squared"),
        inequality(partial(right.weighted_pairs, sign=1), "the square of the sum"),
        inequality(partial(right.shares_add_up, sign=-1), "the smallest s in place of the largest"),
        inequality(partial(right.last_square, sign=1), "the square of the sum"),
        identity(partial(right.attained, first=2), "another s"),
    )
}
