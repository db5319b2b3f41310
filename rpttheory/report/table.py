"""Tables: values under a header, printed as text, HTML, CSV or Markdown."""

from __future__ import annotations

import csv
import io
import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from operator import itemgetter
from typing import Any, TypeAlias

from ..errors import escaped
from .text import Paint, wrap

Result: TypeAlias = dict[str, Any]
Cell: TypeAlias = "str | float | tuple[float, float] | None"

# Text lists every row of a table about blocks up to this many; beyond it, the first and last few.
_MOST_BLOCKS = 100
_FIRST_BLOCKS = 12
_LAST_BLOCKS = 3

# The color of a word that has a cell to itself; pages add a sign.
TONES = {
    **dict.fromkeys(("PROVED", "formal", "computed"), "good"),
    **dict.fromkeys(("checked step by step", "step by step"), "fair"),
    "corrected": "mended",
    **dict.fromkeys(("REFUTED", "false", "error"), "bad"),
    **dict.fromkeys(("UNDECIDED", "undecided", "open"), "unsure"),
}


@dataclass(frozen=True)
class Column:
    """One column of a table of results.

    Parameters
    ----------
    name : str
        In CSV files and, with blanks in place of underscores, in text.
    title : str
        On pages and in Markdown.
    value : callable
        Returns the cell of a result. A pair is a mean with its standard deviation; None is an
        empty cell.
    digits : int
        Significant digits, except in CSV files, which have all of them.
    """

    name: str
    title: str
    value: Callable[[Result], Cell]
    digits: int = 3


