"""Wrong twins for the forced order."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.optima import never_contradicted
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import forced_order as right

WRONG = {
    "our:forcedOrder": (
        never_contradicted(partial(right.both_programs, factor=1.1), 30),
        identity(partial(right.linear_cost, last=1), "a last probability that is not zero"),
        inequality(partial(right.monotone_both_ways, sign=-1), "ascending"),
        inequality(partial(right.first_bounds_all, sign=-1), "falling costs"),
    ),
    "our:pooledClosedForm": (
        right.pooling(strict=True),
        inequality(partial(right.prefixes, sign=-1), "a higher ratio merged with a later, lower one"),
        identity(partial(right.moved_amounts, shift=2), "moved twice"),
        inequality(partial(right.moved_forward, sign=-1), "moved to later ranks"),
        identity(partial(right.pooled_roots, power=2), "the ratio without its root"),
        identity(partial(right.value_at_the_pooled, power=2), "p twice"),
    ),
}
