"""Random inputs as a person writes them: Python source, what it means exactly, and how the caller may meddle with it.

Every input is source text that is executed, so that a finding can be printed as a program. What it means is read off
the objects themselves, number by number, as fractions.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import math
import random
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import rpttheory
from rpttheory.cli.main import commands, guarded
from rpttheory.io import read_data, read_matrix
from rpttheory.smoothness import as_smoothness

from .judge import Rows

_FOLDER = tempfile.TemporaryDirectory(prefix="soundness-")


def written(name: str, text: str) -> str:
    """The path of a file with this text."""
    path = Path(_FOLDER.name) / name
    path.write_text(text)
    return str(path)


def table(name: str, cells: Sequence[Sequence[str]]) -> str:
    """The path of a .csv or .txt file with these cells."""
    separator = "," if name.endswith(".csv") else " "
    return written(name, "".join(separator.join(row) + "\n" for row in cells))


def market(cells: Sequence[Sequence[str]], layout: str, symmetry: str) -> str:
    """The path of a Matrix Market file with these cells."""
    rows, columns = len(cells), len(cells[0])
    places = [(i, j) for j in range(columns) for i in range(j if symmetry == "symmetric" else 0, rows)]
    whole = all(cell.lstrip("+-").isdigit() for row in cells for cell in row)
    head = f"%%MatrixMarket matrix {layout} {'integer' if whole else 'real'} {symmetry}\n{rows} {columns}"
    if layout == "array":
        return written("m.mtx", head + "\n" + "".join(cells[i][j] + "\n" for i, j in places))
    kept = [(i, j) for i, j in places if Fraction(cells[i][j]) != 0]
    return written("m.mtx", f"{head} {len(kept)}\n" + "".join(f"{i + 1} {j + 1} {cells[i][j]}\n" for i, j in kept))


def command(*arguments: str) -> tuple[int, str, str]:
    """The exit code, output and errors of `rpttheory ...`, run inside this process."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as complaints:
        code = guarded(commands, list(arguments))
    return code, out.getvalue(), complaints.getvalue()


SCOPE: dict[str, Any] = {name: getattr(rpttheory, name) for name in rpttheory.__all__} | {
    name: value
    for value in (Fraction, Decimal, read_data, read_matrix, as_smoothness, table, market, command)
    for name in [value.__name__]
}
SCOPE |= {"np": np, "sp": sp}


def exact(number: Any) -> Fraction:
    """What a number that someone wrote means."""
    if isinstance(number, np.longdouble):
        return Fraction(*number.as_integer_ratio())
    if isinstance(number, np.generic):
        number = number.item()
    if isinstance(number, complex):
        number = number.real
    return Fraction(number)


def exact_vector(values: Any) -> list[Fraction]:
    return [exact(value) for value in values]


def exact_matrix(given: Any) -> Rows:
    """The entries of an array, of rows of numbers, or of a scipy matrix with duplicates added up."""
    if not sp.issparse(given):
        return [exact_vector(row) for row in given]
    rows = [[Fraction(0)] * given.shape[1] for _ in range(given.shape[0])]
    entries = given.tocoo()
    for i, j, value in zip(entries.row, entries.col, entries.data, strict=True):
        rows[i][j] += exact(value)
    return rows


# -- numbers as text ----------------------------------------------------------------------------------

NUMBERS = ("float", "fraction", "decimal", "int", "longdouble", "text", "complex")


def decimal_text(rng: random.Random, value: Fraction) -> str:
    """The value in some decimal digits, written in one of several ways."""
    digits = rng.choice((1, 2, 3, 8, 15, 17, 18, 25, 40))
    rounded = Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))
    text = rng.choice((str, lambda x: f"{x:e}", lambda x: f"{x:f}"))(rounded)
    if len(text) > 60:
        text = str(rounded)
    return text[1:] if text.startswith("0.") and rng.random() < 0.1 else text


