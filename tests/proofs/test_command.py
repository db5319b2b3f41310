"""`rpttheory proofs`: what it prints, writes and returns."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

import proofs_check.ledger as ledger
import rpttheory
import rpttheory.cli.main as program
from proofs_check.engine.entry import Check, Entry, Evidence, Finding, Status, Trial
from proofs_check.engine.render import Ledger, mathml
from proofs_check.engine.status import judge
from proofs_check.runner import run_checks
from rpttheory.report import as_html, as_text


def run(*arguments: str) -> int:
    return program.guarded(program.commands, ["proofs", *arguments])


LEMMA = "lem:key_quantity"
PAGE = "--output"


def test_one_label_shows_its_steps_and_witnesses_in_words_and_in_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(LEMMA, "--jobs", "1", "--rng", "5", "--wide") == 0
    text = capsys.readouterr().out
    for part in (
        "step 3 [by definition]",
        "E|C P^1/2 x|^2 = 1, printed sum 1/2",
        "erratum (typo)",
        "rng 5",
        "statement (L_M <= L_P): tested on instances",
        r"        L_M \leq L_P",
    ):
        assert part in text
    run(LEMMA, "--json", "--jobs", "2", "--rng", "5")
    content = json.loads(capsys.readouterr().out)
    assert content["schema"] == "rpttheory/proofs/6"
    assert content["provenance"]["rpttheory"] == rpttheory.__version__
    entry = next(claim for claim in content["claims"] if claim["label"] == LEMMA)
    checked = "checked step by step"
    assert (entry["statement_status"], entry["proof_status"]) == (checked, checked)
    assert [step["mends"] for step in entry["steps"] if step["mends"]] == [["typo"]]
    # Text and JSON print one document.
    assert all(line in text for _, part in entry["document"] for line in part.splitlines())
    counts = content["counts"]
    assert f"{counts['entries']} entries (1 requested, {counts['entries'] - 1} " in text
    assert f"{counts['steps']} proof steps, {counts['checks']} checks" in text


def test_an_unknown_label_is_answered_with_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lem:keyquantity") == 2
    assert LEMMA in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(LEMMA, PAGE, str(tmp_path / "missing" / "page.html")) == 2
    assert run(LEMMA, PAGE, str(tmp_path)) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_page_stands_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run(LEMMA, PAGE, str(page), "--jobs", "1") == 0
    text = page.read_text(encoding="utf-8")
    assert f'id="{LEMMA}"' in text and 'href="#fact:rayleigh"' in text and "<math" in text
    assert "<script" not in text and "src=" not in text
    assert "http" not in text.replace("http://www.w3.org", "")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def crash(_: Trial) -> Finding:
    raise RuntimeError("boom <b>")


BROKEN = Entry(
    "lem:broken",
    "A <b>title</b>",
    "A claim whose check crashes.",
    r"x < y",
    Status.TESTED,
    Status.NONE,
    checks=(Check(Evidence.EXACT, crash),),
)


def test_a_crash_is_an_error_row_and_never_a_refutation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ledger, "entries", lambda _labels: (BROKEN,))
    assert run() == 70
    out = capsys.readouterr().out
    (row,) = (line for line in out.splitlines() if line.startswith("  lem:broken"))
    assert "error" in row and "false" not in row
    assert "RuntimeError: boom" in out


def test_a_changed_status_is_named_and_exits_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = tuple(
        replace(claim, statement=Status.FALSE) if claim.label == "text:SkGD" else claim
        for claim in ledger.entries(["text:SkGD"])
    )
    monkeypatch.setattr(ledger, "entries", lambda _labels: changed)
    assert run() == 1
    assert "statement: recorded false, computed checked step by step" in capsys.readouterr().out


def test_what_claims_say_is_escaped() -> None:
    ledger = Ledger(judge([BROKEN], run_checks([BROKEN])), [BROKEN.label])
    page = as_html(ledger.page())
    assert "<b>title" not in page and "boom <b>" not in page
    assert "boom <b>" in as_text(ledger.render())


def test_every_formula_is_well_formed() -> None:
    claims = ledger.entries()
    formulas = [text for claim in claims for text in (claim.latex, *claim.formulas)]
    formulas += [
        text
        for claim in claims
        for step in claim.steps
        for text in (step.latex, step.correction)
        if text
    ]
    formulas += [erratum.printed for claim in claims for erratum in claim.errata]
    # A command the converter does not know is left in the text with its backslash.
    assert [
        latex for latex in formulas if "\\" in "".join(ET.fromstring(mathml(latex)).itertext())
    ] == []


def test_a_label_imports_what_it_needs_only() -> None:
    program = (
        "import sys; from proofs_check.ledger import entries; "
        "print(*(claim.label for claim in entries(['lem:twoBounds']))); "
        "print(sum(name.startswith('proofs_check.paper.') for name in sys.modules))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    labels, modules = done.stdout.splitlines()
    assert {"lem:twoBounds", "our:twoBounds", "fact:rayleigh"} <= set(labels.split())
    assert int(modules) < 10


def test_the_module_runs_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "proofs_check", "nonsense"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith("rpttheory: error: unknown label")
