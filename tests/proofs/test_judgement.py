"""What findings amount to: statuses of steps, proofs and statements, and of everything they rest
on.
"""

from dataclasses import replace

import numpy as np
import pytest
import sympy

from proofs_check.checks.symbolic import identity
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
from proofs_check.engine.judgement import Judgement, Outcome, checks_of, judge
from proofs_check.engine.text import render_entry, rests_on
from proofs_check.formal import Formal, Formality, Theorems
from proofs_check.ledger import require_sound, select
from proofs_check.runner import run_checks
from rpttheory.errors import InvalidInput

PROVED = proved("all", Weight.ALGEBRA)
HELD = held("some")
FAILED = failed("here")
SILENT = unanswered("no")
HOLLOW = proved("all", Weight.DEFINITIONAL)


def check(finding: Finding, evidence: Evidence = Evidence.SYMBOLIC) -> Check:
    return Check(evidence, lambda _: finding)


WRONG = Erratum("x", "y", Severity.FALSE)


def step(
    finding: Finding, mended: Finding | None = None, evidence: Evidence = Evidence.SYMBOLIC
) -> Step:
    if mended is None:
        return Step("x", "x", check(finding, evidence))
    return Step("x", "x", check(finding, evidence), mended=check(mended), mends=(WRONG,))


BLANK = Entry("a", "", "x", "", Status.VERIFIED, Status.VERIFIED, sort=Kind.LEMMA)


def judged(*claims: Entry) -> list[Judgement]:
    return judge(claims, run_checks(claims))


@pytest.mark.parametrize(
    ("finding", "mended", "evidence", "status"),
    [
        (PROVED, None, Evidence.SYMBOLIC, Status.VERIFIED),
        (PROVED, None, Evidence.EXACT, Status.VERIFIED),
        # Letters put in, or a weight that nobody computed.
        (HOLLOW, None, Evidence.SYMBOLIC, Status.DEFINITIONAL),
        (proved("all"), None, Evidence.SYMBOLIC, Status.DEFINITIONAL),
        (FAILED, HOLLOW, Evidence.EXACT, Status.CORRECTED),
        # Weaker evidence proves nothing, whatever scope it claims.
        (PROVED, None, Evidence.RIGOROUS, Status.SUPPORTED),
        (PROVED, None, Evidence.SAMPLED, Status.SUPPORTED),
        (HELD, None, Evidence.SYMBOLIC, Status.SUPPORTED),
        (FAILED, None, Evidence.EXACT, Status.REFUTED),
        (SILENT, None, Evidence.EXACT, Status.UNDECIDED),
        (FAILED, PROVED, Evidence.EXACT, Status.CORRECTED),
        (FAILED, HELD, Evidence.EXACT, Status.REFUTED),
        (FAILED, FAILED, Evidence.EXACT, Status.REFUTED),
        (FAILED, SILENT, Evidence.EXACT, Status.UNDECIDED),
        # A correction of a line that is right changes nothing.
        (PROVED, FAILED, Evidence.EXACT, Status.VERIFIED),
    ],
)
def test_steps(
    finding: Finding, mended: Finding | None, evidence: Evidence, status: Status
) -> None:
    claim = replace(BLANK, steps=(step(finding, mended, evidence),))
    (result,) = judged(claim)
    assert result.steps[0].status is status
    assert result.proof is (Status.ARGUED if status is Status.VERIFIED else status)


@pytest.mark.parametrize(
    ("findings", "status"),
    [
        ((PROVED, PROVED), Status.ARGUED),
        ((PROVED, HOLLOW), Status.ARGUED),
        ((HOLLOW, HOLLOW), Status.DEFINITIONAL),
        ((PROVED, HELD), Status.SUPPORTED),
        ((PROVED, SILENT), Status.UNDECIDED),
        ((SILENT, FAILED), Status.REFUTED),
    ],
)
def test_a_proof_is_as_good_as_its_worst_step(
    findings: tuple[Finding, ...], status: Status
) -> None:
    assert judged(replace(BLANK, steps=tuple(map(step, findings))))[0].proof is status


def test_a_proof_that_cites_a_part_is_cited_where_its_steps_hold_and_verifies_nothing() -> None:
    partly = replace(BLANK, proof=Status.CITED, checks=(check(HELD),), steps=(step(PROVED),))
    assert (
        judged(partly)[0].proof is Status.CITED and judged(partly)[0].statement is Status.SUPPORTED
    )
    repair = replace(BLANK, label="b", steps=(step(PROVED),))
    assert judged(replace(partly, repaired_by="b"), repair)[0].statement is Status.ARGUED
    assert judged(replace(partly, steps=(step(FAILED),)))[0].proof is Status.REFUTED
    assert judged(replace(partly, steps=(step(HELD),)))[0].proof is Status.SUPPORTED


