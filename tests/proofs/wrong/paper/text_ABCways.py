"""Wrong twins for the ways to satisfy the ABC assumption."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import lem_key_quantity
from proofs_check.paper import text_ABCways as right

WRONG = {
    "text:ABCtwoWays": (
        on_quadratics(partial(right.second_moments, factor=2)),
        inequality(partial(right.first_way, factor=1), "half of the second moment"),
        identity(partial(right.second_moment, power=2), "divided by p twice"),
        inequality(partial(lem_key_quantity.norm_bound, sign=-1), "the smallest 1 / p does not bound"),
    ),
    "text:ABCnoOtherWays": (
        refuted_by(lambda: right.third_way_exists(3 * right.HALF, 2 * right.HALF), "a mixture, and more"),
    ),
}
