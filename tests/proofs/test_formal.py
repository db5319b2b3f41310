"""The formal proofs: the list and the files agree, and with Coq at hand they compile, without
axioms, as recorded.
"""

import json
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import rpttheory.cli.main as program
from proofs_check.engine.entry import Entry
from proofs_check.formal import Formality, Theorems, coqc, definitions, formal_status
from proofs_check.formal import compile as formal_compile
from proofs_check.ledger import load
from rpttheory.errors import InvalidInput

from .formal_mutants import MUTANTS, mutant

FOLDER = Path(formal_compile.__file__).parent
FORMAL = {claim.label: claim.formal for claim in load() if claim.formal is not None}
UNPROVED = re.compile(r"\b(?:Axioms?|Parameters?|Admitted|admit|give_up|bypass_check)\b")
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)


@pytest.fixture
def with_coq(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--coq") or shutil.which("coqc") is None:
        pytest.skip(f"needs --coq, and Coq: apt install {formal_compile.PACKAGES}")


@pytest.mark.parametrize("label", FORMAL)
def test_every_entry_has_its_theorems_and_their_record(label: str) -> None:
    entry = FORMAL[label]
    source = COMMENT.sub("", (FOLDER / f"{entry.file}.v").read_text())
    recorded = formal_compile.RECORD.read_text()
    for theorem in entry.theorems.split():
        assert re.search(rf"^(?:Theorem|Lemma) {theorem}\b", source, re.MULTILINE), theorem
        assert f"@@ {entry.file}.{theorem}\n" in recorded


@pytest.mark.parametrize("label", FORMAL)
def test_every_label_has_an_instance_or_a_reason_for_none(label: str) -> None:
    """Hypotheses that nothing meets would make a theorem empty."""
    entry = FORMAL[label]
    assert bool(entry.instance) != bool(entry.no_instance)
    if entry.instance:
        file, theorem = entry.instance.split(".")
        source = COMMENT.sub("", (FOLDER / f"{file}.v").read_text())
        assert re.search(rf"^(?:Theorem|Lemma) {theorem}\b", source, re.MULTILINE), theorem
        assert formal_compile._record()[entry.instance].endswith("Closed under the global context")


# The properties that hypotheses ask for, each with those that imply it.
PROPERTIES = {
    "smooth": {"smooth"},
    "convex": {"convex", "strongly_convex"},
    "strongly_convex": {"strongly_convex"},
    "minimiser": {"minimiser"},
    "below": {"below", "minimiser"},
    "LP_at_most": {"LP_at_most"},
    "LM_at_most": {"LM_at_most", "LP_at_most"},
    "top_at_most": {"top_at_most", "LP_at_most"},
    "psd": {"psd"},
    "symmetric": {"symmetric"},
    "block_at_most": {"block_at_most"},
    "feasible": {"feasible", "LP_at_most"},
    "dual_feasible": {"dual_feasible"},
    "dominant": {"dominant"},
    "mean_next": {"mean_next"},
}


# equal_costs_no_help is proved by applying the theorem of our:whenRPTHelps and does not repeat its
# hypotheses.
@pytest.mark.parametrize(
    "label",
    [label for label, entry in FORMAL.items() if entry.instance and label != "our:whenRPTHelps"],
)
def test_an_instance_has_the_properties_of_the_hypotheses(label: str) -> None:
    entry = FORMAL[label]
    blocks = formal_compile._record()
    *hypotheses, _ = blocks[entry.names[0]].partition("<->")[0].split("->")
    properties = set(re.findall(r"\w+", " ".join(hypotheses))) & PROPERTIES.keys()
    words = set(re.findall(r"\w+", blocks[entry.instance]))
    assert [name for name in properties if not PROPERTIES[name] & words] == []


def test_every_instance_in_a_file_is_named_by_a_label() -> None:
    named = {name for entry in FORMAL.values() for name in entry.names}
    for path in FOLDER.glob("*.v"):
        for theorem in re.findall(
            r"^(?:Theorem|Lemma) (\w+_instance)\b", COMMENT.sub("", path.read_text()), re.MULTILINE
        ):
            assert f"{path.stem}.{theorem}" in named


def test_definitions_are_those_of_the_files() -> None:
    words = re.compile(r"^(?:Definition|Fixpoint|Record) (\w+)", re.MULTILINE)
    in_files = {
        (path.stem, name)
        for path in FOLDER.glob("*.v")
        for name in words.findall(COMMENT.sub("", path.read_text()))
    }
    assert set(definitions()) == in_files


def test_nothing_is_left_unproved_and_no_file_is_idle() -> None:
    files = {path.stem: COMMENT.sub("", path.read_text()) for path in FOLDER.glob("*.v")}
    assert not {name for name, source in files.items() if UNPROVED.search(source)}
    used = {name.partition(".")[0] for entry in FORMAL.values() for name in entry.names}
    assert files.keys() == used | {below for file in used for below in formal_compile._below(file)}


# Does what coqc does as far as files go, notes what it is asked for, and prints the record when it
# is asked for that.
STAND_IN = """#!/bin/sh
[ "$1" = --version ] && exit 0
for last; do :; done
name=${last%.v}
echo "$name" >> "$NOTES/asked"
[ -e "$NOTES/fails $name" ] && { echo "Error: no such lemma" >&2; exit 1; }
[ -e "$NOTES/killed $name" ] && kill -9 $$
[ -e "$NOTES/sleeps $name" ] && {
  echo $$ > "$NOTES/part"; mv "$NOTES/part" "$NOTES/pid"; exec sleep 90;
}
[ "$name" = query ] && cat "$NOTES/record"
echo > "$name.vo"
"""


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for Coq on the path, and the folder of its notes; the sources are a copy."""
    if os.name != "posix":
        pytest.skip("the stand-in for coqc is a shell script")
    program = tmp_path / "coqc"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    shutil.copy(formal_compile.RECORD, tmp_path / "record")
    shutil.copytree(FOLDER, tmp_path / "sources")
    monkeypatch.setattr(formal_compile, "SOURCES", tmp_path / "sources")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("NOTES", str(tmp_path))
    return tmp_path


def asked(notes: Path) -> list[str]:
    """Return the files that the stand-in was asked for since the last call."""
    files = (notes / "asked").read_text().split()
    (notes / "asked").unlink()
    return files


def only(label: str) -> list[Entry]:
    return [claim for claim in load([label]) if claim.label == label]


def status(notes: Path, label: str = "our:LPgeqL") -> Theorems:
    return formal_status(only(label), build=notes / "compiled", workers=2)[label]


def command(notes: Path) -> list[str]:
    folder = str(notes / "compiled")
    return ["proofs", "our:LPgeqL", "--formal", "--cache-dir", folder, "--jobs", "1"]


def test_only_what_has_changed_is_compiled_again(notes: Path) -> None:
    assert status(notes).settles and asked(notes) == ["expectation", "rpt", "our_LPgeqL", "query"]
    assert status(notes).settles and asked(notes) == ["query"]
    source = notes / "sources" / "rpt.v"
    source.write_text(source.read_text() + "(* *)")
    assert status(notes).settles and asked(notes) == ["rpt", "our_LPgeqL", "query"]


def test_a_failure_is_told_in_the_words_of_coq_and_not_kept(notes: Path) -> None:
    (notes / "fails rpt").touch()
    theorems = status(notes)
    assert theorems.formality is Formality.FAILED and theorems.reason == "Error: no such lemma"
    assert asked(notes) == ["expectation", "rpt", "query"]
    (notes / "fails rpt").unlink()
    assert status(notes).settles and asked(notes)[0] == "rpt"


@pytest.mark.parametrize("file", ["expectation", "query"])
def test_coq_that_is_killed_says_nothing_of_the_proofs(file: str, notes: Path) -> None:
    (notes / f"killed {file}").touch()
    with pytest.raises(InvalidInput, match=f"stopped in {file}.v\n  found: signal 9"):
        status(notes)


def test_a_library_that_is_not_there_is_named(notes: Path) -> None:
    (notes / "coqc").write_text(
        STAND_IN.replace("no such lemma", "Cannot find a physical path bound to mathcomp")
    )
    (notes / "fails expectation").touch()
    with pytest.raises(InvalidInput, match="apt install coq"):
        status(notes)


@pytest.fixture
def heeding_ctrl_c() -> Iterator[None]:
    """Who is started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeding_ctrl_c")
@pytest.mark.parametrize("file", ["rpt", "query"])
def test_ctrl_c_ends_coq_and_keeps_what_is_compiled(
    file: str, notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        while not (notes / "pid").exists():
            time.sleep(0.02)
        time.sleep(0.5)  # until the start of it is over on our side, too
        os.kill(os.getpid(), signal.SIGINT)  # to the main thread, as a terminal does

    (notes / f"sleeps {file}").touch()
    threading.Thread(target=interrupt, daemon=True).start()
    arguments = command(notes)
    began = time.monotonic()
    assert program.guarded(program.commands, arguments) == 3
    assert time.monotonic() - began < 85  # the stand-in sleeps for longer
    assert "interrupted" in capsys.readouterr().err
    with pytest.raises(ProcessLookupError):
        os.kill(int((notes / "pid").read_text()), 0)
    files = {path.name.split("-")[0] for path in (notes / "compiled").iterdir()}
    assert files == {"expectation"} | (
        {"rpt", "fact_congruence", "our_LPgeqL"} if file == "query" else set()
    )


def test_the_command_shows_what_coq_confirms(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = notes / "page.html"
    arguments = command(notes)
    assert program.guarded(program.commands, [*arguments, "--output", str(page)]) == 0
    out = capsys.readouterr().out
    assert "statement formal" in out and "Coq: proved (our_LPgeqL.v" in out
    assert "Coq: 2 entries" in out
    text = page.read_text(encoding="utf-8")
    assert "LP_at_most L (marginal S) t -&gt; top_at_most L t" in text and ">formal<" in text
    (notes / "fails our_LPgeqL").touch()
    shutil.rmtree(notes / "compiled")
    assert program.guarded(program.commands, [*arguments, "--json"]) == 70
    content = json.loads(capsys.readouterr().out)
    entry = next(claim for claim in content["claims"] if claim["label"] == "our:LPgeqL")
    assert (entry["statement_status"], entry["checked_status"], entry["as_recorded"]) == (
        "error",
        "checked step by step",
        False,
    )
    assert (entry["formal"]["formality"], entry["formal"]["reason"]) == (
        "does not compile",
        "Error: no such lemma",
    )


def test_without_coq_the_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert program.guarded(program.commands, ["proofs", "our:LPgeqL", "--formal"]) == 2
    assert "no coqc on the path\n  try:   apt install coq" in capsys.readouterr().err
    assert program.guarded(program.commands, ["proofs", "our:LPgeqL", "--cache-dir", "x"]) == 2


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of compiled files, for all tests of this file."""
    return tmp_path_factory.mktemp("compiled")


def test_every_file_has_a_wrong_variant_of_its_statement() -> None:
    assert {file for file, *_ in MUTANTS} == {entry.file for entry in FORMAL.values()}
    for file, theorem, old, new in MUTANTS:
        source = (FOLDER / f"{file}.v").read_text()
        assert mutant(file, theorem, old, new, source)[0] != source
        assert any(f"{file}.{theorem}" in entry.names for entry in FORMAL.values())


@pytest.mark.usefixtures("with_coq")
def test_all_are_proved_and_no_wrong_variant_is(compiled: Path, tmp_path: Path) -> None:
    result = formal_status(build=compiled, workers=2)
    unproved = [label for label, t in result.items() if t.formality is not Formality.PROVED]
    assert unproved == []

    def survives(number: int) -> str | None:
        """The statement must make sense and its proof fail: the error is found after the
        statement.
        """
        file, theorem, old, new = MUTANTS[number]
        source, end = mutant(file, theorem, old, new, (FOLDER / f"{file}.v").read_text())
        work = tmp_path / f"mutant {number}"
        work.mkdir()
        for path in compiled.iterdir():
            (work / f"{path.name.rpartition('-')[0]}.vo").symlink_to(path)
        (work / f"{file}.vo").unlink()
        failure = formal_compile._Run(coqc(), work, file, source).failure()
        line = re.search(r"line (\d+)", failure)
        return f"{file}: {theorem}: {failure}" if line is None or int(line[1]) < end else None

    with ThreadPoolExecutor(2) as pool:
        assert [message for message in pool.map(survives, range(len(MUTANTS))) if message] == []


@pytest.mark.usefixtures("with_coq")
@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        # A bound half as large has no proof; without its proof a theorem is an axiom; an idle
        # hypothesis makes another statement, and so does another meaning of a word.
        ("our_LPgeqL", "top_at_most L t.", "top_at_most L (t / 2).", Formality.FAILED),
        ("our_LPgeqL", "Qed.", "Admitted.", Formality.AXIOMS),
        ("our_LPgeqL", " L t :", " L t (idle : 0 <= t) :", Formality.CHANGED),
        (
            "rpt",
            "below fs := forall x, fs <= f x",
            "below fs := forall x, fs < f x",
            Formality.CHANGED,
        ),
    ],
)
def test_tampering_is_seen(
    file: str,
    old: str,
    new: str,
    expected: Formality,
    compiled: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sources = tmp_path / "sources"
    shutil.copytree(FOLDER, sources)
    path = sources / f"{file}.v"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    monkeypatch.setattr(formal_compile, "SOURCES", sources)
    assert formal_status(only("our:LPgeqL"), build=compiled)["our:LPgeqL"].formality is expected
