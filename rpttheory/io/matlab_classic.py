""".mat files of versions 4 to 7, the ones that are not HDF5.

scipy's reader is not used: on some damaged files it ends the whole process. Numeric matrices are the simple
part of the format. The tests compare the two readers on sound files.
"""

from __future__ import annotations

import math
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..reals import SparseReals
from . import memory
from .matlab_variable import Variable, only_matrix
from .request import Request
from .sparse import from_columns, from_entries, to_reals

if TYPE_CHECKING:
    from scipy.sparse import coo_array

Array = np.ndarray[Any, np.dtype[Any]]

HEADER = 128
MATRIX, COMPRESSED = 14, 15
COMPLEX, LOGICAL = 0x0800, 0x0200
STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
UINT8 = 2
CLASSES = (
    *("unknown", "cell", "struct", "object", "char", "sparse", "double", "single"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "function", "opaque"),
)
OPENING = 4096
"""Bytes of a variable that are read, and unpacked, to learn its name and size."""
LONGEST_NAME = 4096
SHORTEST_ENTRY = 5
"""Bytes of one sparse entry: a four-byte row index, and a value that MATLAB may write as one byte."""

CLASSES_4 = ("double", "single", "int32", "int16", "uint16", "uint8")
STORED_4 = ("f8", "f4", "i4", "i2", "u2", "u1")
FULL_4, TEXT_4, SPARSE_4 = 0, 1, 2


@dataclass(frozen=True)
class _Packed(Variable):
    """A variable of version 5 to 7: where it lies in the file, and its length there and unpacked."""

    compressed: bool
    length: int
    start: int
    stored: int


def read_version_5(stream: IO[bytes], order: str, request: Request) -> Array | SparseReals:
    """The only numeric matrix of a file of version 5 to 7; `order` is its byte order, ``<`` or ``>``."""
    chosen = only_matrix(_variables_5(stream, order), request)
    memory.require_room(chosen.length, request.name, "the variable", copies=1)
    if chosen.compressed:
        memory.require_content(chosen.length, chosen.stored)
        body = memoryview(_unpack(_read(stream, chosen.start, chosen.stored), 8 + chosen.length))[8:]
    else:
        body = memoryview(_read(stream, chosen.start, chosen.stored))
    parts = list(_elements(body, order))[3:]
    if chosen.kind == "sparse":
        return to_reals(_sparse_5(parts, order, chosen.shape), request)
    (part,) = parts
    return _numbers(*part, order).reshape(chosen.shape, order="F")


def _sparse_5(parts: list[tuple[int, memoryview]], order: str, shape: tuple[int, ...]) -> coo_array:
    rows, starts = (_numbers(*part, order) for part in parts[:2])
    ((kind, values),) = parts[2:]
    if len(values) == len(rows):  # MATLAB labels the bytes of a logical matrix as doubles
        kind = UINT8
    return from_columns(_numbers(kind, values, order), rows, starts, shape)


def _variables_5(stream: IO[bytes], order: str) -> Iterator[_Packed]:
    position, end = HEADER, stream.seek(0, os.SEEK_END)
    while position < end:
        kind, length = struct.unpack(order + "II", _read(stream, position, 8))
        start, stored = position + 8, length
        position = start + stored
        if position > end:
            raise ValueError(f"{end - start} bytes where {stored} are announced")
        opening = memoryview(_read(stream, start, min(stored, OPENING)))
        compressed = kind == COMPRESSED
        if compressed:
            opening = memoryview(zlib.decompressobj().decompress(opening, OPENING))
            kind, length = struct.unpack_from(order + "II", opening)
            opening = opening[8:]
        if kind != MATRIX:
            raise ValueError(f"an element of type {kind}")
        described = _describe_5(opening, order, length)
        if described.name:  # what has no name belongs to function handles
            yield _Packed(**vars(described), compressed=compressed, length=length, start=start, stored=stored)


def _describe_5(opening: memoryview, order: str, length: int) -> Variable:
    parts = _elements(opening, order)
    flags, _ = struct.unpack(order + "II", next(parts)[1])
    shape = tuple(int(extent) for extent in _numbers(*next(parts), order))
    name = bytes(next(parts)[1]).decode("latin-1")
    kind = CLASSES[flags & 0xFF]
    entries = length // SHORTEST_ENTRY if kind == "sparse" else None
    if flags & LOGICAL and kind != "sparse":
        kind = "logical"
    return Variable(name, kind, shape, entries, bool(flags & COMPLEX))