def token(rng: random.Random, value: Fraction, kind: str) -> str:
    """Python source of a number near the value."""
    if kind == "float":
        return repr(nearest_float(value))
    if kind == "longdouble":
        quotient = np.longdouble(str(Context(prec=30).divide(Decimal(value.numerator), Decimal(value.denominator))))
        return f"np.longdouble({str(quotient)!r})"
    if kind == "fraction":
        if value.numerator.bit_length() + value.denominator.bit_length() > 200:
            value = Fraction(nearest_float(value))
        return f"Fraction({value.numerator}, {value.denominator})"
    if kind == "int":
        return repr(round(value))
    if kind == "complex":
        return f"{nearest_float(value)!r}+0j"
    text = decimal_text(rng, value)
    return f"Decimal({text!r})" if kind == "decimal" else repr(text)


def nearest_float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return 1.7e308 if value > 0 else -1.7e308


def vector(rng: random.Random, values: Sequence[Fraction], kinds: Sequence[str] | None = None) -> str:
    """Python source of a list, tuple or array of numbers near the values."""
    kind = rng.choice(kinds or (*["float"] * 4, "fraction", "fraction", "decimal", "decimal", "mixed", *NUMBERS[3:]))
    if kind == "int" and not all(value == round(value) for value in values):
        kind = "decimal"
    mixture = ("float", "fraction", "decimal", "int" if all(v == round(v) for v in values) else "float")
    items = [token(rng, value, rng.choice(mixture) if kind == "mixed" else kind) for value in values]
    inner = "[" + ", ".join(items) + "]"
    plain = [inner, f"({inner[1:-1]},)"]
    if kind in ("float", "longdouble", "complex"):
        plain += [f"np.array({inner})"] * 2
    if kind in ("fraction", "decimal", "mixed"):
        plain += [f"np.array({inner}, dtype=object)"]
    if kind == "int" and all(-(2**63) <= value < 2**63 for value in values):
        plain += [f"np.array({inner}, dtype=np.int64)"]
    return rng.choice(plain)


# -- families of matrices -----------------------------------------------------------------------------


def _mirror(d: int, entry: Callable[[int, int], Fraction | float | int]) -> Rows:
    upper = {(i, j): Fraction(entry(i, j)) for i in range(d) for j in range(i, d)}
    return [[upper[min(i, j), max(i, j)] for j in range(d)] for i in range(d)]


def _gram(factor: Sequence[Sequence[Any]]) -> Rows:
    d = len(factor[0])
    return _mirror(d, lambda i, j: sum((Fraction(row[i]) * Fraction(row[j]) for row in factor), Fraction(0)))


def _rank_one(rng: random.Random, d: int) -> Rows:
    v = [Fraction(rng.randint(-9, 9), rng.choice((1, 1, 3, 10))) for _ in range(d)]
    return _mirror(d, lambda i, j: v[i] * v[j])


def _integer_gram(rng: random.Random, d: int) -> Rows:
    unit = Fraction(1, rng.choice((1, 1, 3, 10, 100)))
    return scaled(_gram([[rng.randint(-5, 5) for _ in range(d)] for _ in range(rng.randint(1, d + 1))]), unit)


def _wishart(rng: random.Random, d: int) -> Rows:
    return _gram([[rng.gauss(0, 1) for _ in range(d)] for _ in range(d + 1)])


def _ones(rng: random.Random, d: int) -> Rows:
    unit = rng.choice((Fraction(1), Fraction(1, 10), Fraction(1, 3), Fraction(2**53 - 1), Fraction(math.pi)))
    extra = rng.choice((0, 0, 0, 1, Fraction(1, 10), Fraction(1, 2**52)))
    return _mirror(d, lambda i, j: unit * (1 + (extra if i == j else 0)))


def _path(rng: random.Random, d: int) -> Rows:
    unit = rng.choice((Fraction(1), Fraction(1, 10)))
    return _mirror(d, lambda i, j: unit * (2 - (i in (0, d - 1)) if i == j else -(j == i + 1)))


def _hilbert(rng: random.Random, d: int) -> Rows:
    return _mirror(d, lambda i, j: Fraction(1, i + j + 1))


def _graded(rng: random.Random, d: int) -> Rows:
    step = Fraction(10) ** -rng.choice((1, 4, 40 if d < 8 else 10))
    return _mirror(d, lambda i, j: step ** (i + j) * (1 + (i == j)))


def _kahan(rng: random.Random, d: int) -> Rows:
    s, c = math.sin(1.2), math.cos(1.2)
    return _gram([[0 if j < i else s**i * (1 if i == j else -c) for j in range(d)] for i in range(d)])


