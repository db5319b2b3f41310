"""Errors at the command line speak of options that exist, and the library's own never do."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import rpttheory
from rpttheory.cli import flags
from rpttheory.cli.main import commands
from rpttheory.errors import InvalidInput


def options(command: click.Command) -> Iterator[str]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from options(below)
    for parameter in command.params:
        yield from parameter.opts


@pytest.mark.parametrize("name", flags._ARGUMENTS.split("|"))
def test_every_argument_has_its_option(name: str) -> None:
    said = flags.in_flags(InvalidInput(f"{name} must not be 1", f"no `{name}`", f"{name}=2")).args
    flag = said[0].split()[0]
    assert flag in set(options(commands)) and said == (
        f"{flag} must not be 1",
        f"no {flag}",
        f"{flag} 2",
    )


def test_what_is_no_argument_stays() -> None:
    same = InvalidInput("blocks of jobs must end", "jobs=2", "rng=0 and a batch")
    assert flags.in_flags(same).args == same.args
    said = flags.in_flags(
        InvalidInput("L must be symmetric", "", "symmetrize=True  (uses (L + L')/2)")
    )
    assert said.remedy == "--symmetrize  (uses (L + L')/2)" and isinstance(said, InvalidInput)
    assert (
        flags.in_flags(InvalidInput("L", "", "data='digits', or out")).remedy
        == "--data digits, or out"
    )
    assert (
        flags.in_flags(InvalidInput("L", "", "blocks=[10, 50], or (2, 3)")).remedy
        == "--blocks 10,50, or (2, 3)"
    )


def test_the_library_does_not_speak_of_options() -> None:
    root = Path(rpttheory.__file__).parents[1]
    known = "|".join(
        sorted(
            {option for option in options(commands) if option.startswith("--")}
            - {"--help", "--version"}
        )
    )
    commands_and_legend = ("command.py", "attack_command.py", "text.py", "__main__.py")
    found = [
        f"{path.relative_to(root)}: {match[0]}"
        for package in ("rpttheory", "proofs_check")
        for path in (root / package).rglob("*.py")
        if path.parent.name != "cli" and path.name != "checker.py"  # a command of its own
        if (package == "rpttheory" or path.name not in commands_and_legend)
        for match in re.finditer(
            rf"(?<![\w-])(?:{known})(?![\w-])", path.read_text(encoding="utf-8")
        )
    ]
    assert found == []
