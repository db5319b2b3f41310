"""Wrong twins for the independence of the joint law."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity
from proofs_check.checks.witness import decided
from proofs_check.ours import sampling_independence as right

L = ((1, 0, 0), (0, 1, 0), (0, 0, 1))

WRONG = {
    "our:samplingIndependence": (
        on_quadratics(partial(right.same_cost, factor=2)),
        identity(partial(right.cost_of_a_block, power=2), "the probability squared"),
        identity(partial(right.weighted_entry, pairs=True), "E[CLC], which depends on pairs"),
        decided(
            lambda: right.moment_depends(
                right.second_moment(L, right._NESTED), right.second_moment(L, right._SEPARATE), (0, 1, 1), 2
            ),
            "a diagonal L, for which the joint law does not matter",
        ),
    )
}
