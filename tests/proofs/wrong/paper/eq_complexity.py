"""Wrong twins for eq:complexity."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.optima import never_contradicted
from proofs_check.checks.symbolic import identity
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import eq_complexity as right

WRONG = {
    "eq:complexity": (
        refuted_by(
            lambda: right.printed_minimum_breaks_the_corollary((3, 2, 1), (1, 2, 3), Fraction(121, 100)),
            "an order that is the identity, for which the readings agree",
        ),
        identity(partial(right.marginal_of_a_rank, last=1), "a last probability that is not zero"),
        never_contradicted(partial(right.two_minima, factor=1.1), 30),
        identity(partial(right.iterations, power=2), "the square of L_P"),
    )
}
