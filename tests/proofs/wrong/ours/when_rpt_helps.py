"""Wrong twins for when RPT helps."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import decided
from proofs_check.engine.claim import Evidence
from proofs_check.ours import when_rpt_helps as right
from proofs_check.ours.sandwich import constant_q, eigenvalue_constraint

HALF = Fraction(1, 2)

WRONG = {
    "our:whenRPTHelps": (
        on_instances(partial(right.rank_one, more=1), 20, Evidence.RIGOROUS),
        inequality(partial(eigenvalue_constraint, sign=-1), "the smallest eigenvalue"),
        identity(partial(constant_q, power=2), "the eigenvalue squared"),
        inequality(partial(right.gap_in_the_eigenbasis, sign=-1), "the smallest eigenvalue"),
        identity(partial(right.total_trace, power=2), "traces squared"),
        inequality(partial(right.zero_diagonal_zero_row, sign=1), "the square of the sum"),
        decided(
            lambda: right.gradient_descent_is_best(((2, 1), (1, 2)), 3, ((HALF, 0), (0, HALF)), (HALF, HALF)),
            "a Y outside the eigenspace",
        ),
        decided(
            lambda: right.no_such_point(((2, 1), (1, 2)), 3, (1, 1), (HALF, HALF)), "the costs of the instance before"
        ),
    )
}
