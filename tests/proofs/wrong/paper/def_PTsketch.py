"""Wrong twins for def:PTsketch."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.symbolic import identity
from proofs_check.paper import def_PTsketch as right

WRONG = {
    "def:PTsketch": (
        identity(partial(right.tails, last=1), "p_{B+1} = 1"),
        identity(partial(right.moments_of_a_block, power=1), "the second moment without its square"),
        right.every_permutation(power=1),
    )
}
