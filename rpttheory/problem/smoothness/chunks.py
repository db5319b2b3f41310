"""Data in chunks of rows: where they lie, how one is read, and sums over all of them in one fixed
order.

A chunk is read where it is worked on, by a name and a place; whoever keeps chunks offers the two
methods of `Chunks`. Every reading computes a CRC-32 of the numbers in memory, and `apply_unchanged`
compares it with that of the first reading. If they differ, an error says which chunk changed; file
sizes and times do not matter. Two readings with the same checksum are taken for the same numbers:
an accidental change escapes about once in 2^32 times, and one that was made to have the same
checksum always does.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...eigen.pencil import Matrix
from ...errors import InvalidInput, errors_at, one_line
from ...numbers.exact_array import FloatArray, exact_array

T = TypeVar("T")


class DaskArray(Protocol):
    """What is used of a `dask.array.Array`; dask is no requirement."""

    ndim: int

    def rechunk(self, chunks: dict[int, int]) -> DaskArray:
        """Return the array with other chunks."""

    def to_delayed(self) -> NDArray[np.object_]:
        """Return the chunks, not yet computed."""


RowFiles = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | DaskArray

# A chunk: its name in messages; a path, or a value that dask computes; the rows of a .npy file that
# it is; its number.
Source = tuple[str, Any, int, int, int]

# A .npy file is read by memory map, in pieces of at most 64 MiB as doubles.
_PIECE = 2**26
# The number of terms of a sum, and of a sum of sums: few enough to hold at once.
_TERMS = 8


@dataclass(frozen=True)
class Chunk:
    """Rows of A in memory, and a checksum of them."""

    name: str
    number: int
    matrix: Matrix
    checksum: int


class Chunks(Protocol):
    """Chunks of rows, here or elsewhere; functions are at module level, for they may be sent."""

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return function(chunk, *arguments) for every chunk."""

    def add_up(self, function: Callable[..., FloatArray], *arguments: Any) -> FloatArray:
        """Return the sum of function(chunk, *arguments), by `in_order`."""


class ChunkKeeper(Protocol):
    """An executor that keeps chunks, such as `rpttheory.runs.cluster.Cluster`."""

    def keep(self, load: Callable[..., Chunk], sources: Sequence[Source]) -> Chunks:
        """Load `load(*source)` for each source, and keep the chunks."""


@dataclass(frozen=True)
class StreamedChunks:
    """Chunks that are read anew each time, one after the other: memory holds one."""

    sources: tuple[Source, ...]

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        return [function(load(*source), *arguments) for source in self.sources]

    def add_up(self, function: Callable[..., FloatArray], *arguments: Any) -> FloatArray:
        return in_order(
            len(self.sources), lambda k: function(load(*self.sources[k]), *arguments), total
        )


def apply_unchanged(
    chunk: Chunk, checksums: tuple[int, ...], function: Callable[..., Any], *arguments: Any
) -> Any:
    """Return function(rows, *arguments) for the rows of a chunk; raise if its checksum is another
    than that of the first reading.
    """
    expected = checksums[chunk.number]
    if chunk.checksum != expected:
        raise InvalidInput(
            f"{chunk.name}: data must not change while they are in use",
            f"checksum {chunk.checksum:08x} after {expected:08x}",
            "gram_from_files again, of files that no other program writes",
        )
    return function(chunk.matrix, *arguments)


def checksum_of(matrix: Matrix) -> int:
    """Return the CRC-32 of the shape and the numbers of a chunk; of the indices as well if it is
    sparse.
    """
    arrays = (
        [matrix] if isinstance(matrix, np.ndarray) else [matrix.data, matrix.indices, matrix.indptr]
    )
    checksum = zlib.crc32(repr((matrix.shape, len(arrays))).encode())
    for array in arrays:
        checksum = zlib.crc32(np.ascontiguousarray(array).data, checksum)
    return checksum


def in_order(
    count: int, leaf: Callable[[int], T], add: Callable[[Iterator[T]], T], first: int = 0
) -> T:
    """Add up sums of eight neighbors, then of eight such sums, and so on: the roundings do not
    depend on who computes what.
    """
    if count == 1:
        return leaf(first)
    step = 1
    while step * _TERMS < count:
        step *= _TERMS
    return add(
        in_order(min(step, first + count - start), leaf, add, start)
        for start in range(first, first + count, step)
    )


def total(parts: Iterable[FloatArray]) -> FloatArray:
    """Return the sum of arrays, added one after the other."""
    stream = iter(parts)
    added = np.array(next(stream))
    for part in stream:
        added += part
    return added


