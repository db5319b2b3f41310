"""README as a newcomer meets it: the citation, every command as shown, every example with what it
prints, every link.
"""

import contextlib
import io
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

import rpttheory
from rpttheory.cli.main import commands, guarded

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.S)
PREFIX = "$ .venv/bin/rpttheory "
COMMANDS = [line.removeprefix(PREFIX) for line in README.splitlines() if line.startswith(PREFIX)]
TITLE = "Understanding Progressive Training Through the Framework of Randomized Coordinate Descent"
PAPER = ("arXiv:2306.03626", TITLE)


def test_the_first_section_cites_the_paper() -> None:
    first = " ".join(README.partition("## ")[0].split())
    assert all(words in first for words in PAPER)


# Measuring a network takes minutes: tests/networks runs that command on a smaller one.
@pytest.mark.parametrize(
    "command", [command for command in COMMANDS if not command.startswith("advise ")]
)
def test_a_command(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    # What is checked is written first.
    before = [
        line for line in COMMANDS if command.startswith("check ") and line.endswith(command[5:])
    ]
    for line in (*before, command):
        assert guarded(commands, shlex.split(line)) == (1 if "<=" in line else 0)


def test_its_two_commands_are_where_the_workflows_look_for_them() -> None:
    """`.ci/run` reads the lines of the only block marked `sh`."""
    (lines,) = (block.splitlines() for language, block in BLOCKS if language == "sh")
    assert len(lines) == 2 and all(".venv/bin/" in line for line in lines)


def test_its_commands() -> None:
    assert {command.split()[0] for command in COMMANDS} >= {
        "verify",
        "compare",
        "rates",
        "attack",
        "check",
        "proofs",
    }
    (network,) = (command for command in COMMANDS if command.startswith("advise "))
    file, _, factory = network.removeprefix("advise ").partition(":")
    assert f"\ndef {factory}() -> Task:" in (ROOT / file).read_text(encoding="utf-8")


def test_its_examples_print_what_is_shown() -> None:
    """A line ends where "..." is, and numbers agree within the gap of the search."""
    first, second = (code for language, code in BLOCKS if language == "python")
    printed = next(text for _, text in BLOCKS if "certified" in text).splitlines()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(first, {})
    lines = output.getvalue().splitlines()
    for line in printed:
        words = line.partition("...")[0].split()
        assert any(_same(words, row.split()[: len(words)]) for row in lines), line
    with contextlib.redirect_stdout(output):
        exec(second, {})
    assert output.getvalue().count("f - f* fell from 10 to") == 2


def _same(words: list[str], others: list[str]) -> bool:
    """True if two lines have equal words and nearly equal numbers."""
    if len(words) != len(others):
        return False
    numbers = re.compile(r"[\d.]+(e[+-]?\d+)?")
    return all(
        float(a) == pytest.approx(float(b), rel=1e-4)
        if numbers.fullmatch(a) and numbers.fullmatch(b)
        else a == b
        for a, b in zip(words, others, strict=True)
    )


def test_its_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target.startswith("https://arxiv.org/") or (ROOT / target).exists(), target


def test_what_to_cite(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(commands, ["cite"]) == 0
    output = capsys.readouterr().out
    file = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = (*PAPER, "Szlendak", "Gasanov", rpttheory.__version__, project["name"])
    for text in (output, file):
        assert all(name in " ".join(text.split()) for name in names)
