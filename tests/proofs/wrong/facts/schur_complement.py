"""Wrong twins for the Schur complement."""

from __future__ import annotations

from functools import partial

from proofs_check.facts import schur_complement as right
from proofs_check.randomised import on_instances
from proofs_check.symbolic import identity

WRONG = {
    "fact:schurComplement": (
        on_instances(partial(right.both_definite, sign=1)),
        identity(partial(right.completed_square, power=2), "inverted twice"),
    )
}
