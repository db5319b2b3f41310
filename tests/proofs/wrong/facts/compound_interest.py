"""Wrong twins for the bound on (1 + 1/T)^T."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import decided
from proofs_check.facts import compound_interest as right

WRONG = {
    "fact:compoundInterest": (
        right.below_e(more=1),
        identity(partial(right.next_binomial, shift=1), "one too many to choose from"),
        inequality(partial(right.binomial_terms, growth=1), "terms that shrink to nothing"),
        identity(partial(right.geometric_tail, ratio=2), "the wrong ratio"),
        decided(lambda: right.e_lies_between(above=Fraction(2718, 1000)), "e below 2.718"),
    )
}
