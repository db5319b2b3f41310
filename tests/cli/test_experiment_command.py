"""`rpttheory experiment` as a person meets it: mistakes, progress, and going on after kill -9."""

import csv
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from program import Run

from rpttheory.cli.main import commands, guarded
from rpttheory.runs.store import Store

QUADRATICS = [
    *(f"--rows={rows}" for rows in ("13", "0", "1,x", "", "4-2", "-3", "1-", "1-x", "²")),
    *("--repeats=0", "--repeats=-2", "--tol=nan", "--jobs=0"),
]
RIDGE = [
    *("--dataset=boston", "--dataset=wine,", "--ridge=nan", "--block-count=0", "--block-count=13"),
    *("--ties=random", "--normalization=none", "--jobs=-1"),
]


@pytest.mark.parametrize(
    "words", [f"quadratics {name}" for name in QUADRATICS] + [f"ridge {name}" for name in RIDGE]
)
def test_mistakes(words: str, run: Run) -> None:
    assert run(f"experiment {words} --out out").found and not Path("out").exists()


SETTINGS = "experiment quadratics --rows 3,1 --repeats 1 --tol 0.1 --jobs 1"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("finished") / "out"
    assert guarded(commands, [*SETTINGS.split(), "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def out(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "out"))


@pytest.mark.usefixtures("out")
def test_what_is_there_is_not_computed_again(run: Run) -> None:
    done = run(f"{SETTINGS} --out out --wide")
    assert [line.split()[0] for line in done.out.split("\n")[:3]] == ["row", "1", "3"]
    assert done.code == 0 and "row 01" not in done.err


def test_other_settings_change_nothing(out: Path, run: Run) -> None:
    before = {path: path.read_bytes() for path in out.iterdir()}
    refused = run("experiment quadratics --rows 1 --repeats 2 --out out")
    assert "repeats 1 there, 2 now" in refused.found
    assert {path: path.read_bytes() for path in out.iterdir()} == before


def without_the_clock(folder: Path) -> list[dict[str, Any]]:
    with (folder / "quadratics.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    return [{key: value for key, value in row.items() if "clock" not in key} for row in rows]


DYING = """
import os
from rpttheory.cli import run
from rpttheory.runs.store import Store
put = Store.put
def put_and_die(*arguments):
    put(*arguments)
    os._exit(9)
Store.put = put_and_die
run()
"""


def test_an_end_without_warning_in_the_middle(finished: Path, tmp_path: Path, run: Run) -> None:
    """Ended with nothing flushed or closed, it goes on where it was, and makes the table of a run
    that nobody ended.
    """
    words = f"{SETTINGS} --out out"
    command = [sys.executable, "-c", DYING, *words.split()]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 9
    (key,) = Store("out", "quadratics").keys()
    first = Store("out", "quadratics").get(key)
    assert not Path("out/quadratics.csv").exists() and run(words).code == 0
    assert Store("out", "quadratics").get(key) == first, "finished rows are not computed again"
    assert [row["row"] for row in without_the_clock(tmp_path / "out")] == ["1", "3"]
    assert without_the_clock(tmp_path / "out") == without_the_clock(finished)
    left = {path.name for path in Path("out").iterdir() if not path.name.startswith(".")}
    assert left == {path.name for path in finished.iterdir()}


def terminal_output(leader: int) -> Iterator[bytes]:
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            return
        if not part:
            return
        yield part


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    leader, follower = os.openpty()
    words = f"-m rpttheory {SETTINGS} --rows 1 --out {tmp_path / 'out'}"
    process = subprocess.Popen(
        [sys.executable, *words.split()],
        stdout=subprocess.DEVNULL,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(follower)
    text = b"".join(terminal_output(leader)).decode(errors="replace")
    os.close(leader)
    assert process.wait() == 0
    assert "row 01  " in text and "4/4" in text


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), click.Abort()])
def test_an_interruption_says_how_to_go_on(
    stop: BaseException, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr("rpttheory.experiments.runner.run_tasks", interrupted)
    done = run("experiment quadratics --rows 1 --out out")
    assert (done.code, done.out, len(done.err.splitlines())) == (3, "", 3)


def test_a_group_alone_shows_its_help(run: Run) -> None:
    done = run("experiment")
    assert (done.code, done.err) == (0, "") and "quadratics" in done.out
