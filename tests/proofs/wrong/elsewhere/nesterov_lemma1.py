"""Wrong twins for Nesterov's lemma."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_random_matrices
from proofs_check.checks.symbolic import inequality
from proofs_check.elsewhere import nesterov_lemma1 as right

WRONG = {
    "nesterov2012:lemma1": (
        on_random_matrices(partial(right.sides, factor=0.99)),
        inequality(partial(right.lagrange, sign=1), "the square of the sum"),
        inequality(partial(right.lagrange, sign=1), "the square of the sum"),
    )
}
