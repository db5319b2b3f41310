"""Wrong twins for Cauchy and Schwarz."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.facts import cauchy_schwarz as right

WRONG = {
    "fact:cauchySchwarz": (
        on_instances(partial(right.on_vectors, less=1)),
        inequality(partial(right.pair_of_terms, sign=1), "the square of the sum"),
        identity(partial(right.term_on_the_diagonal, power=1), "a square missing"),
    )
}
