"""For each check of the ledger a deliberately wrong twin, one module per folder of proofs_check.

WRONG maps a label to as many checks as `checks_of` lists, in the same order. A twin states something false (or offers
a witness that is none), and must not find what the right check finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proofs_check.checks.symbolic import Formulas, identity, inequality
from proofs_check.engine.entry import Check
from proofs_check.engine.judgement import checks_of
from proofs_check.ledger import all_entries


@dataclass(frozen=True)
class Slip:
    """The formula that stands at the same place of the ledger, wrong in one place."""

    right: str
    wrong: str
    words: str

    def in_formula(self, check: Check) -> Check:
        assert isinstance(check.sides, Formulas), self
        kind = inequality if ", by " in check.sides.text else identity
        return kind(check.sides.with_slip(self.right, self.wrong), self.words)


def twins(wrong: Mapping[str, tuple[Check | Slip, ...]]) -> dict[str, tuple[Check, ...]]:
    """The twins with every slip made."""
    checks = {claim.label: checks_of(claim) for claim in all_entries()}
    return {
        label: tuple(
            twin.in_formula(checks[label][number]) if isinstance(twin, Slip) else twin
            for number, twin in enumerate(found)
        )
        for label, found in wrong.items()
    }