@pytest.mark.parametrize(
    ("own", "steps", "status"),
    [
        ((PROVED,), (), Status.VERIFIED),
        ((PROVED, HOLLOW), (), Status.VERIFIED),
        # A proof, or a check of a part, needs something that looked at the whole statement.
        ((HELD,), (PROVED,), Status.ARGUED),
        ((HELD,), (HOLLOW,), Status.ARGUED),
        ((PROVED, HELD), (), Status.ARGUED),
        ((), (PROVED,), Status.SUPPORTED),
        ((HELD,), (HELD,), Status.SUPPORTED),
        ((HELD,), (), Status.SUPPORTED),
        ((), (HOLLOW,), Status.DEFINITIONAL),
        ((HOLLOW,), (PROVED,), Status.DEFINITIONAL),
        ((HOLLOW,), (), Status.DEFINITIONAL),
        ((), (FAILED,), Status.UNDECIDED),
    ],
)
def test_what_makes_a_statement(
    own: tuple[Finding, ...], steps: tuple[Finding, ...], status: Status
) -> None:
    claim = replace(BLANK, checks=tuple(map(check, own)), steps=tuple(map(step, steps)))
    (result,) = judged(claim)
    assert result.statement is status and result.whole is (
        status in (Status.VERIFIED, Status.ARGUED)
    )


def test_one_is_not_two() -> None:
    """A claim with a step that has nothing to do with it, or whose check is x = x, is not verified,
    nor whole.
    """
    x = sympy.Symbol("x", real=True)
    fake = replace(BLANK, latex="1 = 2", text="1 = 2")
    hollow, busy = (
        identity(lambda side=side: [(side, sympy.expand(side))], "all x")
        for side in (x, (x + 1) ** 2)
    )
    for claim in (
        replace(fake, steps=(Step("x = x", "", hollow),)),
        replace(fake, steps=(Step("(x + 1)^2 = x^2 + 2 x + 1", "", busy),)),
        replace(fake, checks=(hollow,)),
        replace(fake, checks=(hollow,), steps=(Step("(x + 1)^2 = x^2 + 2 x + 1", "", busy),)),
    ):
        (result,) = judged(claim)
        assert result.statement in (Status.DEFINITIONAL, Status.SUPPORTED)
        assert not result.whole and not result.expected
    # Who looks at the entry sees what the machine saw.
    (result,) = judged(replace(fake, checks=(busy,)))
    assert "(x + 1)**2 = x**2 + 2*x + 1" in render_entry(result)


def test_a_counterexample_beats_a_proof() -> None:
    claim = replace(BLANK, checks=(check(PROVED), check(FAILED)), steps=(step(PROVED),))
    assert judged(claim)[0].statement is Status.REFUTED


@pytest.mark.parametrize("severity", list(Severity))
def test_only_a_gap_or_a_false_line_makes_anything_corrected(severity: Severity) -> None:
    erratum = Erratum("x", "y", severity)
    colors = severity in (Severity.GAP, Severity.FALSE)
    mended = replace(step(FAILED, PROVED), mends=(erratum,))
    claim = replace(BLANK, checks=(check(FAILED),), corrected=(check(PROVED),), steps=(mended,))
    claim = replace(claim, errata=(erratum,), mends=(erratum,))
    (result,) = judged(claim)
    assert result.steps[0].status is (Status.CORRECTED if colors else Status.VERIFIED)
    assert result.proof is (Status.CORRECTED if colors else Status.ARGUED)
    assert result.statement is (Status.CORRECTED if colors else Status.VERIFIED)
    assert result.steps[0].expected
    # A correction that fails is no better for a typo.
    broken = replace(
        claim, corrected=(check(FAILED),), steps=(replace(mended, mended=check(FAILED)),)
    )
    assert judged(broken)[0].statement is Status.REFUTED
    assert judged(broken)[0].proof is Status.REFUTED


def test_a_correction_names_an_erratum_of_its_entry() -> None:
    mended = step(FAILED, PROVED)
    require_sound([replace(BLANK, steps=(mended,), errata=(WRONG,))])
    with pytest.raises(ValueError, match="step 1"):
        require_sound([replace(BLANK, steps=(mended,))])
    with pytest.raises(ValueError, match="step 1"):
        require_sound([replace(BLANK, steps=(replace(mended, mends=()),), errata=(WRONG,))])
    with pytest.raises(ValueError, match="the statement"):
        require_sound([replace(BLANK, corrected=(check(PROVED),), errata=(WRONG,))])
    with pytest.raises(ValueError, match="the statement"):
        require_sound([replace(BLANK, mends=(WRONG,), errata=(WRONG,))])


