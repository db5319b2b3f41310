"""Wrong twins for lem:secondMoment."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.randomised import on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import lem_secondMoment as right
from proofs_check.paper.lem_generalizedSmoothness import quadratic_sides

ONE = Fraction(1)

WRONG = {
    "lem:secondMoment": (
        refuted_by(lambda: right.norms_differ(ONE, ONE), "a norm that is its own square"),
        refuted_by(lambda: right.bound_fails(ONE, ONE, Fraction(2)), "far from the minimum the gap is large"),
        right.enumerated_second_moment(power=1),
        on_random_matrices(partial(quadratic_sides, factor=0.99)),
        identity(partial(right.squared_norm, power=1), "C for C squared"),
        identity(partial(right.linear_expectation, power=2), "probabilities squared"),
        identity(partial(right.second_moment_of_the_sketch, power=2), "divided by p twice"),
        refuted_by(lambda: right.norms_differ(ONE, Fraction(0)), "gradient zero"),
        identity(partial(right.weighted_norm, square=1), "the line as printed"),
        identity(partial(right.matrix_of_the_lemma, power=2), "W is not the inverse of P"),
        inequality(partial(right.rearranged, factor=1), "half of the bound"),
    )
}
