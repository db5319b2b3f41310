"""Wrong twins for the remarks on the generic convex rate."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_instances, on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.paper import text_oldConvexRate as right

WRONG = {
    "text:LPgeqL": (on_random_matrices(partial(right.top_and_weighted, factor=0.99)),),
    "text:optimalStepsize": (
        on_instances(partial(right.longest_is_best, factor=5)),
        inequality(partial(right.least_of_two, factor=1), "1/L_P is not below 1/(2L)"),
        inequality(partial(right.longer_is_better, sign=-1), "shorter is better"),
        identity(partial(right.plugged_in, factor=2), "half of the bound"),
    ),
    "text:genericConvexWorse": (
        inequality(partial(right.gap_is_unnecessary, thirds=4), "more than the whole"),
        inequality(partial(right.order_is_the_same, constant=4), "the constant 4 is not enough"),
    ),
}
