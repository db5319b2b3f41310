"""Wrong twins for the generic nonconvex bound."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import decided
from proofs_check.ours import generic_nonconvex as right

WRONG = {
    "our:genericNonconvex": (
        on_quadratics(partial(right.least_gradient, factor=Fraction(1, 3)), 30),
        inequality(partial(right.one_step, power=1), "gamma once"),
        inequality(partial(right.weighted_sum, shift=1), "a weight too many"),
        inequality(partial(right.weights_fall, sign=-1), "weights that grow"),
        inequality(partial(right.least_term, factor=2), "twice the bound"),
        identity(partial(right.chosen_stepsize, power=2), "the square of T"),
        inequality(partial(right.enough_steps, power=1), "e in place of its square"),
        decided(lambda: right.constants(ours=Fraction(73, 10)), "e^2 below 7.3"),
    )
}
