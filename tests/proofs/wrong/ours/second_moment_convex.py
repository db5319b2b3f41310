"""Wrong twins for the convexity of c_M."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import decided
from proofs_check.ours import second_moment_convex as right

WRONG = {
    "our:secondMomentConvex": (
        on_random_matrices(partial(right.midpoint_sides, factor=0.99)),
        identity(partial(right.linear_entries, power=2), "r squared"),
        identity(partial(right.mixture, power=2), "a squared weight"),
        inequality(partial(right.cost_is_convex, sign=-1), "concave"),
        identity(partial(right.scaling, power=2), "the scale squared"),
        inequality(partial(right.never_negative, sign=-1), "never positive"),
        inequality(partial(right.smaller_cost, semidefinite=False), "an L_M of any sign"),
        inequality(partial(right.bounded, sign=-1), "L_M below a block"),
        decided(
            lambda: right.orders_do_not_mix(((2, 2), (2, 6)), 7, ((4, 4), (4, 4)), (1, -1), 8), "the other eigenvector"
        ),
    )
}
