"""A result as a document of lines and tables: the text of the command line, the page of a notebook,
a data frame.
"""

import csv
import io
import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..files import require_writable, write_whole
from ..machine import install
from .table import Table
from .text import Paint, wrap

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
