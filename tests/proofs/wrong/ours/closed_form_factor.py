"""Wrong twins for the factor of the closed form."""

from __future__ import annotations

from functools import partial

from proofs_check.ours import closed_form_factor as right
from proofs_check.ours._optima import never_contradicted
from proofs_check.symbolic import identity, inequality
from proofs_check.witness import decided

WRONG = {
    "our:closedFormFactor": (
        never_contradicted(partial(right.sides, exponent=0.0)),
        identity(partial(right.scaled_blocks, power=2), "D twice"),
        inequality(partial(right.top_below_sigma, sign=-1), "the smallest eigenvalue of the block"),
        identity(partial(right.dual_point, power=2), "a root missing"),
        inequality(partial(right.top_component, sign=-1), "negative eigenvalues"),
        inequality(partial(right.combined, sign=-1), "the slacks with the wrong sign"),
        inequality(partial(right.over_blocks, sign=1), "the square of the sum"),
        decided(lambda: right.ends_are_attained((3, 1, 1, 1), (12, 24, 36)), "the factor 2"),
    )
}