def test_a_statement_false_as_printed_needs_a_verified_correction() -> None:
    claim = replace(
        BLANK,
        checks=(check(FAILED),),
        corrected=(check(HELD),),
        steps=(step(HELD),),
        mends=(WRONG,),
    )
    assert judged(claim)[0].statement is Status.REFUTED
    assert judged(replace(claim, steps=(step(PROVED),)))[0].statement is Status.CORRECTED
    assert judged(replace(claim, corrected=(check(PROVED),)))[0].statement is Status.CORRECTED
    assert (
        judged(replace(claim, corrected=(check(FAILED), check(PROVED))))[0].statement
        is Status.REFUTED
    )


def test_a_repair_stands_for_refuted_steps_only() -> None:
    repair = replace(BLANK, label="b", steps=(step(PROVED),))
    broken = replace(
        BLANK, checks=(check(HELD),), steps=(step(PROVED), step(FAILED)), repaired_by="b"
    )
    assert judged(broken, repair)[0].statement is Status.ARGUED
    assert judged(broken, repair)[0].proof is Status.REFUTED
    assert judged(replace(broken, repaired_by=""))[0].statement is Status.SUPPORTED
    doubtful = replace(broken, steps=(step(HELD), step(FAILED)))
    assert judged(doubtful, repair)[0].statement is Status.SUPPORTED
    assert judged(broken, replace(repair, steps=(step(HELD),)))[0].statement is Status.SUPPORTED


@pytest.mark.parametrize(
    ("own", "formality", "missing", "refutes", "status"),
    [
        ((HELD,), Formality.PROVED, "", False, Status.VERIFIED),
        ((SILENT,), Formality.PROVED, "", False, Status.VERIFIED),
        ((), Formality.PROVED, "", False, Status.VERIFIED),
        # Nothing is added by a part, or by a theorem that Coq was not asked about; a counterexample
        # beats any proof.
        ((HELD,), Formality.PROVED, "the converse", False, Status.SUPPORTED),
        ((HELD,), Formality.RECORDED, "", False, Status.SUPPORTED),
        ((FAILED,), Formality.PROVED, "", False, Status.REFUTED),
        ((FAILED,), Formality.PROVED, "", True, Status.REFUTED),
        ((HELD,), Formality.PROVED, "", True, Status.REFUTED),
        ((HELD,), Formality.AXIOMS, "", False, Status.ERROR),
        ((PROVED,), Formality.CHANGED, "", False, Status.ERROR),
    ],
)
def test_what_a_formal_proof_adds(
    own: tuple[Finding, ...], formality: Formality, missing: str, refutes: bool, status: Status
) -> None:
    low = replace(BLANK, label="low", checks=(check(HELD),))
    claims = (replace(BLANK, checks=tuple(map(check, own)), needs=("low",)), low)
    theorems = Theorems(Formal("file", ("theorem",), "", missing, refutes), ("a = b",), formality)
    plain, _ = judged(*claims)
    result, _ = judge(claims, run_checks(claims), {"a": theorems})
    assert result.statement is status and result.checked is plain.statement
    # What is recorded is what the checks find, with or without Coq.
    broken = formality in (Formality.AXIOMS, Formality.CHANGED)
    assert (
        result.expected is (plain.expected and not broken) and (exit_code([result]) == 70) is broken
    )
    borne = status is Status.VERIFIED or (refutes and status is Status.REFUTED)
    assert (result.evidence is Evidence.FORMAL) is borne
    assert result.whole is (status is Status.VERIFIED) and not plain.whole
    assert rests_on(result).endswith("part FORMAL") is bool(missing)


def test_a_formal_proof_of_a_corrected_statement_leaves_it_corrected() -> None:
    claim = replace(BLANK, checks=(check(FAILED),), corrected=(check(HELD),), mends=(WRONG,))
    theorems = {"a": Theorems(Formal("file", ("theorem",), ""), ("a = b",), Formality.PROVED)}
    (result,) = judge([claim], run_checks([claim]), theorems)
    assert (result.statement, result.checked) == (Status.CORRECTED, Status.REFUTED)
    assert result.evidence is Evidence.FORMAL and rests_on(result) == "FORMAL"
    # Without the counterexample there is nothing that the proof of another statement could correct.
    claim = replace(claim, checks=(check(HELD),))
    assert judge([claim], run_checks([claim]), theorems)[0].statement is Status.SUPPORTED


