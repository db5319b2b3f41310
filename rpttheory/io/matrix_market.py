""".mtx files (Matrix Market), whose size is read before anything is allocated for them.

scipy's reader is not used: on some damaged files (a stray byte after the last number) it ends the
whole process, and it takes ``2x`` for 2. The tests compare the two on sound files.
"""

import re
import warnings
from collections.abc import Iterator
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
    require_finite_entries,
)
from ..numbers.parse import is_number, parse_decimals
from .request import REWRITE, Request, brief, capped_lines, printable

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
    """The matrix of a .mtx file: an array for array files, sparse for coordinate files."""
    with path.open(
        encoding="latin-1"
    ) as stream:  # comments may be in any encoding, the rest is ASCII
        lines = capped_lines(stream)
        header = _read_header(lines, request)
        _require_length(header, path.stat().st_size)
        if header.layout == "array":
            return _read_array(lines, header, request)
        return _read_coordinates(lines, header, request)


def _read_header(stream: Iterator[str], request: Request) -> _Header:
    """The banner and the size line, refused if they announce what cannot be used or would not fit
    in memory.
    """
    banner = next(stream, "").strip()
    words = banner.lower().split()
    if len(words) != 5 or words[:2] != [BANNER, "matrix"] or words[2] not in SHORTEST_ENTRY:
        example = "%%MatrixMarket matrix coordinate real symmetric"
        raise InvalidInput(
            "must start with a Matrix Market banner", repr(printable(banner)), example
        )
    layout, field, symmetry = words[2:]
    _require_readable(request, field, symmetry)
    line = next(
        (line.strip() for line in stream if line.strip() and not line.strip().startswith("%")), ""
    )
    sizes = [int(word) if _is_count(word) else -1 for word in line.split()]
    if len(sizes) != (3 if layout == "coordinate" else 2) or -1 in sizes:
        wanted = "rows, columns and entries" if layout == "coordinate" else "rows and columns"
        found = repr(printable(line)) if line else "no such line"
        raise InvalidInput(f"must have a line with the numbers of {wanted}", found, REWRITE)
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
        found = f"{header.stored} entries announced in a file of {length} bytes"
        raise InvalidInput("must hold all entries it announces", found, REWRITE)


def _read_array(stream: Iterator[str], header: _Header, request: Request) -> ExactArray:
    """Column by column, or in a symmetric file the lower triangle column by column."""
    near, exact = _values(_read_body(stream, header, [("value", "O")])["value"], header)
    if header.symmetric:
        place = np.empty((header.rows, header.rows), dtype=np.intp)
        column, row = np.triu_indices(header.rows)
        place[row, column] = place[column, row] = np.arange(header.stored)
    else:
        place = np.arange(header.stored).reshape((header.columns, header.rows)).T.copy()
    return from_parsed(near[place], None if exact is None else exact[place], request.name)


def _read_coordinates(stream: Iterator[str], header: _Header, request: Request) -> SparseExactArray:
    table = _read_body(stream, header, [("row", "i8"), ("column", "i8"), ("value", "O")])
    for name, most in (("row", header.rows), ("column", header.columns)):
        outside = (table[name] < 1) | (table[name] > most)
        if outside.any():
            found = f"{table[name][outside][0]} in entry {int(np.argmax(outside)) + 1}"
            raise InvalidInput(f"{name} indices must be from 1 to {most}", found, REWRITE)
    i = table["row"] - 1
    j = table["column"] - 1
    near, exact = _values(table["value"], header)
    require_finite_entries(near, i, j, request.name)
    values = from_parsed(near, exact, request.name)
    if header.symmetric:
        below = np.flatnonzero(i != j)
        i, j = np.concatenate((i, j[below])), np.concatenate((j, i[below]))
        values = values[np.concatenate((np.arange(header.stored), below))]
    _require_single_entries(i, j, mirrored=header.symmetric)
    return from_entries(values, i, j, (header.rows, header.columns))


def _values(cells: Array, header: _Header) -> tuple[FloatArray, Array | None]:
    """The numbers as doubles, and as written where those differ."""
    whole = header.field in INTEGER_FIELDS
    written = cells.tolist()
    for place, cell in enumerate(written, start=1):
        if not (_WHOLE.fullmatch(cell) or (not whole and is_number(cell))):
            wanted = "a whole number" if whole else "a number"
            raise InvalidInput(
                f"every value must be {wanted}", f"{printable(cell)!r} in entry {place}", REWRITE
            )
    near, exact = parse_decimals(written)
    return np.array(near), None if exact is near else np.array(exact, dtype=object)


def _read_body(stream: Iterator[str], header: _Header, columns: list[tuple[str, str]]) -> Array:
    """One record per line, as many as announced; of more than that, one is read."""
    stream = islice(filter(str.strip, stream), header.stored + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an index such as 1.5 is only warned of
            warnings.filterwarnings("ignore", message="loadtxt: input contained no data")
            table: Array = np.loadtxt(stream, dtype=columns, comments=None, ndmin=1)
    except InvalidInput:
        raise
    except Exception as error:
        found = f"{brief(error)} (rows counted after the size line)"
        raise InvalidInput(
            f"every line must hold {len(columns)} number(s)", found, REWRITE
        ) from None
    if len(table) != header.stored:
        found = (
            f"{'at least ' * (len(table) > header.stored)}{len(table)} entries where"
            f" {header.stored} are announced"
        )
        raise InvalidInput("must hold as many entries as it announces", found, REWRITE)
    return table


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
