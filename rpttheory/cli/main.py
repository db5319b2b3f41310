"""The `rpttheory` program: its commands, exit codes and error messages.

Exit codes: 0 nothing refuted, 1 something refuted, 2 bad usage or input, 3 something undecided or
unfinished, 70 an error of the program itself (which must not look like a refutation).
"""

import difflib
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from ..errors import InvalidInput, RptTheoryError, one_line
from ..files import unwritable
from .about import cite, datasets, demo, doctor
from .advise import advise
from .attack import attack
from .campaign import campaign
from .check import check
from .compare import compare
from .experiment import experiment
from .output import Interrupted, ReaderGone, as_json, emit
from .rates import rates
from .verify import verify

INTERNAL_ERROR = 70
# Arguments of the library that have another name on the command line.
_FLAGS = {
    "L": "L",
    "A": "A",
    "folder": "--data-dir",
    "gram(A)": "--data",
    "factory": "MODULE:FACTORY",
    "probabilities": "--p",
}
# Packages above this one (the ledger) announce their commands through these entry points.
PLUGINS = "rpttheory.commands"
# Errors that only a disk that cannot be written causes.
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}


class _WithPlugins(click.Group):
    """A group that also has the commands of other packages, which are loaded on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from importlib.metadata import entry_points

        return sorted({*super().list_commands(ctx), *entry_points(group=PLUGINS).names})

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their whole summaries, wrapped to the terminal."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(limit=1000))
                    for name in self.list_commands(ctx)
                    if (command := self.get_command(ctx, name)) is not None
                ]
            )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command: Any = super().get_command(ctx, cmd_name)
        if command is None:  # looking through all installed packages takes a while
            from importlib.metadata import entry_points

            for plugin in entry_points(group=PLUGINS, name=cmd_name):
                command = command or plugin.load()
        return command if isinstance(command, click.Command) else None


def as_flag(name: str, *value: Any) -> str:
    """Spell an argument of the library as an option of the command line.

    Examples
    --------
    >>> as_flag("time_limit", 60), as_flag("symmetrize", True), as_flag("blocks", [1, 2])
    ('--time-limit 60', '--symmetrize', '--blocks 1,2')
    """
    flag = _FLAGS.get(name) or (f"--{name.replace('_', '-')}" if name.isidentifier() else name)
    if not value or value[0] is True:
        return flag
    items = value[0] if isinstance(value[0], list | tuple) else value
    return f"{flag} {','.join(map(str, items))}"


@click.group(
    cls=_WithPlugins,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(package_name="rpttheory", message="%(prog)s %(version)s")
def commands() -> None:
    """Certified bounds for randomized coordinate descent and progressive training.

    \b
    rpttheory demo                               a proved result in seconds
    rpttheory verify L.npy --blocks 10,50,250    the paper's bounds on your matrix
    rpttheory compare L.npy --blocks 10,50,250   the certified best probabilities
    rpttheory proofs                             the paper's proofs, step by step
    rpttheory attack lem:twoBounds               a search for a counterexample
    rpttheory experiment ridge --out results     the paper's tables, measured again
    rpttheory campaign GRID.toml --out results   thousands of matrices at once
    """


for _command in (
    advise,
    attack,
    campaign,
    check,
    cite,
    compare,
    datasets,
    demo,
    doctor,
    experiment,
    rates,
    verify,
):
    commands.add_command(_command)


def run() -> None:
    """Run the program: the entry point."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed before the start; libraries expect a stream
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    sys.exit(guarded(commands, sys.argv[1:] or ["--help"]))


def guarded(command: click.Command, arguments: list[str], name: str = "rpttheory") -> int:
    """Run a command and turn every outcome into an exit code."""
    try:
        code = command.main(
            args=list(arguments), prog_name=name, standalone_mode=False, obj=tuple(arguments)
        )
        return code if isinstance(code, int) else 0
    except RptTheoryError as error:
        return _complain(error.render(as_flag), 2)
    except click.ClickException as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            click.echo(error.format_message())
            return 0
        return _complain(str(_usage_error(error, name)), 2)
    except Interrupted as stop:
        return _interrupted(arguments, f"\n  found: Ctrl-C or the time limit\n  try:   {stop}")
    except (KeyboardInterrupt, click.Abort):
        return _interrupted(arguments, "")
    except MemoryError:
        return _complain(
            "out of memory\n  try:   a smaller matrix, or a machine with more memory", 2
        )
    except (ReaderGone, SystemExit):  # click turns a broken pipe into SystemExit(1)
        _silence()
        return 141
    except Exception as error:
        disk_error = _disk_error(error)
        if disk_error is not None:
            _silence()
            name = disk_error.filename
            place = name if isinstance(name, str) else "the output"
            return _complain(str(unwritable(place, disk_error)), 2)
        if os.environ.get("RPTTHEORY_DEBUG"):
            raise
        failure = RptTheoryError(
            "the program itself failed",
            one_line(error),
            "RPTTHEORY_DEBUG=1 for the traceback; please report it with rpttheory doctor",
        )
        return _complain(str(failure), INTERNAL_ERROR)


def _disk_error(error: BaseException | None) -> OSError | None:
    """Return the error of a disk that led to an error, however often it was wrapped."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _DISK:
            return error
        error = error.__cause__ or error.__context__
    return None


def _silence() -> None:
    """Keep Python from complaining at its exit about output that it could not write."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        except AttributeError:  # None, where the stream was closed before we began
            pass


def _usage_error(error: click.ClickException, name: str) -> InvalidInput:
    """Return a usage error of click with the three lines of every other error."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else name
    remedy = f"{path} --help"
    if isinstance(error, click.exceptions.NoSuchCommand) and context:
        # The possibilities that click lists omit the plugins.
        group = context.command
        names = group.list_commands(context) if isinstance(group, click.Group) else []
        for close_name in difflib.get_close_matches(error.command_name, names, n=1):
            remedy = f"{path} {close_name}"
    elif isinstance(error, click.NoSuchOption) and error.option_name in ("--plot", "--html"):
        suffix = "svg" if error.option_name == "--plot" else "html"
        remedy = f"--output FILE.{suffix}"
    elif isinstance(error, click.NoSuchOption) and _has_option(compare, error.option_name):
        remedy = f"{name} compare, which has {error.option_name}, or {remedy}"
    elif isinstance(error, click.NoSuchOption) and error.possibilities:
        remedy = f"{next(iter(error.possibilities))}, or {remedy}"
    message = " ".join(error.format_message().split())
    return InvalidInput("the command line cannot be understood", message, remedy)


def _has_option(command: click.Command, option: str) -> bool:
    return any(option in parameter.opts for parameter in command.params)


def _interrupted(arguments: Sequence[str], remedy: str) -> int:
    """Say that a command was interrupted before it had a result."""
    if "--json" in arguments:
        emit(
            as_json(
                {
                    "schema": "rpttheory/interrupted/1",
                    "command": arguments[0],
                    "status": "interrupted",
                }
            )
        )
    return _complain(f"interrupted{remedy}", 3)


def _complain(message: str, code: int) -> int:
    with suppress(OSError):
        print(f"rpttheory: error: {message}", file=sys.stderr)
    return code
