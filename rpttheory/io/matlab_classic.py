""".mat files of versions 4 to 7, the ones that are not HDF5.

scipy's reader is not used: on some damaged files it ends the whole process. Numeric matrices are the simple
part of the format. The tests compare the two readers on sound files.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
"""Bytes of a compressed variable that are unpacked to learn its name and size."""
SHORTEST_ENTRY = 5
"""Bytes of one sparse entry: a four-byte row index, and a value that MATLAB may write as one byte."""

CLASSES_4 = ("double", "single", "int32", "int16", "uint16", "uint8")
STORED_4 = ("f8", "f4", "i4", "i2", "u2", "u1")
FULL_4, TEXT_4, SPARSE_4 = 0, 1, 2


@dataclass(frozen=True)
class _Packed(Variable):
    """A variable of version 5 to 7 where it lies in the file, compressed or not."""

    compressed: bool
    length: int
    content: memoryview


def read_version_5(content: memoryview, order: str, request: Request) -> Array | SparseReals:
    """The only numeric matrix of a file of version 5 to 7; `order` is its byte order, ``<`` or ``>``."""
    chosen = only_matrix(list(_variables_5(content, order)), request)
    memory.require_room(chosen.length, request.name, "the variable", copies=1)
    body = chosen.content
    if chosen.compressed:
        body = memoryview(_unpack(chosen.content, 8 + chosen.length))[8:]
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


def _variables_5(content: memoryview, order: str) -> Iterator[_Packed]:
    position = HEADER
    while position < len(content):
        kind, length = struct.unpack_from(order + "II", content, position)
        element = content[position + 8 : position + 8 + length]
        if len(element) != length:
            raise ValueError(f"{len(element)} bytes where {length} are announced")
        position += 8 + length
        opening = element
        if kind == COMPRESSED:
            opening = memoryview(zlib.decompressobj().decompress(element, OPENING))
            kind, length = struct.unpack_from(order + "II", opening)
            opening = opening[8:]
            compressed = True
        else:
            compressed = False
        if kind != MATRIX:
            raise ValueError(f"an element of type {kind}")
        described = _describe_5(opening, order, length)
        if described.name:  # what has no name belongs to function handles
            yield _Packed(**vars(described), compressed=compressed, length=length, content=element)


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


def _unpack(packed: memoryview, length: int) -> bytes:
    """Exactly `length` bytes: what unpacks to more than it announces is never held in memory."""
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(packed, length)
    more = unpacker.decompress(unpacker.unconsumed_tail, 1)
    if len(content) != length or more or not unpacker.eof:
        raise ValueError(f"a compressed variable that is not of {length} bytes")
    return content


@dataclass(frozen=True)
class _Plain(Variable):
    """A variable of version 4."""

    numbers: Array


def read_version_4(content: memoryview, request: Request) -> Array | SparseReals:
    """The only numeric matrix of a file of version 4."""
    chosen = only_matrix(list(_variables_4(content)), request)
    if chosen.kind != "sparse":
        return chosen.numbers
    row, column, values = chosen.numbers[:-1].T
    places = [index.astype(np.int64) for index in (row, column)]
    if not (np.array_equal(places[0], row) and np.array_equal(places[1], column)):
        raise ValueError("an index that is not a whole number")
    return to_reals(from_entries(values, places[0] - 1, places[1] - 1, chosen.shape), request)


def _variables_4(content: memoryview) -> Iterator[_Plain]:
    """Each variable is five integers, the name and the numbers, column by column."""
    position = 0
    while position < len(content):
        order = "<" if struct.unpack_from("<I", content, position)[0] < 1000 else ">"
        code, rows, columns, imaginary, name_length = struct.unpack_from(order + "5I", content, position)
        machine, stored, form = code // 1000, code // 10 % 100, code % 10
        if machine != (order == ">") or stored >= len(STORED_4) or form not in (FULL_4, TEXT_4, SPARSE_4):
            raise ValueError(f"a variable of type {code}")
        name = bytes(content[position + 20 : position + 20 + name_length]).rstrip(b"\0").decode("latin-1")
        position += 20 + name_length
        dtype = np.dtype(order + STORED_4[stored])
        count = rows * columns
        numbers = np.frombuffer(content, dtype, count, position).reshape((rows, columns), order="F")
        position += count * dtype.itemsize * (2 if imaginary else 1)
        if position > len(content):
            raise ValueError("cut short")
        if form == SPARSE_4:  # rows (i, j, value), the last of which holds the shape
            shape = (int(numbers[-1, 0]), int(numbers[-1, 1]))
            yield _Plain(name, "sparse", shape, rows - 1, bool(imaginary) or columns != 3, numbers)
        else:
            kind = "char" if form == TEXT_4 else CLASSES_4[stored]
            yield _Plain(name, kind, (rows, columns), None, bool(imaginary), numbers)
