"""Wrong twins for the table of quadratics."""

from __future__ import annotations

from fractions import Fraction

from proofs_check.checks.witness import decided, refuted_by
from proofs_check.paper import table_quad_functions as right
from rpttheory.experiments.quadratics import PAPER

WRONG = {
    "table:quad_functions": (
        refuted_by(lambda: right.cell_is_wrong("03", "5.4", decimals=0), "the right number"),
        refuted_by(lambda: right.cell_is_wrong("06", decimals=0), "11 read as any number that rounds to it"),
        decided(lambda: right.cells_recompute({"03": "5.4", "06": "6.4"}), "row 6 as printed"),
    ),
    "text:quadraticFunctions": (
        refuted_by(lambda: len(PAPER) != 12, "the true number of rows"),
        refuted_by(lambda: right.ratios_below(Fraction(1, 283), ("12",)), "the ratio of row 12 is above 1/283"),
        decided(lambda: right.ratios_below(Fraction(9, 10), tuple(PAPER)), "row 1 is at 0.9009"),
    ),
}
