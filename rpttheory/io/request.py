"""The matrix that a caller expects in a file, and checks that need only the file's header."""

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

from ..errors import InvalidInput, RptTheoryError, escaped
from . import memory

REWRITE = "write the file again; it may be cut short or damaged"

SPARSE_FILL = 0.25
SPARSE_DIMENSION = 200
EMPTY_SIDES = 10**7
SIDES_PER_ENTRY = 100
"""Rows and columns that a sparse matrix may have in any case, or for each entry: empty ones take
memory too.
"""
LONGEST_LINE = 2**24
TARGET = "target"
"""The name of the column that is left out of a data matrix unless another one is named."""
_WHOLE = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True)
class Request:
    """A smoothness matrix L (square) or a data matrix A (any shape).

    Parameters
    ----------
    name : str
        What the matrix is called in messages.
    square : bool
        True if a matrix that is not square must be refused.
    notes : list of str
        Readers append what they had to guess.
    target : str or int, optional
        The column of a data matrix that is not a feature; one named ``target`` by default.
    drop : tuple of str and int
        More columns to leave out.
    """

    name: str
    square: bool
    notes: list[str] = field(default_factory=list)
    target: str | int | None = None
    drop: tuple[str | int, ...] = ()

    def dropped_columns(self, names: Sequence[str], count: int) -> tuple[int, ...]:
        """Return the numbers of the columns to leave out, in ascending order.

        Parameters
        ----------
        names : sequence of str
            The names of all columns; empty where the file has none.
        count : int
            The number of columns.
        """
        if self.square:
            return ()
        dropped = {_column_number(column, names, count) for column in self.drop}
        if self.target is not None:
            dropped.add(_column_number(self.target, names, count))
        else:
            dropped |= {number for number, name in enumerate(names) if name == TARGET}
        if len(dropped) == count:
            raise InvalidInput(
                "must not be empty",
                f"all {count} column(s) are left out",
                "fewer of them",
                argument=self.name,
            )
        return tuple(sorted(dropped))

    def admit(self, shape: Sequence[int], *, entries: int | None = None) -> None:
        """Raise on a shape that cannot be used or would not fit in memory.

        Parameters
        ----------
        shape : sequence of int
            The shape that the file announces.
        entries : int, optional
            An upper bound on the stored entries, if the file is sparse.
        """
        self.require_matrix(shape)
        rows, columns = shape
        if entries is not None and stays_sparse((rows, columns), entries):
            size = f"{_by(shape)} with {entries} entries"
            memory.require_room(16 * entries + 8 * (rows + columns), self.name, size)
            if rows + columns > max(EMPTY_SIDES, SIDES_PER_ENTRY * entries):
                remedy = "leave empty rows and columns out"
                raise InvalidInput("must not be all but empty", size, remedy, argument=self.name)
        else:
            memory.require_room(8 * rows * columns, self.name, _by(shape))

    def require_matrix(self, shape: Sequence[int]) -> None:
        """Raise on a shape that cannot be used."""
        remedy = (
            "`gram(A)` if it is a data matrix A, or numpy.diag(v) if it is a diagonal v"
            if self.square
            else "a 2-D array, such as v.reshape(-1, 1)"
        )
        if len(shape) != 2:
            detail = f"shape {_by(shape)}" if shape else "a single number"
            raise InvalidInput("must be a matrix", detail, remedy, argument=self.name)
        rows, columns = shape
        if rows < 1 or columns < 1:
            raise InvalidInput(
                "must not be empty", f"shape {_by(shape)}", "at least one entry", argument=self.name
            )
        if self.square and rows != columns:
            raise InvalidInput("must be square", f"shape {_by(shape)}", remedy, argument=self.name)

    def require_real(self, dtype: np.dtype[Any]) -> None:
        """Raise unless the entries are real numbers."""
        if dtype.hasobject:
            raise InvalidInput(
                "must not be pickled",
                "an array of Python objects, which only unpickling could read",
                "numpy.save(file, array.astype(float))",
                argument=self.name,
            )
        if dtype.kind == "c":
            raise InvalidInput(
                "must be real",
                f"complex numbers ({dtype})",
                "the real part, if that is meant",
                argument=self.name,
            )
        if dtype.kind not in "fiub":
            raise InvalidInput(
                "must hold real numbers",
                f"dtype {dtype}"[:80],
                "float64 values",
                argument=self.name,
            )


def _column_number(column: str | int, names: Sequence[str], count: int) -> int:
    """Return the number of a column given by its name, or by its number counting from 0 (from the
    end if negative).
    """
    places = [
        number for number, name in enumerate(names) if isinstance(column, str) and name == column
    ]
    if len(places) > 1:
        detail = f"{len(places)} columns named {printable(str(column))!r}"
        raise InvalidInput(
            "the columns to leave out must be unique", detail, f"numbers from 0 to {count - 1}"
        )
    if places:
        return places[0]
    if isinstance(column, (int, np.integer)) or (
        isinstance(column, str) and _WHOLE.fullmatch(column)
    ):
        number = int(column)
        if -count <= number < count:
            return number % count
    choices = f"one of {listed(names)}, or a number" if names else "a number"
    detail = f"{printable(str(column))!r}"
    raise InvalidInput("no such column", detail, f"{choices} from 0 to {count - 1}")


def _by(shape: Sequence[int]) -> str:
    return printable(" x ".join(str(length) for length in shape))


def stays_sparse(shape: tuple[int, int], entries: int) -> bool:
    """Return whether a matrix stays sparse: large, and less than a quarter filled.

    Below these sizes dense algorithms are as fast, and their certificates are sharper.
    """
    return max(shape) > SPARSE_DIMENSION and entries < SPARSE_FILL * shape[0] * shape[1]


def capped_lines(stream: IO[str]) -> Iterator[str]:
    """Yield the lines of a text file; raise on one that would fill the memory."""
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise InvalidInput(
                "lines must be shorter",
                f"one of more than {LONGEST_LINE} characters",
                "a line for each row",
            )
        yield line


@contextmanager
def decoding(kind: str) -> Iterator[None]:
    """Turn whatever a decoder of numpy or scipy raises into InvalidInput.

    Decoders of numpy and scipy raise a dozen types on damaged bytes, and none promises a list, so
    every `Exception` is caught. A `ValueError` raised inside by our own look at the bytes says the
    same; nothing else of ours belongs here, because a mistake would be blamed on the file. Warnings
    are silenced because the checks that follow look at the values themselves.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except RptTheoryError:
        raise
    except Exception as error:
        raise InvalidInput(f"not a readable {kind} file", brief(error), REWRITE) from None


def brief(error: Exception) -> str:
    """Return the first line of an error, short enough for one line of a terminal."""
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else type(error).__name__
    if type(error) is not ValueError and lines:  # others may say no more than a key or a number
        text = f"{type(error).__name__}: {text}"
    return printable(text, limit=160)


def printable(text: str, *, limit: int = 60) -> str:
    """Return text from a file without control characters and undecodable bytes, cut to `limit`."""
    return escaped(text if len(text) <= limit else text[: limit - 3] + "...")


def listed(names: Sequence[str], *, limit: int = 30) -> str:
    """Return the names from a file as text; of more than `limit`, the first ones and the last."""
    if len(names) > limit:
        names = [*names[: limit - 5], "...", *names[-5:]]
    return ", ".join(printable(name) for name in names)
