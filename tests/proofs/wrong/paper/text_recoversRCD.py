"""Wrong twins for the known rates of randomised coordinate descent."""

from __future__ import annotations

from fractions import Fraction

from proofs_check.paper import text_recoversRCD as right
from proofs_check.witness import refuted_by

WRONG = {
    "text:recoversRCD": (
        refuted_by(lambda: right.known_rate_is_better(((2, 0), (0, 2)), Fraction(1)), "a diagonal L loses nothing"),
    )
}
