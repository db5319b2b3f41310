"""Wrong twins for the convex rate of the last iterate."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import huber, on_paths
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import convex_last as right

LESS = Fraction(49, 100)

WRONG = {
    "our:convexLastIterate": (
        on_quadratics(partial(right.gaps, factor=LESS)),
        on_paths(partial(right.gaps_on_paths, factor=LESS), huber),
        inequality(partial(right.values_fall, sign=-1), "values that rise"),
        inequality(partial(right.last_below_mean, sign=-1), "the last is the largest"),
        identity(partial(right.sum_bounded, factor=4), "half of the bound"),
    )
}
