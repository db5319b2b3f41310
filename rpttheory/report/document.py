"""A result as a document of lines and tables: the text of the command line, the page of a notebook,
a data frame.
"""

import csv
import io
import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..files import require_writable, write_whole
from ..machine import install
from .text import Paint, fitted, table, wrap

# Rows of a table about blocks that text lists one by one; beyond, the first and the last few.
_LISTED = 100
_FIRST = 12
_LAST = 3

# What a word in a cell of its own tells at a glance: its colour, and on a page a sign.
TONES = {
    **dict.fromkeys(("PROVED", "verified"), "good"),
    "argued": "fair",
    "corrected": "mended",
    **dict.fromkeys(("REFUTED", "refuted", "error"), "bad"),
    **dict.fromkeys(("UNDECIDED", "undecided", "open"), "unsure"),
}


@dataclass(frozen=True)
class Table:
    """Rows of text under a header; columns in `right` are numbers, and a remark stands below its
    row.

    Where rows are blocks, text leaves the middle of a long table out; pages show all of it. The
    column `lead` comes second where the columns do not fit beside each other.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()
    remarks: Mapping[int, str] = field(default_factory=dict)
    blocks: bool = False
    lead: int | None = None

    def lines(self, width: int | None = None, paint: Paint = str) -> list[str]:
        """The table as aligned text, fitted to a width where there is one."""
        rows = list(self.rows)
        if self.blocks and len(rows) > _LISTED:
            gap = ("...", *[""] * (len(self.header) - 1))
            rows = [*rows[:_FIRST], gap, *rows[-_LAST:]]
        cells = [list(self.header), *map(list, rows)]
        right = self.right
        if self.lead is not None and len(fitted(cells, right, width)) < len(self.header):
            for row in cells:
                row.insert(1, row.pop(self.lead))
            right = frozenset(index + (index < self.lead) for index in right - {self.lead})
        lines = table(cells, right=right, width=width, paint=paint)
        if len(lines) == 1 + len(rows):
            said = {index: [f"      {remark}"] for index, remark in self.remarks.items()}
            return [
                line for index, row in enumerate(lines, -1) for line in (row, *said.get(index, ()))
            ]
        # A row takes several lines here, or several tables: remarks come after, each with the name
        # of its row.
        remarks = [f"      {rows[index][0]}: {remark}" for index, remark in self.remarks.items()]
        return [
            *lines,
            *(line for text in remarks for line in wrap(text, width or len(text), " " * 8)),
        ]

    def html(self) -> str:
        """The table as HTML without scripts; it brings its alignment, and verdicts as classes."""

        def cell(index: int, text: str, tag: str) -> str:
            side = "right" if index in self.right else "left"
            tone = TONES.get(text, "")
            mark = f' class="{tone}"' if tone else ""
            return f'<{tag}{mark} style="text-align:{side}">{escape(text)}</{tag}>'

        def cells(row: Sequence[str], tag: str) -> str:
            return "".join(cell(index, text, tag) for index, text in enumerate(row))

        body = []
        for index, row in enumerate(self.rows):
            body.append(f"<tr>{cells(row, 'td')}</tr>")
            if index in self.remarks:
                remark = escape(self.remarks[index])
                body.append(
                    f'<tr><td colspan="{len(row)}"'
                    f' style="text-align:left"><em>{remark}</em></td></tr>'
                )
        header = cells(self.header, "th")
        return f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(body)}</tbody></table>"


Document = Sequence[str | Table]


def as_text(parts: Document, width: int | None = None, paint: Paint = str) -> str:
    """Lines and aligned tables, wrapped where a width is given."""
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Table):
            lines += part.lines(width, paint)
        else:
            indent = " " * (len(part) - len(part.lstrip()) + 4)
            lines += (
                [part]
                if width is None
                else wrap(part, width, indent if part.startswith(" ") else "")
            )
    return "\n".join(lines)


def as_html(parts: Document) -> str:
    """Lines as paragraphs, tables as tables; empty lines only separate in text."""
    shown = (
        part.html() if isinstance(part, Table) else f"<p>{escape(part.strip())}</p>"
        for part in parts
        if part
    )
    return "<div>" + "".join(shown) + "</div>"


def check_rows_path(path: str) -> None:
    """Refuse a file of rows that we could not write before any work is done."""
    if Path(path).suffix.lower() not in (".csv", ".json"):
        raise InvalidInput(
            "unknown kind of file for rows",
            repr(Path(path).name),
            "a name that ends in .csv or .json",
        )
    require_writable(path, "a place that can be written")


def write_rows(rows: Sequence[Mapping[str, Any]], path: str) -> None:
    """Write rows with the same names as CSV, or as a list in JSON, by what the path ends in; every
    digit is kept.
    """
    if Path(path).suffix.lower() == ".json":
        text = json.dumps(list(rows), indent=1, allow_nan=False) + "\n"
    else:
        stream = io.StringIO()
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        text = stream.getvalue()
    write_whole(Path(path), text.encode())


class Report:
    """What every result offers: it prints as the table of the command line, and a notebook shows
    the same.
    """

    @abstractmethod
    def render(self, title: str = "", notes: Sequence[str] = ()) -> Document:
        """The result in lines and tables."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """The rows of `to_frame`."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-safe values."""

    @property
    def exit_code(self) -> int:
        """The exit code of a command that shows this result."""
        return 0

    def __str__(self) -> str:
        return as_text(self.render())

    def _repr_html_(self) -> str:
        return as_html(self.render())

    def to_frame(self) -> Any:
        """The rows of the result as a pandas DataFrame."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise InvalidInput(
                "to_frame needs pandas", "it is not installed", install("frames")
            ) from None
        return DataFrame(self.records())
