"""Campaigns: the same rows whatever is killed, whoever computes, and a report that leaves nothing
open out.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rpttheory.cli import main as program
from rpttheory.experiments.campaign import Grid, read_grid, run_campaign
from rpttheory.matrices.families import FAMILIES
from rpttheory.runs.parallel import WorkerLost
from rpttheory.runs.progress import Event
from rpttheory.runs.store import Store
from tests.refusals import refuses

SMALL = """
do = ["verify", "compare", "rates"]
claims = ["c_closed <= 1.5*optimum"]
blocks = [2, "each"]
costs = ["size", "equal"]
[[matrices]]
kind = ["wishart", "tight"]
dimension = 4
count = 2
[[matrices]]
dataset = "prostate"
data = true
ridge = "0.1"
"""


def grid_of(folder: Path, text: str = SMALL) -> Grid:
    folder.mkdir(exist_ok=True)
    (folder / "grid.toml").write_text(text)
    return read_grid(folder / "grid.toml")


def rows_of(
    grid: Grid, out: Path, executor: Executor | None, **options: Any
) -> dict[str, tuple[str, str]]:
    store = Store(out, "campaign", grid.content)
    run_campaign(grid, store, executor=executor, **options)
    return {
        key: (row.value["status"], json.dumps(row.value["result"])) for key, row in store.items()
    }


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, dict[str, tuple[str, str]]]:
    """The folder of a campaign that nobody ended, and its rows."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, rows_of(grid_of(folder), folder, None)


def test_rows_are_the_same_after_a_kill_and_on_other_workers(
    undisturbed: tuple[Path, dict[str, tuple[str, str]]], tmp_path: Path, pools: dict[int, Executor]
) -> None:
    grid = grid_of(tmp_path / "grid")
    (_, whole) = undisturbed
    assert len(whole) == 20 and {status for status, _ in whole.values()} == {"PROVED"}
    script = (
        "import os, signal, sys\nfrom rpttheory.experiments.campaign import *\n"
        "from rpttheory.runs.store import Store\ndef die(event):\n   "
        " event.done >= 9 and os.kill(os.getpid(), signal.SIGKILL)\nif __name__ == '__main__':\n   "
        " grid = read_grid(sys.argv[1])\n   "
        " run_campaign(grid, Store(sys.argv[2], 'campaign', grid.content), progress=die)\n"
    )
    (tmp_path / "die.py").write_text(script)
    command = [
        sys.executable,
        tmp_path / "die.py",
        tmp_path / "grid" / "grid.toml",
        tmp_path / "killed",
    ]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    events: list[Event] = []
    stored = len(Store(tmp_path / "killed", "campaign").keys())
    assert rows_of(grid, tmp_path / "killed", pools[2], progress=events.append) == whole
    assert 9 <= stored < 20 and [event.done for event in events] == list(range(stored + 1, 21))


class Deadly(Executor):
    """Calls at once, and dies of one task, alone or in company."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        batch = args[-1][0]
        if any(setting.matrix.get("number") == 77 for setting in batch):
            future.set_exception(WorkerLost("died"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_a_task_that_kills_its_workers_fails_alone(tmp_path: Path) -> None:
    text = 'blocks = [2]\nmatrices = [{kind = "wishart", dimension = 2, count = 130}]'
    rows = rows_of(grid_of(tmp_path, text), tmp_path, Deadly())
    (bad,) = (task for task, (status, _) in rows.items() if status == "FAILED")
    assert "number=77;" in bad and "died" in rows[bad][1] and len(rows) == 130


def command(*words: object) -> int:
    return program.guarded(program.commands, ["campaign", *map(str, words)])


def test_an_unreadable_matrix_fails_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And a refuted claim comes with its matrix; a matrix that has been mended is tried again."""
    np.save(tmp_path / "a.npy", [[4.0, 1.0], [1.0, 2.0]])
    np.save(tmp_path / "b.npy", [[1.0, 3.0], [2.0, np.nan]])
    text = (
        'do = ["verify"]\nclaims = ["lmax <= {}"]\nblocks = ["each"]\nmatrices = [{{file ='
        ' "*.npy"}}]'
    )
    (tmp_path / "grid.toml").write_text(text.format(9))
    run = (tmp_path / "grid.toml", "--out", tmp_path / "out", "--jobs", 1)
    assert command(*run) == 3
    out, err = capsys.readouterr()
    assert (
        "1 proved, 1 failed" in out
        and "FAILED  b.npy" in out
        and "NaN" in out
        and "1 failed" in err
    )
    np.save(tmp_path / "b.npy", [[1.0, 0.0], [0.0, 1.0]])
    assert command(*run) == 0 and "2 proved" in capsys.readouterr().out
    (tmp_path / "grid.toml").write_text(text.format(4))
    assert command(*run) == 2
    assert "claims" in capsys.readouterr().err
    assert command(*run[:2], tmp_path / "other", "--jobs", 1, "--json") == 1
    (task,) = json.loads(capsys.readouterr().out)["open"]
    assert task["result"]["L"] == [[4.0, 1.0], [1.0, 2.0]]
    assert task["result"]["verify"]["open"][0]["statement"] == "lmax <= 4"


