""".csv and .txt files, read strictly: a cell is a number or the file is refused, line and column
named.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from ..numbers.parse import is_number, parse_decimals
from . import memory
from .request import Request, brief, capped_lines, printable

Objects: TypeAlias = NDArray[np.object_]

SAMPLE_BYTES = 1 << 16
_BETWEEN = {",": "commas", ";": "semicolons", "\t": "tabs", None: "blanks"}
# What spreadsheets write in place of a number; the sign does not begin a comment there.
_SPREADSHEET_ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
# In these spellings only: Na is sodium. TRUE and FALSE are data, too.
_MISSING_WORDS = {
    *("NA", "na", "N/A", "n/a", "NaN", "nan", "NULL", "Null", "null", "None", "none", "nil"),
    *("missing", "<NA>", "TRUE", "True", "true", "FALSE", "False", "false"),
}
# Hexadecimal numbers, Fortran's exponents, imaginary numbers.
_NUMBER_LIKE = re.compile(
    r"[+-]?(0[xX][0-9a-fA-F]+|[0-9.]+[dDqQ][+-]?[0-9]+|[0-9.]+([+-][0-9.]+)?[ij])"
)
_STARTS_AS_NUMBER = re.compile(r"[+-]?[.]?[0-9]")
_NO_INDEX = "DataFrame.to_csv(file, index=False), with header=False where the names are numbers"


def read_text(
    path: Path, request: Request
) -> tuple[FloatArray, Objects | None, tuple[str, ...], tuple[int, ...]]:
    """Return the numbers of a text file, as doubles and (unless those are the same) as written.

    Also returned are the names of all its columns, and the numbers of those that are left out.

    Cells are separated by semicolons if the first line has one. Else a .csv file separates by
    commas, a .txt file by commas if its first line has one and by blanks otherwise; but by tabs or
    blanks where these separate the first line into numbers with decimal commas. Where commas do not
    separate, a comma is a decimal point. Empty lines and lines that start with ``#`` are skipped,
    except for errors of spreadsheets such as ``#N/A``. The first line may hold names, if none of
    its cells is a number; it is refused if a cell looks like a number that is written in another
    way, or like a missing value. Columns to leave out may hold anything, but a separator only
    between quotes; they are not in the result, and all names are.
    """
    memory.require_room(
        8 * _estimated_cells(path), request.name, f"a text file of {path.stat().st_size} bytes"
    )
    numbers = array("d")
    exact_numbers: list[float | Decimal] | None = None
    names: tuple[str, ...] = ()
    width = first = 0
    separator: str | None = ","
    commas = False
    dropped: tuple[int, ...] = ()
    features: list[int] = []
    for line_number, line in _lines(path):
        if not width:
            separator = _separator(line, csv_file=path.suffix.lower() == ".csv")
            names = _header(line, separator)
            if names and names[0].lower() in ("unnamed: 0", "index"):
                request.notes.append(
                    f"column '{printable(names[0])}' is taken as data; an index? {_NO_INDEX}"
                )
            if any(_STARTS_AS_NUMBER.match(name) for name in names):
                text = printable(", ".join(names), limit=40)
                request.notes.append(f"the first row, {text}, is taken as names of columns")
            cells = _cells(line, separator)
            width = len(names or cells)
            first = line_number
            dropped = request.dropped_columns(names, width)
            features = [column for column in range(width) if column not in dropped]
            if names:
                continue
            if width > 2 and cells == [str(column) for column in range(width)]:
                request.notes.append(
                    f"the first row, 0, 1, ..., {width - 1}, is taken as data; column numbers?"
                    f" {_NO_INDEX}"
                )
        cells = _cells(line, separator) if len(features) < width else line.split(separator)
        if separator != ",":
            commas = commas or "," in line
            cells = [cell.replace(",", ".") for cell in cells]
        if len(cells) != width:
            raise InvalidInput(
                "rows must have equal length",
                f"{len(cells)} cell(s) in line {line_number}, {width} in line {first}",
                "the same number of cells in every row"
                + ("" if separator else ", or commas between the cells"),
            )
        try:
            row, exact = parse_decimals([cells[column] for column in features])
        except ValueError:
            raise _bad_cell(cells, features, line_number, separator) from None
        if (
            exact is not row and exact_numbers is None
        ):  # memory for what is no double is taken only if there is any
            exact_numbers = list(numbers)
        numbers.extend(row)
        if exact_numbers is not None:
            exact_numbers.extend(exact)
    if separator == ";" or commas or (path.suffix.lower() == ".csv" and separator != ","):
        decimal = "; commas in them are decimal points" if commas else ""
        request.notes.append(f"cells are separated by {_BETWEEN[separator]}{decimal}")
    if not numbers:
        raise InvalidInput(
            "must hold numbers",
            "only a header row" if names else "only blank lines",
            "rows of numbers",
        )
    doubles = np.frombuffer(numbers, dtype=np.float64).reshape(-1, len(features))
    exact_values = (
        None
        if exact_numbers is None
        else np.array(exact_numbers, dtype=object).reshape(doubles.shape)
    )
    return doubles, exact_values, names, dropped


def _separator(line: str, *, csv_file: bool) -> str | None:
    """Return the separator of the cells of a first line; None for blanks."""
    if ";" in line:
        return ";"
    cells = line.split()
    apart = len(cells) > 1 and not any(cell[0] == "," or cell[-1] == "," for cell in cells)
    if ("\t" in line and "," not in line) or (
        apart and all(is_number(cell.replace(",", ".")) for cell in cells)
    ):
        return "\t" if "\t" in line and csv_file else None
    return "," if csv_file or "," in line else None


def _estimated_cells(path: Path) -> int:
    """Estimate the numbers in a file from its size and its beginning."""
    with path.open("rb") as stream:
        sample = stream.read(SAMPLE_BYTES)
    cells = len(sample.replace(b",", b" ").replace(b";", b" ").split())
    return cells * path.stat().st_size // max(len(sample), 1)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig") as stream:
            for line_number, line in enumerate(capped_lines(stream), start=1):
                stripped = line.strip()
                if stripped.startswith(_SPREADSHEET_ERRORS):
                    detail = (
                        f"{printable(stripped.split(',')[0], limit=40)!r} at line {line_number}"
                    )
                    raise InvalidInput(
                        "every cell must be a number", detail, "numbers in place of errors"
                    )
                if stripped and not stripped.startswith("#"):
                    yield line_number, stripped
    except UnicodeDecodeError as error:
        raise InvalidInput(
            "must be a text file in UTF-8", brief(error), "save it as CSV UTF-8"
        ) from None


def _header(line: str, separator: str | None) -> tuple[str, ...]:
    """Return the names in the first line, or none if one of them is missing or a number.

    Names may be quoted and then hold commas, as spreadsheets and R write them; numbers may not.
    """
    try:
        names = tuple(cell.strip() for cell in _quoted_cells(line, separator))
    except csv.Error as error:
        raise InvalidInput(
            "the header row must be readable", str(error), "names without quotes"
        ) from None
    if len(names) > 1 and not names[0] and all(names[1:]):
        raise InvalidInput(
            "every column must have a name",
            "none for the first one: an index of pandas?",
            _NO_INDEX,
        )
    points = [name.replace(",", ".") if separator != "," else name for name in names]
    if not all(point and not is_number(point) for point in points):
        return ()
    _require_names(names)
    return names


def _require_names(names: tuple[str, ...]) -> None:
    """Raise if a first line is rather a row of numbers written in another way, or of missing
    values.
    """
    suspects = [
        name for name in names if _NUMBER_LIKE.fullmatch(name) or not any(map(str.isalpha, name))
    ]
    if not suspects and all(name in _MISSING_WORDS for name in names):
        suspects = list(names)
    if suspects:
        column = names.index(suspects[0]) + 1
        raise InvalidInput(
            "the first row must hold numbers or names",
            f"{printable(suspects[0], limit=40)!r} in column {column}, which could be either",
            "decimals such as 1000 or -0.5 if it is data; names with letters, or no such row, if it"
            " is a header",
        )


def _cells(line: str, separator: str | None) -> list[str]:
    """Return the cells of a line; a separator between quotes does not separate if they match."""
    try:
        return _quoted_cells(line, separator)
    except csv.Error:
        return line.split(separator)


def _quoted_cells(line: str, separator: str | None) -> list[str]:
    """Return the cells of a line without their quotes; raise csv.Error if quotes do not match."""
    cells = line.split(separator)
    if '"' not in line:
        return cells
    text = line if separator else " ".join(cells)
    return next(csv.reader([text], delimiter=separator or " ", skipinitialspace=True, strict=True))


def _bad_cell(
    cells: list[str], features: list[int], line_number: int, separator: str | None
) -> InvalidInput:
    column = next(index + 1 for index in features if not is_number(cells[index]))
    cell = cells[column - 1].strip()
    text = repr(printable(cell, limit=40)) if cell else "an empty cell"
    remedy = f"numbers with {_BETWEEN[separator]} between them; one header row of names is allowed"
    if column == 1 and cell[:1].isalpha() and all(map(is_number, cells[1:])):
        remedy += ", but no first column of them"
    return InvalidInput(
        "every cell must be a number", f"{text} at line {line_number}, column {column}", remedy
    )
