"""The whole ledger, run once: every status is the recorded one."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs_check.command import exit_code
from proofs_check.engine.entry import Evidence, Kind, Status
from proofs_check.engine.judgement import Judgement, judge
from proofs_check.engine.text import differences, document
from proofs_check.ledger import all_entries
from proofs_check.runner import run_checks
from rpttheory.report import as_text

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def ledger() -> list[Judgement]:
    claims = all_entries()
    return judge(claims, run_checks(claims, seed=1))


def test_everything_is_as_recorded(ledger: list[Judgement]) -> None:
    assert {judged.claim.label: differences(judged) for judged in ledger if not judged.expected} == {}
    assert exit_code(ledger) == 0


def test_nothing_sampled_is_called_verified(ledger: list[Judgement]) -> None:
    for judged in ledger:
        if judged.statement is Status.VERIFIED:
            assert judged.evidence is not None and judged.evidence >= Evidence.EXACT, judged.claim.label
        for outcome in judged.outcomes:
            if outcome.evidence < Evidence.EXACT:
                assert outcome.status is not Status.VERIFIED


def test_every_refutation_has_a_witness_and_every_wrong_statement_an_erratum(ledger: list[Judgement]) -> None:
    for judged in ledger:
        for outcome in judged.outcomes:
            if outcome.status is Status.REFUTED:
                assert outcome.finding is not None and outcome.finding.witness, judged.claim.label
        wrong = judged.statement in (Status.CORRECTED, Status.REFUTED)
        if wrong and judged.claim.kind not in (Kind.OURS, Kind.FACT):
            assert judged.claim.errata, judged.claim.label


def test_a_proof_that_fails_is_repaired(ledger: list[Judgement]) -> None:
    """A true statement of the paper whose printed proof is wrong, or missing, rests on a verified proof of ours."""
    by_label = {judged.claim.label: judged for judged in ledger}
    for judged in ledger:
        sound = judged.statement in (Status.VERIFIED, Status.ARGUED, Status.CORRECTED)
        if sound and judged.claim.kind in (Kind.LEMMA, Kind.THEOREM) and judged.proof in (Status.REFUTED, Status.CITED):
            assert by_label[judged.claim.repaired_by].statement is Status.ARGUED


def test_the_readme_shows_the_ledger(ledger: list[Judgement]) -> None:
    printed = [line.split() for line in as_text(document(ledger, seed=0, depth=1)).splitlines()]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = next(block for block in text.split("```") if block.startswith("text\n  label ")).splitlines()[1:]
    assert len(shown) > 4
    assert [line for line in shown if line.split() not in printed] == []


def test_every_claim_of_ours_was_tried_whole(ledger: list[Judgement]) -> None:
    ours = [judged for judged in ledger if judged.claim.kind is Kind.OURS]
    assert len(ours) > 30
    for judged in ours:
        assert any(outcome.status is not Status.DEFINITIONAL for outcome in judged.checks), judged.claim.label
        assert judged.whole or judged.statement in (Status.REFUTED, Status.OPEN), judged.claim.label
