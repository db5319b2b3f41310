"""Forms in which a matrix can be given to Python: arrays, lists, sparse storage, data for a Gram
matrix; files are in `typed`.
"""

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from .families import OTHERS, SEMIDEFINITE, diagonal_rows
from .notation import (
    NUMBERS,
    exact,
    exact_matrix,
    exact_vector,
    nearest_float,
    token,
    vector,
)
from .reals import Rows, gram_of


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
    is_wrapped: bool = False  # L is already an object of the package, so that the caller may meddle


def _rows(rng: random.Random, matrix: Rows, kind: str, *, symmetric: bool) -> str:
    """Python source of rows of numbers; entry (j, i) is written as (i, j) was."""
    items = [
        [token(rng, x, rng.choice(NUMBERS[:3]) if kind == "mixed" else kind) for x in row]
        for row in matrix
    ]
    if symmetric:
        items = [
            [items[min(i, j)][max(i, j)] for j in range(len(items))] for i in range(len(items))
        ]
    return "[" + ", ".join("[" + ", ".join(row) + "]" for row in items) + "]"


def _integral(matrix: Rows) -> Rows:
    """Whole numbers in the place of others."""
    return [[Fraction(round(x)) if abs(x) < 2**70 else Fraction(1) for x in row] for row in matrix]


def _dense(
    rng: random.Random, matrix: Rows, *, symmetric: bool
) -> tuple[str, list[str], list[str]]:
    kind = rng.choice(
        (
            *["float"] * 8,
            "mixed",
            "fraction",
            "decimal",
            "object",
            "longdouble",
            "int",
            "int64",
            "f4",
        )
    )
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
        rows = [
            [Fraction(float(np.float32(min(max(nearest_float(x), -1e38), 1e38)))) for x in row]
            for row in matrix
        ]
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


def _sparse(
    rng: random.Random, matrix: Rows, *, symmetric: bool
) -> tuple[str, list[str], list[str]]:
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
    layout = rng.choice(
        ("csr_array", "csr_array", "csr_array", "csr_matrix", "csc_array", "coo_array", "other")
    )
    if layout == "other":
        name = rng.choice(("bsr_array", "lil_array", "dok_array", "dia_array"))
        inner = _rows(rng, matrix, "float", symmetric=symmetric)
        return name, [f"A = sp.{name}(np.array({inner}))"], []
    major = 1 if layout == "csc_array" else 0
    if layout != "coo_array":
        entries.sort(key=lambda entry: entry[major])  # stable: unsorted inside each row
    numbers = ", ".join(f"np.{dtype}({entry[2]!r})" for entry in entries)
    lines = [f"data = np.array([{numbers}], dtype=np.{dtype})"]
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
        lines.append(
            "data.flags.writeable = indices.flags.writeable = indptr.flags.writeable = False"
        )
        meddling = []
    return f"{layout} {dtype}", lines, meddling


def _pieces(rng: random.Random, value: Fraction, dtype: str) -> list[str]:
    """One stored number, or several that must be added up."""
    several = rng.random() < 0.15
    if dtype in ("int8", "uint8"):
        low, high = (0, 255) if dtype == "uint8" else (-128, 127)
        whole = min(max(round(value) if abs(value) < 10**6 else 1, low), high)
        return [str(whole)] * (1 + several)
    if dtype == "int64":
        whole = round(value) if abs(value) < 2**61 else 2**61 + 1
        return [str(whole), str(2**40)] if several else [str(whole)]
    if dtype == "longdouble":
        quotient = Context(prec=25).divide(Decimal(value.numerator), Decimal(value.denominator))
        return [str(np.longdouble(str(quotient)))]
    number = nearest_float(value)
    if dtype == "float32":
        number = float(np.float32(min(max(number, -1e38), 1e38)))
    if several and abs(number) < 1e300:
        return [repr(number), repr(number * 2.0**-30), repr(number / 4)]
    return [repr(number)]


def _scalar(rng: random.Random, value: Fraction) -> str:
    return token(rng, value, rng.choice(("float", "fraction", "fraction", "decimal")))


FORMS = (
    *["dense"] * 6,
    *["sparse"] * 4,
    *["gram"] * 4,
    "sparse gram",
    "diagonal",
)


def draw_matrix(rng: random.Random, d: int, *, semidefinite: bool) -> Matrix:
    """A matrix of dimension d in some form."""
    families = SEMIDEFINITE if semidefinite or rng.random() < 0.7 else OTHERS
    form = rng.choice(FORMS)
    if "gram" in form:
        return _draw_gram(rng, d, form)
    matrix = rng.choice(families)(rng, d)
    if rng.random() < 0.3 and d > 1:  # entries between some coordinates removed
        cut = rng.randint(1, d - 1)
        matrix = [
            [x if (i < cut) == (j < cut) else Fraction(0) for j, x in enumerate(row)]
            for i, row in enumerate(matrix)
        ]
    if form == "diagonal":
        line = f"v = {vector(rng, [matrix[i][i] for i in range(d)])}"
        meddling = ["v[0] = 5"] if "np.array" in line else []

        def of_diagonal(at: dict[str, Any]) -> Rows:
            return diagonal_rows(exact_vector(at["v"]))

        return Matrix(form, [line], "diagonal(v)", of_diagonal, meddling, True)
    make = _dense if form == "dense" else _sparse
    kind, lines, meddling = make(rng, matrix, symmetric=True)
    is_wrapped = rng.random() < 0.3
    source = "as_smoothness(A)" if is_wrapped else "A"
    if kind == "float" and rng.random() < 0.05:
        form = "operator"
        source = "aslinearoperator(A)"
        is_wrapped = False
    return Matrix(
        f"{form} {kind}", lines, source, lambda at: exact_matrix(at["A"]), meddling, is_wrapped
    )


def _draw_gram(rng: random.Random, d: int, form: str) -> Matrix:
    n = rng.choice((1, 2, 3, 3, 4, 5))
    unit = Fraction(rng.choice((1, 1, 1, 10, 1000)), rng.choice((1, 1, 10, 3, 7)))
    size = rng.choice((1, 3, 9, 9, 2**30, 2**52))
    data = [[rng.randint(-size, size) * unit for _ in range(d)] for _ in range(n)]
    scale = rng.choice(
        (Fraction(1), Fraction(2, n), Fraction(2, n), Fraction(1, 10), Fraction(10) ** -80)
    )
    shift = rng.choice(
        (
            Fraction(0),
            Fraction(0),
            Fraction(1, 5),
            Fraction(1, 10),
            Fraction(1),
            Fraction(1, 10**18),
        )
    )
    make = _sparse if form == "sparse gram" else _dense
    kind, lines, meddling = make(rng, data, symmetric=False)
    lines.append(f"scale, shift = {_scalar(rng, scale)}, {_scalar(rng, shift)}")

    def meaning(at: dict[str, Any]) -> Rows:
        return gram_of(exact_matrix(at["A"]), exact(at["scale"]), exact(at["shift"]))

    return Matrix(f"{form} {kind}", lines, "gram(A, scale, shift)", meaning, meddling, True)
