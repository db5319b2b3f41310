"""Checks of sparse matrices that never fill them in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput
from .request import Request, require_exact_integers

if TYPE_CHECKING:
    from scipy.sparse import coo_array, csr_array

Array = np.ndarray[Any, np.dtype[Any]]


def from_entries(data: Array, row: Array, column: Array, shape: tuple[int, ...]) -> coo_array:
    """A sparse matrix from its entries, each index checked.

    All readers come through here: scipy's other constructors, even with their full check, let some damaged
    indices pass, and its conversions then write outside their arrays.
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
    """A sparse matrix from compressed rows; `starts` may leave room unused at the end, as MATLAB does."""
    counts: Array = np.diff(starts.astype(np.int64))
    count = int(starts[-1])
    if counts.shape != (shape[0],) or starts[0] != 0 or (counts < 0).any() or count > len(data):
        raise ValueError("starts that do not match the entries")
    row = np.repeat(np.arange(shape[0]), counts)
    return from_entries(data[:count], row, column[:count], shape)


def from_columns(data: Array, row: Array, starts: Array, shape: tuple[int, ...]) -> coo_array:
    """A sparse matrix from compressed columns."""
    return from_rows(data, row, starts, shape[::-1]).T


def to_csr(matrix: coo_array, request: Request) -> csr_array:
    """The same as float64 rows with sorted, distinct and non-zero entries."""
    from scipy.sparse import csr_array

    request.require_real(matrix.dtype)
    if matrix.dtype.kind == "f" and matrix.dtype.itemsize > 8:
        raise InvalidInput(
            f"{request.name} must be exact in float64", f"dtype {matrix.dtype}", f"{request.name}.astype(float)"
        )
    require_exact_integers(matrix.data, request.name)
    rows = csr_array(matrix, dtype=np.float64)
    rows.sum_duplicates()
    _require_finite(rows, request.name)
    rows.eliminate_zeros()
    return rows


def _require_finite(matrix: csr_array, name: str) -> None:
    bad = ~np.isfinite(matrix.data)
    if bad.any():
        at = int(np.argmax(bad))
        row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        raise InvalidInput(
            f"{name} must be finite",
            f"{matrix.data[at]} at [{row}, {matrix.indices[at]}] ({int(bad.sum())} such entries)",
            "remove NaN and infinities",
        )


def is_symmetric(matrix: csr_array) -> bool:
    """Whether a matrix from `to_csr` equals its transpose bit for bit."""
    mirrored = matrix.T.tocsr()
    mirrored.sort_indices()
    return (
        np.array_equal(matrix.indptr, mirrored.indptr)
        and np.array_equal(matrix.indices, mirrored.indices)
        and np.array_equal(matrix.data, mirrored.data)
    )


def require_symmetry(matrix: csr_array, name: str) -> None:
    """Raise unless the matrix equals its transpose bit for bit."""
    if is_symmetric(matrix):
        return
    with np.errstate(over="ignore"):
        gap = abs(matrix - matrix.T.tocsr()).tocoo()
    worst = int(np.argmax(gap.data))
    row, column = int(gap.row[worst]), int(gap.col[worst])
    relative = float(gap.data[worst]) / float(np.abs(matrix.data).max())
    raise InvalidInput(
        f"{name} must be symmetric",
        f"max|{name} - {name}'| / max|{name}| = {relative:.2g} "
        f"(worst at [{row}, {column}]: {matrix[row, column]:.17g} vs {matrix[column, row]:.17g})",
        f"--symmetrize  (uses ({name} + {name}')/2)",
    )
