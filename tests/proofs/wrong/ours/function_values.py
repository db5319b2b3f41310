"""Wrong twins for the theorem in function values."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import function_values as right

WRONG = {
    "our:functionValues": (
        on_quadratics(partial(right.gaps, factor=2)),
        inequality(partial(right.half_of_the_gradient, half=1), "all of the gradient"),
        identity(partial(right.gradient_dominates, factor=1), "twice the gradient"),
        inequality(partial(right.contraction, factor=2), "twice as fast"),
        inequality(partial(right.factor_not_negative, sign=-1), "probabilities above 1"),
        identity(partial(right.powers, shift=2), "two steps in one"),
        identity(partial(right.one_coordinate_at_a_time, power=2), "p_i that do not add up to one"),
    )
}
