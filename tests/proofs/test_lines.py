"""Lines of the ledger against their checks: every wrong edit of an entry is reported."""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import proofs_check.engine.lines as lines
import proofs_check.ledger as ledger
import rpttheory.cli.main as program
from proofs_check.checks.symbolic import formula
from proofs_check.engine.entry import Check, Entry, Evidence
from proofs_check.engine.lines import (
    Line,
    check_digest,
    lines_of,
    normalized,
    objections,
    occurs,
    paper_source,
    unrelated,
)
from proofs_check.record_lines import main as record_lines
from rpttheory.statements import STATEMENTS, latex, statements

CLAIMS = {claim.label: claim for claim in ledger.entries()}
# A folder with the LaTeX source of the paper as .txt files.
PAPER = Path(os.environ.get("RPTTHEORY_PAPER", "paper"))


def with_line(claim: Entry, number: int, latex: str | None, checks: Sequence[Check]) -> Entry:
    """The entry with another display, or other checks, of its statement (0) or of a step."""
    if number == 0:
        count = len(claim.checks)
        parts = {"checks": tuple(checks[:count]), "corrected": tuple(checks[count:])}
        return replace(claim, latex=latex or claim.latex, **parts)
    step = claim.steps[number - 1]
    mended = checks[1] if len(checks) > 1 else None
    edited = replace(step, latex=latex or step.latex, check=checks[0], mended=mended)
    steps = (*claim.steps[: number - 1], edited, *claim.steps[number:])
    return replace(claim, steps=steps)


def reverse(latex: str) -> str:
    """The line with its relations reversed; an equality is made strict."""
    swap = {r"\leq": r"\geq", r"\geq": r"\leq", "=": "<"}
    return re.sub(r"\\[lg]eq|=", lambda met: swap[met[0]], latex)


def halve(latex: str) -> str:
    """The line made false: half of its right side."""
    return re.sub(r"(\\[lg]eq|=)(?!.*(?:\\[lg]eq|=))", r"\1 \\tfrac{1}{2}", latex)


def kinds() -> list[tuple[str, int, int]]:
    """A label, the number of a line and that of a check, twice for each kind of check."""
    places: dict[str, list[tuple[str, int, int]]] = {}
    for label, claim in CLAIMS.items():
        for number, line in enumerate(lines_of(claim)):
            for place, check in enumerate(line.checks):
                if re.search(r"\\[lg]eq|=", line.latex):
                    first = type(check.arguments[0]).__name__
                    kind = f"{check.function.__name__} {first}"
                    places.setdefault(kind, []).append((label, number, place))
    assert len(places) >= 12
    return [place for of_one_kind in places.values() for place in of_one_kind[:2]]


@pytest.mark.parametrize(("label", "number", "place"), kinds())
def test_every_wrong_edit_is_reported_for_every_kind_of_check(
    label: str, number: int, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = CLAIMS[label]
    assert objections(claim) == []
    line = lines_of(claim)[number]
    display = claim.latex if number == 0 else claim.steps[number - 1].latex
    for wrong in (reverse(display), halve(display)):
        assert wrong != display
        assert objections(with_line(claim, number, wrong, line.checks))
    trivial = formula("0 <= 1, by 1", "nothing")
    for check in (trivial, replace(line.checks[place], evidence=Evidence.FORMAL)):
        checks = [*line.checks[:place], check, *line.checks[place + 1 :]]
        assert objections(with_line(claim, number, None, checks))
    function = line.checks[place].arguments[0]
    function = getattr(function, "func", function)
    if inspect.isfunction(function) and lines.definitions(function.__module__):
        definitions = dict(lines.definitions(function.__module__))
        definitions[function.__name__] = ast.parse(
            f"def {function.__name__}(*_): return True"
        ).body[0]
        monkeypatch.setattr(lines, "definitions", lambda module: definitions)
        assert objections(claim)


def test_code_is_compared_without_docstrings_and_with_all_that_it_uses() -> None:
    claim = CLAIMS["our:pooledClosedForm"]
    (check,) = claim.checks
    definitions = dict(lines.definitions(check.arguments[0].__module__))
    digest = check_digest(lines_of(claim)[0])
    edits = {
        "def pools": (r'"""Adjacent.*?"""', '"""Other words."""', True),
        "def _ratio": (r"result\[-2\] \+ result\[-1\]", "result[-1]", False),
    }
    source = inspect.getsource(sys.modules[check.arguments[0].__module__])
    for pattern, wrong, same in edits.values():
        edited = ast.parse(re.sub(pattern, wrong, source, count=1, flags=re.DOTALL))
        functions = {node.name: node for node in edited.body if isinstance(node, ast.FunctionDef)}
        assert functions.keys() == definitions.keys()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lines, "definitions", lambda module, functions=functions: functions)
            assert (check_digest(lines_of(claim)[0]) == digest) is same