@dataclass(frozen=True)
class Table:
    """Rows of values under a header.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequences
        Cells are text, numbers, pairs (mean, standard deviation) or None.
    right : set of int, optional
        Columns that are aligned to the right; by default those without text.
    remarks : mapping, optional
        Lines to print below a row, by its index.
    blocks : bool
        Rows are blocks: text omits the middle of a long table.
    names : sequence of str, optional
        The header of CSV files and text, if it differs.
    digits : sequence of int, optional
        Significant digits of the numbers in each column, 3 by default.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    right: frozenset[int] | None = None
    remarks: Mapping[int, str] = field(default_factory=dict)
    blocks: bool = False
    names: Sequence[str] = ()
    digits: Sequence[int] = ()

    @classmethod
    def from_columns(cls, columns: Sequence[Column], results: Sequence[Result]) -> Table:
        """Return the table with these columns and one row per result."""
        return cls(
            [column.title for column in columns],
            [[column.value(result) for column in columns] for result in results],
            names=[column.name for column in columns],
            digits=[column.digits for column in columns],
        )

    @classmethod
    def from_records(cls, records: Sequence[Mapping[str, Any]]) -> Table:
        """Return the table of records that all have the same keys."""
        return cls(list(records[0]), [list(record.values()) for record in records])

    def lines(self, width: int | None = None, paint: Paint = str) -> list[str]:
        """Return aligned text of at most `width` characters per line.

        Columns of text are wrapped to fit; where their words are too long, each value has a line.
        """
        header = [name.replace("_", " ") for name in self.names] or self.header
        rows = self._texts()
        if self.blocks and len(rows) > _MOST_BLOCKS:
            gap = ["...", *[""] * (len(header) - 1)]
            rows = [*rows[:_FIRST_BLOCKS], gap, *rows[-_LAST_BLOCKS:]]
        right = self._right_columns()
        columns = [*zip(header, *rows, strict=True)]
        widths = [max(map(len, column)) for column in columns]
        if width is not None:
            # Text and the titles of numbers are broken between words, numbers are not.
            parts = (
                [*title.split(), *(cells if k in right else " ".join(cells).split())]
                for k, (title, *cells) in enumerate(columns)
            )
            least = [max(map(len, column), default=0) for column in parts]
            while sum(widths) + 2 * len(widths) > width:
                wrappable = [k for k, size in enumerate(widths) if size > least[k]]
                if not wrappable:
                    return self._value_by_value(header, rows, width, paint)
                widths[max(wrappable, key=widths.__getitem__)] -= 1
        lines = []
        for index, row in enumerate([header, *rows], start=-1):
            wrapped = [wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
            for cells in itertools.zip_longest(*wrapped, fillvalue=""):
                line = ""
                for column, (cell, size) in enumerate(zip(cells, widths, strict=True)):
                    padding = " " * (size - len(cell))
                    text = paint(cell)
                    line += "  " + (padding + text if column in right else text + padding)
                lines.append(line.rstrip())
            if index in self.remarks:
                remark = f"      {escaped(self.remarks[index])}"
                lines += [remark] if width is None else wrap(remark, width, " " * 6)
        return lines

    def _value_by_value(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], width: int, paint: Paint
    ) -> list[str]:
        indent = max(map(len, header)) + 4
        lines = []
        for index, row in enumerate(rows):
            cells = [*zip(header, row, strict=True)]
            if index in self.remarks:
                cells.append(("", escaped(self.remarks[index])))
            for title, cell in filter(itemgetter(1), cells):
                first, *more = wrap(cell, max(width - indent, 1))
                lines.append(f"  {title:<{indent - 2}}{paint(first)}".rstrip())
                lines += [" " * indent + part for part in more]
            lines.append("")
        return lines[:-1]

    def to_html(self) -> str:
        """Return HTML without scripts, with alignment, and verdicts as classes."""
        right = self._right_columns()

        def cells(row: Sequence[str], tag: str) -> str:
            parts = []
            for column, text in enumerate(row):
                side = "right" if column in right else "left"
                tone = f' class="{TONES[text]}"' if text in TONES else ""
                parts.append(f'<{tag}{tone} style="text-align:{side}">{escape(text)}</{tag}>')
            return "".join(parts)

        body = []
        for index, row in enumerate(self._texts()):
            body.append(f"<tr>{cells(row, 'td')}</tr>")
            if index in self.remarks:
                remark = escape(self.remarks[index])
                body.append(
                    f'<tr><td colspan="{len(row)}"'
                    f' style="text-align:left"><em>{remark}</em></td></tr>'
                )
        header = cells(self.header, "th")
        return f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(body)}</tbody></table>"

    def to_csv(self) -> str:
        """Return CSV with every digit; a pair takes two columns, `name` and `name_sd`."""
        names = list(self.names or self.header)
        paired = [any(isinstance(cell, tuple) for cell in column) for column in self._columns()]
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        header = zip(names, (f"{name}_sd" for name in names), strict=True)
        for row in (header, *self.rows):
            cells: list[Any] = []
            for cell, pair in zip(row, paired, strict=True):
                values = cell if isinstance(cell, tuple) else (cell, None)
                cells += values if pair else values[:1]
            writer.writerow(cells)
        return stream.getvalue()

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        right = self._right_columns()
        rule = ["---:" if column in right else "---" for column in range(len(self.header))]
        rows = [self.header, *self._texts()]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]]) + "\n"

    def _columns(self) -> list[list[Cell]]:
        return [[row[index] for row in self.rows] for index in range(len(self.header))]

    def _right_columns(self) -> frozenset[int]:
        if self.right is not None:
            return self.right
        return frozenset(
            index
            for index, column in enumerate(self._columns())
            if not any(isinstance(cell, str) for cell in column)
        )

    def _texts(self) -> list[list[str]]:
        digits = self.digits or [3] * len(self.header)
        return [
            [_cell_text(cell, count) for cell, count in zip(row, digits, strict=True)]
            for row in self.rows
        ]


def _cell_text(cell: Cell, digits: int) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return escaped(cell)
    if isinstance(cell, tuple):
        return f"{significant(cell[0], digits)} ± {significant(cell[1], 2)}"
    return significant(cell, digits)


def significant(value: float, digits: int) -> str:
    """Return a number to `digits` significant digits, without an exponent if that is short enough.

    Examples
    --------
    >>> significant(1234.5, 3), significant(9.996, 3), significant(1.5e-7, 2)
    ('1230', '10.0', '1.5e-07')
    """
    if not math.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    rounded = round(value, digits - 1 - math.floor(math.log10(abs(value))))
    places = digits - 1 - math.floor(math.log10(abs(rounded)))  # 9.996 has become 10.0
    if not 1e-4 <= abs(rounded) < 1e7:
        return f"{value:.{digits - 1}e}"
    return f"{rounded:.{max(places, 0)}f}"


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float] | float:
    """Return the mean and the standard deviation of several values, or a single value as it is."""
    return (statistics.fmean(values), statistics.stdev(values)) if len(values) > 1 else values[0]
