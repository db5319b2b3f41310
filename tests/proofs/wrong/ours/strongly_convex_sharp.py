"""Wrong twins for the sharp strongly convex factor."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.one_step import distances, distances_on_paths, on_random_forms
from proofs_check.checks.paths import huber, on_paths
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import strongly_convex
from proofs_check.ours import strongly_convex_sharp as right

WRONG = {
    "our:stronglyConvexSharp": (
        on_random_forms(scale=Fraction(99, 100)),
        on_quadratics(partial(distances, scale=Fraction(99, 100)), 30),
        on_paths(partial(distances_on_paths, scale=Fraction(99, 100)), huber, 20, mu=Fraction(1, 2)),
        identity(partial(right.expansion, power=2), "divided by p twice"),
        inequality(partial(right.shifted_smoothness, factor_of_mu=2), "mu taken away twice"),
        identity(partial(right.scaled_cocoercivity, power=1), "no square"),
        inequality(partial(right.square_completed, weight=2), "twice the share"),
        identity(partial(right.no_room_left, weight=2), "twice the share"),
        inequality(partial(right.largest_share, sign=-1), "the least share does not bound"),
        inequality(partial(right.not_negative, sign=-1), "a negative factor"),
        inequality(partial(strongly_convex.recursion, shift=1), "a power too many"),
        identity(partial(right.level_set, leading=1), "another leading coefficient"),
        inequality(partial(right.shares_at_two, sign=-1), "shares above s"),
        identity(partial(right.between_the_ends, power=1), "weights that do not fit"),
    )
}
