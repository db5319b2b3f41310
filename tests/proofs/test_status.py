"""The statuses of steps, proofs and statements that follow from what checks find."""

from dataclasses import replace

import pytest

from proofs_check.checks.symbolic import formula
from proofs_check.engine.entry import (
    Check,
    Entry,
    Erratum,
    Evidence,
    Finding,
    Formal,
    Kind,
    Severity,
    Status,
    Step,
    Trial,
    Weight,
    failed,
    held,
    proved,
    unanswered,
)
from proofs_check.engine.render import Ledger, document
from proofs_check.engine.status import Judgement, judge
from proofs_check.formal import Formality, Theorems
from proofs_check.ledger import LedgerError, require_sound
from proofs_check.runner import run_checks

FINDINGS = {
    "P": proved("all", Weight.ALGEBRA),
    "D": proved("all", Weight.DEFINITIONAL),
    "U": proved("all"),
    "H": held("some"),
    "F": failed("here"),
    "S": unanswered("no"),
}
WRONG = Erratum("x", "y", Severity.FALSE)
BLANK = Entry("a", "", "", "x", Status.COMPUTED, Status.COMPUTED, sort=Kind.LEMMA)


def checks(text: str) -> tuple[Check, ...]:
    """Checks that find these letters; "P/RIGOROUS" has another evidence than SYMBOLIC."""
    results = []
    for part in [] if text == "-" else text.split(","):
        letter, _, evidence = part.partition("/")
        finding = FINDINGS[letter]
        results.append(Check(Evidence[evidence or "SYMBOLIC"], lambda _, f=finding: f))
    return tuple(results)


def steps(text: str) -> tuple[Step, ...]:
    """Steps whose checks find these letters; "F>P" is mended."""
    results = []
    for part in [] if text == "-" else text.split(","):
        printed, _, mended = part.partition(">")
        (check,) = checks(printed)
        correction = checks(mended)[0] if mended else None
        results.append(Step("x", "x", check, mended=correction, mends=(WRONG,) if mended else ()))
    return tuple(results)


def entry(of_statement: str, of_steps: str, label: str = "a", corrected: str = "-") -> Entry:
    mends = () if corrected == "-" else (WRONG,)
    parts = {
        "checks": checks(of_statement),
        "corrected": checks(corrected),
        "steps": steps(of_steps),
    }
    return replace(BLANK, label=label, mends=mends, **parts)


def judged(*claims: Entry) -> list[Judgement]:
    return judge(claims, run_checks(claims))


# P proved, D definitional, U proved by a weight that nobody computed, H held, F failed, S silent.
TABLE = """
checks    corrected  steps            statement     proof

# One step, and its correction.
-         -          P                UNDECIDED     CHECKED
-         -          P/EXACT          UNDECIDED     CHECKED
-         -          D                DEFINITIONAL  DEFINITIONAL
-         -          U                DEFINITIONAL  DEFINITIONAL
-         -          F/EXACT>D        UNDECIDED     CORRECTED
-         -          P/RIGOROUS       UNDECIDED     TESTED
-         -          P/SAMPLED        UNDECIDED     TESTED
-         -          H                UNDECIDED     TESTED
-         -          F/EXACT          UNDECIDED     FALSE
-         -          S/EXACT          UNDECIDED     UNDECIDED
-         -          F/EXACT>P        UNDECIDED     CORRECTED
-         -          F/EXACT>H        UNDECIDED     FALSE
-         -          F/EXACT>F        UNDECIDED     FALSE
-         -          F/EXACT>S        UNDECIDED     UNDECIDED
-         -          P/EXACT>F        UNDECIDED     CHECKED

# A proof is as good as its worst step.
-         -          P,P              UNDECIDED     CHECKED
-         -          P,D              UNDECIDED     CHECKED
-         -          D,D              DEFINITIONAL  DEFINITIONAL
-         -          P,H              UNDECIDED     TESTED
-         -          P,S              UNDECIDED     UNDECIDED
-         -          S,F              UNDECIDED     FALSE

# A proof, or a check of a part, needs something that looked at the whole statement.
P         -          -                COMPUTED      NONE
P,D       -          -                COMPUTED      NONE
H         -          P                CHECKED       CHECKED
H         -          D                CHECKED       DEFINITIONAL
P,H       -          -                CHECKED       NONE
H         -          H                TESTED        TESTED
H         -          -                TESTED        NONE
D         -          P                DEFINITIONAL  CHECKED
D         -          -                DEFINITIONAL  NONE

# A counterexample beats a proof, and is not hidden behind a check without an answer.
P,F       -          P                FALSE         CHECKED
F,S       -          P                FALSE         CHECKED

# A statement that is false as printed needs a verified correction.
F         H          H                FALSE         TESTED
F         H          P                CORRECTED     CHECKED
F         P          H                CORRECTED     TESTED
F         F,P        H                FALSE         TESTED
"""
CASES = [
    line.split() for line in TABLE.splitlines()[2:] if line.strip() and not line.startswith("#")
]


