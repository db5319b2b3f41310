"""The names that a caller's lines may use: the package, numpy, scipy, and files made of cells of
text.
"""

import contextlib
import io
import json
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

import rpttheory
from rpttheory.cli.main import commands, guarded
from rpttheory.eigen import prove_psd
from rpttheory.io import read_data, read_matrix
from rpttheory.problem.smoothness import as_smoothness

_FOLDER = tempfile.TemporaryDirectory(prefix="soundness-")


def written(name: str, text: str) -> str:
    """The path of a file with this text."""
    path = Path(_FOLDER.name) / name
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def table(name: str, cells: Sequence[Sequence[str]]) -> str:
    """The path of a .csv or .txt file with these cells."""
    separator = "," if name.endswith(".csv") else " "
    return written(name, "".join(separator.join(row) + "\n" for row in cells))


def market(cells: Sequence[Sequence[str]], layout: str, symmetry: str) -> str:
    """The path of a Matrix Market file with these cells."""
    rows = len(cells)
    columns = len(cells[0])
    places = [
        (i, j) for j in range(columns) for i in range(j if symmetry == "symmetric" else 0, rows)
    ]
    whole = all(cell.lstrip("+-").isdigit() for row in cells for cell in row)
    head = (
        f"%%MatrixMarket matrix {layout} {'integer' if whole else 'real'} {symmetry}\n{rows}"
        f" {columns}"
    )
    if layout == "array":
        return written("m.mtx", head + "\n" + "".join(cells[i][j] + "\n" for i, j in places))
    kept = [(i, j) for i, j in places if Fraction(cells[i][j]) != 0]
    return written(
        "m.mtx",
        f"{head} {len(kept)}\n" + "".join(f"{i + 1} {j + 1} {cells[i][j]}\n" for i, j in kept),
    )


def command(*arguments: str) -> tuple[int, str, str]:
    """The exit code, output and errors of `rpttheory ...`, run inside this process."""
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as complaints,
    ):
        code = guarded(commands, list(arguments))
    return code, out.getvalue(), complaints.getvalue()


def saved(certificate: dict[str, Any]) -> str:
    """The path of a file with this certificate."""
    return written("proof.json", json.dumps(certificate))


_MORE = [Fraction, Decimal, read_data, read_matrix, as_smoothness, aslinearoperator, prove_psd]
SCOPE: dict[str, Any] = {name: getattr(rpttheory, name) for name in rpttheory.__all__}
SCOPE |= {
    "np": np,
    "sp": sp,
    **{value.__name__: value for value in (*_MORE, table, market, written, saved, command)},
}