def _cluster(rng: random.Random, d: int) -> Rows:
    tiny = rng.choice((Fraction(1, 10**15), Fraction(1, 2**52), Fraction(1, 2**30), Fraction(1, 10**30)))
    return _mirror(d, lambda i, j: (i == j) + tiny * rng.choice((-1, 0, 1)))


def _large_integers(rng: random.Random, d: int) -> Rows:
    bits = rng.choice((45, 51, 53, 58, 80))
    return _mirror(d, lambda i, j: d * 2**bits + rng.randint(0, 9) if i == j else rng.randint(-(2**bits), 2**bits))


def _diagonal(rng: random.Random, d: int) -> Rows:
    values = [Fraction(rng.choice((0, 1, 1, rng.randint(1, 99))), rng.choice((1, 3, 10))) for _ in range(d)]
    if rng.random() < 0.1:
        values[-1] = Fraction(-1, 10**11) * max(values)
    return _mirror(d, lambda i, j: values[i] if i == j else 0)


def _mixed_scales(rng: random.Random, d: int) -> Rows:
    unit = [Fraction(10) ** rng.randint(-80, 80) for _ in range(d)]
    core = _integer_gram(rng, d)
    return _mirror(d, lambda i, j: core[i][j] * unit[i] * unit[j])


def _extreme(rng: random.Random, d: int) -> Rows:
    core = _integer_gram(rng, d)
    return scaled(core, Fraction(10) ** rng.choice((-300, -305, -320, 300, 305)) / 10)


def _zero_blocks(rng: random.Random, d: int) -> Rows:
    kept = [rng.random() < 0.6 for _ in range(d)]
    core = _integer_gram(rng, d)
    return _mirror(d, lambda i, j: core[i][j] * (kept[i] and kept[j]))


def _decimals(rng: random.Random, d: int) -> Rows:
    return _mirror(d, lambda i, j: Fraction(rng.randint(30 * d, 60 * d) if i == j else rng.randint(-30, 30), 100))


SEMIDEFINITE: tuple[Callable[[random.Random, int], Rows], ...] = (
    _rank_one,
    _integer_gram,
    _wishart,
    _ones,
    _path,
    _hilbert,
    _graded,
    _kahan,
    _cluster,
    _large_integers,
    _diagonal,
    _mixed_scales,
    _extreme,
    _zero_blocks,
    _decimals,
    _decimals,
)


def _bipartite(rng: random.Random, d: int) -> Rows:
    return _mirror(d, lambda i, j: int((i - j) % 2))


def _indefinite(rng: random.Random, d: int) -> Rows:
    return _mirror(d, lambda i, j: Fraction(rng.randint(-20, 20), 10))


def _below_ones(rng: random.Random, d: int) -> Rows:
    return _mirror(d, lambda i, j: 1 - d * (i == j))


def _negated(rng: random.Random, d: int) -> Rows:
    return scaled(rng.choice(SEMIDEFINITE)(rng, d), Fraction(-1))


OTHERS = (_bipartite, _indefinite, _below_ones, _negated)


def scaled(matrix: Rows, unit: Fraction) -> Rows:
    return [[entry * unit for entry in row] for row in matrix]


def dimension(rng: random.Random) -> int:
    return rng.choice((1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8)) if rng.random() < 0.99 else rng.randint(9, 20)


# -- forms of matrices --------------------------------------------------------------------------------


@dataclass
class Matrix:
    """Source of what the caller has, what that means, and `L` made of it.

    `meddling` lists statements by which the caller may change his own arrays later.
    """

    form: str
    lines: list[str]
    make: str
    meaning: Callable[[dict[str, Any]], Rows]
    meddling: list[str] = field(default_factory=list)
    numbers: str = "float"
    kept: bool = False  # whether L is already an object of the package, so that the caller may meddle
    file: str = ""  # source of the path, where it is read from a file


def _rows(rng: random.Random, matrix: Rows, kind: str, *, symmetric: bool) -> str:
    """Python source of rows of numbers; entry (j, i) is written as (i, j) was."""
    items = [[token(rng, x, rng.choice(NUMBERS[:3]) if kind == "mixed" else kind) for x in row] for row in matrix]
    if symmetric:
        items = [[items[min(i, j)][max(i, j)] for j in range(len(items))] for i in range(len(items))]
    return "[" + ", ".join("[" + ", ".join(row) + "]" for row in items) + "]"


