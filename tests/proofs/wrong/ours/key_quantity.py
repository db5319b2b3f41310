"""Wrong twins for the repaired proof of lem:key_quantity."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import key_quantity as right

WRONG = {
    "our:keyQuantity": (
        on_instances(partial(right.every_sampling, factor=Fraction(9, 10))),
        identity(partial(right.entries, power=2), "pair probabilities squared"),
        identity(partial(right.gram_of_indicators, power=2), "indicators over p, whose diagonal is not one"),
        inequality(partial(right.mean_of_squares, sign=-1), "the square of the difference"),
        identity(partial(right.identity_survives, diagonal=2), "K with twos on the diagonal moves t I"),
    )
}
