"""`rpttheory experiment` as a person meets it: mistakes, progress, and going on after kill -9."""

import csv
import io
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import click
import pytest

from rpttheory.cli import main as program
from rpttheory.io import located


def call(*arguments: str) -> int:
    return program.guarded(program.commands, ["experiment", *arguments])


def expect_three_lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert call(*arguments) == 2
    out, err = capsys.readouterr()
    lines = err.rstrip("\n").split("\n")
    assert out == "" and "Traceback" not in err
    assert len(lines) == 3, lines
    assert lines[0].startswith("rpttheory: error: ")
    assert lines[1].startswith("  found: ") and len(lines[1]) > 9
    assert lines[2].startswith("  try:   ") and len(lines[2]) > 10
    return err


MISTAKES = {
    "quadratics": [
        *(f"--rows={rows}" for rows in ("13", "0", "1,x", "", "4-2", "-3", "1-", "1-x", "²")),
        *(
            "--seeds=0",
            "--seeds=-2",
            "--tolerance=0",
            "--tolerance=nan",
            "--stepsize=0",
            "--stepsize=-1",
        ),
        *("--stepsize=2", "--spread=1", "--jobs=0"),
    ],
    "ridge": [
        *(
            "--data=boston",
            "--data=wine,",
            "--seeds=0",
            "--stepsize=-1",
            "--lam=0",
            "--lam=nan",
            "--blocks=0",
        ),
        *("--blocks=13", "--ties=random", "--normalisation=none", "--jobs=-1"),
    ],
}


