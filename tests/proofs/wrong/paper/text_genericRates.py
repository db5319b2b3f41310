"""Wrong twins for the remarks on generic nonconvex rates."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.randomised import on_instances, on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import refuted_by
from proofs_check.ours import generic_nonconvex
from proofs_check.paper import lem_key_quantity
from proofs_check.paper import text_genericRates as right

WRONG = {
    "text:genericRootT": (
        on_instances(partial(right.between, factor=2)),
        identity(partial(generic_nonconvex.chosen_stepsize, power=2), "the square of T"),
        inequality(partial(right.bernoulli, extra=1), "a term too many"),
        inequality(partial(right.no_stepsize_helps, factor=2), "twice the growth"),
    ),
    "text:genericSecondCase": (
        on_quadratics(partial(right.least_gradient, factor=Fraction(1, 2))),
        refuted_by(lambda: right.not_covered(x=Fraction(0)), "at the minimiser nothing is excluded"),
        inequality(partial(right.second_case, factor=1), "twice the decrease"),
        identity(partial(right.second_rate, factor=1), "half of the rate"),
    ),
    "text:LambdaGeqLP": (
        on_random_matrices(partial(lem_key_quantity.right_sides, factor=0.99)),
        refuted_by(
            lambda: right.two_bounds_say_less((4, 1), (Fraction(1), Fraction(1, 4))), "here the lemma would be enough"
        ),
        inequality(partial(lem_key_quantity.eigenvalue_bounds, sign=-1), "the smallest eigenvalue does not bound"),
        inequality(partial(lem_key_quantity.norm_bound, sign=-1), "the smallest 1 / p does not bound"),
    ),
}
