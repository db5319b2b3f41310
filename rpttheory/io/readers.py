"""The two entry points: a smoothness matrix L, or a data matrix A."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput, errors_at
from ..numbers import checks
from ..numbers.exact_array import ExactArray, SparseExactArray, from_entries, from_parsed
from .matrix_market import read_matrix_market
from .numpy_files import read_npy, read_npz
from .packaged import STANDARD_INPUT, located
from .request import TARGET, Request, brief, printable, stays_sparse
from .text_files import read_text

_BINARY: dict[str, Callable[[Path, Request], Any]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".mtx": read_matrix_market,
}
EXTENSIONS = (".npy", ".npz", ".csv", ".txt", ".mtx")


@dataclass(frozen=True, eq=False)
class DataMatrix:
    """A data matrix A, one row per example and one column per feature.

    Parameters
    ----------
    values : ndarray, csr_array, ExactArray or SparseExactArray
        The n x d numbers, read-only; an ordinary array where doubles hold them all.
    columns : tuple of str
        The names of the d columns, or empty if the file has none.
    left_out : tuple of str
        Columns of the file that are not in `values`, by name, or by number where they have none.
        Reports say so.
    """

    values: Any
    columns: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def read_matrix(
    path: str | os.PathLike[str],
    *,
    symmetrize: bool = False,
    notes: list[str] | None = None,
    names: list[str] | None = None,
) -> Any:
    """Read a smoothness matrix from a file, exactly as written: finite, square, not empty,
    symmetric up to rounding.

    Parameters
    ----------
    path : path
        A .npy, .npz, .csv, .txt or .mtx file, or ``dataset:NAME`` for one that comes with the
        package.
    symmetrize : bool
        Replace L by (L + L')/2 instead of refusing a matrix that is not symmetric. A matrix with
        |L_ij - L_ji| <= 1e-12 sqrt(L_ii L_jj) is always replaced, and reports say so.
    notes : list of str, optional
        What the file left to be guessed is appended to it, in words: whoever prints a result should
        say so.
    names : list of str, optional
        The names of the columns are appended to it, if the file has any.

    Returns
    -------
    ndarray, csr_array, ExactArray, SparseExactArray or Smoothness
        What every function of the package takes for L: an ordinary array where doubles hold the
        numbers. Sparse if the file is sparse, less than a quarter filled and larger than 200 x 200.

    Raises
    ------
    InvalidInput
        If the file cannot be read or does not hold such a matrix.
    """
    with errors_at(_shown(path)), located(path) as file:
        request = Request("L", square=True, notes=[] if notes is None else notes)
        values, header, _ = _load(file, request)
        if names is not None:
            names += header
        return _symmetric(values, symmetrize=symmetrize)


def read_data(
    path: str | os.PathLike[str],
    *,
    target: str | int | None = None,
    drop: Sequence[str | int] = (),
    notes: list[str] | None = None,
) -> DataMatrix:
    """Read a data matrix from a file: finite, not empty, of any shape.

    Parameters
    ----------
    path : path
        As for `read_matrix`, whose errors this raises, too.
    target : str or int, optional
        The column that the features should predict, which has no place in A'A: its name, or its
        number counting from
        0. By default a column that the header of a text file names ``target``.
    drop : sequence of str and int, optional
        More columns to leave out. Columns that are left out of a text file need not hold numbers.
    notes : list of str, optional
        As for `read_matrix`.
    """
    with errors_at(_shown(path)), located(path) as file:
        all_notes: list[str] = [] if notes is None else notes
        if isinstance(drop, str) or not isinstance(drop, Sequence):
            raise InvalidInput(
                "must be a list of columns",
                repr(drop)[:80],
                argument="drop",
                suggest={"drop": ["id", 3]},
            )
        request = Request("A", square=False, notes=all_notes, target=target, drop=tuple(drop))
        values, names, dropped = _load(file, request)
        features = tuple(name for number, name in enumerate(names) if number not in dropped)
        left_out = tuple(names[number] if names else str(number) for number in dropped)
        if target is None:
            similar = (name for name in features if name.lower() == TARGET)
            all_notes += [
                f"column '{name}' is taken as data; only one named {TARGET} is left out"
                for name in similar
            ]
        return DataMatrix(_plain(values), features, left_out)


def _shown(path: str | os.PathLike[str]) -> str:
    """Return the name of a file as errors show it."""
    if os.fspath(path) == STANDARD_INPUT:
        return "standard input"
    return printable(Path(path).name or str(path), limit=100)


def _load(
    path: Path, request: Request
) -> tuple[ExactArray | SparseExactArray, tuple[str, ...], tuple[int, ...]]:
    """Return the numbers of a file, all of them checked, the names of all columns, and which
    columns are left out.

    A data matrix comes without the columns that are left out, which need not even be finite.
    """
    extension = path.suffix.lower()
    _require_file(path)
    if extension == ".mat":
        name = printable(path.name)
        remedy = f'L = scipy.io.loadmat("{name}")["L"]; numpy.save("L.npy", L)'
        raise InvalidInput("MATLAB files are not supported", "extension '.mat'", remedy)
    if extension not in EXTENSIONS:
        raise InvalidInput(
            "unknown kind of file",
            f"extension {printable(extension)!r}" if extension else "no extension",
            "one of " + ", ".join(EXTENSIONS),
        )
    names: tuple[str, ...] = ()
    try:
        if extension in (".csv", ".txt"):
            numbers, exact, names, dropped = read_text(path, request)
            request.require_matrix(numbers.shape)
            return from_parsed(numbers, exact, request.name), names, dropped
        values = _BINARY[extension](path, request)
        if isinstance(values, SparseExactArray):
            dropped = request.dropped_columns((), values.shape[1])
            values = _without_columns(values, dropped)
            dense = not stays_sparse(values.shape, values.matrix.nnz)
            return values.toarray() if dense else values, names, dropped
    except (
        OSError,
        MemoryError,
    ) as error:  # the disk fails, or another process has taken the memory
        raise InvalidInput("cannot be read", brief(error), "try again, or another file") from None
    if isinstance(values, np.ndarray):
        request.require_real(values.dtype)
    request.require_matrix(
        values.shape
    )  # not its size again: the memory it takes is no longer available
    dropped = request.dropped_columns((), int(values.shape[1]))
    if dropped:
        values = values[:, np.delete(np.arange(values.shape[1]), dropped)]
    return checks.check_matrix(values, request.name), names, dropped


def _without_columns(values: SparseExactArray, dropped: tuple[int, ...]) -> SparseExactArray:
    """Return a sparse matrix without some of its columns."""
    if not dropped:
        return values
    rows, columns = values.shape
    numbers = np.cumsum(~np.isin(np.arange(columns), dropped)) - 1
    stays = ~np.isin(values.matrix.indices, dropped)
    row = np.repeat(np.arange(rows), np.diff(values.matrix.indptr))[stays]
    column = numbers[values.matrix.indices[stays]].astype(np.int64)
    entries = ExactArray(values.matrix.data, values.exact)[stays]
    return from_entries(entries, row, column, (rows, columns - len(dropped)))


def _require_file(path: Path) -> None:
    """Raise unless there is a regular file with something in it that we may read."""
    path_text = printable(str(path), limit=200)
    start = b""
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):  # opening a pipe would wait for its writer
            with path.open("rb") as stream:
                start = stream.read(1)
    except (OSError, ValueError) as error:  # also for a name too long or a null byte
        reason = getattr(error, "strerror", None) or brief(error)
        raise InvalidInput("cannot be opened", f"{path_text}: {reason}", "check the path") from None
    if stat.S_ISDIR(mode):
        raise InvalidInput(
            "must be a file", f"a directory: {path_text}", "a file in that directory"
        )
    if not stat.S_ISREG(mode):
        raise InvalidInput(
            "must be a regular file",
            f"a pipe or device: {path_text}",
            "- for standard input, or a file",
        )
    if not start:
        raise InvalidInput("must not be empty", "0 bytes", "write the file again")


def _symmetric(values: ExactArray | SparseExactArray, *, symmetrize: bool) -> Any:
    """Return a symmetric matrix as it is, else (L + L')/2 if `symmetrize` or if they differ by
    rounding only.
    """
    if not isinstance(values, SparseExactArray):
        checks.check_square_matrix(values, "L")
    asymmetry = checks.find_asymmetry(values)
    if asymmetry is None:
        return _plain(values)
    if not (symmetrize or asymmetry.is_rounding):
        raise asymmetry.refusal("L", "which uses (L + L')/2", {"symmetrize": True})
    from ..problem.smoothness import symmetric_part

    return symmetric_part(values, asymmetry.relative)


def _plain(values: ExactArray | SparseExactArray) -> Any:
    """Return an ordinary array where doubles hold the numbers."""
    if values.exact is not None:
        return values
    return values.matrix if isinstance(values, SparseExactArray) else values.float64
