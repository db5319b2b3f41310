"""Wrong twins for thm:non-convex."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.witness import refuted_by
from proofs_check.ours.generic_nonconvex import least_gradient
from proofs_check.paper import thm_non_convex as right

WRONG = {
    "thm:non-convex": (
        refuted_by(lambda: right.short_steps_fail(inverse_step=12), "the longest step reaches eps"),
        on_quadratics(partial(least_gradient, factor=Fraction(1, 3), sharp=False), 30),
    )
}
