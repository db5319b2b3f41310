"""Wrong twins for the strongly convex rate with a proximal term."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import proximal as right
from proofs_check.ours.function_values import powers

WRONG = {
    "our:proximal": (
        on_quadratics(partial(right.distances, factor=2), 30),
        inequality(partial(right.does_not_expand, sign=-1), "the other sign"),
        identity(partial(right.mean_over_the_draw, power=1), "gamma once"),
        inequality(partial(right.two_bounds_used, factor=2), "twice the rate"),
        identity(partial(powers, shift=2), "a power too many"),
    )
}