def _elements(content: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """The parts of a variable; up to four bytes share eight with their tag, more are padded to eights."""
    position = 0
    while position < len(content):
        kind, length = struct.unpack_from(order + "II", content, position)
        start = position + 8
        position = start + length + -length % 8
        if kind >> 16:
            kind, length, start, position = kind & 0xFFFF, kind >> 16, start - 4, start
        part = content[start : start + length]
        if len(part) != length or start + length > position:
            raise ValueError("a part longer than its variable")
        yield kind, part


def _numbers(kind: int, part: memoryview, order: str) -> Array:
    return np.frombuffer(part, dtype=order + STORED[kind])


def _read(stream: IO[bytes], start: int, length: int) -> bytes:
    """Exactly `length` bytes of the file, which the caller knows to be of sensible number."""
    stream.seek(start)
    content = stream.read(length)
    if len(content) != length:
        raise ValueError("cut short")
    return content


def _unpack(packed: bytes, length: int) -> bytes:
    """Exactly `length` bytes: what unpacks to more than it announces is never held in memory."""
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(packed, length)
    more = unpacker.decompress(unpacker.unconsumed_tail, 1)
    if len(content) != length or more or not unpacker.eof:
        raise ValueError(f"a compressed variable that is not of {length} bytes")
    return content


@dataclass(frozen=True)
class _Plain(Variable):
    """A variable of version 4, and where the table of its numbers lies in the file."""

    dtype: np.dtype[Any]
    start: int
    table: tuple[int, int]


def read_version_4(stream: IO[bytes], request: Request) -> Array | SparseReals:
    """The only numeric matrix of a file of version 4."""
    chosen = only_matrix(_variables_4(stream), request)
    content = _read(stream, chosen.start, math.prod(chosen.table) * chosen.dtype.itemsize)
    numbers = np.frombuffer(content, chosen.dtype).reshape(chosen.table, order="F")
    if chosen.kind != "sparse":
        return numbers
    row, column, values = numbers[:-1].T
    places = [index.astype(np.int64) for index in (row, column)]
    if not (np.array_equal(places[0], row) and np.array_equal(places[1], column)):
        raise ValueError("an index that is not a whole number")
    return to_reals(from_entries(values, places[0] - 1, places[1] - 1, chosen.shape), request)


def _variables_4(stream: IO[bytes]) -> Iterator[_Plain]:
    """Each variable is five integers, the name and the numbers, column by column."""
    position, end = 0, stream.seek(0, os.SEEK_END)
    while position < end:
        header = _read(stream, position, 20)
        order = "<" if struct.unpack_from("<I", header)[0] < 1000 else ">"
        code, rows, columns, imaginary, name_length = struct.unpack(order + "5I", header)
        machine, stored, form = code // 1000, code // 10 % 100, code % 10
        if machine != (order == ">") or stored >= len(STORED_4) or form not in (FULL_4, TEXT_4, SPARSE_4):
            raise ValueError(f"a variable of type {code}")
        if not 0 < name_length <= LONGEST_NAME:
            raise ValueError(f"a name of {name_length} bytes")
        name = _read(stream, position + 20, name_length).rstrip(b"\0").decode("latin-1")
        start, dtype = position + 20 + name_length, np.dtype(order + STORED_4[stored])
        length = rows * columns * dtype.itemsize * (2 if imaginary else 1)
        position = start + length
        if position > end:
            raise ValueError(f"{end - start} bytes where {length} are announced")
        shape: tuple[int, ...] = (rows, columns)
        kind, entries = "char" if form == TEXT_4 else CLASSES_4[stored], None
        if form == SPARSE_4:  # rows (i, j, value), the last of which holds the shape
            if columns not in (3, 4):
                raise ValueError(f"a sparse variable of {columns} columns")
            corner = (_read(stream, start + (rows * column - 1) * dtype.itemsize, dtype.itemsize) for column in (1, 2))
            kind, entries = "sparse", rows - 1
            shape = tuple(int(np.frombuffer(number, dtype)[0]) for number in corner)
        is_complex = bool(imaginary) or (form == SPARSE_4 and columns == 4)
        yield _Plain(name, kind, shape, entries, is_complex, dtype, start, (rows, columns))
