"""Results as documents of lines and tables: text, HTML of a notebook, a data frame."""

from abc import abstractmethod
from collections.abc import Sequence
from html import escape
from typing import Any

from ..errors import InvalidInput, escaped
from ..machine import install
from .table import Table
from .text import BRIEF, WIDTH, Detail, Paint, wrap

Document = Sequence[str | Table]


def heading(title: str, summary: str, notes: Sequence[str] = ()) -> list[str | Table]:
    """Return the first lines of a report: its title and a summary, then the notes."""
    first = f"{title}: {summary}" if title else summary
    return [first, *(f"  note: {note}" for note in notes)]


def as_text(parts: Document, width: int | None = WIDTH, paint: Paint = str) -> str:
    """Return lines and aligned tables, wrapped unless the width is None.

    Characters that a terminal would obey are spelled out.
    """
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Table):
            lines += part.lines(width, paint)
            continue
        line = escaped(part)
        indent = len(line) - len(line.lstrip())
        lines += [line] if width is None else wrap(line, width, " " * (indent + 4) * (indent > 0))
    return "\n".join(lines)


def as_html(parts: Document) -> str:
    """Return lines as paragraphs and tables as tables; empty lines separate in text only."""
    elements = (
        part.to_html() if hasattr(part, "to_html") else f"<p>{escape(part.strip())}</p>"
        for part in parts
        if part
    )
    return "<div>" + "".join(elements) + "</div>"


class Report:
    """A result that prints as the command line and notebooks show it."""

    @abstractmethod
    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """Return the result in lines and tables."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Return the rows of `to_frame`."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-safe values."""

    @property
    def exit_code(self) -> int:
        """The exit code of a command that shows this result."""
        return 0

    def __str__(self) -> str:
        return as_text(self.render())

    def _repr_html_(self) -> str:
        return as_html(self.render())

    def to_frame(self) -> Any:
        """Return the rows of the result as a pandas DataFrame."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise InvalidInput(
                "to_frame needs pandas", "it is not installed", install("frames")
            ) from None
        return DataFrame(self.records())
