"""Wrong twins for lem:generalizedSmoothness."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import lem_generalizedSmoothness as right

WRONG = {
    "lem:generalizedSmoothness": (
        on_random_matrices(partial(right.quadratic_sides, factor=0.99)),
        inequality(partial(right.minimum_is_below, sign=-1), "a maximum"),
        identity(partial(right.smoothness_at_the_step, sign=1), "a step up the gradient"),
        identity(partial(right.norm_as_a_form, power=0), "W on one side only"),
        identity(partial(right.congruent, power=2), "W squared"),
        inequality(partial(right.quadratic_in_alpha, half=4), "a quarter for the half"),
        refuted_by(lambda: right.division_by_zero(1, 1), "L = 1: A is not zero"),
        identity(partial(right.best_alpha, half=1), "twice the maximum"),
        inequality(partial(right.rearranged, factor=1), "the factor 2 forgotten"),
    )
}
