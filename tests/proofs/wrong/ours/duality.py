"""Wrong twins for the duality."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import duality as right

WRONG = {
    "our:duality": (
        right.certificates(traces=Fraction(101, 100)),
        identity(partial(right.slack_times_dual, power=2), "v three times"),
        inequality(partial(right.logarithm, sign=-1), "the logarithm above its tangent"),
        inequality(partial(right.coercive, sign=-1), "the barrier wins"),
        identity(partial(right.derivative_of_the_barrier, power=2), "the inverse squared"),
        identity(partial(right.gap_of_the_centre, power=2), "a gap of mu squared"),
        inequality(partial(right.bounded_entries, sign=1), "the square of the sum"),
    )
}
