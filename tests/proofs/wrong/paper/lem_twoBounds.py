"""Wrong twins for lem:twoBounds."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.paper import lem_twoBounds as right

WRONG = {
    "lem:twoBounds": (
        on_random_matrices(partial(right.lower_sides, factor=1.01)),
        on_random_matrices(partial(right.upper_sides, factor=0.99)),
        identity(partial(right.attained_at_the_eigenvector, second=1), "not an eigenvector"),
        identity(partial(right.restricted_form, power=2), "y twice on one side"),
        inequality(partial(right.term_in_the_eigenbasis, sign=-1), "the smallest eigenvalue does not bound"),
    )
}
