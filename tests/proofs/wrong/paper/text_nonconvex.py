"""Wrong twins for the non-convexity of c(P)."""

from __future__ import annotations

from fractions import Fraction

from proofs_check.checks.witness import decided
from proofs_check.paper import text_nonconvex as right

THIRD = Fraction(1, 3)

WRONG = {
    "text:nonconvex": (
        decided(
            lambda: right.above_the_chord((3, 3, 1), (THIRD, THIRD, THIRD), right._FIRST, right._SECOND),
            "equal costs, for which this chord lies above",
        ),
    )
}
