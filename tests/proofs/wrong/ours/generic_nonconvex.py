"""Wrong twins for the generic nonconvex bound."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import generic_nonconvex as right

WRONG = {
    "our:genericNonconvex": (
        on_quadratics(partial(right.least_gradient, factor=Fraction(1, 3)), 30),
        inequality(partial(right.one_step, power=1), "gamma once"),
        inequality(partial(right.weighted_sum, shift=1), "a weight too many"),
        identity(partial(right.weights_add_up, sign=-1), "the other sign"),
        inequality(partial(right.least_term, factor=2), "twice the bound"),
        inequality(partial(right.weights_fall, sign=-1), "weights that grow"),
        identity(partial(right.chosen_stepsize, power=2), "the square of T"),
        inequality(partial(right.bernoulli, more=1), "one more"),
        inequality(partial(right.enough_steps, constant=3), "3 in place of 4"),
    )
}
