""".npy and .npz files, read without ever unpickling and without trusting the sizes they
announce.
"""

from __future__ import annotations

import io
import math
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format

from ..errors import InvalidInput
from ..numbers.exact_array import SparseExactArray, sparse_exact_array
from . import memory
from .request import REWRITE, Request, decoding, listed, printable

Array = np.ndarray[Any, np.dtype[Any]]

SPARSE_PARTS = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "coo": ("row", "col"),
}
"""The index arrays that `scipy.sparse.save_npz` writes, by format."""
LONGEST_HEADER = 2**14
"""Bytes of a header that are read: more than numpy reads, whatever length the header states."""


@dataclass(frozen=True)
class _Header:
    """The header of an array: its shape, its type and where its numbers start."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    start: int

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def require_length(self, length: int) -> None:
        """Raise unless the bytes that follow the header are exactly those it announces."""
        length_of_data = length - self.start
        if length_of_data != self.nbytes:
            raise InvalidInput(
                "must hold one complete array",
                f"{length_of_data} bytes of numbers where the header announces {self.nbytes}",
                REWRITE,
            )


def read_npy(path: Path, request: Request) -> Array:
    """Return the array of a .npy file."""
    with path.open("rb") as stream:
        header = _read_header(stream, ".npy")
        request.require_real(header.dtype)
        request.admit(header.shape)
        header.require_length(path.stat().st_size)
        stream.seek(0)
        return _read_array(stream, ".npy")


def read_npz(path: Path, request: Request) -> Array | SparseExactArray:
    """Return the only array of a .npz file, or the sparse matrix that `scipy.sparse.save_npz`
    wrote.
    """
    with decoding(".npz"), zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if sum(member.compress_size for member in members) > path.stat().st_size:
            raise ValueError("members that announce more than the file")
        if any(
            member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
            for member in members
        ):
            raise ValueError("a compression that numpy does not write")
        names = [member.filename.removesuffix(".npy") for member in members]
        if {"format", "shape", "data"} <= set(names):
            return _read_sparse(archive, request)
        if len(members) != 1:
            raise InvalidInput(
                "must hold exactly one array",
                f"{len(members)} arrays: {listed(names)}" if members else "an empty archive",
                f"numpy.save('{request.name}.npy', arrays['name']) for the one that is meant",
            )
        header = _member_header(archive, members[0])
        request.require_real(header.dtype)
        request.admit(header.shape)
        return _read_member(archive, members[0], header)


def _read_header(stream: IO[bytes], kind: str) -> _Header:
    with decoding(kind):
        stream = io.BytesIO(stream.read(LONGEST_HEADER))
        version = npy_format.read_magic(stream)
        if version == (1, 0):
            shape, _, dtype = npy_format.read_array_header_1_0(stream)
        elif version == (2, 0):
            shape, _, dtype = npy_format.read_array_header_2_0(stream)
        else:  # 3.0 differs only in the names of record fields, and records are not numbers
            raise ValueError(f"format version {version[0]}.{version[1]}")
        if any(length < 0 for length in shape):
            raise ValueError(f"shape {shape}")
        return _Header(shape, dtype, stream.tell())


def _read_array(stream: IO[bytes], kind: str) -> Array:
    with decoding(kind):
        array: Array = npy_format.read_array(stream, allow_pickle=False)
        return array


def _member_header(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> _Header:
    """Return the header of a member, so that a small archive cannot announce a huge array and get
    it allocated.
    """
    with archive.open(member) as stream:
        return _read_header(stream, ".npz")


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, header: _Header) -> Array:
    header.require_length(member.file_size)
    memory.require_content(member.file_size, member.compress_size)
    with archive.open(member) as stream:
        array = _read_array(stream, ".npz")
        if stream.read(1):  # reading on to the end is what makes zipfile compare the checksum
            raise ValueError("bytes after the array")
        return array


def _read_sparse(archive: zipfile.ZipFile, request: Request) -> SparseExactArray:
    members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
    headers = {name: _member_header(archive, member) for name, member in members.items()}
    for name, header in headers.items():
        if name == "data" or header.dtype.hasobject:
            request.require_real(header.dtype)
        elif name not in ("format", "_is_array") and header.dtype.kind not in "iu":
            raise ValueError(f"{name} holds {header.dtype}")
    shape = headers["shape"]
    if shape.shape != (2,) or headers["format"].nbytes > 64:
        raise ValueError("shape or format is damaged")
    rows, columns = map(int, _read_member(archive, members["shape"], shape))
    request.admit((rows, columns), entries=math.prod(headers["data"].shape))
    total = sum(header.nbytes for header in headers.values())
    memory.require_room(total, request.name, "the archive", copies=1)
    parts = {name: _read_member(archive, member, headers[name]) for name, member in members.items()}
    return sparse_exact_array(_sparse_matrix(parts, (rows, columns)), request.name)


def _sparse_matrix(parts: dict[str, Array], shape: tuple[int, int]) -> Any:
    """Return the arrays as a matrix of scipy, whose indices `sparse_exact_array` checks."""
    from scipy import sparse

    label = parts["format"].item()
    kind = label.decode("ascii") if isinstance(label, bytes) else str(label)
    if kind not in SPARSE_PARTS:
        raise InvalidInput(
            "must be compressed by rows or columns",
            f"format {printable(kind)!r}",
            "scipy.sparse.save_npz(file, matrix.tocsr())",
        )
    data, first, second = (
        parts[name].astype(parts[name].dtype.newbyteorder("="), copy=False)
        for name in ("data", *SPARSE_PARTS[kind])
    )
    if kind == "coo":
        return sparse.coo_array((data, (first, second)), shape=shape)
    matrix = sparse.csr_array if kind == "csr" else sparse.csc_array
    return matrix((data, first, second), shape=shape)
