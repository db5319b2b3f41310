"""The two entry points: a smoothness matrix L, or a data matrix A."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import validation
from ..errors import InvalidInput, RptTheoryError
from ..reals import Reals, SparseReals, from_parsed
from .matrix_market import read_matrix_market
from .numpy_files import read_npy, read_npz
from .packaged import STANDARD_INPUT, located
from .request import Request, brief, printable, stays_sparse
from .text_files import read_text

_BINARY: dict[str, Callable[[Path, Request], Any]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".mtx": read_matrix_market,
}
EXTENSIONS = (".npy", ".npz", ".csv", ".txt", ".mtx")
TARGET = "target"


@dataclass(frozen=True, eq=False)
class DataMatrix:
    """A data matrix A, one row per example and one column per feature.

    Parameters
    ----------
    values : ndarray, csr_array, Reals or SparseReals
        The n x d numbers, read-only; an ordinary array where doubles hold them all.
    columns : tuple of str
        The names of the d columns, or empty if the file has none.
    left_out : tuple of str
        Columns of the file that are not in `values`: a column named ``target`` is what the features
        should predict, so it has no place in A'A. Whoever prints a result should say so.
    """

    values: Any
    columns: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def read_matrix(path: str | os.PathLike[str], *, symmetrize: bool = False, notes: list[str] | None = None) -> Any:
    """A smoothness matrix from a file, as written: finite, square, not empty, equal to its transpose.

    Parameters
    ----------
    path : path
        A .npy, .npz, .csv, .txt or .mtx file, or ``dataset:NAME`` for one that comes with the package.
    symmetrize : bool
        Replace L by (L + L')/2 instead of refusing a matrix that is not symmetric.
    notes : list of str, optional
        What the file left to be guessed is appended to it, in words: whoever prints a result should say so.

    Returns
    -------
    ndarray, csr_array, Reals, SparseReals or Smoothness
        What every function of the package takes for L: an ordinary array where doubles hold the numbers.
        Sparse if the file is sparse, less than a quarter filled and larger than 200 x 200.

    Raises
    ------
    InvalidInput
        If the file cannot be read or does not hold such a matrix.
    """
    with _naming(path), located(path) as file:
        values, _ = _load(file, Request("L", square=True, notes=[] if notes is None else notes))
        return _symmetric(values, symmetrize=symmetrize)


def read_data(path: str | os.PathLike[str], *, notes: list[str] | None = None) -> DataMatrix:
    """A data matrix from a file: finite, not empty, of any shape.

    A column that the header of a text file names ``target`` is left out, and named in `left_out`.

    Parameters
    ----------
    path : path
        As for `read_matrix`, whose errors this raises, too.
    notes : list of str, optional
        As for `read_matrix`.
    """
    with _naming(path), located(path) as file:
        values, names = _load(file, Request("A", square=False, notes=[] if notes is None else notes))
        left_out = tuple(name for name in names if name == TARGET)
        names = tuple(name for name in names if name != TARGET)
        if notes is not None:
            near = (name for name in names if name.lower() == TARGET)
            notes += [f"column '{name}' is taken as data; only one named {TARGET} is left out" for name in near]
        return DataMatrix(_plain(values), names, left_out)


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the file's name before every message: who passes several files must know which one is meant."""
    try:
        yield
    except RptTheoryError as error:
        given = "standard input" if os.fspath(path) == STANDARD_INPUT else Path(path).name or str(path)
        name = printable(given, limit=100)
        raise type(error)(f"{name}: {error.what}", error.found, error.remedy) from None


def _load(path: Path, request: Request) -> tuple[Reals | SparseReals, tuple[str, ...]]:
    """The numbers of a file, all of them checked, and the names of its columns.

    A data matrix comes without its target, which need not even be finite; the name is still there.
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
            near, exact, names = read_text(path, request)
            if TARGET in names and not request.square:
                kept = [name != TARGET for name in names]
                near, exact = near[:, kept], None if exact is None else exact[:, kept]
            request.require_matrix(near.shape)
            return from_parsed(near, exact, request.name), names
        values = _BINARY[extension](path, request)
        if isinstance(values, SparseReals):
            return values if stays_sparse(values.shape, values.matrix.nnz) else values.toarray(), names
    except (OSError, MemoryError) as error:  # the disk fails, or another process has taken the memory
        raise InvalidInput("cannot be read", brief(error), "try again, or another file") from None
    if isinstance(values, np.ndarray):
        request.require_real(values.dtype)
    request.require_matrix(values.shape)  # not its size again: the memory it takes is no longer available
    return validation.check_matrix(values, request.name), names


def _require_file(path: Path) -> None:
    """Raise unless there is a regular file with something in it that we may read."""
    shown = printable(str(path), limit=200)
    start = b""
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):  # opening a pipe would wait for its writer
            with path.open("rb") as stream:
                start = stream.read(1)
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidInput("no such file", shown, "check the spelling and the directory") from None
    except PermissionError:
        raise InvalidInput("must be readable", f"permission denied: {shown}", "chmod +r, or another file") from None
    except (OSError, ValueError) as error:  # a name too long, a null byte, a loop of links, a failing disk
        raise InvalidInput("cannot be opened", brief(error), "check the path") from None
    if stat.S_ISDIR(mode):
        raise InvalidInput("must be a file", f"a directory: {shown}", "a file in that directory")
    if not stat.S_ISREG(mode):
        raise InvalidInput("must be a regular file", f"a pipe or device: {shown}", "- for standard input, or a file")
    if not start:
        raise InvalidInput("must not be empty", "0 bytes", "write the file again")


def _symmetric(values: Reals | SparseReals, *, symmetrize: bool) -> Any:
    """L as it was given where that is symmetric, else (L + L')/2 if wanted."""
    try:
        if isinstance(values, SparseReals):
            validation.require_sparse_symmetry(values, "L")
        else:
            validation.check_symmetric_matrix(values, "L")
    except InvalidInput as error:
        if not symmetrize:
            raise InvalidInput(error.what, error.found, "symmetrize=True  (uses (L + L')/2)") from None
        from ..problem.smoothness import symmetric_part

        return symmetric_part(values)
    return _plain(values)


def _plain(values: Reals | SparseReals) -> Any:
    """An ordinary array where doubles hold the numbers."""
    if values.exact is not None:
        return values
    return values.matrix if isinstance(values, SparseReals) else values.near
