"""Wrong twins for the Schur complement."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity
from proofs_check.facts import schur_complement as right

WRONG = {
    "fact:schurComplement": (
        on_instances(partial(right.both_definite, sign=1)),
        identity(partial(right.completed_square, power=2), "inverted twice"),
    )
}
