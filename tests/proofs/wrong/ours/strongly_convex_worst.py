"""Wrong twins for the worst case of one strongly convex step."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import strongly_convex_worst as right

WRONG = {
    "our:stronglyConvexWorst": (
        right.attained_exactly((1, 1, 2, 2, 2)),
        identity(partial(right.slope, factor=2), "twice the slope"),
        identity(partial(right.opposite_slopes, sign=-1), "slopes of the same sign"),
        identity(partial(right.cocoercivity_is_the_slope, power=1), "no square"),
        identity(partial(right.value_attained, factor=2), "the multiplier twice"),
        identity(partial(right.matrix_maps, factor=2), "u twice"),
        inequality(partial(right.matrix_below, sign=-1), "the wrong sign in the square"),
    )
}
