"""A wrong twin: with two coordinates L_P is less than twice L_M, and the distance does not grow."""

from __future__ import annotations

from proofs_check.checks.witness import decided
from proofs_check.ours import moment_convex as right

WRONG = {"our:LMconvex": (decided(lambda: right.distance_grows((40, 10), (1, 16), 2200), "two coordinates"),)}
