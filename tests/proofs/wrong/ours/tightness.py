"""Wrong twins for the tightness construction."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import tightness as right

WRONG = {
    "our:tightness": (
        right.construction(slack=Fraction(1, 2)),
        identity(partial(right.diagonal_blocks, factor=2), "subtracted twice"),
        inequality(partial(right.remainder, sign=-1), "a negative eigenvalue"),
        identity(partial(right.kernel_of_the_remainder, power=2), "the fourth power"),
        identity(partial(right.value_at_the_vector, power=1), "a square missing"),
        identity(partial(right.weighted_value, power=2), "divided by p twice"),
    )
}