def test_the_report_shows_counts_and_ratios(
    undisturbed: tuple[Path, dict[str, tuple[str, str]]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = undisturbed
    assert command("--out", folder, "--wide") == 0
    out = capsys.readouterr().out
    assert "20 tasks: 20 proved" in out and "c(P_closed) / c*" in out and "slowest" in out
    assert re.search(r"thm:rcdConvex +optimum +20( +[\d.e+]+){4}\n", out)
    page = (folder / "report.html").read_text()
    data = json.loads((folder / "report.json").read_text())
    assert "<script" not in page and "lambda_max / c*" in page
    assert "rpttheory campaign --out" in page and page.count("<th>numpy</th>") == 1
    least, median, *_, most = data["quantiles"]["closed_over_optimum"]["tight"]
    assert 1 <= least <= median <= most < 1.5 and data["computed"][0]["rpttheory"]
    steps = {row["label"]: row["steps"][0] for row in data["rates"]}
    assert steps["thm:rcdConvex"] > steps["our:convexSharp"] > 0 < steps["thm:rcdStronglyConvex"]


def test_what_a_file_left_to_be_guessed_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.csv").write_text("4,5;1\n1,1;2\n")
    for more, code in (("", 3), (", symmetrize = true", 0)):
        (tmp_path / "grid.toml").write_text(
            f'blocks = ["each"]\nmatrices = [{{file = "m.csv"{more}}}]'
        )
        assert command(tmp_path / "grid.toml", "--out", tmp_path / str(code), "--jobs", 1) == code
        out = capsys.readouterr().out
        assert ("symmetrize = true" in out) == (code == 3)
    assert "  note: m.csv: cells are separated by semicolons; commas in them" in out


@pytest.mark.parametrize(
    "text",
    [
        "blokcs = [2]",
        'do = "verify"',
        'do = ["verfy"]\nblocks = [2]',
        'claims = ["lmax <= 9"]\nblocks = [2]',
        "blocks = [2]",
        'blocks = [2]\nmatrices = [{kind = "wishard", dimension = 3}]',
        'blocks = [2]\nmatrices = [{kind = "wishart", dimension = 3, rank = 2}]',
        'blocks = [2]\nmatrices = [{kind = "wishart"}]',
        "blocks = [2]\nmatrices = [{dimension = 3}]",
        'matrices = [{dataset = "LFAT5"}]',
        'blocks = [2]\nmatrices = [{dataset = "prostate", data = true, symmetrize = true}]',
        'blocks = [2]\nmatrices = [{dataset = "LFAT5"}, {dataset = "LFAT5"}]',
        "do = [",
    ],
    ids=range(13),
)
def test_grids_that_make_no_sense(text: str, tmp_path: Path) -> None:
    with refuses():
        grid_of(tmp_path, text)


@pytest.mark.parametrize(
    "words", [(), ("grid.toml",), ("--out", "nowhere"), ("nowhere.toml", "--out", "b")]
)
def test_commands_that_make_no_sense(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(*words) == 2 and len(capsys.readouterr().err.splitlines()) == 3


@pytest.mark.parametrize("kind", FAMILIES)
def test_kinds_are_semidefinite_and_repeat(kind: str) -> None:
    first, again, second = (FAMILIES[kind](np.random.default_rng(seed), 9) for seed in (1, 1, 2))
    assert (first == first.T).all() and (first == again).all() and (first != second).any()
    assert np.linalg.eigvalsh(first)[0] > -1e-9 * np.linalg.eigvalsh(first)[-1]
