"""`--html FILE`, of every command that answers a question: one page in one style."""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .output import remark

if TYPE_CHECKING:
    from ..report import Document, Page

Command = TypeVar("Command", bound=Callable[..., Any])


def written_option(name: str, about: str) -> Callable[[Command], Command]:
    """An option with the name of a file to write; one that we could not write is refused before any
    work is done.
    """

    def refuse(_context: click.Context, _option: click.Parameter, path: str | None) -> str | None:
        from ..files import require_writable

        if path is not None:
            require_writable(path, f"another {name} FILE")
        return path

    return click.option(name, default=None, metavar="FILE", callback=refuse, help=about)


html_option = written_option("--html", "Also write a page that works offline, with pictures.")


def said() -> str:
    """The command that is running, as it was given."""
    return shlex.join(["rpttheory", *(click.get_current_context().find_root().obj or ())])


def write_html(path: str, page: Page, *, source: str | None = None, **more: Any) -> None:
    """Write the page with the command that repeats it, the digest of its input, and what it was
    computed with.
    """
    from ..provenance import provenance, provenance_rows
    from ..report.page import write_page

    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time()))
    facts = [("date", time.strftime("%Y-%m-%d %H:%M UTC", when)), *provenance_rows(provenance())]
    if source is not None:
        facts.insert(0, ("input", f"{source}, {_digest(source)}"))
    whole = replace(page, command=said(), facts=facts)
    write_page(path, whole, **more)
    remark(f"wrote {path}")


def experiment_page(
    html: str, name: str, shown: Document, notes: Sequence[str], written: Sequence[str]
) -> None:
    """The table and the picture of an experiment on a page."""
    from ..report import Page, Table

    # The last note says what the table shows; a page needs no lines of a hundred letters.
    parts: list[str | Table] = [*(part for part in shown if isinstance(part, Table)), *notes]
    drawn = [
        (f"experiment {name}", Path(path).read_bytes()) for path in written if path.endswith(".svg")
    ]
    question = "What does the paper print, what do its formulas give, and what is measured?"
    how = (
        (
            "Certified columns are proved as in compare; measured ones are means over seeds, with"
            " standard deviations."
        ),
    )
    write_html(
        html,
        Page(
            f"experiment {name}",
            question,
            notes[-1] if notes else "The table below.",
            parts,
            drawn,
            how,
        ),
    )


def _digest(source: str) -> str:
    from ..io import PREFIX, STANDARD_INPUT, about

    if source.startswith(PREFIX):
        return f"sha256 {about(source.removeprefix(PREFIX)).sha256}"
    if source == STANDARD_INPUT:
        return "which was not kept"
    if Path(source).is_dir():
        return "a folder"
    return f"sha256 {hashlib.sha256(Path(source).read_bytes()).hexdigest()}"
