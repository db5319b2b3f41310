"""Every check must reject a deliberately wrong statement or step."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from proofs_check.engine.entry import Check, Trial
from proofs_check.engine.judgement import checks_of
from proofs_check.ledger import MODULES, all_entries

CLAIMS = {claim.label: claim for claim in all_entries()}
WRONG: dict[str, tuple[Check, ...]] = {}
for kind in {name.partition(".")[0] for name in MODULES}:
    WRONG |= import_module(f".wrong.{kind}", __package__).WRONG

CASES = [(label, number) for label, claim in CLAIMS.items() for number in range(len(checks_of(claim)))]


def test_no_twin_is_without_a_claim() -> None:
    assert WRONG.keys() <= CLAIMS.keys()


@pytest.mark.parametrize("label", CLAIMS)
def test_every_check_has_a_wrong_twin(label: str) -> None:
    assert len(WRONG.get(label, ())) == len(checks_of(CLAIMS[label]))


@pytest.mark.parametrize(("label", "number"), CASES)
def test_the_wrong_twin_is_told_from_the_right_check(label: str, number: int) -> None:
    right, wrong = checks_of(CLAIMS[label])[number], WRONG[label][number]
    assert right.evidence is wrong.evidence
    found = right.run(Trial(np.random.default_rng(1)))
    twin = wrong.run(Trial(np.random.default_rng(1)))
    assert found.holds is not None
    assert twin.holds is not found.holds, twin