def test_whole_looks_at_all_ancestors() -> None:
    tried = (check(HELD),)
    low = replace(BLANK, label="low", checks=tried, steps=(step(HELD),))
    middle = replace(
        BLANK, label="middle", checks=tried, steps=(step(PROVED),), proof_needs=("low",)
    )
    high = replace(BLANK, label="high", checks=tried, steps=(step(PROVED),), needs=("middle",))
    assert [j.whole for j in judged(low, middle, high)] == [False, False, False]
    assert [j.statement for j in judged(low, middle, high)][1:] == [Status.ARGUED] * 2
    sound = replace(low, steps=(step(PROVED),))
    assert [j.whole for j in judged(sound, middle, high)] == [True, True, True]


def test_a_circle_of_needs_is_not_whole() -> None:
    one = replace(BLANK, label="one", checks=(check(PROVED),), proof_needs=("two",))
    two = replace(BLANK, label="two", checks=(check(PROVED),), proof_needs=("one",))
    assert not any(j.whole for j in judged(one, two))


def test_open_is_for_statements_that_held_and_are_recorded_as_open() -> None:
    claim = replace(BLANK, statement=Status.OPEN, proof=Status.NONE, checks=(check(HELD),))
    assert judged(claim)[0].statement is Status.OPEN
    assert judged(replace(claim, checks=(check(FAILED),)))[0].statement is Status.REFUTED


def test_exit_codes() -> None:
    fine = replace(
        BLANK,
        statement=Status.ARGUED,
        proof=Status.ARGUED,
        checks=(check(HELD),),
        steps=(step(PROVED),),
    )
    assert (
        exit_code(judged(fine)) == 0
        and exit_code(judged(replace(fine, statement=Status.REFUTED))) == 1
    )
    assert exit_code(judged(replace(fine, steps=(step(SILENT),)))) == 3

    def crash(_: Trial) -> Finding:
        raise RuntimeError("no")

    crashed = judged(replace(fine, checks=(Check(Evidence.EXACT, crash),)))
    assert crashed[0].statement is Status.ERROR and exit_code(crashed) == 70


def test_a_recorded_status_of_one_step_counts() -> None:
    claim = replace(BLANK, steps=(step(FAILED, PROVED), step(PROVED), step(HOLLOW)))
    claim = replace(claim, checks=(check(HELD),), statement=Status.ARGUED, proof=Status.CORRECTED)
    assert judged(claim)[0].expected
    other = replace(step(FAILED, PROVED), recorded=Status.VERIFIED)
    assert not judged(replace(claim, steps=(other, step(PROVED))))[0].expected


def test_the_ledger_must_hang_together() -> None:
    with pytest.raises(ValueError, match="two entries"):
        require_sound([BLANK, BLANK])
    with pytest.raises(ValueError, match="refers to b"):
        require_sound([replace(BLANK, needs=("b",))])
    with pytest.raises(ValueError, match="refers to b"):
        require_sound([replace(BLANK, see=("b",))])
    with pytest.raises(ValueError, match=r"a circle of needs: (a -> b|b -> a)"):
        require_sound([replace(BLANK, needs=("b",)), replace(BLANK, label="b", repaired_by="a")])


def test_selecting_brings_what_an_entry_rests_on() -> None:
    low = replace(BLANK, label="lem:low")
    high = replace(BLANK, label="lem:high", proof_needs=("lem:low",))
    other = replace(BLANK, label="lem:other")
    assert [c.label for c in select((low, high, other), ["lem:high"])] == ["lem:low", "lem:high"]
    assert select((low, high, other), []) == (low, high, other)
    with pytest.raises(InvalidInput, match="lem:other"):
        select((low, high, other), ["lem:othr"])


def test_outcomes_are_listed_in_the_order_of_the_checks() -> None:
    claim = replace(
        BLANK,
        checks=(check(HELD),),
        corrected=(check(PROVED),),
        steps=(step(FAILED, PROVED), step(SILENT)),
    )
    outcomes = [
        Outcome(c.evidence, c.run(Trial(np.random.default_rng(0)))) for c in checks_of(claim)
    ]
    (result,) = judge([claim], {"a": outcomes})
    assert result.outcomes == outcomes
    assert [o.finding for o in outcomes] == [HELD, PROVED, FAILED, PROVED, SILENT]


def test_a_refutation_is_not_hidden_behind_a_check_without_an_answer() -> None:
    claim = replace(BLANK, steps=(step(PROVED),), checks=(check(FAILED), check(SILENT)))
    (result,) = judged(claim)
    assert result.statement is Status.REFUTED and exit_code([result]) == 1


def test_a_repair_that_a_check_speaks_against_repairs_nothing() -> None:
    repair = replace(BLANK, label="b", checks=(check(FAILED),), steps=(step(PROVED),))
    broken = replace(BLANK, checks=(check(HELD),), steps=(step(FAILED),), repaired_by="b")
    assert judged(broken, repair)[0].statement is Status.SUPPORTED
