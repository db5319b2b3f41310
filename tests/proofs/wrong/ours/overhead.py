"""Wrong twins for the overhead."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import overhead as right

WRONG = {
    "our:overhead": (
        right.certificates(lowered=Fraction(99, 100)),
        identity(partial(right.equivalent, power=2), "L_P squared"),
        identity(partial(right.traces_with_overhead, power=2), "the share squared"),
        inequality(partial(right.weak_duality, sign=-1), "the minimum in place of the maximum"),
        inequality(partial(right.coercive, sign=-1), "the barrier wins"),
        identity(partial(right.central_point, power=2), "the share squared"),
    )
}
