"""The whole ledger, run once: every status is the recorded one, and every check rejects a
mutant.
"""

from collections import Counter
from pathlib import Path

import pytest

from proofs_check.engine.entry import Evidence, Kind, Severity, Status, change_status
from proofs_check.engine.render import Ledger
from proofs_check.engine.status import Judgement, Outcome, judge
from proofs_check.ledger import entries
from proofs_check.runner import run_checks
from rpttheory.report import as_text

from .mutants import MUTANTS, mutant_of
from .trials import trial

ROOT = Path(__file__).parents[2]
CLAIMS = {claim.label: claim for claim in entries()}


@pytest.fixture(scope="module")
def outcomes() -> dict[str, list[Outcome]]:
    return run_checks(list(CLAIMS.values()), rng=1)


@pytest.fixture(scope="module")
def ledger(outcomes: dict[str, list[Outcome]]) -> list[Judgement]:
    return judge(list(CLAIMS.values()), outcomes)


def test_everything_is_as_recorded(ledger: list[Judgement]) -> None:
    assert {j.claim.label: j.differences for j in ledger if j.differences} == {}
    assert Ledger(ledger).exit_code == 0


def test_nothing_sampled_is_called_verified(ledger: list[Judgement]) -> None:
    for judgement in ledger:
        if judgement.statement is Status.COMPUTED:
            assert judgement.evidence is not None and judgement.evidence >= Evidence.EXACT, (
                judgement.claim.label
            )
        for outcome in judgement.outcomes:
            if outcome.evidence < Evidence.EXACT:
                assert outcome.status is not Status.COMPUTED


def test_every_refutation_has_a_witness_and_every_wrong_statement_an_erratum(
    ledger: list[Judgement],
) -> None:
    for judgement in ledger:
        for outcome in judgement.outcomes:
            if outcome.status is Status.FALSE:
                assert outcome.finding.witness, judgement.claim.label
        wrong = {judgement.statement, judgement.proof} & {Status.CORRECTED, Status.FALSE}
        if wrong and judgement.claim.kind not in (Kind.OURS, Kind.FACT):
            assert change_status(judgement.claim.errata), judgement.claim.label


def test_the_printed_proof_of_the_key_quantity_is_right(ledger: list[Judgement]) -> None:
    """Its one slip is a typo, and the "i.e." is a substitution that computer algebra confirms."""
    judgement = next(
        judgement for judgement in ledger if judgement.claim.label == "lem:key_quantity"
    )
    assert (judgement.statement, judgement.proof) == (Status.CHECKED, Status.CHECKED)
    assert [erratum.severity for erratum in judgement.claim.errata] == [Severity.TYPO]
    (inference,) = (step for step in judgement.steps if "i.e." in step.step.latex)
    assert inference.status in (Status.COMPUTED, Status.DEFINITIONAL)
    assert inference.printed.evidence is Evidence.SYMBOLIC


def test_row_six_of_the_table_is_wrong_under_one_reading_only(
    outcomes: dict[str, list[Outcome]],
) -> None:
    table = CLAIMS["table:quad_functions"]
    (row_six,) = (erratum for erratum in table.errata if "row 6" in erratum.printed)
    assert not row_six.severity.changes_status
    witnesses = [outcome.finding.witness for outcome in outcomes[table.label]]
    assert [words.partition(",")[0] for words in witnesses if words] == ["row 3"]


def test_a_proof_that_fails_is_repaired(ledger: list[Judgement]) -> None:
    """A true statement of the paper whose printed proof is wrong, or missing, rests on a verified
    proof of ours.
    """
    by_label = {judgement.claim.label: judgement for judgement in ledger}
    for judgement in ledger:
        sound = judgement.statement in (Status.COMPUTED, Status.CHECKED, Status.CORRECTED)
        if (
            sound
            and judgement.claim.kind in (Kind.LEMMA, Kind.THEOREM)
            and judgement.proof in (Status.FALSE, Status.CITED)
        ):
            assert by_label[judgement.claim.repaired_by].statement is Status.CHECKED


def test_the_readme_shows_the_ledger(ledger: list[Judgement]) -> None:
    printed = [line.split() for line in as_text(Ledger(ledger).render()).splitlines()]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = next(
        block for block in text.split("```") if block.startswith("text\n  label ")
    ).splitlines()[1:]
    assert len(lines) > 4 and [line for line in lines if line.split() not in printed] == []


def test_the_readme_counts_the_formal_proofs() -> None:
    """Of the paper's statements, of ours, and of textbook facts, how many are proved in Coq, and
    how many in part.
    """
    counts: Counter[str] = Counter()
    for label, claim in CLAIMS.items():
        if claim.formal is None:
            continue
        if claim.kind is Kind.OURS:
            group = "ours"
        elif claim.origin.startswith("the paper"):
            group = "paper"
            counts["remarks" if label.startswith("text:") else "labeled"] += 1
        else:
            group = "facts"
        counts[group] += 1
        counts[f"{group} in part"] += bool(claim.formal.missing)
    sentence = (
        "{paper} statements of the paper ({labeled} labeled, {remarks} remarks), {ours} results of"
        " ours and {facts} textbook facts; for {paper in part}, {ours in part} and {facts in part}"
        " of these, respectively, Coq proves only a part."
    )
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert sentence.format_map(counts) in text


def test_every_claim_of_ours_was_tried_whole_or_is_stated_in_coq(ledger: list[Judgement]) -> None:
    ours = [judgement for judgement in ledger if judgement.claim.kind is Kind.OURS]
    assert len(ours) > 30
    for judgement in ours:
        has_check = any(outcome.status is not Status.DEFINITIONAL for outcome in judgement.checks)
        assert has_check or judgement.claim.stated_elsewhere, judgement.claim.label
        assert judgement.whole or judgement.statement in (Status.FALSE, Status.OPEN), (
            judgement.claim.label
        )


def test_every_check_has_a_mutant() -> None:
    counts = {label: len(claim.all_checks) for label, claim in CLAIMS.items()}
    assert {label: len(mutants) for label, mutants in MUTANTS.items()} == {
        label: count for label, count in counts.items() if count
    }


@pytest.mark.parametrize("label", MUTANTS)
def test_mutants_are_told_from_their_checks(label: str, outcomes: dict[str, list[Outcome]]) -> None:
    checks = CLAIMS[label].all_checks
    for check, change, outcome in zip(checks, MUTANTS[label], outcomes[label], strict=True):
        assert outcome.finding.holds is not None
        finding = mutant_of(check, change).run(trial(1))
        assert finding.holds is not outcome.finding.holds, (change, finding)
