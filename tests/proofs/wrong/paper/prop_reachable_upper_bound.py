"""Wrong twins for prop:reachable_upper_bound."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import prop_reachable_upper_bound as right

WRONG = {
    "prop:reachable_upper_bound": (
        right.construction(slack=Fraction(1, 2)),
        identity(partial(right.complement, power=2), "inverted twice"),
        identity(partial(right.replaced_eigenvalue, factor=2), "subtracted twice"),
        refuted_by(lambda: right.rotation_can_fail(((1,),), ((1,),), (1,), (1,)), "here the first columns are u and v"),
        identity(partial(right.rotated_block, second=1), "columns that are not orthogonal"),
        identity(partial(right.same_form, power=2), "U twice on one side"),
        identity(partial(right.expanded, factor=1), "the corner counted once"),
        identity(partial(right.restricted, second=1), "a vector with more coordinates"),
        inequality(partial(right.lowered, sign=-1), "eps with the wrong sign"),
        identity(partial(right.completed, factor=1), "half the mixed term"),
        identity(partial(right.evaluated, power=2), "the square of the value"),
    )
}
