"""Tables of finished rows: Markdown for a page, CSV with every digit for a program, text for a
terminal.
"""

import csv
import io
import math
import statistics
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..report import Document, Table

_WIDTH = 100

Result: TypeAlias = dict[str, Any]
Cell: TypeAlias = "str | float | tuple[float, float] | None"


@dataclass(frozen=True)
class Column:
    """One column: its name in the CSV file, its title elsewhere, and how a row fills it.

    A pair of numbers is a mean with its standard deviation: ``mean ± sd`` in print, two columns in
    the CSV file. None is an empty cell. Columns that a terminal has no room for say so.
    """

    name: str
    title: str
    value: Callable[[Result], Cell]
    digits: int = 3
    terminal: bool = True


def spread(values: Sequence[float]) -> tuple[float, float] | float:
    """Mean and standard deviation; of a single value, the value."""
    return (statistics.fmean(values), statistics.stdev(values)) if len(values) > 1 else values[0]


def markdown(columns: Sequence[Column], rows: Sequence[Result], notes: Sequence[str] = ()) -> str:
    """A Markdown table with the notes below it."""
    lines = [
        "| " + " | ".join(column.title for column in columns) + " |",
        "|" + "|".join("---" if _is_text(column, rows) else "---:" for column in columns) + "|",
    ]
    lines += ["| " + " | ".join(shown(column, row) for column in columns) + " |" for row in rows]
    lines += [f"\n{note}" for note in notes]
    return "\n".join(lines) + "\n"


def document(
    columns: Sequence[Column], rows: Sequence[Result], notes: Sequence[str] = ()
) -> Document:
    """The same for a terminal: every column with its short name, notes wrapped; the notes alone
    without columns.
    """
    columns = [column for column in columns if column.terminal]
    right = frozenset(index for index, column in enumerate(columns) if not _is_text(column, rows))
    cells = [[shown(column, row) for column in columns] for row in rows]
    parts: list[str | Table] = [
        Table([column.name.replace("_", " ") for column in columns], cells, right)
    ]
    for note in notes:
        parts += ["", *textwrap.wrap(note, _WIDTH)]
    return parts if columns else parts[2:]


def comma_separated(columns: Sequence[Column], rows: Sequence[Result]) -> str:
    """A CSV file with numbers as precise as they are known; pairs take two columns, `name` and
    `name_sd`.
    """
    values = [[column.value(row) for column in columns] for row in rows]
    paired = [
        any(isinstance(line[index], tuple) for line in values) for index in range(len(columns))
    ]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    header: list[str] = []
    for column, pair in zip(columns, paired, strict=True):
        header += [column.name, f"{column.name}_sd"] if pair else [column.name]
    writer.writerow(header)
    for line in values:
        cells: list[Any] = []
        for value, pair in zip(line, paired, strict=True):
            if isinstance(value, tuple):
                cells += value
            else:
                cells += [value, None] if pair else [value]
        writer.writerow(cells)
    return stream.getvalue()


def shown(column: Column, row: Result) -> str:
    """A cell as a person reads it."""
    value = column.value(row)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        mean, deviation = value
        return f"{significant(mean, column.digits)} ± {significant(deviation, 2)}"
    return significant(value, column.digits)


def significant(value: float, digits: int) -> str:
    """A number to so many significant digits, without an exponent where that is short enough."""
    if not math.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    rounded = round(value, digits - 1 - math.floor(math.log10(abs(value))))
    places = digits - 1 - math.floor(math.log10(abs(rounded)))  # 9.996 has become 10.0
    if not 1e-4 <= abs(rounded) < 1e7:
        return f"{value:.{digits - 1}e}"
    return f"{rounded:.{max(places, 0)}f}"


def _is_text(column: Column, rows: Sequence[Result]) -> bool:
    return any(isinstance(column.value(row), str) for row in rows)
