"""The whole ledger, run once: every status is the recorded one, and every check rejects a
mutant.
"""

from collections import Counter
from pathlib import Path

import pytest

from proofs_check.command import exit_code
from proofs_check.engine.entry import Evidence, Kind, Severity, Status, colored
from proofs_check.engine.judgement import Judgement, Outcome, checks_of, judge
from proofs_check.engine.text import differences, document
from proofs_check.formal import FORMAL
from proofs_check.ledger import all_entries
from proofs_check.runner import run_checks
from rpttheory.report import as_text

from .mutants import MUTANTS, mutant_of
from .trials import trial

ROOT = Path(__file__).parents[2]
CLAIMS = {claim.label: claim for claim in all_entries()}


@pytest.fixture(scope="module")
def outcomes() -> dict[str, list[Outcome]]:
    return run_checks(list(CLAIMS.values()), seed=1)


@pytest.fixture(scope="module")
def ledger(outcomes: dict[str, list[Outcome]]) -> list[Judgement]:
    return judge(list(CLAIMS.values()), outcomes)


def test_everything_is_as_recorded(ledger: list[Judgement]) -> None:
    assert {
        judged.claim.label: differences(judged) for judged in ledger if not judged.expected
    } == {}
    assert exit_code(ledger) == 0


def test_nothing_sampled_is_called_verified(ledger: list[Judgement]) -> None:
    for judged in ledger:
        if judged.statement is Status.VERIFIED:
            assert judged.evidence is not None and judged.evidence >= Evidence.EXACT, (
                judged.claim.label
            )
        for outcome in judged.outcomes:
            if outcome.evidence < Evidence.EXACT:
                assert outcome.status is not Status.VERIFIED


def test_every_refutation_has_a_witness_and_every_wrong_statement_an_erratum(
    ledger: list[Judgement],
) -> None:
    for judged in ledger:
        for outcome in judged.outcomes:
            if outcome.status is Status.REFUTED:
                assert outcome.finding is not None and outcome.finding.witness, judged.claim.label
        wrong = {judged.statement, judged.proof} & {Status.CORRECTED, Status.REFUTED}
        if wrong and judged.claim.kind not in (Kind.OURS, Kind.FACT):
            assert colored(judged.claim.errata), judged.claim.label


def test_the_printed_proof_of_the_key_quantity_is_right(ledger: list[Judgement]) -> None:
    """Its one slip is a typo, and the "i.e." is a substitution that computer algebra confirms."""
    judged = next(judged for judged in ledger if judged.claim.label == "lem:key_quantity")
    assert (judged.statement, judged.proof) == (Status.ARGUED, Status.ARGUED)
    assert [erratum.severity for erratum in judged.claim.errata] == [Severity.TYPO]
    assert not judged.claim.repaired_by
    (inference,) = (step for step in judged.steps if "i.e." in step.step.latex)
    assert inference.status in (Status.VERIFIED, Status.DEFINITIONAL)
    assert inference.printed.evidence is Evidence.SYMBOLIC
    assert any("P^1/2 E[C K C] P^1/2" in check.covers for check in judged.claim.checks)


def test_the_two_readings_of_sigma_are_one_erratum() -> None:
    about = [
        claim.label
        for claim in CLAIMS.values()
        for erratum in claim.errata
        if "inverse of sigma" in erratum.correct or "text:sigma" in erratum.correct
    ]
    assert about == ["text:sigma"]
    for label in ("def:PTsketch", "text:RPTisSkGD", "text:expectedCost", "eq:complexity"):
        assert "text:sigma" in CLAIMS[label].text


def test_row_six_of_the_table_is_wrong_under_one_reading_only(
    outcomes: dict[str, list[Outcome]],
) -> None:
    table = CLAIMS["table:quad_functions"]
    (row_six,) = (erratum for erratum in table.errata if "row 6" in erratum.printed)
    assert not row_six.severity.colors
    assert "if the printed 11 means 11.0" in row_six.correct
    assert row_six not in table.mends
    witnesses = [o.finding.witness for o in outcomes[table.label] if o.finding is not None]
    assert [words.partition(",")[0] for words in witnesses if words] == ["row 3"]


def test_a_proof_that_fails_is_repaired(ledger: list[Judgement]) -> None:
    """A true statement of the paper whose printed proof is wrong, or missing, rests on a verified
    proof of ours.
    """
    by_label = {judged.claim.label: judged for judged in ledger}
    for judged in ledger:
        sound = judged.statement in (Status.VERIFIED, Status.ARGUED, Status.CORRECTED)
        if (
            sound
            and judged.claim.kind in (Kind.LEMMA, Kind.THEOREM)
            and judged.proof in (Status.REFUTED, Status.CITED)
        ):
            assert by_label[judged.claim.repaired_by].statement is Status.ARGUED


def test_the_readme_shows_the_ledger(ledger: list[Judgement]) -> None:
    printed = [line.split() for line in as_text(document(ledger, seed=0, depth=1)).splitlines()]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = next(
        block for block in text.split("```") if block.startswith("text\n  label ")
    ).splitlines()[1:]
    assert len(shown) > 4 and [line for line in shown if line.split() not in printed] == []


def test_the_readme_counts_the_formal_proofs() -> None:
    """Of the paper's statements, of ours, and of textbook facts, how many are proved in Coq, and
    how many in part.
    """
    counts: Counter[str] = Counter()
    for label, entry in FORMAL.items():
        kind = CLAIMS[label].kind
        if kind is Kind.OURS:
            group = "ours"
        elif CLAIMS[label].origin.startswith("the paper"):
            group = "paper"
            counts["remarks" if label.startswith("text:") else "labeled"] += 1
        else:
            group = "facts"
        counts[group] += 1
        counts[f"{group} in part"] += bool(entry.missing)
    sentence = (
        "{paper} of the paper's statements ({labeled} labeled, {remarks} remarks; {paper in part}"
        " in part), {ours} of ours ({ours in part} in part) and {facts} textbook facts ({facts in"
        " part} in part)."
    )
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert sentence.format_map(counts) in text


def test_every_claim_of_ours_was_tried_whole(ledger: list[Judgement]) -> None:
    ours = [judged for judged in ledger if judged.claim.kind is Kind.OURS]
    assert len(ours) > 30
    for judged in ours:
        assert any(outcome.status is not Status.DEFINITIONAL for outcome in judged.checks), (
            judged.claim.label
        )
        assert judged.whole or judged.statement in (Status.REFUTED, Status.OPEN), judged.claim.label


def test_every_check_has_a_mutant() -> None:
    counts = {label: len(checks_of(claim)) for label, claim in CLAIMS.items()}
    assert {label: len(mutants) for label, mutants in MUTANTS.items()} == {
        label: count for label, count in counts.items() if count
    }


@pytest.mark.parametrize("label", MUTANTS)
def test_mutants_are_told_from_their_checks(label: str, outcomes: dict[str, list[Outcome]]) -> None:
    checks = checks_of(CLAIMS[label])
    for check, change, outcome in zip(checks, MUTANTS[label], outcomes[label], strict=True):
        assert outcome.finding is not None and outcome.finding.holds is not None
        found = mutant_of(check, change).run(trial(1))
        assert found.holds is not outcome.finding.holds, (change, found)
