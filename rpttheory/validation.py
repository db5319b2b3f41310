"""One checker per kind of input; each returns the value in the form the algorithms use.

Messages name the argument and show the value received, because the person who reads them has only
those two things to go by.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidInput

FloatArray = NDArray[np.float64]


def read_only(array: FloatArray) -> FloatArray:
    """The array (copied if it is someone else's view) with writing forbidden."""
    kept = np.array(array, dtype=np.float64, copy=True)
    kept.flags.writeable = False
    return kept


def check_symmetric_matrix(matrix: ArrayLike, name: str = "L") -> FloatArray:
    """A finite, exactly symmetric, non-empty square float64 matrix."""
    values = check_matrix(matrix, name)
    rows, columns = values.shape
    if rows != columns:
        raise InvalidInput(
            f"{name} must be square", f"shape {rows} x {columns}", "--data if the file holds a data matrix A"
        )
    require_symmetry(values, name)
    return values


def check_matrix(matrix: ArrayLike, name: str = "A") -> FloatArray:
    """A finite, non-empty two-dimensional float64 matrix."""
    try:
        values = np.asarray(matrix)
    except ValueError as error:
        raise InvalidInput(
            f"{name} must be a rectangular array of numbers", str(error), "rows of equal length"
        ) from None
    if values.ndim != 2:
        raise InvalidInput(f"{name} must be a matrix", f"an array of {values.ndim} dimension(s)", "a 2-D array")
    if values.size == 0:
        raise InvalidInput(f"{name} must not be empty", f"shape {values.shape}", "at least one entry")
    return np.ascontiguousarray(check_entries(values, name))


def check_entries(values: NDArray[Any], name: str) -> FloatArray:
    """Real numbers that float64 holds exactly and that are finite."""
    if values.dtype.kind not in "fiub":
        raise InvalidInput(f"{name} must hold real numbers", f"dtype {values.dtype}", "float64 values")
    if values.dtype.kind in "iu" and values.size and (values.max() > 2**53 or values.min() < -(2**53)):
        raise InvalidInput(
            f"{name} must be exact in float64", "integers beyond 2^53", "float64 values, rounded as you see fit"
        )
    if values.dtype.kind == "f" and values.itemsize > 8:
        raise InvalidInput(f"{name} must be exact in float64", f"dtype {values.dtype}", f"{name}.astype(float)")
    entries = np.asarray(values, dtype=np.float64)
    require_finite(entries, name)
    return entries


def require_finite(values: FloatArray, name: str) -> None:
    """Raise on NaN or infinity, saying where the first one is."""
    finite = np.isfinite(values)
    if not finite.all():
        bad = ~finite
        where = ", ".join(str(int(index)) for index in np.argwhere(bad)[0])
        first = values[tuple(np.argwhere(bad)[0])]
        raise InvalidInput(
            f"{name} must be finite",
            f"{first} at [{where}] ({int(bad.sum())} such entries)",
            "remove NaN and infinities",
        )


def require_symmetry(values: FloatArray, name: str) -> None:
    """Raise unless the matrix equals its transpose bit for bit."""
    if np.array_equal(values, values.T):
        return
    with np.errstate(over="ignore"):
        gap = np.abs(values - values.T)
    row, column = np.unravel_index(int(np.argmax(gap)), gap.shape)
    scale = float(np.abs(values).max())
    relative = float(gap[row, column]) / scale if scale else math.inf
    raise InvalidInput(
        f"{name} must be symmetric",
        f"max|{name} - {name}'| / max|{name}| = {relative:.2g} "
        f"(worst at [{row}, {column}]: {values[row, column]:.17g} vs {values[column, row]:.17g})",
        f"--symmetrize  (uses ({name} + {name}')/2)",
    )


def check_costs(costs: ArrayLike, count: int) -> FloatArray:
    """Positive finite costs, one per block, exactly as given (no normalisation)."""
    values = _per_block(costs, count, "costs")
    if not (values > 0).all():
        at = int(np.argmax(~(values > 0)))
        raise InvalidInput(
            "costs must be positive", f"{values[at]:g} for block {at}", "a positive cost for every block"
        )
    return values


def check_probabilities(probabilities: ArrayLike, count: int | None = None) -> FloatArray:
    """Probabilities in (0, 1], one per block."""
    values = _per_block(probabilities, count, "probabilities")
    inside = (values > 0) & (values <= 1)
    if not inside.all():
        at = int(np.argmax(~inside))
        raise InvalidInput(
            "probabilities must lie in (0, 1]", f"{values[at]:g} for block {at}", "p_k = Prob(block k is updated)"
        )
    return values


def _per_block(given: ArrayLike, count: int | None, name: str) -> FloatArray:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be numbers", repr(given)[:80], "one number per block") from None
    if values.ndim != 1 or values.size == 0:
        raise InvalidInput(f"{name} must be a list with one number per block", f"shape {values.shape}", "such as 0.5,1")
    if count is not None and values.size != count:
        raise InvalidInput(
            f"{name} must have one number per block, {count} in all", f"{values.size} numbers", f"{count} numbers"
        )
    require_finite(values, name)
    return read_only(values)