def _integral(matrix: Rows) -> Rows:
    """Whole numbers in the place of others."""
    return [[Fraction(round(x)) if abs(x) < 2**70 else Fraction(1) for x in row] for row in matrix]


def _dense(rng: random.Random, matrix: Rows, *, symmetric: bool) -> tuple[str, list[str], list[str]]:
    kind = rng.choice((*["float"] * 8, "mixed", "fraction", "decimal", "object", "longdouble", "int", "int64", "f4"))
    if kind in ("float", "longdouble"):
        lines = [f"A = np.array({_rows(rng, matrix, kind, symmetric=symmetric)})"]
        shape = rng.random()
        if shape < 0.1:
            lines.append("A = np.asfortranarray(A)")
        elif shape < 0.2:
            lines.append("A.flags.writeable = False")
            return kind, lines, []
        elif shape < 0.3:
            lines.append("A = np.repeat(np.repeat(A, 2, axis=0), 2, axis=1)[::2, ::2]")
        return kind, lines, ["A *= 10", "A[0, 0] = 7", "A[:] = 0"]
    if kind == "f4":
        rows = [[Fraction(float(np.float32(min(max(nearest_float(x), -1e38), 1e38)))) for x in row] for row in matrix]
        inner = _rows(rng, rows, "float", symmetric=symmetric)
        return kind, [f"A = np.array({inner}, dtype=np.float32)"], ["A *= 10"]
    if kind in ("int", "int64"):
        inner = _rows(rng, _integral(matrix), "int", symmetric=symmetric)
        if kind == "int64" and all(abs(round(x)) < 2**63 for row in _integral(matrix) for x in row):
            return kind, [f"A = np.array({inner}, dtype=np.int64)"], ["A *= 3"]
        return kind, [f"A = {inner}"], ["A[0][0] += 1"]
    inner = _rows(rng, matrix, "mixed" if kind == "object" else kind, symmetric=symmetric)
    if kind == "object":
        return kind, [f"A = np.array({inner}, dtype=object)"], ["A[0, 0] = Fraction(7)"]
    return kind, [f"A = {inner}"], ["A[0][0] = 7"]


def _sparse(rng: random.Random, matrix: Rows, *, symmetric: bool) -> tuple[str, list[str], list[str]]:
    """Compressed or coordinate storage with all the liberties that scipy allows."""
    dtype = rng.choice((*["float64"] * 6, "int8", "uint8", "int64", "float32", "longdouble"))
    shape = (len(matrix), len(matrix[0]))
    pieces: dict[tuple[int, int], list[str]] = {}
    for i, j in itertools.product(*map(range, shape)):
        if symmetric and (j, i) in pieces:
            pieces[i, j] = pieces[j, i]
        elif matrix[i][j] != 0 or rng.random() < 0.1:
            pieces[i, j] = _pieces(rng, matrix[i][j], dtype)
    entries = [(i, j, piece) for (i, j), parts in pieces.items() for piece in parts]
    rng.shuffle(entries)
    layout = rng.choice(("csr_array", "csr_array", "csr_array", "csr_matrix", "csc_array", "coo_array", "other"))
    if layout == "other":
        name = rng.choice(("bsr_array", "lil_array", "dok_array", "dia_array"))
        inner = _rows(rng, matrix, "float", symmetric=symmetric)
        return name, [f"A = sp.{name}(np.array({inner}))"], []
    major = 1 if layout == "csc_array" else 0
    if layout != "coo_array":
        entries.sort(key=lambda entry: entry[major])  # stable: unsorted inside each row
    numbers = "[" + ", ".join(f"np.longdouble({e[2]!r})" if dtype == "longdouble" else e[2] for e in entries) + "]"
    lines = [f"data = np.array({numbers}, dtype=np.{dtype})"]
    meddling = ["data[:] = 0", "A.data[:] = 3", "data *= 2"] if entries else []
    if layout == "coo_array":
        lines.append(f"row = np.array({[e[0] for e in entries]}, dtype=np.int32)")
        lines.append(f"column = np.array({[e[1] for e in entries]}, dtype=np.int32)")
        lines.append(f"A = sp.coo_array((data, (row, column)), shape={shape})")
        return f"{layout} {dtype}", lines, meddling
    counts = [sum(e[major] == k for e in entries) for k in range(shape[major])]
    lines.append(f"indices = np.array({[e[1 - major] for e in entries]}, dtype=np.int32)")
    lines.append(f"indptr = np.array({[0, *itertools.accumulate(counts)]}, dtype=np.int32)")
    lines.append(f"A = sp.{layout}((data, indices, indptr), shape={shape})")
    if rng.random() < 0.25:
        lines.append("data.flags.writeable = indices.flags.writeable = indptr.flags.writeable = False")
        meddling = []
    return f"{layout} {dtype}", lines, meddling


