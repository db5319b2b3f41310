"""Wrong twins for thm:rcdStronglyConvex."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import huber, on_paths
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import thm_rcdStronglyConvex as right

WRONG = {
    "thm:rcdStronglyConvex": (
        refuted_by(lambda: right.letters_differ(1, 1), "with t = k the bound holds"),
        on_quadratics(partial(right.distances, factor=Fraction(101, 100))),
        on_paths(partial(right.distances_on_paths, factor=Fraction(101, 100)), huber, mu=Fraction(1, 2)),
        right.attained(scale=Fraction(1, 2)),
    )
}
