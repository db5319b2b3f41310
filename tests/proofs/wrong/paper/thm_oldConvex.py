"""Wrong twins for thm:oldConvex."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import huber, on_paths
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import thm_oldConvex as right

TENTH = Fraction(1, 10)

WRONG = {
    "thm:oldConvex": (
        refuted_by(lambda: right.divided_by_t_fails(3, 3), "with t = T the bound holds"),
        on_quadratics(partial(right.gaps, factor=TENTH)),
        on_paths(partial(right.gaps_on_paths, factor=TENTH), huber),
    )
}
