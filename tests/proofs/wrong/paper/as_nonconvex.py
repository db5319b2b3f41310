"""An assumption has no checks."""

from __future__ import annotations

from proofs_check.engine.claim import Check

WRONG: dict[str, tuple[Check, ...]] = {"as:nonconvex": ()}
