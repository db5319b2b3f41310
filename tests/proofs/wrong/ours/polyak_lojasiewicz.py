"""Wrong twins for the rate under the condition of Polyak and Lojasiewicz."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.paths import on_paths
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import function_values as values
from proofs_check.ours import polyak_lojasiewicz as right

WRONG = {
    "our:polyakLojasiewicz": (
        on_paths(partial(right.gaps_on_paths, mu=2), right.dented),
        inequality(partial(values.half_of_the_gradient, half=1), "all of the gradient"),
        inequality(partial(values.contraction, factor=2), "twice the rate"),
        inequality(partial(right.factor_by_values, sign=-1), "the other sign"),
        identity(partial(values.powers, shift=2), "a power too many"),
    )
}
