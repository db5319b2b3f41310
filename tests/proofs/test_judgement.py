"""The statuses of steps, proofs and statements that follow from what checks find."""

from dataclasses import replace

import pytest

from proofs_check.checks.symbolic import formula
from proofs_check.command import exit_code
from proofs_check.engine.entry import (
    Check,
    Entry,
    Erratum,
    Evidence,
    Finding,
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
from proofs_check.engine.judgement import Judgement, checks_of, judge
from proofs_check.engine.text import render_entry, rests_on
from proofs_check.formal import Formal, Formality, Theorems
from proofs_check.ledger import LedgerError, require_sound, select
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
BLANK = Entry("a", "", "", "x", Status.VERIFIED, Status.VERIFIED, sort=Kind.LEMMA)


def checks(text: str) -> tuple[Check, ...]:
    """Checks that find these letters; "P/RIGOROUS" has another evidence than SYMBOLIC."""
    found = []
    for part in [] if text == "-" else text.split(","):
        letter, _, evidence = part.partition("/")
        finding = FINDINGS[letter]
        found.append(Check(Evidence[evidence or "SYMBOLIC"], lambda _, f=finding: f))
    return tuple(found)


def steps(text: str) -> tuple[Step, ...]:
    """Steps whose checks find these letters; "F>P" is mended."""
    found = []
    for part in [] if text == "-" else text.split(","):
        printed, _, mended = part.partition(">")
        (check,) = checks(printed)
        correction = checks(mended)[0] if mended else None
        found.append(Step("x", "x", check, mended=correction, mends=(WRONG,) if mended else ()))
    return tuple(found)


def entry(own: str, of_steps: str, label: str = "a", corrected: str = "-") -> Entry:
    mends = () if corrected == "-" else (WRONG,)
    parts = {"checks": checks(own), "corrected": checks(corrected), "steps": steps(of_steps)}
    return replace(BLANK, label=label, mends=mends, **parts)


def judged(*claims: Entry) -> list[Judgement]:
    return judge(claims, run_checks(claims))


# P proved, D definitional, U proved by a weight that nobody computed, H held, F failed, S silent.
TABLE = """
checks    corrected  steps            statement     proof

# One step, and its correction.
-         -          P                supported     argued
-         -          P/EXACT          supported     argued
-         -          D                definitional  definitional
-         -          U                definitional  definitional
-         -          F/EXACT>D        supported     corrected
-         -          P/RIGOROUS       supported     supported
-         -          P/SAMPLED        supported     supported
-         -          H                supported     supported
-         -          F/EXACT          undecided     refuted
-         -          S/EXACT          undecided     undecided
-         -          F/EXACT>P        supported     corrected
-         -          F/EXACT>H        undecided     refuted
-         -          F/EXACT>F        undecided     refuted
-         -          F/EXACT>S        undecided     undecided
-         -          P/EXACT>F        supported     argued

# A proof is as good as its worst step.
-         -          P,P              supported     argued
-         -          P,D              supported     argued
-         -          D,D              definitional  definitional
-         -          P,H              supported     supported
-         -          P,S              undecided     undecided
-         -          S,F              undecided     refuted

# A proof, or a check of a part, needs something that looked at the whole statement.
P         -          -                verified      none
P,D       -          -                verified      none
H         -          P                argued        argued
H         -          D                argued        definitional
P,H       -          -                argued        none
H         -          H                supported     supported
H         -          -                supported     none
D         -          P                definitional  argued
D         -          -                definitional  none

# A counterexample beats a proof, and is not hidden behind a check without an answer.
P,F       -          P                refuted       argued
F,S       -          P                refuted       argued

# A statement that is false as printed needs a verified correction.
F         H          H                refuted       supported
F         H          P                corrected     argued
F         P          H                corrected     supported
F         F,P        H                refuted       supported
"""
CASES = [
    line.split() for line in TABLE.splitlines()[2:] if line.strip() and not line.startswith("#")
]


@pytest.mark.parametrize(("own", "corrected", "of_steps", "statement", "proof"), CASES)
def test_what_makes_a_statement_and_a_proof(
    own: str, corrected: str, of_steps: str, statement: str, proof: str
) -> None:
    (result,) = judged(entry(own, of_steps, corrected=corrected))
    assert (result.statement, result.proof) == (Status(statement), Status(proof))
    assert result.whole is (statement in ("verified", "argued", "corrected"))


def test_a_proof_that_cites_a_part_is_cited_where_its_steps_hold_and_verifies_nothing() -> None:
    partly = replace(entry("H", "P"), proof=Status.CITED)
    (result,) = judged(partly)
    assert (result.statement, result.proof) == (Status.SUPPORTED, Status.CITED)
    repaired, _ = judged(replace(partly, repaired_by="b"), entry("-", "P", "b"))
    assert repaired.statement is Status.ARGUED
    for of_steps, status in (("F", Status.REFUTED), ("H", Status.SUPPORTED)):
        assert judged(replace(partly, steps=steps(of_steps)))[0].proof is status


@pytest.mark.parametrize(
    ("of_steps", "repair", "statement"),
    [
        ("P,F", "P", "argued"),
        ("H,F", "P", "supported"),
        ("P,F", "H", "supported"),
    ],
)
def test_a_repair_stands_for_refuted_steps_only(of_steps: str, repair: str, statement: str) -> None:
    broken = replace(entry("H", of_steps), repaired_by="b")
    result, _ = judged(broken, entry("-", repair, "b"))
    assert (result.statement, result.proof) == (Status(statement), Status.REFUTED)
    assert judged(replace(broken, repaired_by=""))[0].statement is Status.SUPPORTED
    # A repair that a check speaks against repairs nothing.
    assert judged(broken, entry("F", "P", "b"))[0].statement is Status.SUPPORTED


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
        assert result.statement in (Status.DEFINITIONAL, Status.SUPPORTED)
        assert not result.whole and not result.expected
    # The entry shows what the machine saw.
    (result,) = judged(replace(fake, checks=(busy,)))
    assert "(x + 1)**2 = x**2 + 2*x + 1" in render_entry(result)


@pytest.mark.parametrize("severity", list(Severity))
def test_only_a_gap_or_a_false_line_makes_anything_corrected(severity: Severity) -> None:
    erratum = Erratum("x", "y", severity)
    colors = severity in (Severity.GAP, Severity.FALSE)
    for correction, status in (("P", Status.CORRECTED), ("F", Status.REFUTED)):
        (mended,) = steps(f"F>{correction}")
        claim = replace(entry("F", "-", corrected=correction), mends=(erratum,))
        claim = replace(claim, errata=(erratum,), steps=(replace(mended, mends=(erratum,)),))
        (result,) = judged(claim)
        plain = not colors and correction == "P"
        assert result.statement is (Status.VERIFIED if plain else status)
        assert result.steps[0].status is (Status.VERIFIED if plain else status)
        assert result.proof is (Status.ARGUED if plain else status)
        assert result.steps[0].expected is (correction == "P")


@pytest.mark.parametrize(
    ("own", "formality", "missing", "refutes", "status"),
    [
        ("H", Formality.PROVED, "", False, Status.VERIFIED),
        ("S", Formality.PROVED, "", False, Status.VERIFIED),
        ("-", Formality.PROVED, "", False, Status.VERIFIED),
        # Nothing is added by a part, or by a theorem that Coq was not asked about; a counterexample
        # beats any proof.
        ("H", Formality.PROVED, "the converse", False, Status.SUPPORTED),
        ("H", Formality.RECORDED, "", False, Status.SUPPORTED),
        ("F", Formality.PROVED, "", False, Status.REFUTED),
        ("F", Formality.PROVED, "", True, Status.REFUTED),
        ("H", Formality.PROVED, "", True, Status.REFUTED),
        ("H", Formality.AXIOMS, "", False, Status.ERROR),
        ("P", Formality.CHANGED, "", False, Status.ERROR),
    ],
)
def test_what_a_formal_proof_adds(
    own: str, formality: Formality, missing: str, refutes: bool, status: Status
) -> None:
    claims = (replace(entry(own, "-"), needs=("low",)), entry("H", "-", "low"))
    theorems = Theorems(Formal("file", ("theorem",), "", missing, refutes), ("a = b",), formality)
    plain, _ = judged(*claims)
    result, _ = judge(claims, run_checks(claims), {"a": theorems})
    assert result.statement is status and result.checked is plain.statement
    # What is recorded is what the checks find, with or without Coq.
    broken = formality in (Formality.AXIOMS, Formality.CHANGED)
    assert result.expected is (plain.expected and not broken)
    assert (exit_code([result]) == 70) is broken
    borne = status is Status.VERIFIED or (refutes and status is Status.REFUTED)
    assert (result.evidence is Evidence.FORMAL) is borne
    assert result.whole is (status is Status.VERIFIED) and not plain.whole
    assert rests_on(result).endswith("part FORMAL") is bool(missing)


def test_a_formal_proof_of_a_corrected_statement_leaves_it_corrected() -> None:
    theorems = {"a": Theorems(Formal("file", ("theorem",), ""), ("a = b",), Formality.PROVED)}
    claim = entry("F", "-", corrected="H")
    (result,) = judge([claim], run_checks([claim]), theorems)
    assert (result.statement, result.checked) == (Status.CORRECTED, Status.REFUTED)
    assert result.evidence is Evidence.FORMAL
    # Without the counterexample there is nothing that the proof of another statement could correct.
    claim = replace(claim, checks=checks("H"))
    assert judge([claim], run_checks([claim]), theorems)[0].statement is Status.SUPPORTED


def test_whole_looks_at_all_ancestors_and_a_circle_is_not_whole() -> None:
    middle = replace(entry("H", "P", "middle"), proof_needs=("low",))
    high = replace(entry("H", "P", "high"), needs=("middle",))
    for of_steps, whole in (("H", False), ("P", True)):
        results = judged(entry("H", of_steps, "low"), middle, high)
        assert [result.whole for result in results] == [whole] * 3
        assert [result.statement for result in results[1:]] == [Status.ARGUED] * 2
    circle = (replace(middle, label="low", proof_needs=("middle",)), middle)
    assert not any(result.whole for result in judged(*circle))


def test_open_is_for_statements_that_held_and_are_recorded_as_open() -> None:
    for own, status in (("H", Status.OPEN), ("F", Status.REFUTED)):
        (result,) = judged(replace(entry(own, "-"), statement=Status.OPEN))
        assert result.statement is status


def test_exit_codes() -> None:
    def crash(_: Trial) -> Finding:
        raise RuntimeError("no")

    fine = replace(entry("H", "P"), statement=Status.ARGUED, proof=Status.ARGUED)
    crashing = (Check(Evidence.EXACT, crash),)
    for claim, code in (
        (fine, 0),
        (replace(fine, statement=Status.REFUTED), 1),
        (replace(fine, checks=checks("F,S")), 1),
        (replace(fine, steps=steps("S")), 3),
        (replace(fine, checks=crashing), 70),
    ):
        assert exit_code(judged(claim)) == code


def test_a_recorded_status_of_one_step_counts() -> None:
    claim = entry("H", "F>P,P,D")
    claim = replace(claim, statement=Status.ARGUED, proof=Status.CORRECTED)
    assert judged(claim)[0].expected
    other = replace(claim.steps[0], recorded=Status.VERIFIED)
    assert not judged(replace(claim, steps=(other, *claim.steps[1:])))[0].expected


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


def test_selecting_brings_what_an_entry_rests_on() -> None:
    high = replace(BLANK, label="high", proof_needs=("low",))
    claims = (replace(BLANK, label="low"), high, replace(BLANK, label="other"))
    assert select(claims, ["high"]) == claims[:2]


def test_outcomes_are_listed_in_the_order_of_the_checks() -> None:
    claim = entry("H", "F>P,S", corrected="P")
    (result,) = judged(claim)
    found = [outcome.finding for outcome in result.outcomes]
    assert found == [FINDINGS[letter] for letter in "HPFPS"]
    assert len(checks_of(claim)) == 5
