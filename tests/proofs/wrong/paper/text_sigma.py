"""Wrong twins for the two readings of sigma."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import text_sigma as right

P = (Fraction(1), Fraction(1, 2), Fraction(1, 5))

WRONG = {
    "text:sigma": (
        refuted_by(lambda: right.readings_differ((9, 4, 1), P, (2, 1, 3), (18, 18)), "an involution"),
        refuted_by(lambda: right.recipe_fails((4, 9, 1), (2, 1, 3), (2, 3, 1)), "an involution"),
        identity(partial(right.reindexed, inverse=False), "sigma for its inverse"),
        on_instances(partial(right.every_permutation, reading="block->rank"), 200),
    )
}
