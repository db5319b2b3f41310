"""Lines of the ledger against their checks: every wrong edit of an entry is reported."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import proofs_check.engine.lines as lines
import proofs_check.ledger as ledger
import rpttheory.cli.main as program
from proofs_check.checks.symbolic import Formulas, formula
from proofs_check.command import exit_code
from proofs_check.engine.entry import Check, Entry, Status, Step
from proofs_check.engine.judgement import Judgement, Outcome, checks_of, judge
from proofs_check.engine.lines import Line, lines_of, normalized, occurs, paper_source, unrelated
from proofs_check.engine.text import differences
from proofs_check.record_lines import main as record_lines

from .trials import trial

CLAIMS = {claim.label: claim for claim in ledger.all_entries()}
# A folder with the LaTeX source of the paper as .txt files.
PAPER = Path(os.environ.get("RPTTHEORY_PAPER", "paper"))

Edit = Callable[[Entry], Entry]


def alone(label: str) -> Entry:
    """An entry that can be judged without what it rests on."""
    return replace(CLAIMS[label], needs=(), proof_needs=())


@cache
def outcome_of(label: str, number: int) -> Outcome:
    check = checks_of(CLAIMS[label])[number]
    return Outcome(check.evidence, check.run(trial(1)))


def judged(label: str, edited: Entry) -> Judgement:
    """The edited entry, with the outcomes of the checks that were not edited taken from the
    ledger's.
    """
    known = {id(check): number for number, check in enumerate(checks_of(CLAIMS[label]))}
    outcomes = []
    for check in checks_of(edited):
        if id(check) in known:
            outcomes.append(outcome_of(label, known[id(check)]))
        else:
            outcomes.append(Outcome(check.evidence, check.run(trial(1))))
    return judge([edited], {label: outcomes})[0]


def with_step(claim: Entry, number: int, step: Step) -> Entry:
    return replace(claim, steps=(*claim.steps[:number], step, *claim.steps[number + 1 :]))


def first(claim: Entry, fits: Callable[[Step], bool]) -> int:
    return next(number for number, step in enumerate(claim.steps) if fits(step))


def text_of(step: Step) -> str:
    return step.check.sides.text if isinstance(step.check.sides, Formulas) else ""


def edit_formula(pattern: str, wrong: str) -> Edit:
    """Change the first formula in which the pattern occurs, there and once."""

    def edit(claim: Entry) -> Entry:
        number = first(claim, lambda step: re.search(pattern, text_of(step)) is not None)
        step = claim.steps[number]
        check = formula(re.sub(pattern, wrong, text_of(step), count=1), "edited", step.check.covers)
        return with_step(claim, number, replace(step, check=check))

    return edit


def edit_latex(pattern: str, wrong: str) -> Edit:
    """Change the first step in whose LaTeX the pattern occurs."""

    def edit(claim: Entry) -> Entry:
        number = first(claim, lambda step: re.search(pattern, step.latex) is not None)
        step = claim.steps[number]
        return with_step(
            claim, number, replace(step, latex=re.sub(pattern, wrong, step.latex, count=1))
        )

    return edit


def trivial_check(claim: Entry) -> Entry:
    number = first(claim, lambda step: bool(text_of(step)))
    return with_step(
        claim, number, replace(claim.steps[number], check=formula("0 <= 1, by 1", "nothing"))
    )


def drop_step(claim: Entry) -> Entry:
    return replace(claim, steps=claim.steps[1:])


def drop_check(claim: Entry) -> Entry:
    return replace(claim, checks=claim.checks[1:])


def change_status(claim: Entry) -> Entry:
    return replace(claim, statement=Status.VERIFIED)


def half_statement(claim: Entry) -> Entry:
    """A statement made false: the right side of its last relation halved."""
    left, relation, right = re.split(r"(\\leq|\\geq)(?!.*(?:\\leq|\\geq))", claim.latex, maxsplit=1)
    return replace(claim, latex=rf"{left}{relation} \tfrac{{1}}{{2}} {right}")


def reverse_statement(claim: Entry) -> Entry:
    swap = {r"\leq": r"\geq", r"\geq": r"\leq"}
    return replace(claim, latex=re.sub(r"\\[lg]eq", lambda met: swap[met[0]], claim.latex))


EDITS: dict[str, Edit] = {
    "wrong sign in a check": edit_formula(r"by (?=[a-zA-Z(0-9])", "by -"),
    "a hypothesis dropped": edit_formula(r"(; [^;]*) >= 0$|; [^;=]* > 0$", ""),
    "the sides of a check swapped": edit_formula(r"([^;]+?) <= ([^;]+?), by", r"\2 <= \1, by"),
    "a factor in a check": edit_formula(r" <= ", " <= 9/10*"),
    "a constant in a check": edit_formula(r"= ", "= 1 + "),
    "wrong algebra": edit_formula(r"\^2", "^3"),
    "a changed status": change_status,
    "a step dropped": drop_step,
    "a check dropped": drop_check,
    "a statement made false": half_statement,
    "a statement reversed": reverse_statement,
    "a step reversed": edit_latex(r"\\leq", r"\\geq"),
    "an equality made strict": edit_latex("=", "<"),
    "a check replaced by a triviality": trivial_check,
}
LABELS = (
    "lem:key_quantity",
    "thm:rcdConvex",
    "thm:rcdNonconvex",
    "our:convexSharp",
    "lem:upperBound",
)


@pytest.mark.parametrize("label", LABELS)
def test_the_entry_itself_is_as_recorded(label: str) -> None:
    result = judged(label, alone(label))
    assert differences(result) == []
    assert exit_code([result]) == 0


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("label", LABELS)
def test_a_wrong_edit_is_reported(label: str, edit: str) -> None:
    claim = alone(label)
    try:
        edited = EDITS[edit](claim)
    except StopIteration:
        pytest.skip("no step of this entry can be edited so")
    assert edited != claim
    result = judged(label, edited)
    assert not result.expected
    assert exit_code([result]) in (1, 3)
    assert differences(result)


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_applies_to_several_entries(edit: str) -> None:
    applies = 0
    for label in LABELS:
        try:
            applies += EDITS[edit](alone(label)) != alone(label)
        except StopIteration:
            continue
    assert applies >= 3


def test_a_false_line_is_reported_by_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    label = "lem:key_quantity"
    needed = ledger.select(ledger.all_entries(), [label])
    edited = tuple(half_statement(claim) if claim.label == label else claim for claim in needed)
    monkeypatch.setattr(ledger, "all_entries", lambda: edited)
    assert program.guarded(program.commands, ["proofs", label, "--jobs", "1"]) == 1
    out = capsys.readouterr().out
    assert "NOT AS RECORDED: statement" in out
    assert "1 not as recorded" in out


def step_line(latex: str, check: Check) -> Line:
    return Line("step 1", latex, (check,))


@pytest.mark.parametrize(
    ("latex", "text", "words", "tied"),
    [
        (r"2 a b \leq a^2 + b^2", "2*a*b <= a^2 + b^2, by (a - b)^2", "", True),
        (r"a^2 + b^2 \geq 2 a b", "2*a*b <= a^2 + b^2, by (a - b)^2", "", True),
        # Whatever is recorded, these are refused.
        (r"2 a b \geq a^2 + b^2", "2*a*b <= a^2 + b^2, by (a - b)^2", "", False),
        (
            r"\tfrac{1}{4 L_P} \geq \tfrac{1}{2 L_P}",
            "1/(4*L_P) <= 1/(2*L_P), by 1/(4*L_P); L_P > 0",
            "",
            False,
        ),
        (r"2 a b \leq a^2 + b^2", "0 <= 1, by 1", "", False),
        (r"2 a b \leq a^2 + b^2", "0 <= x^2, by x^2", "", False),
        (r"2 a b \leq a^2 + b^2", "0 <= x^2, by x^2", "x = a - b", True),
        # An index is no letter of the line.
        (r"x_i \leq y_i", "0 <= z_i^2, by z_i^2", "", False),
        (
            r"\gamma \|\nabla f(x)\|^2 \leq \varepsilon",
            "gamma*G <= gamma*G + s, by s; s >= 0",
            "",
            True,
        ),
    ],
)
def test_a_check_must_have_to_do_with_its_line(
    latex: str, text: str, words: str, tied: bool
) -> None:
    assert (unrelated(step_line(latex, formula(text, "all", words))) == []) is tied


def test_every_line_of_the_ledger_is_tied_and_recorded() -> None:
    assert set(lines.record()) == set(CLAIMS)
    assert {
        label: lines.objections(claim) for label, claim in CLAIMS.items() if lines.objections(claim)
    } == {}


def test_an_entry_that_is_not_recorded_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rest = {label: rows for label, rows in lines.record().items() if label != "text:LP"}
    monkeypatch.setattr(ledger, "record", lambda: rest)
    with pytest.raises(ValueError, match="text:LP"):
        ledger.all_entries()


def test_a_line_without_its_letters_cannot_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("proofs_check.record_lines.RECORD", tmp_path / "lines.json")
    assert record_lines([]) == 0
    # Without the paper's source nothing changes of what is known of it.
    assert (tmp_path / "lines.json").read_bytes() == lines.RECORD.read_bytes()
    monkeypatch.setattr(
        "proofs_check.record_lines.load", lambda: (trivial_check(CLAIMS["our:convexSharp"]),)
    )
    assert record_lines([]) == 1
    assert "our:convexSharp" in capsys.readouterr().err


def test_what_is_recorded_as_printed_stands_in_the_paper() -> None:
    if not PAPER.is_dir():
        pytest.skip("the paper's source is absent: RPTTHEORY_PAPER names its folder")
    source = paper_source(PAPER)
    printed = 0
    for label, claim in CLAIMS.items():
        for row, again in zip(
            lines.record()[label], lines.recorded_lines(claim, source), strict=True
        ):
            assert row == again, label
            printed += row["printed"] is True
    assert printed > 80


@pytest.mark.parametrize(
    "label", ["lem:key_quantity", "lem:secondMoment", "thm:rcdConvex", "thm:rcdNonconvex"]
)
def test_the_theorems_are_shown_as_printed(label: str) -> None:
    """The statement and all lines of its proof that the paper displays."""
    rows = lines.record()[label]
    assert rows[0]["printed"] is True
    assert sum(row["printed"] is True for row in rows) >= len(rows) - 2


def test_notation_is_undone_and_nothing_else() -> None:
    printed = r"\Exp{\norm{\bC\nabla f(x)}^2} &\leq \frac{2\delta^0}{\gamma T} \\"
    assert occurs(
        r"\mathbb{E}\|C \nabla f(x)\|^2 \leq \tfrac{2 \delta^0}{\gamma T}", normalized(printed)
    )
    for wrong in (
        r"\mathbb{E}\|C \nabla f(x)\|^2 \geq \tfrac{2 \delta^0}{\gamma T}",
        r"\mathbb{E}\|C \nabla f(x)\| \leq \tfrac{2 \delta^0}{\gamma T}",
        r"\mathbb{E}\|C \nabla f(x)\|^2 \leq \tfrac{\delta^0}{\gamma T}",
        r"\|C \nabla f(x)\|^2 \leq \tfrac{2 \delta^0}{\gamma T}",
    ):
        assert not occurs(wrong, normalized(printed))


def test_lines_of_an_entry_are_its_statement_and_steps() -> None:
    claim = CLAIMS["thm:rcdConvex"]
    assert [line.place for line in lines_of(claim)] == [
        "statement",
        *(f"step {n}" for n in range(1, 10)),
    ]
