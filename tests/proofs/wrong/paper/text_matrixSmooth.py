"""Wrong twins for the definition of L-smoothness."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.paper import text_matrixSmooth as right

WRONG = {
    "text:matrixSmooth": (
        identity(partial(right.gap_of_a_quadratic, halves=2), "the half forgotten"),
        inequality(partial(right.concave_gap, cross=-1), "the tangent with the wrong slope"),
        on_instances(partial(right.at_points, halves=2)),
    )
}