def _pieces(rng: random.Random, value: Fraction, dtype: str) -> list[str]:
    """One stored number, or several that must be added up."""
    several = rng.random() < 0.15
    if dtype in ("int8", "uint8"):
        low, high = (0, 255) if dtype == "uint8" else (-128, 127)
        whole = round(value) if abs(value) < 10**6 else 1
        parts = [min(max(whole, low), high)]
        return [str(part) for part in (parts * 2 if several else parts)]
    if dtype == "int64":
        whole = round(value) if abs(value) < 2**61 else 2**61 + 1
        extra = rng.choice((1, 2**40)) if several else 0
        return [str(whole), str(extra)] if several else [str(whole)]
    if dtype == "longdouble":
        quotient = Context(prec=25).divide(Decimal(value.numerator), Decimal(value.denominator))
        return [str(np.longdouble(str(quotient)))]
    number = nearest_float(value)
    if dtype == "float32":
        number = float(np.float32(min(max(number, -1e38), 1e38)))
    return [repr(number), repr(number * 2.0**-30), repr(number / 3 if dtype == "float64" else number / 4)][
        : rng.choice((2, 3)) if several and abs(number) < 1e300 else 1
    ]


def _cells(rng: random.Random, matrix: Rows, *, symmetric: bool) -> str:
    kind = rng.choice(("float", "decimal", "decimal", "int"))
    if kind == "int":
        matrix = _integral(matrix)
    write = {"float": lambda x: repr(nearest_float(x)), "int": lambda x: str(round(x))}
    items = [[write[kind](x) if kind in write else decimal_text(rng, x) for x in row] for row in matrix]
    if symmetric:
        items = [[items[min(i, j)][max(i, j)] for j in range(len(items))] for i in range(len(items))]
    return repr(items)


def _scalar(rng: random.Random, value: Fraction) -> str:
    return token(rng, value, rng.choice(("float", "fraction", "fraction", "decimal")))


FORMS = (*["dense"] * 6, *["sparse"] * 4, *["gram"] * 4, "sparse gram", "diagonal", "file", "data file")


def draw_matrix(rng: random.Random, d: int, *, semidefinite: bool, form: str = "") -> Matrix:
    """A matrix of dimension d in some form."""
    families = SEMIDEFINITE if semidefinite or rng.random() < 0.7 else OTHERS
    form = form or rng.choice(
        (*["dense"] * 6, *["sparse"] * 4, *["gram"] * 4, "sparse gram", "diagonal", "file", "data file")
    )
    if "gram" in form or form == "data file":
        return _draw_gram(rng, d, form)
    matrix = rng.choice(families)(rng, d)
    if rng.random() < 0.3 and d > 1:  # entries between some coordinates removed
        cut = rng.randint(1, d - 1)
        matrix = [
            [x if (i < cut) == (j < cut) else Fraction(0) for j, x in enumerate(row)] for i, row in enumerate(matrix)
        ]
    if form == "diagonal":
        line = f"v = {vector(rng, [matrix[i][i] for i in range(d)])}"
        meddling = ["v[0] = 5"] if "np.array" in line else []

        def of_diagonal(at: dict[str, Any]) -> Rows:
            return _diagonal_rows(exact_vector(at["v"]))

        return Matrix(form, [line], "L = diagonal(v)", of_diagonal, meddling, kind_of(line), True)
    if form == "file":
        half = rng.random() < 0.15
        lines = [f"cells = {_cells(rng, matrix, symmetric=not half)}"]
        path = _path_of(rng, "cells", symmetric=not half)
        made = f"L = read_matrix({path}{', symmetrize=True' if half else ''})"
        return Matrix(form, lines, made, lambda at: _symmetrized(exact_matrix(at["cells"])), numbers="text", file=path)
    make = _dense if form == "dense" else _sparse
    kind, lines, meddling = make(rng, matrix, symmetric=True)
    kept = rng.random() < 0.3
    made = "L = as_smoothness(A)" if kept else "L = A"
    return Matrix(
        f"{form} {kind}", lines, made, lambda at: exact_matrix(at["A"]), meddling, kind_of(" ".join(lines)), kept
    )


