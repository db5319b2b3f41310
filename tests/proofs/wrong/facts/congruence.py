"""Wrong twins for the congruence fact."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.facts import congruence as right

WRONG = {
    "fact:congruence": (
        on_instances(partial(right.keeps_semidefinite, shift=1)),
        identity(partial(right.moved_to_the_vector, power=2), "T twice on one side"),
        inequality(partial(right.square_of_a_sum, sign=-1), "the square of the difference"),
    )
}