@pytest.mark.parametrize(("of_statement", "corrected", "of_steps", "statement", "proof"), CASES)
def test_what_makes_a_statement_and_a_proof(
    of_statement: str, corrected: str, of_steps: str, statement: str, proof: str
) -> None:
    (result,) = judged(entry(of_statement, of_steps, corrected=corrected))
    assert (result.statement, result.proof) == (Status[statement], Status[proof])
    assert result.whole is (statement in ("COMPUTED", "CHECKED", "CORRECTED"))


def test_a_proof_that_cites_a_part_is_cited_where_its_steps_hold_and_verifies_nothing() -> None:
    partly = replace(entry("H", "P"), proof=Status.CITED)
    (result,) = judged(partly)
    assert (result.statement, result.proof) == (Status.TESTED, Status.CITED)
    repaired, _ = judged(replace(partly, repaired_by="b"), entry("-", "P", "b"))
    assert repaired.statement is Status.CHECKED
    for of_steps, status in (("F", Status.FALSE), ("H", Status.TESTED)):
        assert judged(replace(partly, steps=steps(of_steps)))[0].proof is status


@pytest.mark.parametrize(
    ("of_steps", "repair", "statement"),
    [
        ("P,F", "P", "CHECKED"),
        ("H,F", "P", "TESTED"),
        ("P,F", "H", "TESTED"),
    ],
)
def test_a_repair_stands_for_refuted_steps_only(of_steps: str, repair: str, statement: str) -> None:
    broken = replace(entry("H", of_steps), repaired_by="b")
    result, _ = judged(broken, entry("-", repair, "b"))
    assert (result.statement, result.proof) == (Status[statement], Status.FALSE)
    assert judged(replace(broken, repaired_by=""))[0].statement is Status.TESTED
    # A repair that a check speaks against repairs nothing.
    assert judged(broken, entry("F", "P", "b"))[0].statement is Status.TESTED


def test_one_is_not_two() -> None:
    """A claim whose step has nothing to do with it, or whose check is x = x, is not verified."""
    fake = replace(BLANK, latex="1 = 2", text="1 = 2")
    hollow = formula("x = x", "all x")
    busy = formula("(x + 1)^2 = x^2 + 2*x + 1", "all x")
    for claim in (
        replace(fake, steps=(Step("x = x", "", hollow),)),
        replace(fake, steps=(Step("(x + 1)^2 = x^2 + 2 x + 1", "", busy),)),
        replace(fake, checks=(hollow,)),
        replace(fake, checks=(hollow,), steps=(Step("(x + 1)^2 = x^2 + 2 x + 1", "", busy),)),
    ):
        (result,) = judged(claim)
        assert result.statement in (Status.DEFINITIONAL, Status.UNDECIDED)
        assert not result.whole and result.differences
    # The entry shows what the machine saw.
    (result,) = judged(replace(fake, checks=(busy,)))
    assert any("(x + 1)**2 = x**2 + 2*x + 1" in line for line in document(result))


@pytest.mark.parametrize("severity", list(Severity))
def test_only_a_gap_or_a_false_line_makes_anything_corrected(severity: Severity) -> None:
    erratum = Erratum("x", "y", severity)
    colors = severity in (Severity.GAP, Severity.FALSE)
    for correction, status in (("P", Status.CORRECTED), ("F", Status.FALSE)):
        (mended,) = steps(f"F>{correction}")
        claim = replace(entry("F", "-", corrected=correction), mends=(erratum,))
        claim = replace(claim, errata=(erratum,), steps=(replace(mended, mends=(erratum,)),))
        (result,) = judged(claim)
        plain = not colors and correction == "P"
        assert result.statement is (Status.COMPUTED if plain else status)
        assert result.steps[0].status is (Status.COMPUTED if plain else status)
        assert result.proof is (Status.CHECKED if plain else status)
        assert result.steps[0].expected is (correction == "P")


