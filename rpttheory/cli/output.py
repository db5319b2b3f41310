"""Writing to the terminal: a finished result all at once, remarks beside it, and nothing that a
terminal obeys.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..errors import escaped

if TYPE_CHECKING:
    from ..report import Document, Table

_WIDE = "rpttheory.wide"
_INKS = {"good": "green", "fair": "cyan", "mended": "magenta", "bad": "red", "unsure": "yellow"}


class ReaderGone(Exception):
    """Whoever read our output has stopped reading.

    Raised in place of BrokenPipeError, which click would turn into exit code 1, our word for
    REFUTED.
    """


class Interrupted(Exception):
    """Stopped from the keyboard; the message says how to go on."""


class SpeaksOfClaims(click.Command):
    """A command whose help ends with the language of claims."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table that the parser has, too."""
        from ..statements import words

        with formatter.section("A claim is made of numbers and"):
            formatter.write_dl(list(words().items()))


def _remember(context: click.Context, option: click.Parameter, value: bool) -> None:
    context.meta[_WIDE] = value


wide_option = click.option(
    "--wide",
    is_flag=True,
    expose_value=False,
    callback=_remember,
    help="Tables as wide as they are, also on a terminal.",
)


def emit(content: str | Document) -> None:
    """Print a whole result and flush it, whatever letters the reader can take; nothing if the
    output is closed.

    On a terminal a document is fitted to its width, and verdicts are in color unless NO_COLOR is
    set.
    """
    from ..report.document import as_text

    if sys.stdout is None:
        return
    context = click.get_current_context(silent=True)
    seen = sys.stdout.isatty()
    fit = (
        seen
        and not isinstance(content, str)
        and not (context is not None and context.meta.get(_WIDE))
    )
    parts = content.split("\n") if isinstance(content, str) else content
    colored = seen and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    paint = _painted if colored else str
    text = as_text(
        [_clean(part) for part in parts], shutil.get_terminal_size().columns if fit else None, paint
    )
    try:
        sys.stdout.write(_spelled(text, sys.stdout.encoding or "utf-8") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None


def _clean(part: str | Table) -> str | Table:
    """The same without anything that a terminal obeys, whatever a file or a name may bring; colors
    come after it.
    """
    if isinstance(part, str):
        return escaped(part)
    rows = [[escaped(cell) for cell in row] for row in part.rows]
    remarks = {index: escaped(remark) for index, remark in part.remarks.items()}
    return replace(part, rows=rows, remarks=remarks)


def _painted(cell: str) -> str:
    from ..report.table import TONES

    tone = TONES.get(cell)
    return cell if tone is None else click.style(cell, fg=_INKS[tone], bold=True)


def remark(text: str) -> None:
    """Print a line on standard error, if it can be read there."""
    with suppress(OSError):
        click.echo(escaped(text), err=True)


def emit_json(content: Mapping[str, Any]) -> None:
    """Print a result as JSON, with what it was computed with."""
    from ..provenance import provenance

    emit(json.dumps({**content, "provenance": provenance()}, indent=2, allow_nan=False))


def _spelled(text: str, encoding: str) -> str:
    """The text in letters that the encoding has: nothing is lost after a long run for want of a
    sign.
    """
    return text.encode(encoding, "backslashreplace").decode(encoding).replace(r"\xb1", "+-")