def test_a_dropped_step_is_reported() -> None:
    claim = CLAIMS["our:convexSharp"]
    assert objections(replace(claim, steps=claim.steps[1:]))


@pytest.mark.parametrize("label", sorted({statement.label for statement in STATEMENTS}))
def test_formulas_of_the_table_are_displayed_from_the_table(label: str) -> None:
    claim = CLAIMS[label]
    assert claim.formulas == tuple(latex(statement.claim) for statement in statements(label))
    texts = {statement.text for statement in statements(label)}
    checked = {
        text
        for check in (*claim.checks, *claim.corrected)
        if isinstance(check.arguments[0], tuple)
        for text in check.arguments[0]
    }
    assert checked <= texts
    assert checked


def test_a_false_line_is_reported_by_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    label = "lem:key_quantity"
    claims = ledger.entries([label])
    edited = tuple(
        replace(claim, latex=halve(claim.latex)) if claim.label == label else claim
        for claim in claims
    )
    monkeypatch.setattr(ledger, "entries", lambda _labels: edited)
    assert program.guarded(program.commands, ["proofs", label, "--jobs", "1"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "NOT AS RECORDED: statement" in out
    assert "1 not as recorded" in out


@pytest.mark.parametrize(
    ("latex", "text", "words", "tied"),
    [
        (r"2 a b \leq a^2 + b^2", "2*a*b <= a^2 + b^2, by (a - b)^2", "", True),
        (r"a^2 + b^2 \geq 2 a b", "2*a*b <= a^2 + b^2, by (a - b)^2", "", True),
        # Whatever is recorded, these are refused.
        (r"2 a b \leq a^2 + b^2", "0 <= 1, by 1", "", False),
        (r"2 a b \leq a^2 + b^2", "0 <= x^2, by x^2", "", False),
        (r"2 a b \leq a^2 + b^2", "0 <= x^2, by x^2", "x = a - b", False),
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
    line = Line("step 1", latex, (formula(text, "all", words),))
    assert (unrelated(line) == []) is tied


def test_every_line_of_the_ledger_is_tied_and_recorded() -> None:
    assert set(lines.record()) == set(CLAIMS)
    assert {
        label: lines.objections(claim) for label, claim in CLAIMS.items() if lines.objections(claim)
    } == {}


def test_an_entry_that_is_not_recorded_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = {label: rows for label, rows in lines.record().items() if label != "text:LP"}
    monkeypatch.setattr(ledger, "record", lambda: recorded)
    with pytest.raises(ledger.LedgerError):
        ledger.entries()


def test_a_line_without_its_letters_cannot_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("proofs_check.record_lines.RECORD", tmp_path / "lines.json")
    assert record_lines([]) == 0
    # Without the paper's source nothing changes of what is known of it.
    assert (tmp_path / "lines.json").read_bytes() == lines.RECORD.read_bytes()
    claim = with_line(CLAIMS["our:convexSharp"], 1, None, [formula("0 <= 1, by 1", "nothing")])
    monkeypatch.setattr("proofs_check.record_lines.load", lambda: (claim,))
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
