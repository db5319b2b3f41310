"""Writing to the terminal: a finished result all at once, remarks beside it, and nothing that a terminal obeys."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import click

from ..errors import escaped


class ReaderGone(Exception):
    """Whoever read our output has stopped reading.

    Raised in place of BrokenPipeError, which click would turn into exit code 1, our word for REFUTED.
    """


class Interrupted(Exception):
    """Stopped from the keyboard; the message says how to go on."""


class SpeaksOfClaims(click.Command):
    """A command whose help ends with the language of claims."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table that the parser has, too."""
        from ..theory.conjecture import words

        with formatter.section("A claim is made of numbers and"):
            formatter.write_dl(list(words().items()))


def emit(text: str) -> None:
    """Print a whole result and flush it, whatever letters the reader can take; nothing if the output is closed."""
    if sys.stdout is None:
        return
    shown = "\n".join(map(escaped, text.split("\n")))
    try:
        sys.stdout.write(_spelled(shown, sys.stdout.encoding or "utf-8") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None


def remark(text: str) -> None:
    """Print a line on standard error, if it can be read there."""
    with suppress(OSError):
        click.echo(escaped(text), err=True)


def emit_json(content: Mapping[str, Any]) -> None:
    """Print a result as JSON, with what it was computed with."""
    from ..provenance import provenance

    emit(json.dumps({**content, "provenance": provenance()}, indent=2, allow_nan=False))


def _spelled(text: str, encoding: str) -> str:
    """The text in letters that the encoding has: nothing is lost after a long run for want of a sign."""
    return text.encode(encoding, "backslashreplace").decode(encoding).replace(r"\xb1", "+-")
