"""The end of every command: print the result, write its files, return the exit code."""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import PICTURES, Output
from .output import as_json, emit, remark

if TYPE_CHECKING:
    from ..report import Document, Page, Table
    from .inputs import Input


def present(
    result: Any,
    document: Document,
    page: Callable[[], Page],
    output: Output,
    *,
    read: Input | None = None,
) -> int:
    """Write a result to its files and print it.

    Parameters
    ----------
    result : Report
        Gives JSON, rows of CSV, the picture, the certificate and the exit code.
    document : Document
        The lines and tables for the terminal.
    page : callable
        Makes the HTML page, with its pictures.
    output : Output
    read : Input, optional
        The input; JSON and the page say what it was.

    Returns
    -------
    int
        The exit code.
    """
    from ..certificates.writer import write_certificate
    from ..files import write_whole
    from ..report import Table, draw, picture

    def json_text() -> str:
        details = {}
        if read is not None:
            details = {"input": {**read.to_dict(), "sha256": _sha256(read.source)}}
        return as_json({**result.to_dict(), **details})

    if output.certificate is not None:
        write_certificate(output.certificate, result.certificate())
        remark(f"wrote {output.certificate}")
    for path in output.files:
        suffix = Path(path).suffix.lower()
        if suffix == ".html":
            write_html(path, page(), source=None if read is None else read.source)
            continue
        if suffix in PICTURES:
            content = picture(draw(result.plot), suffix)
        elif suffix == ".csv":
            content = Table.from_records(result.records()).to_csv().encode()
        else:
            content = (json_text() + "\n").encode()
        write_whole(Path(path), content)
        remark(f"wrote {path}")
    if output.as_json:
        emit(json_text())
    elif output.latex:
        emit(result.latex())
    else:
        emit(document, wide=output.wide)
    exit_code: int = result.exit_code
    return exit_code


def present_tables(
    name: str, tables: Sequence[Table], notes: Sequence[str], paths: Sequence[str], output: Output
) -> None:
    """Print the tables of an experiment with their notes, and write its page."""
    from ..report import Page

    parts: list[str | Table] = [*tables, *notes]
    document = [line for part in parts for line in (part, "")]
    for path in output.files:
        page = Page(
            f"experiment {name}",
            "What does the paper print, what do its formulas give, and what is measured?",
            notes[-1] if notes else "The table below.",
            document,
            [(f"experiment {name}", Path(p).read_bytes()) for p in paths if p.endswith(".svg")],
            (
                "Certified columns are proved as in compare; measured ones are means over repeats,"
                " with standard deviations.",
            ),
        )
        write_html(path, page)
    emit(document[:-1], wide=output.wide)
    remark("wrote " + ", ".join(paths))


def command_line() -> str:
    """Return the running command as it was typed."""
    return shlex.join(["rpttheory", *(click.get_current_context().find_root().obj or ())])


def write_html(path: str, page: Page, *, source: str | None = None) -> None:
    """Write a page with the command that repeats it, the digest of its input and its provenance."""
    from ..provenance import provenance, provenance_rows
    from ..report import write_page

    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time()))
    facts = [("date", time.strftime("%Y-%m-%d %H:%M UTC", when)), *provenance_rows(provenance())]
    if source is not None:
        digest = _sha256(source)
        facts.insert(0, ("input", source if digest is None else f"{source}, sha256 {digest}"))
    write_page(path, replace(page, command=command_line(), facts=facts))
    remark(f"wrote {path}")


def _sha256(source: str) -> str | None:
    """Return the digest of the input; None for a folder and for standard input."""
    from ..io import PREFIX, STANDARD_INPUT, about

    if source.startswith(PREFIX):
        return about(source.removeprefix(PREFIX)).sha256
    if source == STANDARD_INPUT or Path(source).is_dir():
        return None
    return hashlib.sha256(Path(source).read_bytes()).hexdigest()
