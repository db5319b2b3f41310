"""A wrong twin: an x that refutes nothing."""

from __future__ import annotations

from proofs_check.checks.witness import refuted_by
from proofs_check.ours import strongly_convex_conjecture as right

P = (right.ONE, right.THIRD)

WRONG = {
    "our:stronglyConvexConjecture": (
        refuted_by(lambda: right.conjecture_fails(((5, 2), (2, 2)), P, 1, 9, (1, -2)), "here the factor is enough"),
    )
}