def sources_of(data: RowFiles) -> tuple[Source, ...]:
    """Return the chunks of a folder, of files or of a dask array; only headers of .npy files are
    read.
    """
    if not isinstance(data, (str, os.PathLike, Sequence)) and hasattr(data, "to_delayed"):
        if data.ndim != 2:
            raise InvalidInput(
                "must be a matrix",
                f"a dask array of {data.ndim} dimensions",
                "a 2-D array",
                argument="A",
            )
        blocks = data.rechunk({1: -1}).to_delayed()[:, 0]
        return tuple((f"chunk {k} of the array", block, 0, 0, k) for k, block in enumerate(blocks))
    if isinstance(data, (str, os.PathLike)):
        folder = Path(data)
        files: Sequence[Path] = [folder]
        if folder.is_dir():
            files = sorted(path for path in folder.iterdir() if _is_chunk(path))
            if not files:
                raise InvalidInput(
                    f"{folder.name}: no chunks",
                    "no .npy or .npz file in it",
                    "a folder of row blocks",
                )
    else:
        if not isinstance(data, (list, tuple)) or not all(
            isinstance(path, (str, os.PathLike)) for path in data
        ):
            raise InvalidInput(
                "must say where the rows are",
                type(data).__name__,
                "a folder, paths, or gram(A)",
                argument="data",
            )
        files = [Path(path) for path in data]
        if not files:
            raise InvalidInput(
                "must have chunks", "an empty list", "paths of .npy or .npz files", argument="A"
            )
    pieces = (piece for path in files for piece in _pieces(path))
    return tuple((*piece, number) for number, piece in enumerate(pieces))


def _is_chunk(path: Path) -> bool:
    """Return whether a file in a folder holds rows; hidden files, which other programs leave
    behind, do not.
    """
    return path.suffix.lower() in (".npy", ".npz") and not path.name.startswith(".")


def _pieces(path: Path) -> Iterator[tuple[str, Any, int, int]]:
    place = str(path.resolve())
    extension = path.suffix.lower()
    if extension == ".npz":
        yield path.name, place, 0, 0
        return
    if extension != ".npy":
        raise InvalidInput(
            f"{path.name}: unknown kind of chunk", f"extension {path.suffix!r}", ".npy or .npz"
        )
    array = _mapped(path.name, place)
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInput(
            f"{path.name}: A must be a matrix",
            f"shape {array.shape}",
            "a 2-D array that is not empty",
        )
    rows = array.shape[0]
    step = max(1, _PIECE // (8 * array.shape[1]))
    for first in range(0, rows, step):
        last = min(first + step, rows)
        yield (
            path.name if step >= rows else f"{path.name}, rows {first} to {last - 1}",
            place,
            first,
            last,
        )


def _mapped(name: str, path: str) -> Any:
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except Exception as error:
        raise _unreadable(name, error) from None


def load(name: str, source: Any, first: int, last: int, number: int) -> Chunk:
    """Read one chunk into memory, with its checksum."""
    matrix = _read_rows(name, source, first, last)
    return Chunk(name, number, matrix, checksum_of(matrix))


def _read_rows(name: str, source: Any, first: int, last: int) -> Matrix:
    """Return doubles, all finite, in a dense array or in compressed rows or columns without doubled
    entries.
    """
    if isinstance(source, str):
        source = _mapped(name, source)[first:last] if last else _packed(name, source)
    elif hasattr(source, "dask"):
        source = source.compute(scheduler="synchronous")
    if sp.issparse(source):
        if source.format not in ("csr", "csc"):
            raise InvalidInput(f"{name}: unknown sparse format", source.format, "csr or csc")
        kind = sp.csr_array if source.format == "csr" else sp.csc_array
        matrix = kind(
            (_doubles(name, source.data), source.indices, source.indptr), shape=source.shape
        )
        if not matrix.has_sorted_indices:
            matrix = matrix.sorted_indices()  # a copy: the indices may be the caller's
        if not matrix.has_canonical_format:
            remedy = "matrix.sum_duplicates() before it is saved"
            raise InvalidInput(
                f"{name}: A must have one entry at each place", "several at one place", remedy
            )
        return matrix
    array = np.asarray(source)
    if array.ndim != 2:
        raise InvalidInput(f"{name}: A must be a matrix", f"shape {array.shape}", "a 2-D array")
    return _doubles(name, array)


def _packed(name: str, path: str) -> Any:
    """Return the matrix that `scipy.sparse.save_npz` wrote; scipy would follow damaged indices out
    of their arrays.
    """
    try:
        matrix = sp.load_npz(path)
        if matrix.format in ("csr", "csc"):
            matrix.check_format(full_check=True)
        return matrix
    except Exception as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: Exception) -> InvalidInput:
    return InvalidInput(
        f"{name}: cannot be read",
        one_line(error),
        "numpy.save or scipy.sparse.save_npz write such files",
    )


def _doubles(name: str, values: Any) -> FloatArray:
    """Return a copy of numbers that doubles hold exactly; raise InvalidInput for others."""
    with errors_at(name):
        numbers = exact_array(values, "A")
        if numbers.exact is not None:
            detail = f"dtype {values.dtype}, numbers that are no doubles"
            raise InvalidInput("must hold doubles", detail, "float64", argument="A")
    return numbers.float64
