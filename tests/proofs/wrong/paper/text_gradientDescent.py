"""Wrong twins for gradient descent as a case of RPT."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.optima import never_contradicted
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.paper import text_gradientDescent as right

WRONG = {
    "text:gradientDescent": (
        never_contradicted(partial(right.optimum_below, factor=0.9)),
        identity(partial(right.law_at_one, p=2), "p = 2"),
        identity(partial(right.cost_at_one, p=2), "p = 2"),
        inequality(partial(right.minimum_below_a_value, sign=-1), "a maximum"),
    )
}
