"""The program as a process: readers that go away, full disks, signs that cannot be shown."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from program import GOOD

from rpttheory.cli import main as program
from rpttheory.cli.output import emit


@pytest.fixture
def good(tmp_path: Path) -> str:
    path = tmp_path / "L.npy"
    np.save(path, GOOD)
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "output", "codes", "told"),
    [
        ("cite", "| true", {0, 141}, ""),
        ("nonsense", "2>&1 | true", {2}, ""),
        ("cite", ">&-", {0}, ""),
        ("verify {} --blocks 1,2", ">&- 2>&-", {0}, ""),
        ("verify {} --blocks 1,2", ">/dev/full", {2}, "No space left on device"),
        ("--help", ">/dev/full", {2}, "No space left on device"),
        ("nonsense", "2>/dev/full", {2}, ""),
    ],
)
def test_output_that_cannot_be_written(
    arguments: str, output: str, codes: set[int], told: str, good: str, tmp_path: Path
) -> None:
    """The exit code says so if the reader is gone, the output is closed or its disk is full; there
    is no traceback.
    """
    if "/dev/full" in output and not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    script = (
        f"{sys.executable} -m rpttheory {arguments.format(good)} {output}; exit ${{PIPESTATUS[0]}}"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = ["bash", "-c", script]
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    assert result.returncode in codes
    lines = result.stderr.splitlines()
    assert told in result.stderr and len(lines) == (3 if told else 0)


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", "± 2 ≤ \\udcff"),
        ("latin-1", "± 2 \\u2264 \\udcff"),
        ("ascii", "+- 2 \\u2264 \\udcff"),
    ],
)
def test_signs_that_the_reader_cannot_take(
    encoding: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding=encoding))
    emit("\u00b1 2 \u2264 \udcff")
    sys.stdout.flush()
    assert written.getvalue().decode(encoding).rstrip("\n") == expected


WRITERS = {
    "compare": "compare L.npy --blocks 1,2 --output out/x.svg",
    "experiment": "experiment quadratics --rows 1 --repeats 1 --tol 0.5 --jobs 1 --out out",
    "proofs": "proofs as:convex --jobs 1 --output out/x.html",
    "attack": "attack lem:twoBounds/upper --max-evaluations 1000 --output out/x.json",
}


@pytest.mark.parametrize("command", WRITERS)
def test_what_cannot_be_written_is_not_our_failure(
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A disk that fills while we write, and one that has become read-only when we name the file."""
    (tmp_path / "out").mkdir()
    np.save(tmp_path / "L.npy", GOOD)
    monkeypatch.chdir(tmp_path)
    if command == "experiment":  # goes on with what it has, and fails at its table
        program.guarded(program.commands, WRITERS[command].split())
        capsys.readouterr()
    for call_of_os, number in (("fsync", errno.ENOSPC), ("replace", errno.EROFS)):
        with monkeypatch.context() as patch:
            patch.setattr(
                f"os.{call_of_os}", Mock(side_effect=OSError(number, os.strerror(number)))
            )
            assert program.guarded(program.commands, WRITERS[command].split()) == 2
        what, result, remedy = capsys.readouterr().err.rstrip("\n").split("\n")[-3:]
        assert what.startswith("rpttheory: error: out") and os.strerror(number) in result
        assert remedy.startswith("  try: ") and not list((tmp_path / "out").glob(".*"))
