"""Wrong twins for our form of lem:generalizedSmoothness."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import generalized_smoothness as right

WRONG = {
    "our:generalizedSmoothness": (
        on_instances(partial(right.any_weight, factor=Fraction(9, 10))),
        identity(partial(right.moved_roots, power=2), "a root too many"),
        inequality(partial(right.descent, half=4), "a quarter for the half"),
        identity(partial(right.chosen_alpha, factor=1), "twice the decrease"),
    )
}
