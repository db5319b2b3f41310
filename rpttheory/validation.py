"""One checker per kind of input; each returns the value in the form the algorithms use.

Messages name the argument and show the value received, because the person who reads them has only
those two things to go by.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput
from .reals import FloatArray, Reals, SparseReals, as_reals

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def read_only(array: FloatArray) -> FloatArray:
    """The array (copied if it is someone else's view) with writing forbidden."""
    kept = np.array(array, dtype=np.float64, copy=True)
    kept.flags.writeable = False
    return kept


def check_symmetric_matrix(matrix: Any, name: str = "L") -> Reals:
    """A finite, exactly symmetric, non-empty square matrix."""
    values = check_matrix(matrix, name)
    rows, columns = values.shape
    if rows != columns:
        raise InvalidInput(f"{name} must be square", f"shape {rows} x {columns}", "gram(A) if L holds a data matrix A")
    require_symmetry(values, name)
    return values


def check_matrix(matrix: Any, name: str = "A") -> Reals:
    """A finite, non-empty two-dimensional matrix."""
    values = as_reals(matrix, name)
    if values.near.ndim != 2:
        raise InvalidInput(f"{name} must be a matrix", f"an array of {values.near.ndim} dimension(s)", "a 2-D array")
    if values.near.size == 0:
        raise InvalidInput(f"{name} must not be empty", f"shape {values.shape}", "at least one entry")
    return values


def require_symmetry(matrix: Reals, name: str) -> None:
    """Raise unless the matrix equals its transpose exactly."""
    values, exact = matrix.near, matrix.exact
    halves = ((values[i : i + 64, i:], values[i:, i : i + 64].T) for i in range(0, len(values), 64))
    if all(np.array_equal(*pair) for pair in halves) and (exact is None or bool((exact == exact.T).all())):
        return
    with np.errstate(over="ignore"):
        gap = np.abs(values - values.T)
    if exact is not None and not gap.any():
        row, column = np.argwhere(exact != exact.T)[0]
        found = f"[{row}, {column}] and [{column}, {row}] differ beyond the digits of a double"
    else:
        row, column = np.unravel_index(int(np.argmax(gap)), gap.shape)
        scale = float(np.abs(values).max())
        relative = float(gap[row, column]) / scale if scale else math.inf
        found = (
            f"max|{name} - {name}'| / max|{name}| = {relative:.2g} "
            f"(worst at [{row}, {column}]: {values[row, column]:.17g} vs {values[column, row]:.17g})"
        )
    raise InvalidInput(f"{name} must be symmetric", found, f"({name} + {name}.T) / 2, which symmetrizes it")


def require_sparse_symmetry(matrix: SparseReals, name: str) -> None:
    """The same for a sparse matrix."""
    near, exact = matrix.matrix, matrix.exact
    mirrored = near.T.tocsr()
    mirrored.sort_indices()
    parts = ((near.indptr, mirrored.indptr), (near.indices, mirrored.indices), (near.data, mirrored.data))
    if all(np.array_equal(a, b) for a, b in parts) and (exact is None or _mirrors(near, exact)):
        return
    with np.errstate(over="ignore"):
        gap = abs(near - mirrored).tocoo()
    if gap.nnz and gap.data.any():
        worst = int(np.argmax(gap.data))
        row, column = int(gap.row[worst]), int(gap.col[worst])
        relative = float(gap.data[worst]) / float(np.abs(near.data).max())
        found = (
            f"max|{name} - {name}'| / max|{name}| = {relative:.2g} "
            f"(worst at [{row}, {column}]: {near[row, column]:.17g} vs {near[column, row]:.17g})"
        )
    else:
        found = "two entries that differ beyond the digits of a double"
    raise InvalidInput(f"{name} must be symmetric", found, f"({name} + {name}.T) / 2, which symmetrizes it")


def _mirrors(near: csr_array, exact: NDArray[np.object_]) -> bool:
    """Whether the exact entries of a symmetric pattern are symmetric."""
    rows = np.repeat(np.arange(near.shape[0]), np.diff(near.indptr))
    return bool((exact == exact[np.lexsort((rows, near.indices))]).all())


def check_costs(costs: Any, count: int) -> Reals:
    """Positive finite costs, one per block, exactly as given (no normalisation)."""
    values = _per_block(costs, count, "costs")
    if not (values.near > 0).all():
        at = int(np.argmax(~(values.near > 0)))
        raise InvalidInput(
            "costs must be positive", f"{values.near[at]:g} for block {at}", "a positive cost for every block"
        )
    return values


def check_probabilities(probabilities: Any, count: int | None = None) -> Reals:
    """Probabilities in (0, 1], one per block."""
    values = _per_block(probabilities, count, "probabilities")
    inside = (values.near > 0) & (values.near <= 1)
    if values.exact is not None:
        inside &= np.asarray(values.exact <= 1, dtype=np.bool_)
    if not inside.all():
        at = int(np.argmax(~inside))
        found = f"{values.near[at]:g} for block {at}" + (", and a little more" if values.near[at] == 1 else "")
        raise InvalidInput("probabilities must lie in (0, 1]", found, "p_k = Prob(block k is updated)")
    return values


def _per_block(given: Any, count: int | None, name: str) -> Reals:
    values = as_reals(given, name)
    if values.near.ndim != 1 or values.near.size == 0:
        raise InvalidInput(f"{name} must be a list with one number per block", f"shape {values.shape}", "such as 0.5,1")
    if count is not None and values.near.size != count:
        found = f"{values.near.size} number{'s' * (values.near.size != 1)}"
        raise InvalidInput(f"{name} must have one number per block, {count} in all", found, f"{count} numbers")
    return values
