"""Wrong twins for the total cost."""

from __future__ import annotations

from functools import partial

from proofs_check.paper import text_totalCost as right
from proofs_check.symbolic import identity

WRONG = {
    "text:totalCost": (
        identity(partial(right.iterations, factor=2), "twice as many iterations as it takes"),
        identity(partial(right.proportional, power=2), "L_P squared"),
    )
}
