"""A wrong twin: one step cannot tell one draw from fresh ones."""

from __future__ import annotations

from proofs_check.checks.witness import decided
from proofs_check.ours import fresh_draws as right

WRONG = {"our:freshDraws": (decided(lambda: right.same_sketch_breaks_the_rate(steps=1), "a single step"),)}
