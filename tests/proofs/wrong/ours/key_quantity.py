"""Wrong twins for the repaired proof of lem:key_quantity."""

from __future__ import annotations

from functools import partial

from proofs_check.ours import key_quantity as right
from proofs_check.symbolic import identity

WRONG = {
    "our:keyQuantity": (
        identity(partial(right.entries, power=2), "pair probabilities squared"),
        identity(partial(right.gram_of_indicators, power=2), "indicators over p, whose diagonal is not one"),
        identity(partial(right.identity_survives, diagonal=2), "K with twos on the diagonal moves t I"),
    )
}
