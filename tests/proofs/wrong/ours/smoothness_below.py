"""A wrong twin for L_P >= lambda_max(L)."""

from __future__ import annotations

from functools import partial

from proofs_check.ours import smoothness_below as right
from proofs_check.symbolic import inequality

WRONG = {
    "our:LPgeqL": (inequality(partial(right.probabilities_are_at_most_one, sign=-1), "probabilities above 1"),),
}
