"""The program, run in this process: its exit code and what it has said."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from rpttheory.cli import progress
from rpttheory.cli.main import commands, guarded

GOOD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 1.0]])


class Finished(NamedTuple):
    """What a command has left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def words(self) -> str:
        """Standard output as one line, as if nothing had been wrapped."""
        return " ".join(self.out.split())

    @property
    def found(self) -> str:
        """Return the second line of a refusal, after a check that it has three lines."""
        lines = self.err.rstrip("\n").split("\n")
        heads = ("rpttheory: error: ", "  found: ", "  try:   ")
        assert (self.code, self.out, len(lines)) == (2, "", 3), (self.code, lines)
        for line, head in zip(lines, heads, strict=True):
            assert line.startswith(head) and len(line) > len(head) and line.isprintable()
        return lines[1].removeprefix(heads[1])


Run = Callable[..., Finished]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a folder with a matrix L.npy."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "PATIENCE", 3600)  # on no machine a line that others lack
    np.save("L.npy", GOOD)

    def run_command(words: str | list[str]) -> Finished:
        code = guarded(commands, shlex.split(words) if isinstance(words, str) else words)
        return Finished(code, *capsys.readouterr())

    return run_command
