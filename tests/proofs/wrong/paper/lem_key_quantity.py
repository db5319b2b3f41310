"""Wrong twins for lem:key_quantity."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.randomised import on_instances, on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import refuted_by
from proofs_check.ours import key_quantity
from proofs_check.paper import lem_key_quantity as right

HALF = Fraction(1, 2)

WRONG = {
    "lem:key_quantity": (
        on_random_matrices(partial(right.left_sides, factor=0.99)),
        on_random_matrices(partial(right.right_sides, factor=0.99)),
        on_instances(partial(key_quantity.every_sampling, factor=Fraction(9, 10))),
        identity(partial(right.norm_of_the_root, exponent=2), "pair probabilities squared"),
        inequality(partial(right.eigenvalue_bounds, sign=-1), "the smallest eigenvalue does not bound"),
        refuted_by(lambda: right.printed_sum_fails((Fraction(1), HALF), (0, 0)), "x = 0 distinguishes nothing"),
        identity(partial(right.second_moment_of_a_coordinate, power=2), "divided by p twice"),
        identity(partial(right.second_moment_of_a_coordinate, power=0), "not divided by p"),
        refuted_by(
            lambda: right.inference_fails((Fraction(1), HALF), ((4, 0), (0, 1)), ((0, 0), (0, 4)), Fraction(4)),
            "here the conclusion holds",
        ),
        identity(partial(right.root_of_the_weighted, power=2), "a root too many"),
        inequality(partial(right.eigenvalue_bounds, sign=-1), "the smallest eigenvalue does not bound"),
        inequality(partial(right.norm_bound, sign=-1), "the smallest 1 / p does not bound"),
    )
}
