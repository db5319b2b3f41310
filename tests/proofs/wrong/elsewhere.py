"""Wrong twins of the checks in proofs_check/elsewhere, in the order of the ledger."""

from functools import partial

from proofs_check.checks.randomised import on_random_matrices
from proofs_check.elsewhere import nesterov_lemma1

from . import Slip, twins

TWINS = {
    "nesterov2012:lemma1": (
        on_random_matrices(partial(nesterov_lemma1.sides, factor=0.99)),
        Slip("- a_j", "+ a_j", "the square of the sum"),
        Slip("- a_j", "+ a_j", "the square of the sum"),
    ),
}

WRONG = twins(TWINS)
