"""For each check of the ledger a deliberately wrong twin, one module per folder of proofs_check.

TWINS of each maps a label to as many checks as `checks_of` lists, in the same order. A twin states
something false (or offers a witness that is none), and must not find what the right check finds.
"""

from collections.abc import Mapping
from typing import NamedTuple

from proofs_check.checks.symbolic import Formulas
from proofs_check.engine.entry import Check
from proofs_check.engine.judgement import checks_of
from proofs_check.ledger import all_entries


class Slip(NamedTuple):
    """The formula that stands at the same place of the ledger, wrong in one place, and why."""

    right: str
    wrong: str
    words: str


def twins(wrong: Mapping[str, tuple[Check | Slip, ...]]) -> dict[str, tuple[Check, ...]]:
    """The twins with every slip made."""
    right = {claim.label: checks_of(claim) for claim in all_entries()}
    return {
        label: tuple(_twin(*pair) for pair in zip(found, right[label], strict=True))
        for label, found in wrong.items()
    }


def _twin(wrong: Check | Slip, right: Check) -> Check:
    if isinstance(wrong, Check):
        return wrong
    assert isinstance(right.sides, Formulas), wrong
    return right.sides.with_slip(wrong.right, wrong.wrong).check(wrong.words)
