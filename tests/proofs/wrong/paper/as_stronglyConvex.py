"""Wrong twins for as:stronglyConvex."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.symbolic import inequality
from proofs_check.paper import as_stronglyConvex as right

WRONG = {"as:stronglyConvex": (inequality(partial(right.curvature_between, sign=-1), "f above both quadratics"),)}
