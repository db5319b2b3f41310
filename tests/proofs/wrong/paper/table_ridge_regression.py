"""Wrong twins for the table of ridge regressions."""

from __future__ import annotations

from fractions import Fraction

from proofs_check.paper import table_ridge_regression as right
from proofs_check.witness import refuted_by

WRONG = {
    "table:ridge_regression": (
        refuted_by(
            lambda: right.column_depends_on((Fraction(0), Fraction(0)), ("1.1", "0.9")), "the same lambda twice"
        ),
    )
}
