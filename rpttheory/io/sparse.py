"""Checks of sparse matrices that never fill them in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..numbers.exact_array import SparseExactArray, sparse_exact_array
from .request import Request

if TYPE_CHECKING:
    from scipy.sparse import coo_array

Array = np.ndarray[Any, np.dtype[Any]]


def from_entries(data: Array, row: Array, column: Array, shape: tuple[int, ...]) -> coo_array:
    """A sparse matrix from its entries, each index checked.

    All readers come through here: scipy's other constructors, even with their full check, let some
    damaged indices pass, and its conversions then write outside their arrays.
    """
    from scipy.sparse import coo_array

    for index, extent in ((row, shape[0]), (column, shape[1])):
        if index.shape != data.shape or index.ndim != 1 or index.dtype.kind not in "iu":
            raise ValueError("an index for every entry is needed")
        if index.size and (index.min() < 0 or index.max() >= extent):
            raise ValueError(f"an index outside 0..{extent - 1}")
    native = data.astype(data.dtype.newbyteorder("="), copy=False)
    return coo_array((native, (row.astype(np.int64), column.astype(np.int64))), shape=shape)


def from_rows(data: Array, column: Array, starts: Array, shape: tuple[int, ...]) -> coo_array:
    """A sparse matrix from compressed rows; `starts` may leave entries unused at the end."""
    counts: Array = np.diff(starts.astype(np.int64))
    count = int(starts[-1])
    if counts.shape != (shape[0],) or starts[0] != 0 or (counts < 0).any() or count > len(data):
        raise ValueError("starts that do not match the entries")
    row = np.repeat(np.arange(shape[0]), counts)
    return from_entries(data[:count], row, column[:count], shape)


def from_columns(data: Array, row: Array, starts: Array, shape: tuple[int, ...]) -> coo_array:
    """A sparse matrix from compressed columns."""
    return from_rows(data, row, starts, shape[::-1]).T


def to_reals(matrix: coo_array, request: Request) -> SparseExactArray:
    """The same in rows with sorted, distinct and non-zero entries."""
    request.require_real(matrix.dtype)
    return sparse_exact_array(matrix, request.name)
