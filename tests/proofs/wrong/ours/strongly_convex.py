"""Wrong twins for our proof of the strongly convex rate."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import on_paths
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import strongly_convex as right

WRONG = {
    "our:stronglyConvex": (
        on_quadratics(partial(right.distances, factor=2)),
        on_paths(partial(right.distances_on_paths, factor=2), right.huber, mu=Fraction(1, 2)),
        identity(partial(right.one_step, power=2), "divided by p twice"),
        inequality(partial(right.second_moment_used, factor=1), "half of the second moment"),
        inequality(partial(right.strong_convexity_used, factor=2), "mu counted twice"),
        inequality(partial(right.last_term_dropped, sign=-1), "a stepsize above 1/L_P"),
        inequality(partial(right.mu_is_at_most_L_P, sign=-1), "mu above L_P"),
        inequality(partial(right.recursion, shift=1), "a power too many"),
    )
}
