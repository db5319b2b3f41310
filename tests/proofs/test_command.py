"""`rpttheory proofs`: what it prints, writes and returns."""

from __future__ import annotations

import json
import time
import xml.etree.ElementTree as ET
from contextlib import nullcontext
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

import proofs_check.ledger as ledger
import rpttheory.cli.main as program
from proofs_check.engine.entry import Check, Entry, Evidence, Finding, Kind, Status, Trial, held
from proofs_check.engine.graph import draw
from proofs_check.engine.judgement import judge
from proofs_check.engine.page import mathml, render_page
from proofs_check.engine.runner import run_checks
from proofs_check.engine.text import render_entry
from rpttheory.runs.progress import Event


def run(*arguments: str) -> int:
    return program.guarded(program.commands, ["proofs", *arguments])


LEMMA = "lem:key_quantity"


def test_one_label_shows_its_steps_and_witnesses(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(LEMMA, "--jobs", "1") == 0
    out = capsys.readouterr().out
    assert "step 5 [refuted]" in out
    assert "lambda_max(X) = 16 > 4 = L_P" in out
    assert "seed 0" in out


def test_the_same_seed_gives_the_same_ledger(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for workers, seed in (("1", "5"), ("2", "5"), ("2", "6")):
        run(LEMMA, "--json", "--jobs", workers, "--seed", seed)
        outputs.append(json.loads(capsys.readouterr().out))
    assert outputs[0] == outputs[1]
    assert outputs[0] != outputs[2]
    assert outputs[0]["schema"] == "rpttheory/proofs/3" and outputs[0]["provenance"]["rpttheory"] == version(
        "rpttheory"
    )
    assert outputs[0]["missing"] == []
    entry = next(claim for claim in outputs[0]["claims"] if claim["label"] == LEMMA)
    assert (entry["statement_status"], entry["proof_status"]) == ("argued", "refuted")
    run(LEMMA)
    counts, text = outputs[0]["counts"], capsys.readouterr().out
    assert f"{counts['entries']} entries, {counts['steps']} proof steps, {counts['checks']} checks" in text
    assert sum(counts["symbolic"].values()) > 10 and f"{counts['symbolic']['algebra']} algebra" in text


def test_an_unknown_label_is_answered_with_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lem:keyquantity") == 2
    assert LEMMA in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(LEMMA, "--html", str(tmp_path / "missing" / "page.html")) == 2
    assert run(LEMMA, "--html", str(tmp_path)) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_page_stands_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run(LEMMA, "--html", str(page), "--jobs", "1") == 0
    text = page.read_text(encoding="utf-8")
    assert f'id="{LEMMA}"' in text and f'href="#{LEMMA}"' in text
    assert "<script" not in text and "src=" not in text and "http" not in text.replace("http://www.w3.org", "")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def crash(_: Trial) -> Finding:
    raise RuntimeError("boom <b>")


BROKEN = Entry(
    "lem:broken",
    Kind.LEMMA,
    "A <b>title</b>",
    r"x < y",
    "A claim whose check crashes.",
    Status.SUPPORTED,
    Status.NONE,
    checks=(Check(Evidence.EXACT, crash),),
)


def test_a_crash_is_an_error_row_and_never_a_refutation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ledger, "all_entries", lambda: (BROKEN,))
    assert run() == 70
    out = capsys.readouterr().out
    (row,) = (line for line in out.splitlines() if line.startswith("  lem:broken"))
    assert "error" in row and "refuted" not in row
    assert "RuntimeError: boom" in out


def test_a_changed_status_is_named_and_exits_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = tuple(
        replace(claim, statement=Status.REFUTED) if claim.label == "text:SkGD" else claim
        for claim in ledger.select(ledger.all_entries(), ["text:SkGD"])
    )
    monkeypatch.setattr(ledger, "all_entries", lambda: changed)
    assert run() == 1
    assert "statement: recorded refuted, found argued" in capsys.readouterr().out


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_keeps_what_was_found(
    workers: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C once the first entry is done, while the second sleeps; the third rests on it."""

    def holds(_: Trial) -> Finding:
        return held("tried")

    def sleeps(_: Trial) -> Finding:
        time.sleep(20)
        return held("never")

    def interrupt(_event: Event) -> None:
        raise KeyboardInterrupt

    quick = replace(BROKEN, label="lem:quick", checks=(Check(Evidence.EXACT, holds),))
    slow = replace(BROKEN, label="lem:slow", checks=(Check(Evidence.EXACT, sleeps),))
    claims = (quick, slow, replace(BROKEN, label="lem:above", checks=(), needs=("lem:slow",)))
    monkeypatch.setattr(ledger, "all_entries", lambda: claims)
    monkeypatch.setattr("proofs_check.command.progress", lambda name, quiet: nullcontext(interrupt))
    began = time.monotonic()
    assert run("--jobs", workers, "--json") == 130
    assert time.monotonic() - began < 15
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert [claim["label"] for claim in found["claims"]] == ["lem:quick"] and found["counts"]["checks"] == 1
    assert found["missing"] == ["lem:slow", "lem:above"] and "not done: lem:slow, lem:above" in err


def test_what_claims_say_is_escaped() -> None:
    judgements = judge([BROKEN], run_checks([BROKEN]))
    page = render_page(judgements, seed=0, depth=1)
    assert "<b>title" not in page and "boom <b>" not in page
    assert "boom <b>" in render_entry(judgements[0])


def test_every_formula_and_the_graph_are_well_formed() -> None:
    claims = ledger.all_entries()
    formulas = [claim.latex for claim in claims]
    formulas += [text for claim in claims for step in claim.steps for text in (step.latex, step.correction) if text]
    formulas += [erratum.printed for claim in claims for erratum in claim.errata]
    # A command the converter does not know is left in the text with its backslash.
    assert [latex for latex in formulas if "\\" in "".join(ET.fromstring(mathml(latex)).itertext())] == []
    small = ledger.select(claims, [LEMMA])
    svg = draw(judge(small, run_checks(small)))
    texts = {node.text for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}
    assert texts == {claim.label for claim in small if claim.kind is not Kind.PLACE}
    needs = sum(len({*claim.needs, *claim.proof_needs, *filter(None, [claim.repaired_by])}) for claim in small)
    assert len(list(ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}path"))) == needs > 5


def test_the_module_runs_as_a_program() -> None:
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-m", "proofs_check", "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("rpttheory: error: unknown label")


def attack(*arguments: str) -> int:
    return program.guarded(program.commands, ["attack", *arguments])


def test_an_attack_is_saved_and_decided_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "worst.json"
    assert attack("lem:twoBounds/upper", "--seconds", "0.5", "--save", str(file), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "PROVED" and json.loads(file.read_text(encoding="utf-8")) == found
    file.write_text(file.read_text(encoding="utf-8").replace(found["statement"], "P = NP"))
    assert attack("--recheck", str(file)) == 0
    out = capsys.readouterr().out
    assert "largest left / right" in out and "P = NP" not in out
    assert attack("lem:twoBounds", "--recheck", str(file)) == 2
    # An instance that the statement does not speak of is refused, whatever verdict was saved with it.
    found["instance"]["L"] = [[1.0, 2.0], [2.0, 1.0]]
    found["instance"]["blocks"] = [1, 1]
    found["instance"]["p"], found["instance"]["costs"] = [1.0, 1.0], [0.5, 0.5]
    file.write_text(json.dumps(found))
    assert attack("--recheck", str(file)) == 2
    assert "semidefinite" in capsys.readouterr().err


def test_attacks_are_listed_and_mistakes_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert attack() == 0
    assert "thm:rcdConvex" in capsys.readouterr().out
    assert attack("lem:nothing") == 2
    assert attack("lem:twoBounds", "--seconds", "0") == 2
    assert attack("lem:twoBounds", "--save", str(tmp_path / "no" / "file.json")) == 2
    assert attack("--recheck", str(tmp_path / "none.json")) == 2
