"""Wrong twins for the generic convex bound."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import huber, on_paths
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import generic_convex as right
from proofs_check.paper import thm_rcdConvex as paper

QUARTER, TENTH = Fraction(1, 4), Fraction(1, 10)

WRONG = {
    "our:genericConvex": (
        on_quadratics(partial(paper.gaps, factor=TENTH, largest=QUARTER)),
        on_paths(partial(paper.gaps_on_paths, factor=TENTH, largest=QUARTER), huber),
        inequality(partial(right.one_step, factor=4), "twice the decrease"),
        inequality(partial(right.quarter_used, quarters=4), "nothing lost"),
        identity(partial(paper.telescoping, shift=1), "the last distance twice"),
        inequality(partial(paper.last_distance_dropped, sign=-1), "a square below zero"),
        inequality(partial(paper.mean_gap, factor=2), "twice the mean"),
    )
}