def _path_of(rng: random.Random, cells: str, *, symmetric: bool) -> str:
    """Source of the path of a file with these cells."""
    kind = rng.choice(("m.csv", "m.csv", "m.txt", "market"))
    if kind != "market":
        return f"table({kind!r}, {cells})"
    symmetry = rng.choice(("general", "symmetric")) if symmetric else "general"
    return f"market({cells}, {rng.choice(('array', 'coordinate'))!r}, {symmetry!r})"


def _symmetrized(matrix: Rows) -> Rows:
    return [[(matrix[i][j] + matrix[j][i]) / 2 for j in range(len(matrix))] for i in range(len(matrix))]


def _draw_gram(rng: random.Random, d: int, form: str) -> Matrix:
    n = rng.choice((1, 2, 3, 3, 4, 5))
    unit = Fraction(rng.choice((1, 1, 1, 10, 1000)), rng.choice((1, 1, 10, 3, 7)))
    size = rng.choice((1, 3, 9, 9, 2**30, 2**52))
    data = [[rng.randint(-size, size) * unit for _ in range(d)] for _ in range(n)]
    scale = rng.choice((Fraction(1), Fraction(2, n), Fraction(2, n), Fraction(1, 10), Fraction(10) ** -80))
    shift = rng.choice((Fraction(0), Fraction(0), Fraction(1, 5), Fraction(1, 10), Fraction(1), Fraction(1, 10**18)))
    kind, meddling, file = "text", [], ""
    if form == "data file":
        lines, file = [f"A = {_cells(rng, data, symmetric=False)}"], _path_of(rng, "A", symmetric=False)
        source = f"read_data({file}).values"
    else:
        make = _sparse if form == "sparse gram" else _dense
        (kind, lines, meddling), source = make(rng, data, symmetric=False), "A"
    lines.append(f"scale, shift = {_scalar(rng, scale)}, {_scalar(rng, shift)}")

    def meaning(at: dict[str, Any]) -> Rows:
        product = scaled(_gram(exact_matrix(at["A"])), exact(at["scale"]))
        more = exact(at["shift"])
        return [[x + more if i == j else x for j, x in enumerate(row)] for i, row in enumerate(product)]

    made = f"L = gram({source}, scale, shift)"
    return Matrix(f"{form} {kind}", lines, made, meaning, meddling, kind_of(" ".join(lines)), True, file)


def _diagonal_rows(values: Sequence[Fraction]) -> Rows:
    return [[x if i == j else Fraction(0) for j in range(len(values))] for i, x in enumerate(values)]


def kind_of(source: str) -> str:
    """In which kind of numbers something is written; the tally counts how many of each were refused."""
    names = {"Fraction(": "fraction", "Decimal(": "decimal", "longdouble(": "longdouble", "+0j": "complex"}
    found = {kind for word, kind in names.items() if word in source}
    if "'" in re.sub(r"\('[^']*'\)", "", source):
        found.add("text")
    if not found:
        return "float" if re.search(r"\d\.|\de", source) else "int"
    return found.pop() if len(found) == 1 else "mixed"


# -- blocks, laws and costs ---------------------------------------------------------------------------


def block_sizes(rng: random.Random, d: int) -> list[int]:
    style = rng.random()
    if style < 0.4:
        return [1] * d
    if style < 0.5:
        return [d]
    cuts = sorted(rng.sample(range(1, d), rng.randint(0, d - 1))) if d > 1 else []
    return [b - a for a, b in itertools.pairwise([0, *cuts, d])]


