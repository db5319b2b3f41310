"""Wrong twins for thm:rcdConvex."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import huber, on_paths
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import refuted_by
from proofs_check.ours import strongly_convex
from proofs_check.paper import thm_rcdConvex as right

FIFTH, ONE = Fraction(1, 5), Fraction(1)

WRONG = {
    "thm:rcdConvex": (
        on_quadratics(partial(right.gaps, factor=FIFTH)),
        on_paths(partial(right.gaps_on_paths, factor=FIFTH), huber),
        identity(partial(strongly_convex.one_step, power=2), "divided by p twice"),
        inequality(partial(strongly_convex.second_moment_used, factor=1), "half of the second moment"),
        inequality(partial(right.convexity_used, factor=0), "the second moment forgotten"),
        identity(partial(right.collected, factor=2), "twice the gap"),
        inequality(partial(right.rearranged, sign=-1), "the wrong direction"),
        refuted_by(lambda: right.jensen_line_fails(Fraction(1, 2), ONE), "gamma = 1 makes the slip harmless"),
        inequality(partial(right.mean_gap, factor=2), "twice the mean"),
        refuted_by(lambda: right.telescoped_line_fails(Fraction(1, 2), ONE), "gamma = 1 makes the slip harmless"),
        identity(partial(right.telescoping, shift=1), "the last distance twice"),
        inequality(partial(right.last_distance_dropped, sign=-1), "a square below zero"),
        inequality(partial(right.in_particular, factor=1), "half as many steps"),
    )
}
