"""The formal proofs: the list and the files agree, and with Coq at hand they compile, without axioms, as recorded."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from proofs_check.formal import BEYOND, FORMAL, Formality, coqc, formal_status
from proofs_check.formal import compile as formal_compile
from proofs_check.ledger import all_claims

FOLDER = Path(formal_compile.__file__).parent
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
    for theorem in entry.theorems:
        assert re.search(rf"^(?:Theorem|Lemma) {theorem}\b", source, re.MULTILINE), theorem
        assert f"@@ {entry.file}.{theorem}\n" in recorded


def test_labels_are_those_of_the_ledger() -> None:
    known = {claim.label for claim in all_claims()}
    assert set(FORMAL) - known == BEYOND


def test_nothing_is_left_unproved_and_no_file_is_idle() -> None:
    files = {path.stem: COMMENT.sub("", path.read_text()) for path in FOLDER.glob("*.v")}
    assert not {name for name, source in files.items() if UNPROVED.search(source)}
    used = {entry.file for entry in FORMAL.values()}
    assert files.keys() == used | {below for file in used for below in formal_compile._below(file)}


def test_the_readme_lists_every_theorem() -> None:
    readme = (FOLDER / "README.md").read_text()
    for label, entry in FORMAL.items():
        assert f"| {label} | `{entry.file}.v` | {', '.join(f'`{name}`' for name in entry.theorems)} |" in readme


def test_without_coq_the_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(formal_compile.MissingCoq, match="apt install coq"):
        coqc()


@pytest.mark.usefixtures("with_coq")
def test_all_are_proved(tmp_path: Path) -> None:
    found = formal_status(build=tmp_path, workers=2)
    assert {label: status for label, status in found.items() if status is not Formality.PROVED} == {}


@pytest.mark.usefixtures("with_coq")
@pytest.mark.parametrize(
    ("file", "old", "new", "status"),
    [
        # A bound half as large has no proof; without its proof a theorem is an axiom; an idle hypothesis makes another
        # statement, and so does another meaning of a word.
        ("our_LPgeqL", "top_at_most L t.", "top_at_most L (t / 2).", Formality.FAILED),
        ("our_LPgeqL", "Qed.", "Admitted.", Formality.AXIOMS),
        ("our_LPgeqL", " L t :", " L t (idle : 0 <= t) :", Formality.CHANGED),
        ("rpt", "below fs := forall x, fs <= f x", "below fs := forall x, fs < f x", Formality.CHANGED),
    ],
)
def test_tampering_is_seen(
    file: str, old: str, new: str, status: Formality, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, build = tmp_path / "sources", tmp_path / "build"
    shutil.copytree(FOLDER, sources)
    build.mkdir()
    path = sources / f"{file}.v"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    monkeypatch.setattr(formal_compile, "SOURCES", sources)
    assert formal_status(["our:LPgeqL"], build=build) == {"our:LPgeqL": status}
