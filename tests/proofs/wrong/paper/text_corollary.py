"""Wrong twins for the Corollary."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.optima import never_contradicted
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import sandwich
from proofs_check.paper import text_corollary as right

WRONG = {
    "text:corollary": (
        never_contradicted(partial(right.optimum_links, factor=0.99)),
        identity(partial(sandwich.constant_q, power=2), "the eigenvalue squared"),
        identity(partial(sandwich.value_of_the_closed_form, power=2), "p twice"),
        inequality(partial(right.below_both, sign=-1), "above both"),
    )
}
