"""Wrong twins for the Schur complement."""

from __future__ import annotations

from functools import partial

from proofs_check.facts import schur_complement as right
from proofs_check.symbolic import identity

WRONG = {"fact:schurComplement": (identity(partial(right.completed_square, power=2), "inverted twice"),)}
