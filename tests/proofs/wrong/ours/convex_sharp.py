"""Wrong twins for the sharp convex rate."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import huber, on_paths
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import convex_sharp as right
from proofs_check.ours import strongly_convex
from proofs_check.paper import thm_rcdConvex as paper

LESS = Fraction(49, 100)

WRONG = {
    "our:convexSharp": (
        on_quadratics(partial(paper.gaps, factor=LESS, largest=1)),
        on_paths(partial(paper.gaps_on_paths, factor=LESS, largest=1), huber),
        identity(partial(strongly_convex.one_step, power=2), "divided by p twice"),
        inequality(partial(right.weighted_smoothness, sign=-1), "L above L_P P"),
        inequality(partial(right.cocoercivity_used, factor=2), "twice the norm"),
        inequality(partial(right.norm_dropped, sign=-1), "a stepsize above 1/L_P"),
        identity(partial(paper.telescoping, shift=1), "the last distance twice"),
        inequality(partial(paper.last_distance_dropped, sign=-1), "a square below zero"),
        inequality(partial(paper.mean_gap, factor=2), "twice the mean"),
        identity(partial(right.four_times_below, factor=2), "half of the gain"),
    ),
    "our:convexAttained": (
        right.attained_by_huber(start=2),
        identity(partial(right.huber_example, start=2), "a start too far"),
    ),
}