@pytest.mark.parametrize(
    ("of_statement", "formality", "missing", "refutes", "status"),
    [
        ("H", Formality.PROVED, "", False, Status.FORMAL),
        ("S", Formality.PROVED, "", False, Status.FORMAL),
        ("-", Formality.PROVED, "", False, Status.FORMAL),
        # Nothing is added by a part, or by a theorem that Coq was not asked about; a counterexample
        # beats any proof.
        ("H", Formality.PROVED, "the converse", False, Status.TESTED),
        ("H", Formality.RECORDED, "", False, Status.TESTED),
        ("F", Formality.PROVED, "", False, Status.FALSE),
        ("F", Formality.PROVED, "", True, Status.FALSE),
        ("H", Formality.PROVED, "", True, Status.FALSE),
        ("H", Formality.AXIOMS, "", False, Status.ERROR),
        ("P", Formality.CHANGED, "", False, Status.ERROR),
    ],
)
def test_what_a_formal_proof_adds(
    of_statement: str, formality: Formality, missing: str, refutes: bool, status: Status
) -> None:
    claims = (replace(entry(of_statement, "-"), needs=("low",)), entry("H", "-", "low"))
    theorems = Theorems(Formal("theorem", "", missing, refutes=refutes), ("a = b",), formality)
    plain, _ = judged(*claims)
    result, _ = judge(claims, run_checks(claims), {"a": theorems})
    assert result.statement is status and result.checked is plain.statement
    # What is recorded is what the checks find, with or without Coq.
    broken = formality in (Formality.AXIOMS, Formality.CHANGED)
    assert bool(result.differences) is (bool(plain.differences) or broken)
    assert (Ledger([result]).exit_code == 70) is broken
    borne = status is Status.FORMAL or (refutes and status is Status.FALSE)
    assert (result.evidence is Evidence.FORMAL) is borne
    assert result.whole is (status is Status.FORMAL) and not plain.whole


def test_a_formal_proof_of_a_corrected_statement_leaves_it_corrected() -> None:
    theorems = {"a": Theorems(Formal("theorem", ""), ("a = b",), Formality.PROVED)}
    claim = entry("F", "-", corrected="P")
    (result,) = judge([claim], run_checks([claim]), theorems)
    assert (result.statement, result.checked) == (Status.CORRECTED, Status.CORRECTED)
    assert result.evidence is Evidence.FORMAL


def test_steps_suffice_for_what_a_textbook_or_coq_states() -> None:
    for text, status in (("P", Status.CHECKED), ("D", Status.CHECKED), ("H", Status.UNDECIDED)):
        claim = entry("-", text)
        for known_claim in (replace(claim, sort=Kind.FACT), replace(claim, formal=Formal("t", ""))):
            assert judged(known_claim)[0].statement is status
    part = replace(entry("-", "P"), formal=Formal("t", "", "a part"))
    assert judged(part)[0].statement is Status.UNDECIDED


def test_whole_looks_at_all_ancestors_and_a_circle_is_not_whole() -> None:
    middle = replace(entry("H", "P", "middle"), proof_needs=("low",))
    high = replace(entry("H", "P", "high"), needs=("middle",))
    for of_steps, whole in (("H", False), ("P", True)):
        results = judged(entry("H", of_steps, "low"), middle, high)
        assert [result.whole for result in results] == [whole] * 3
        assert [result.statement for result in results[1:]] == [Status.CHECKED] * 2
    circle = (replace(middle, label="low", proof_needs=("middle",)), middle)
    assert not any(result.whole for result in judged(*circle))


def test_open_is_for_statements_that_held_and_are_recorded_as_open() -> None:
    for of_statement, status in (("H", Status.OPEN), ("F", Status.FALSE)):
        (result,) = judged(replace(entry(of_statement, "-"), statement=Status.OPEN))
        assert result.statement is status


def test_exit_codes() -> None:
    def crash(_: Trial) -> Finding:
        raise RuntimeError("no")

    fine = replace(entry("H", "P"), statement=Status.CHECKED, proof=Status.CHECKED)
    crashing = (Check(Evidence.EXACT, crash),)
    for claim, code in (
        (fine, 0),
        (replace(fine, statement=Status.FALSE), 1),
        (replace(fine, checks=checks("F,S")), 1),
        (replace(fine, steps=steps("S")), 3),
        (replace(fine, checks=crashing), 70),
    ):
        assert Ledger(judged(claim)).exit_code == code


def test_the_ledger_must_hang_together() -> None:
    (mended,) = steps("F>P")
    require_sound([replace(BLANK, steps=(mended,), errata=(WRONG,))])
    for claims in (
        [BLANK, BLANK],
        [replace(BLANK, needs=("b",))],
        [replace(BLANK, see=("b",))],
        [replace(BLANK, needs=("b",)), replace(BLANK, label="b", repaired_by="a")],
        # A correction must name an erratum of its entry.
        [replace(BLANK, steps=(mended,))],
        [replace(BLANK, steps=(replace(mended, mends=()),), errata=(WRONG,))],
        [replace(BLANK, corrected=checks("P"), errata=(WRONG,))],
        [replace(BLANK, mends=(WRONG,), errata=(WRONG,))],
    ):
        with pytest.raises(LedgerError):
            require_sound(claims)


def test_outcomes_are_listed_in_the_order_of_the_checks() -> None:
    claim = entry("H", "F>P,S", corrected="P")
    (result,) = judged(claim)
    results = [outcome.finding for outcome in result.outcomes]
    assert results == [FINDINGS[letter] for letter in "HPFPS"]
    assert len(claim.all_checks) == 5
