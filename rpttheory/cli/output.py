"""Writing to the terminal: results to standard output, remarks to standard error."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from ..errors import escaped

if TYPE_CHECKING:
    from ..report import Document

_INKS = {"good": "green", "fair": "cyan", "mended": "magenta", "bad": "red", "unsure": "yellow"}


# Options that change no result.
_PRESENTATION = {"as_json", "certificate", "digits", "files", "latex", "verbose", "wide"}


class ReaderGone(Exception):
    """The reader of standard output has closed it.

    Raised in place of BrokenPipeError, which click would turn into exit code 1, our code for
    REFUTED.
    """


class Interrupted(Exception):
    """Ctrl-C stopped a run; the message says how to resume it."""


def emit(content: str | Document, *, wide: bool = False) -> None:
    """Print a whole result and flush it; nothing if standard output is closed.

    A document is fitted to the width of the terminal, or to 80 columns elsewhere, unless it may be
    `wide`. On a terminal verdicts are in color unless NO_COLOR is set.
    """
    from ..report import as_text
    from ..report.text import WIDTH

    if sys.stdout is None:
        return
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else WIDTH
    colored = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    text = as_text(
        content.split("\n") if isinstance(content, str) else content,
        None if wide or isinstance(content, str) else width,
        _painted if colored else str,
    )
    # Characters that the encoding lacks are spelled out: no long run is lost for one of them.
    encoding = sys.stdout.encoding or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding).replace(r"\xb1", "+-")
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None


def _painted(cell: str) -> str:
    from ..report.table import TONES

    tone = TONES.get(cell)
    return cell if tone is None else click.style(cell, fg=_INKS[tone], bold=True)


def remark(text: str) -> None:
    """Print a line on standard error, if that can be written."""
    with suppress(OSError):
        click.echo(escaped(text), err=True)


def as_json(content: Mapping[str, Any]) -> str:
    """Return a result as JSON, with the command, its options as typed, and its provenance."""
    from ..provenance import provenance

    context = click.get_current_context(silent=True)
    about: dict[str, Any] = {"schema": content["schema"]}
    if context is not None:
        options = {k: v for k, v in context.params.items() if k not in _PRESENTATION}
        about |= {"command": context.info_name, "options": options}
    about |= {"status": "finished", **content, "provenance": provenance()}
    return json.dumps(about, indent=2, allow_nan=False)