def costs(rng: random.Random, sizes: Sequence[int]) -> list[Fraction]:
    style = rng.randrange(6)
    if style == 0:
        return [Fraction(size, sum(sizes)) for size in sizes]
    if style == 1:
        return [Fraction(10) ** rng.randint(-6, 6) * rng.randint(1, 9) for _ in sizes]
    if style == 2:
        return [Fraction(2**53 + rng.randint(-3, 3)) for _ in sizes]
    if style == 3:
        return [Fraction(1, len(sizes))] * len(sizes)
    if style == 4:
        return [Fraction(rng.randint(1, 30), 10) for _ in sizes]
    return [Fraction(rng.random() + 0.01) for _ in sizes]


def probabilities(rng: random.Random, count: int) -> list[Fraction]:
    style = rng.randrange(7)
    if style == 0:
        return [Fraction(1)] * count
    if style == 1:
        return [Fraction(rng.randint(1, 10), 10)] * count
    if style == 2:
        return [Fraction(rng.randint(1, 10), 10) for _ in range(count)]
    if style == 3:
        return [Fraction(10) ** -rng.randint(0, 12) for _ in range(count)]
    if style == 4:
        return [rng.choice((Fraction(1), Fraction(10) ** -rng.choice((20, 150, 300)))) for _ in range(count)]
    if style == 5:
        return [Fraction(rng.randint(1, 6), 7) for _ in range(count)]
    return [Fraction(rng.random()) + Fraction(1, 2**60) for _ in range(count)]


@dataclass
class Law:
    """Source of what the caller has, `sampling` made of it, and its pair probabilities."""

    lines: list[str]
    make: str
    meaning: Callable[[dict[str, Any]], Rows]
    name: str | None = None  # the name under which it can be asked for, with `p` as its marginals


def pairs(law: str, p: Sequence[Fraction]) -> Rows:
    """p_kl of the nested, the independent and the single-block sampling."""
    joint = {"nested": min, "independent": lambda a, b: a * b, "single": lambda a, b: Fraction(0)}[law]
    return [[a if i == j else joint(a, b) for j, b in enumerate(p)] for i, a in enumerate(p)]


def draw_law(rng: random.Random, count: int) -> Law:
    style = rng.choice(("nested", "nested", "nested", "independent", "single", "explicit", "explicit"))
    if style == "explicit":
        return _draw_explicit(rng, count)
    if style == "single":
        dyadic = rng.random() < 0.5
        parts = [rng.randint(1, 9) for _ in range(count)]
        if dyadic:
            parts[-1] = 128 - sum(parts[:-1])
        text = vector(rng, [Fraction(part, sum(parts)) for part in parts], ("float",) if dyadic else ("fraction",))
        return Law(
            [f"p = {text}"],
            "sampling = SingleBlockSampling(p)",
            lambda at: _diagonal_rows(exact_vector(at["p"])),
            style,
        )
    lines = [f"p = {vector(rng, probabilities(rng, count))}"]
    kinds = {"nested": "NestedSampling", "independent": "IndependentSampling", "single": "SingleBlockSampling"}
    made = f"sampling = {kinds[style]}(p)"
    return Law(lines, made, lambda at: pairs(style, exact_vector(at["p"])), style)


def _draw_explicit(rng: random.Random, count: int) -> Law:
    sets = [[rng.randint(0, 1) for _ in range(count)] for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.8 or not all(any(row[k] for row in sets) for k in range(count)):
        sets.append([1] * count)
    masses = [
        rng.choice(
            (
                Fraction(1),
                Fraction(1),
                Fraction(1, 3),
                Fraction(1, 10),
                Fraction(10) ** -20,
                Fraction(rng.random() + 0.1),
            )
        )
        for _ in sets
    ]
    lines = [f"masses = {vector(rng, masses)}", f"sets = {sets}"]

    def meaning(at: dict[str, Any]) -> Rows:
        weights = exact_vector(at["masses"])
        whole = sum(weights)
        n = range(count)
        chosen = list(zip(at["sets"], weights, strict=True))
        return [[sum((w for row, w in chosen if row[k] and row[m]), Fraction(0)) / whole for m in n] for k in n]

    return Law(lines, "sampling = ExplicitSampling(sets, masses)", meaning)
