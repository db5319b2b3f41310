"""Wrong twins for Rayleigh's bound."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import inequality
from proofs_check.facts import rayleigh as right

WRONG = {
    "fact:rayleigh": (
        on_instances(partial(right.bounds_the_form, lowered=1)),
        inequality(partial(right.term_in_the_eigenbasis, sign=-1), "the smallest eigenvalue"),
    )
}
