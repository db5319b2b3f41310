"""The `rpttheory` program: its commands, its exit codes and how it speaks of errors.

Exit codes: 0 nothing refuted, 1 something refuted, 2 bad usage or input, 3 something undecided,
70 an error of the program itself (which must not look like a refutation).
"""

import difflib
import errno
import os
import sys
from contextlib import suppress
from importlib.metadata import entry_points
from typing import Any

import click

from ..errors import InvalidInput, RptTheoryError
from ..files import unwritable
from .about import cite, datasets, demo, doctor
from .advise import advise
from .attack import attack
from .campaign import campaign
from .check import check
from .compare import compare
from .experiment import experiment
from .output import Interrupted, ReaderGone
from .rates import rates
from .verify import verify

INTERNAL_ERROR = 70
# Arguments of the library that the command line spells in another way.
_FLAGS = {
    "L": "L",
    "A": "A",
    "folder": "--data-dir",
    "gram(A)": "--data",
    "grid": "--tune",
    "probabilities": "--p",
    "squared_distance": "--distance",
}
# Commands that live above this package (the ledger's) are found through these entry points.
PLUGINS = "rpttheory.commands"
# What only a disk that cannot be written says, whatever the program does.
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}


class _WithPlugins(click.Group):
    """A group that also holds the commands other packages announce, loaded when they are asked
    for.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *entry_points(group=PLUGINS).names})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        found = next(iter(entry_points(group=PLUGINS, name=cmd_name)), None)
        command: Any = None if found is None else found.load()
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


@click.group(cls=_WithPlugins, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rpttheory", message="%(prog)s %(version)s")
def commands() -> None:
    """Numerically verified theory of randomized coordinate descent and progressive training.

    \b
    rpttheory demo                                    a proved result in seconds
    rpttheory verify L.npy --blocks 10,50,250         the paper's bounds on your matrix
    rpttheory compare L.npy --blocks 10,50,250        the certified best probabilities
    rpttheory check FILE                              a certificate of either, in integers alone
    rpttheory proofs                                  the paper's proofs, step by step
    rpttheory attack lem:twoBounds                    a search for a counterexample
    rpttheory experiment quadratics --out results     the paper's tables, measured again
    rpttheory campaign GRID.toml --out results        thousands of matrices at once
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
    """Entry point: run a command and turn every outcome into an exit code."""
    for name in ("stdout", "stderr"):
        if (
            getattr(sys, name) is None
        ):  # closed before we began, where libraries expect at least something
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
        return _complain(str(_mistake(error, name)), 2)
    except Interrupted as stop:
        return _complain(f"interrupted\n  found: Ctrl-C\n  try:   {stop}", 130)
    except (KeyboardInterrupt, click.Abort):
        return _complain("interrupted", 130)
    except MemoryError:
        return _complain(
            "out of memory\n  try:   a smaller matrix, or a machine with more memory", 2
        )
    except (
        ReaderGone,
        SystemExit,
    ):  # the second is what click makes of a broken pipe, with our code for REFUTED
        _silence()
        return 141
    except Exception as error:
        full = _disk_error(error)
        if full is not None:
            _silence()
            place = full.filename if isinstance(full.filename, str) else "the output"
            return _complain(str(unwritable(place, full)), 2)
        if os.environ.get("RPTTHEORY_DEBUG"):
            raise
        found = f"{type(error).__name__}: {error}".replace("\n", " ")
        remedy = (
            "RPTTHEORY_DEBUG=1 for the traceback, and report it with what rpttheory doctor says"
        )
        return _complain(
            str(RptTheoryError("the program itself failed", found, remedy)), INTERNAL_ERROR
        )


def _disk_error(error: BaseException | None) -> OSError | None:
    """What a disk said that led to an error, however many libraries have wrapped it."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _DISK:
            return error
        error = error.__cause__ or error.__context__
    return None


def _silence() -> None:
    """Let Python not complain at its exit about output that it could not write."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        except AttributeError:  # None, where the stream was closed before we began
            pass


def _mistake(error: click.ClickException, name: str) -> InvalidInput:
    """What click says of a command line, as the three lines of every other mistake."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else name
    help_page = f"{path} --help"
    message = " ".join(error.format_message().split()).rstrip(".")
    if (
        isinstance(error, click.exceptions.NoSuchCommand)
        and context
        and isinstance(context.command, click.Group)
    ):
        # click's own possibilities leave out the plugins.
        near = difflib.get_close_matches(
            error.command_name, context.command.list_commands(context), n=1
        )
        return InvalidInput(
            "no such command", error.command_name, f"{path} {near[0]}" if near else help_page
        )
    if isinstance(error, click.NoSuchOption):
        near = list(error.possibilities or ())[:1]
        return InvalidInput("no such option", error.option_name, " or ".join([*near, help_page]))
    if isinstance(error, click.MissingParameter):
        missing = error.param.get_error_hint(context) if error.param and context else "it"
        return InvalidInput(message, f"no {missing} in the command".replace("'", ""), help_page)
    if isinstance(error, click.BadParameter):
        found = " ".join(error.message.split()).rstrip(".")
        return InvalidInput(message.removesuffix(found).rstrip(": "), found, help_page)
    if isinstance(error, click.BadOptionUsage):
        return InvalidInput(message, error.option_name, help_page)
    return InvalidInput("a command line that cannot be understood", message, help_page)


def _complain(message: str, code: int) -> int:
    with suppress(OSError):
        print(f"rpttheory: error: {message}", file=sys.stderr)
    return code
