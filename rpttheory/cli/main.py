"""The `rpttheory` program: its commands, its exit codes and how it speaks of errors.

Exit codes: 0 nothing refuted, 1 something refuted, 2 bad usage or input, 3 something undecided,
70 an error of the program itself (which must not look like a refutation).
"""

from __future__ import annotations

import os
import sys

import click

from ..errors import RptTheoryError
from .compare import compare
from .demo import demo
from .output import ReaderGone
from .verify import verify

INTERNAL_ERROR = 70


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rpttheory", message="%(prog)s %(version)s")
def commands() -> None:
    """Numerically verified theory of randomized coordinate descent and progressive training.

    \b
    rpttheory demo                                    a proved result in seconds
    rpttheory verify L.npy --blocks 10,50,250         the paper's bounds on your matrix
    rpttheory compare L.npy --blocks 10,50,250        the certified best probabilities
    """


commands.add_command(compare)
commands.add_command(demo)
commands.add_command(verify)


def run() -> None:
    """Entry point: run a command and turn every outcome into an exit code."""
    sys.exit(_guarded(sys.argv[1:]))


def _guarded(arguments: list[str]) -> int:
    try:
        code = commands.main(args=arguments or ["--help"], prog_name="rpttheory", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except RptTheoryError as error:
        return _complain(str(error), 2)
    except click.ClickException as error:
        path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "rpttheory"
        return _complain(f"{error.format_message()}\n  try:   {path} --help", 2)
    except (KeyboardInterrupt, click.Abort):
        return _complain("interrupted", 130)
    except MemoryError:
        return _complain("out of memory\n  try:   a smaller matrix, or a machine with more memory", 2)
    except ReaderGone:
        # The reader of our output has gone; Python must not complain about it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        if os.environ.get("RPTTHEORY_DEBUG"):
            raise
        found = f"{type(error).__name__}: {error}".replace("\n", " ")
        return _complain(
            f"the program itself failed\n  found: {found}\n  try:   RPTTHEORY_DEBUG=1 for the traceback, and report it",
            INTERNAL_ERROR,
        )


def _complain(message: str, code: int) -> int:
    print(f"rpttheory: error: {message}", file=sys.stderr)
    return code
