"""Wrong twins for the table of ridge regressions."""

from __future__ import annotations

from fractions import Fraction

from proofs_check.paper import table_ridge_regression as right

WRONG = {"table:ridge_regression": (right.undetermined((Fraction(0), Fraction(0))),)}
