""".mtx files (Matrix Market), whose size is read before anything is allocated for them.

scipy's reader is not used: on some damaged files (a stray byte after the last number) it ends the
whole process, and it takes ``2x`` for 2. The tests compare the two on sound files.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..numbers.exact_array import (
    ExactArray,
    FloatArray,
    SparseExactArray,
    from_entries,
    from_parsed,
    require_finite,
)
from ..numbers.parse import is_number, parse_decimals
from .request import REWRITE, Request, capped_lines, printable

Array = np.ndarray[Any, np.dtype[Any]]

BANNER = "%%matrixmarket"
SHORTEST_ENTRY = {"array": len("1\n"), "coordinate": len("1 1 1\n")}
INTEGER_FIELDS = ("integer", "unsigned-integer")
REAL_FIELDS = ("real", "double", *INTEGER_FIELDS)
_WHOLE = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True)
class _Header:
    layout: str
    field: str
    symmetric: bool
    rows: int
    columns: int
    stored: int


def read_matrix_market(path: Path, request: Request) -> ExactArray | SparseExactArray:
    """Return the matrix of a .mtx file: an array for array files, sparse for coordinate files."""
    with path.open(
        encoding="latin-1"
    ) as stream:  # comments may be in any encoding, the rest is ASCII
        lines = capped_lines(stream)
        header = _read_header(lines, request)
        _require_length(header, path.stat().st_size)
        if header.layout == "array":
            return _read_array(lines, header, request)
        return _read_coordinates(lines, header, request)


def _read_header(lines: Iterator[str], request: Request) -> _Header:
    """Return the banner and the size line; raise if they announce what cannot be used or would not
    fit in memory.
    """
    banner = next(lines, "").strip()
    words = banner.lower().split()
    if len(words) != 5 or words[:2] != [BANNER, "matrix"] or words[2] not in SHORTEST_ENTRY:
        example = "%%MatrixMarket matrix coordinate real symmetric"
        raise InvalidInput(
            "must start with a Matrix Market banner", repr(printable(banner)), example
        )
    layout, field, symmetry = words[2:]
    _require_readable(request, field, symmetry)
    line = next(
        (line.strip() for line in lines if line.strip() and not line.strip().startswith("%")), ""
    )
    sizes = [int(word) if _is_count(word) else -1 for word in line.split()]
    if len(sizes) != (3 if layout == "coordinate" else 2) or -1 in sizes:
        kinds = "rows, columns and entries" if layout == "coordinate" else "rows and columns"
        detail = repr(printable(line)) if line else "no such line"
        raise InvalidInput(f"must have a line with the numbers of {kinds}", detail, REWRITE)
    rows, columns = sizes[:2]
    symmetric = symmetry == "symmetric"
    if symmetric and rows != columns:
        raise InvalidInput(
            "a symmetric file must be square", printable(f"{rows} x {columns}"), "a general file"
        )
    if layout == "coordinate":
        stored = sizes[2]
        request.admit((rows, columns), entries=2 * stored if symmetric else stored)
    else:
        stored = rows * (rows + 1) // 2 if symmetric else rows * columns
        request.admit((rows, columns))
    return _Header(layout, field, symmetric, rows, columns, stored)


def _require_readable(request: Request, field: str, symmetry: str) -> None:
    if field == "complex":
        raise InvalidInput(
            "must be real",
            "a complex matrix",
            "the real part, if that is meant",
            argument=request.name,
        )
    if field == "pattern":
        raise InvalidInput(
            "must have values",
            "a pattern matrix: positions only",
            "field real",
            argument=request.name,
        )
    if field not in REAL_FIELDS:
        raise InvalidInput(
            "must hold numbers", f"field {printable(field)!r}", "field real", argument=request.name
        )
    if symmetry not in ("general", "symmetric"):
        remedy = "a general file with both triangles written out"
        raise InvalidInput(
            "must be symmetric or general",
            f"a {printable(symmetry)} matrix",
            remedy,
            argument=request.name,
        )


def _require_length(header: _Header, length: int) -> None:
    if header.stored * SHORTEST_ENTRY[header.layout] > length + 1:
        detail = f"{header.stored} entries announced in a file of {length} bytes"
        raise InvalidInput("must hold all entries it announces", detail, REWRITE)


def _read_array(lines: Iterator[str], header: _Header, request: Request) -> ExactArray:
    """Read column by column, or in a symmetric file the lower triangle column by column."""
    (cells,) = _read_body(lines, header, width=1)
    doubles, exact = _values(cells, header)
    if header.symmetric:
        place = np.empty((header.rows, header.rows), dtype=np.intp)
        column, row = np.triu_indices(header.rows)
        place[row, column] = place[column, row] = np.arange(header.stored)
    else:
        place = np.arange(header.stored).reshape((header.columns, header.rows)).T.copy()
    return from_parsed(doubles[place], None if exact is None else exact[place], request.name)


def _read_coordinates(lines: Iterator[str], header: _Header, request: Request) -> SparseExactArray:
    row_cells, column_cells, cells = _read_body(lines, header, width=3)
    row = _indices(row_cells, "row", header.rows)
    column = _indices(column_cells, "column", header.columns)
    doubles, exact = _values(cells, header)
    require_finite(doubles, request.name, row, column)
    values = from_parsed(doubles, exact, request.name)
    if header.symmetric:
        below = np.flatnonzero(row != column)
        row, column = (
            np.concatenate((row, column[below])),
            np.concatenate((column, row[below])),
        )
        values = values[np.concatenate((np.arange(header.stored), below))]
    _require_single_entries(row, column, mirrored=header.symmetric)
    return from_entries(values, row, column, (header.rows, header.columns))


def _indices(cells: list[str], name: str, extent: int) -> NDArray[np.int64]:
    """Return indices, which the file counts from 1, counting from 0."""

    def is_index(cell: str) -> bool:
        return _is_count(cell) and 1 <= int(cell) <= extent

    _require_each(cells, is_index, f"{name} indices must be from 1 to {extent}")
    return np.array(cells, dtype=np.int64) - 1


def _values(cells: list[str], header: _Header) -> tuple[FloatArray, Array | None]:
    """Return the numbers as doubles, and as written where those differ."""
    if header.field in INTEGER_FIELDS:
        _require_each(cells, _WHOLE.fullmatch, "every value must be a whole number")
    _require_each(cells, is_number, "every value must be a number")
    doubles, exact = parse_decimals(cells)
    return np.array(doubles), None if exact is doubles else np.array(exact, dtype=object)


def _require_each(cells: list[str], is_valid: Callable[[str], object], rule: str) -> None:
    for place, cell in enumerate(cells, start=1):
        if not is_valid(cell):
            raise InvalidInput(rule, f"{printable(cell)!r} in entry {place}", REWRITE)


def _read_body(lines: Iterator[str], header: _Header, *, width: int) -> list[list[str]]:
    """Return the columns of the lines that hold the entries; of more lines than announced, one is
    read.
    """
    columns: list[list[str]] = [[] for _ in range(width)]
    count = 0
    for count, line in enumerate(islice(filter(str.strip, lines), header.stored + 1), start=1):
        cells = line.split()
        if len(cells) != width:
            detail = f"{len(cells)} columns in entry {count}"
            raise InvalidInput(f"every line must hold {width} number(s)", detail, REWRITE)
        for column, cell in zip(columns, cells, strict=True):
            column.append(cell)
    if count != header.stored:
        at_least = "at least " * (count > header.stored)
        detail = f"{at_least}{count} entries where {header.stored} are announced"
        raise InvalidInput("must hold as many entries as it announces", detail, REWRITE)
    return columns


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 18


def _require_single_entries(
    row: NDArray[np.int64], column: NDArray[np.int64], *, mirrored: bool
) -> None:
    """Raise on a position given twice: to add the two would double a symmetric file with both
    triangles.
    """
    order = np.lexsort((column, row))
    row = row[order]
    column = column[order]
    again = np.flatnonzero((row[1:] == row[:-1]) & (column[1:] == column[:-1]))
    if again.size:
        raise InvalidInput(
            "each entry must be given once",
            f"row {row[again[0]] + 1}, column {column[again[0]] + 1} is given more than once",
            "one triangle only, in a symmetric file" if mirrored else "one line per entry",
        )
