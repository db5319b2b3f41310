"""`rpttheory proofs`: what it prints, writes and returns."""

from __future__ import annotations

import json
import re
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
from proofs_check.engine.judgement import Outcome, checks_of, judge
from proofs_check.engine.page import ledger_page, mathml
from proofs_check.engine.text import render_entry
from proofs_check.runner import run_checks
from rpttheory.report import render_page
from rpttheory.runs.progress import Event, unwatched


def run(*arguments: str) -> int:
    return program.guarded(program.commands, ["proofs", *arguments])


LEMMA = "lem:key_quantity"
SVG = "{http://www.w3.org/2000/svg}"


def test_one_label_shows_its_steps_and_witnesses_in_words_and_in_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(LEMMA, "--jobs", "1", "--seed", "5") == 0
    text = capsys.readouterr().out
    assert "step 3 [definitional]" in text
    assert "E|C P^1/2 x|^2 = 1, printed sum 1/2" in " ".join(text.split())
    assert "erratum (typo)" in text
    assert "seed 5" in text
    assert "statement itself (L_M and factor times L_P): supported" in text
    run(LEMMA, "--json", "--jobs", "2", "--seed", "5")
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["missing"]) == ("rpttheory/proofs/4", [])
    assert found["provenance"]["rpttheory"] == version("rpttheory")
    entry = next(claim for claim in found["claims"] if claim["label"] == LEMMA)
    assert (entry["statement_status"], entry["proof_status"]) == ("argued", "argued")
    assert [erratum["severity"] for erratum in entry["errata"]] == ["typo"]
    assert [step["mends"] for step in entry["steps"] if step["mends"]] == [["typo"]]
    counts = found["counts"]
    assert (
        f"{counts['entries']} entries, {counts['steps']} proof steps, {counts['checks']} checks"
        in text
    )
    assert (
        sum(counts["symbolic"].values()) > 10 and f"{counts['symbolic']['algebra']} algebra" in text
    )


def test_an_unknown_label_is_answered_with_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lem:keyquantity") == 2
    assert LEMMA in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(LEMMA, "--html", str(tmp_path / "missing" / "page.html")) == 2
    assert run(LEMMA, "--html", str(tmp_path)) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_page_stands_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run(LEMMA, "--html", str(page), "--jobs", "1") == 0
    text = page.read_text(encoding="utf-8")
    assert f'id="{LEMMA}"' in text and f'href="#{LEMMA}"' in text
    # The one script is its own, for searching; all there is can be read without it.
    assert (
        text.count("<script") == text.count("<script>") == 1
        and "src=" not in text
        and "http" not in text.replace("http://www.w3.org", "")
    )
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def crash(_: Trial) -> Finding:
    raise RuntimeError("boom <b>")


BROKEN = Entry(
    "lem:broken",
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
    workers: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ctrl-C once the first entry is done, while the second sleeps; the third rests on it. Then
    --resume.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    calls: list[str] = []

    def holds(_: Trial) -> Finding:
        calls.append("quick")
        return held("tried")

    def sleeps(_: Trial) -> Finding:
        time.sleep(0 if calls == ["quick", "again"] else 20)
        return held("at last")

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
    assert [claim["label"] for claim in found["claims"]] == ["lem:quick"] and found["counts"][
        "checks"
    ] == 1
    assert found["missing"] == ["lem:slow", "lem:above"] and "not done: lem:slow, lem:above" in err
    assert run("--resume", "--seed", "9") == 2 and "of other settings" in capsys.readouterr().err
    calls.append("again")
    monkeypatch.setattr("proofs_check.command.progress", lambda name, quiet: nullcontext(unwatched))
    assert "--resume" in err and run("--resume", "--jobs", workers, "--json") != 130
    found = json.loads(capsys.readouterr().out)
    assert calls == ["quick", "again"] and found["missing"] == [] and found["counts"]["checks"] == 2
    assert found["version"] == version("rpttheory")
    next(tmp_path.rglob("proofs-*")).write_bytes(b"{}")
    assert run("--resume") == 2


def test_what_claims_say_is_escaped() -> None:
    judgements = judge([BROKEN], run_checks([BROKEN]))
    content, more = ledger_page(judgements, seed=0, depth=1)
    page = render_page(content, **more)
    assert "<b>title" not in page and "boom <b>" not in page
    assert "boom <b>" in render_entry(judgements[0])


def test_every_formula_and_the_graph_are_well_formed() -> None:
    claims = ledger.all_entries()
    formulas = [claim.latex for claim in claims]
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
    small = ledger.select(claims, [LEMMA])
    svg = draw(judge(small, run_checks(small)))
    texts = {(node.text or "").split()[-1] for node in ET.fromstring(svg).iter(f"{SVG}text")}
    assert texts == {claim.label for claim in small if claim.kind is not Kind.PLACE}


def test_no_edge_of_the_graph_crosses_a_label_and_every_reason_is_reached() -> None:
    claims = [claim for claim in ledger.all_entries() if claim.kind is not Kind.PLACE]
    found = {
        claim.label: [Outcome(Evidence.EXACT, held("all"))] * len(checks_of(claim))
        for claim in claims
    }
    tree = ET.fromstring(draw(judge(claims, found)))
    boxes = [
        tuple(float(node.attrib[key]) for key in ("x", "y", "width", "height"))
        for node in tree.iter(f"{SVG}rect")
    ]
    assert len(boxes) == len(claims)
    joined: dict[tuple[float, float], set[tuple[float, float]]] = {}
    for node in tree.iter(f"{SVG}path"):
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", node.attrib["d"])]
        x, y = numbers[:2]
        to_x, to_y = (x + numbers[2], y) if "h" in node.attrib["d"] else numbers[-2:]
        joined.setdefault((x, y), set()).add((to_x, to_y))
        for left, top, width, height in boxes:
            beside = to_x <= left or x >= left + width
            assert beside or max(y, to_y) < top or min(y, to_y) > top + height, node.attrib["d"]
    where = dict(
        zip(
            (node.text.split()[-1] for node in tree.iter(f"{SVG}text") if node.text),
            boxes,
            strict=True,
        )
    )

    def reaches(start: tuple[float, float], end: tuple[float, float]) -> bool:
        return start == end or any(reaches(one, end) for one in joined.get(start, ()))

    for claim in claims:
        for other in claim.below & where.keys():
            # Edges that follow from others are left out: one may pass through the boxes of these.
            (x, y, _, height) = where[claim.label]
            (from_x, from_y, width, _) = where[other]
            for left, top, wide, tall in boxes:
                joined.setdefault((left, top + tall / 2), set()).add((left + wide, top + tall / 2))
            assert reaches((from_x + width, from_y + height / 2), (x, y + height / 2)), (
                claim.label,
                other,
            )


def test_the_module_runs_as_a_program() -> None:
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "proofs_check", "nonsense"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith("rpttheory: error: unknown label")