@pytest.mark.parametrize(
    ("name", "mistake"), [(name, one) for name, several in MISTAKES.items() for one in several]
)
def test_mistakes(
    name: str, mistake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expect_three_lines(capsys, name, "--out", str(tmp_path / "out"), *mistake.split())
    assert not (tmp_path / "out").exists()


def test_missing_and_damaged_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    arguments = ["ridge", "--out", str(out), "--data", "prostate", "--data-dir", str(tmp_path)]
    assert "prostate.csv: no such data file" in expect_three_lines(capsys, *arguments)
    with located("dataset:prostate") as file:
        content = file.read_bytes()
    (tmp_path / "prostate.csv").write_bytes(content[:-1])
    message = expect_three_lines(capsys, *arguments)
    assert "a3e3bce5bead85a0c42f2a2845c5bfab6883d7c1e9e0814b39d40072f3b048c2" in message
    assert not out.exists()


SETTINGS = ["quadratics", "--rows", "3,1", "--seeds", "1", "--tolerance", "0.1", "--jobs", "1"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """The folder of a run that nobody disturbed, and what it said."""
    folder = tmp_path_factory.mktemp("finished") / "out"
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        assert call(*SETTINGS, "--out", str(folder)) == 0
    return folder, out.getvalue(), err.getvalue()


@pytest.fixture
def copied(finished: tuple[Path, str, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished[0], tmp_path / "out"))


def test_output_and_plain_lines(
    finished: tuple[Path, str, str], copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, err = finished
    assert [line.split()[0] for line in out.split("\n")[:3]] == ["row", "1", "3"]
    assert "row 3 gives 5.406, printed 5.7" in " ".join(out.split())
    lines = err.rstrip("\n").split("\n")
    assert sorted(line.split(" done")[0] for line in lines[:-2]) == [
        f"quadratics: row 0{k}" for k in (1, 3)
    ]
    assert lines[-2] == "quadratics: drawing ..." and lines[-1].startswith("wrote ")
    assert call(*SETTINGS, "--out", str(copied)) == 0
    again, err = capsys.readouterr()
    assert again == out and err.startswith("quadratics: drawing ...\nwrote "), (
        "everything was there"
    )


def test_other_settings_and_unwritable_places(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in copied.iterdir()}
    assert "seeds 1 there, 2 now" in expect_three_lines(
        capsys, "quadratics", "--rows", "1", "--seeds", "2", "--out", str(copied)
    )
    assert {path: path.read_bytes() for path in copied.iterdir()} == before
    (copied / "file").write_text("")
    expect_three_lines(capsys, *SETTINGS, "--out", str(copied / "file"))
    assert "--out must name a folder" in expect_three_lines(capsys, *SETTINGS, "--out", "")
    row = copied / "quadratics-row-01.json"
    table = copied / "quadratics.csv"
    whole = row.read_bytes()
    table.unlink()
    table.mkdir()
    assert call(*SETTINGS, "--out", str(copied)) == 2
    assert (
        f"error: {table}: cannot be written\n  found: Is a directory\n  try:   "
        in capsys.readouterr().err
    )
    table.rmdir()
    row.write_bytes(whole[:100])
    assert f"{row}: damaged" in expect_three_lines(capsys, *SETTINGS, "--out", str(copied))
    row.unlink()
    row.mkdir()
    assert f"{row}: cannot be read" in expect_three_lines(capsys, *SETTINGS, "--out", str(copied))


def without_the_clock(folder: Path) -> list[dict[str, str]]:
    rows = csv.DictReader(io.StringIO((folder / "quadratics.csv").read_text(encoding="utf-8")))
    return [{key: value for key, value in row.items() if "clock" not in key} for row in rows]


DYING = """
import os
from rpttheory.cli import run
from rpttheory.runs.store import Store
save = Store.save
def save_and_die(*arguments):
    save(*arguments)
    os._exit(9)
Store.save = save_and_die
run()
"""


def test_an_end_without_warning_in_the_middle(
    finished: tuple[Path, str, str], tmp_path: Path
) -> None:
    """Ended with nothing flushed or closed, it goes on where it was, and makes the table of a run
    that nobody ended.
    """
    command = ["experiment", *SETTINGS, "--out", str(tmp_path)]
    assert (
        subprocess.run([sys.executable, "-c", DYING, *command], capture_output=True).returncode == 9
    )
    first = tmp_path / "quadratics-row-01.json"
    content = first.read_bytes()
    stamp = first.stat().st_mtime_ns
    assert list(tmp_path.glob("quadratics-row-*")) == [first]
    assert not (tmp_path / "quadratics.csv").exists() and call(*command[1:]) == 0
    assert (first.read_bytes(), first.stat().st_mtime_ns) == (content, stamp), (
        "what was done stays done"
    )
    assert [row["row"] for row in without_the_clock(tmp_path)] == ["1", "3"]
    assert without_the_clock(tmp_path) == without_the_clock(finished[0])
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")}
    assert left == {path.name for path in finished[0].iterdir()}


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    leader, follower = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    arguments = ["experiment", "quadratics", "--rows", "1", "--seeds", "1", "--tolerance", "0.1"]
    arguments += ["--jobs", "1", "--out", str(tmp_path / "out")]
    process = subprocess.Popen(
        [sys.executable, "-m", "rpttheory", *arguments],
        stdout=subprocess.PIPE,
        stderr=follower,
        env=environment,
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    assert process.stdout is not None
    process.stdout.read()
    process.stdout.close()
    assert process.wait() == 0
    text = shown.decode(errors="replace")
    assert "quadratics: drawing ..." in text
    assert "row 01  " in text and "4/4" in text and "runs," not in text


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), click.Abort()])
def test_an_interruption_says_how_to_go_on(
    stop: BaseException,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr("rpttheory.experiments.runner.run_tasks", interrupted)
    assert call("quadratics", "--rows", "1", "--out", str(tmp_path)) == 130
    out, err = capsys.readouterr()
    lines = err.rstrip("\n").split("\n")
    assert out == "" and len(lines) == 3
    assert (
        "interrupted" in lines[0]
        and "the same command again; it goes on where it stopped" in lines[2]
    )


def test_a_group_alone_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert call() == 0
    out, err = capsys.readouterr()
    assert err == "" and out.startswith("Usage: rpttheory experiment") and "quadratics" in out
