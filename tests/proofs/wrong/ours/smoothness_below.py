"""A wrong twin for L_P >= lambda_max(L)."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_random_matrices
from proofs_check.checks.symbolic import inequality
from proofs_check.ours import smoothness_below as right
from proofs_check.paper.text_oldConvexRate import top_and_weighted

WRONG = {
    "our:LPgeqL": (
        on_random_matrices(partial(top_and_weighted, factor=0.9)),
        inequality(partial(right.probabilities_are_at_most_one, sign=-1), "probabilities above 1"),
    ),
}
