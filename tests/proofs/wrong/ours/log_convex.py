"""Wrong twins for convexity in log p."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import log_convex as right

WRONG = {
    "our:logConvex": (
        on_random_matrices(partial(right.midpoint_sides, factor=0.99)),
        identity(partial(right.transposed, power=2), "P twice"),
        identity(partial(right.gram_form, power=2), "x twice on one side"),
        inequality(partial(right.nonnegative_weights, sign=-1), "negative weights"),
        inequality(partial(right.convex_terms, sign=-1), "concave"),
        inequality(partial(right.two_blocks, sign=-1), "concave"),
    )
}
