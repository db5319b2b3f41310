"""Wrong twins for the total cost."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import text_totalCost as right

WRONG = {
    "text:totalCost": (
        refuted_by(lambda: right.fewer_are_enough(Fraction(1), 2, Fraction(2)), "gradient descent needs them all"),
        on_quadratics(partial(right.gaps, factor=Fraction(1, 8))),
        on_quadratics(partial(right.mean_gradients, factor=Fraction(1, 4))),
        identity(partial(right.iterations, factor=2), "twice as many iterations as it takes"),
        identity(partial(right.proportional, power=2), "L_P squared"),
    )
}
