"""Wrong twins for Schur's product theorem."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.facts import congruence
from proofs_check.facts import schur_product as right

WRONG = {
    "fact:schurProduct": (
        on_instances(partial(right.products_are_semidefinite, shift=1)),
        identity(partial(right.entries_of_outer_products, power=2), "b twice"),
        inequality(partial(congruence.square_of_a_sum, sign=-1), "the square of the difference"),
    )
}
