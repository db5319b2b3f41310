"""Wrong twins for the semidefinite program."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.optima import never_contradicted
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import sdp as right

WRONG = {
    "our:sdp": (
        never_contradicted(partial(right.both_programs, factor=1.1)),
        identity(partial(right.scale_invariance, power=2), "L_P falls with the square of the scale"),
        identity(partial(right.congruent, power=2), "P squared"),
        identity(partial(right.from_p_to_q, power=2), "L_P squared"),
        identity(partial(right.from_q_to_p, power=2), "divided by the maximum twice"),
        inequality(partial(right.above_the_blocks, sign=-1), "q below the block constants"),
        inequality(partial(right.bounded_sublevels, sign=-1), "negative remaining terms"),
        identity(partial(right.affine, power=2), "a mixture with a squared weight"),
    )
}
