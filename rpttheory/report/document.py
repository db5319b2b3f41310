"""A result as a document of lines and tables: the text of the command line, the page of a notebook, a data frame."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ..errors import InvalidInput
from .text import table


@dataclass(frozen=True)
class Table:
    """Rows of text under a header; columns in `right` are numbers, and a remark stands below its row."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()
    remarks: Mapping[int, str] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """The table as aligned text."""
        head, *rows = table([self.header, *self.rows], right=self.right)
        lines = [head]
        for index, row in enumerate(rows):
            lines.append(row)
            if index in self.remarks:
                lines.append(f"      {self.remarks[index]}")
        return lines

    def html(self) -> str:
        """The table as HTML that brings its own alignment and no scripts."""

        def cells(row: Sequence[str], tag: str) -> str:
            style = [
                ' style="text-align:right"' if i in self.right else ' style="text-align:left"' for i in range(len(row))
            ]
            return "".join(f"<{tag}{s}>{escape(cell)}</{tag}>" for s, cell in zip(style, row, strict=True))

        body = []
        for index, row in enumerate(self.rows):
            body.append(f"<tr>{cells(row, 'td')}</tr>")
            if index in self.remarks:
                remark = escape(self.remarks[index])
                body.append(f'<tr><td colspan="{len(row)}" style="text-align:left"><em>{remark}</em></td></tr>')
        return f"<table><thead><tr>{cells(self.header, 'th')}</tr></thead><tbody>{''.join(body)}</tbody></table>"


Document = Sequence[str | Table]


def as_text(parts: Document) -> str:
    """Lines as they are, tables aligned."""
    return "\n".join(line for part in parts for line in ([part] if isinstance(part, str) else part.lines()))


def as_html(parts: Document) -> str:
    """Lines as paragraphs, tables as tables; empty lines only separate in text."""
    shown = (part.html() if isinstance(part, Table) else f"<p>{escape(part.strip())}</p>" for part in parts if part)
    return "<div>" + "".join(shown) + "</div>"


class Shown:
    """What every result offers: it prints as the table of the command line, and a notebook shows the same."""

    @abstractmethod
    def document(self, title: str = "", notes: Sequence[str] = ()) -> Document:
        """The result in lines and tables."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """The rows of `to_frame`."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-safe values."""

    def __str__(self) -> str:
        return as_text(self.document())

    def _repr_html_(self) -> str:
        return as_html(self.document())

    def to_frame(self) -> Any:
        """The rows of the result as a pandas DataFrame."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise InvalidInput(
                "to_frame needs pandas", "it is not installed", "the extra frames: pip install 'rpttheory[frames]'"
            ) from None
        return DataFrame(self.records())
