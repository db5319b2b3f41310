"""Wrong twins for the known rates of randomised coordinate descent."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity
from proofs_check.checks.witness import refuted_by
from proofs_check.ours.function_values import one_coordinate_at_a_time
from proofs_check.paper import text_recoversRCD as right

WRONG = {
    "text:recoversRCD": (
        refuted_by(lambda: right.known_rate_is_better(((2, 0), (0, 2)), Fraction(1)), "a diagonal L loses nothing"),
        refuted_by(lambda: right.uniform_steps_are_better((1, 1)), "equal constants: no better than 1 - 1/2"),
        identity(partial(one_coordinate_at_a_time, power=2), "p_i that do not add up to one"),
        on_quadratics(partial(right.gaps, factor=2)),
    )
}
