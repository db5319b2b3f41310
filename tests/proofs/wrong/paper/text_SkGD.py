"""Wrong twins for the unbiased sketch."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity
from proofs_check.paper import text_SkGD as right

WRONG = {
    "text:SkGD": (
        on_quadratics(partial(right.unbiased, factor=2)),
        identity(partial(right.mean_of_a_coordinate, factor=2), "twice the gradient"),
    )
}
