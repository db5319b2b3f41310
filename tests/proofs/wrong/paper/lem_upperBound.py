"""Wrong twins for lem:upperBound."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.symbolic import identity, inequality
from proofs_check.paper import lem_upperBound as right

WRONG = {
    "lem:upperBound": (
        right.on_squares(scale=Fraction(101, 100)),
        inequality(partial(right.pair_of_terms, sign=1), "the square of the sum"),
        identity(partial(right.cancelled, power=2), "p does not cancel"),
        inequality(partial(right.admissible, sign=-1), "ascending"),
        identity(partial(right.attained, power=2), "the scale twice"),
        identity(partial(right.only_there, power=2), "the scale twice"),
    )
}
