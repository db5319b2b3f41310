"""Wrong twins for the congruence fact."""

from __future__ import annotations

from functools import partial

from proofs_check.facts import congruence as right
from proofs_check.symbolic import identity

WRONG = {"fact:congruence": (identity(partial(right.moved_to_the_vector, power=2), "T twice on one side"),)}
