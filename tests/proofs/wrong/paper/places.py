"""Places have no checks."""

from __future__ import annotations

from proofs_check.engine.claim import Check
from proofs_check.paper.places import CLAIMS

WRONG: dict[str, tuple[Check, ...]] = {claim.label: () for claim in CLAIMS}
