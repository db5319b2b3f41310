"""Numbers exactly as they were given: the nearest doubles, and the fractions where doubles cannot hold them.

A verdict is about what the user wrote. Decimals, fractions and large integers are therefore kept
beside the doubles that approximate them; the numerical work is done on the doubles, and whoever
makes a rigorous bracket of it accounts for the difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FloatArray: TypeAlias = NDArray[np.float64]

# What a person may write as one number; longer ones would make fractions that no computation can carry.
MOST_CHARACTERS = 1200


@dataclass(frozen=True, eq=False)
class Reals:
    """An array of real numbers; `as_reals` makes one.

    Attributes
    ----------
    near : ndarray
        The nearest doubles, read-only.
    exact : ndarray of object, optional
        The numbers themselves (anything that `Fraction` takes exactly), of the same shape; None where
        the doubles are the numbers. No number but zero has the nearest double zero.
    """

    near: FloatArray
    exact: NDArray[np.object_] | None = None

    def __len__(self) -> int:
        return len(self.near)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.near.shape

    def fractions(self) -> list[Fraction]:
        """The numbers in one list, row by row."""
        source = self.near if self.exact is None else self.exact
        return [Fraction(value) for value in source.ravel().tolist()]

    def ratios(self) -> list[tuple[int, int]]:
        """The same as numerators and denominators."""
        source = self.near if self.exact is None else self.exact
        return [value.as_integer_ratio() for value in source.ravel().tolist()]

    def fraction(self, index: int) -> Fraction:
        """One number of a list."""
        return Fraction(float(self.near[index]) if self.exact is None else self.exact[index])

    def __getitem__(self, index: Any) -> Reals:
        """Some of the numbers."""
        near = self.near[index]
        near.flags.writeable = False
        return Reals(near, None if self.exact is None else self.exact[index])

    @cached_property
    def rounded(self) -> NDArray[np.bool_]:
        """Where the double is not the number."""
        if self.exact is None:
            return np.zeros(self.near.shape, dtype=np.bool_)
        return np.asarray(self.exact != self.near.astype(object), dtype=np.bool_)

    def rounding(self) -> tuple[Fraction, Fraction]:
        """The least and the largest of double / number, for positive numbers: both 1 where nothing was rounded."""
        if self.exact is None:
            return Fraction(1), Fraction(1)
        pairs = set(zip(self.near.tolist(), self.exact.tolist(), strict=True))
        quotients = [Fraction(a) / Fraction(b) for a, b in pairs]
        return min(quotients), max(quotients)


def as_reals(values: Any, name: str) -> Reals:
    """Take numbers exactly, in an array of one's own; refuse by name what cannot be.

    Doubles and what fits into them, integers of any size, `Fraction`, `Decimal` and long doubles are
    taken as they are; complex numbers if their imaginary parts are zero.

    Raises
    ------
    InvalidInput
        On text, masked entries, other objects, NaN, infinities, and numbers beyond the range of doubles.
    """
    if isinstance(values, Reals):
        return values
    array = _as_array(values, name)
    if array.dtype.kind == "c":
        if array.imag.any():
            raise InvalidInput(f"{name} must hold real numbers", f"dtype {array.dtype}", "the real part")
        array = array.real
    if array.dtype.kind == "O":
        return _from_objects(array, name)
    if array.dtype.kind not in "fiub":
        found = f"text: {values!r}" if array.dtype.kind in "US" else f"dtype {array.dtype}"
        read = "rpttheory.io.read_matrix(file), or " if isinstance(values, str) and name == "L" else ""
        raise InvalidInput(f"{name} must hold real numbers", found[:80], f"{read}int, float, Fraction or Decimal")
    if array.dtype.kind in "iu" and array.size and max(abs(int(array.max())), abs(int(array.min()))) > 2**53:
        return _from_objects(array.astype(object), name)
    with np.errstate(over="ignore"):
        near = np.array(array, dtype=np.float64, order="C", copy=True)
    if array.dtype.itemsize > 8 and not np.array_equal(near.astype(array.dtype), array, equal_nan=True):
        return _from_objects(array.astype(object), name)
    require_finite(near, name)
    near.flags.writeable = False
    return Reals(near)


def as_fraction(value: Any, name: str) -> Fraction:
    """One real number, exactly."""
    reals = as_reals(value, name)
    if reals.shape != ():
        raise InvalidInput(f"{name} must be one number", f"shape {reals.shape}", "a number")
    return reals.fractions()[0]


def parse_reals(cells: Sequence[str]) -> tuple[list[float], Sequence[float | Decimal]]:
    """Decimals as the nearest doubles and as they are written; the same list twice where those agree.

    Raises ValueError where a cell is no number. NaN and infinities are left to `from_parsed`.
    """
    near = [float(cell) for cell in cells]
    if any(len(cell) > MOST_CHARACTERS or "_" in cell or not cell.isascii() for cell in cells):
        raise ValueError("not a number that every program reads alike")
    exact = [Decimal(cell.strip()) for cell in cells]
    # Decimals and floats compare exactly.
    return near, near if all(a == b for a, b in zip(exact, near, strict=True)) else exact


def from_parsed(near: FloatArray, exact: NDArray[np.object_] | None, name: str) -> Reals:
    """Numbers from `parse_reals`, checked; `exact` is None where the doubles are what is written."""
    require_finite(near, name)
    if exact is not None:
        lost = (near == 0) & np.asarray(exact != 0, dtype=np.bool_)
        if lost.any():
            found = f"{int(lost.sum())} numbers below 2^-1074 in size that are not 0"
            raise InvalidInput(f"{name} must be within the range of doubles", found, "numbers scaled up, or 0")
    near.flags.writeable = False
    return Reals(near, exact)


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


def _as_array(values: Any, name: str) -> NDArray[Any]:
    if np.ma.is_masked(values):
        raise InvalidInput(f"{name} must have all its entries", "a masked array", "values for the masked entries")
    try:
        array = np.asarray(values)
        # numpy turns a list with integers and floats into doubles, the integers too.
        if array.dtype.kind == "f" and not isinstance(values, np.ndarray) and (np.abs(array) >= 2.0**53).any():
            array = np.asarray(values, dtype=object)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{name} must be a rectangular array of numbers", str(error), "rows of equal length"
        ) from None
    return array


def _from_objects(array: NDArray[Any], name: str) -> Reals:
    exact, near = np.empty(array.shape, dtype=object), np.empty(array.shape)
    for index, value in np.ndenumerate(array):
        exact[index], near[index] = _one(value, index, name)
    reals = from_parsed(near, exact, name)
    return reals if reals.rounded.any() else Reals(near)


def _one(value: Any, index: tuple[int, ...], name: str) -> tuple[Any, float]:
    """A number as it is, and the nearest double (infinite where there is none)."""
    if isinstance(value, (bool, np.bool_, np.integer)):
        value = int(value)
    elif isinstance(value, np.floating) and not isinstance(value, float):
        value = float(value) if not math.isfinite(value) else Fraction(*value.as_integer_ratio())
    if not isinstance(value, (int, float, Fraction, Decimal)):
        where = ", ".join(str(place) for place in index)
        found = f"{type(value).__name__} at [{where}]" if index else type(value).__name__
        held = getattr(value, "values", None)  # of a data set that comes with the package
        remedy = "its .values" if hasattr(held, "shape") else "int, float, Fraction or Decimal"
        raise InvalidInput(f"{name} must hold real numbers", found, remedy)
    try:
        return value, float(value)
    except OverflowError:
        return value, math.inf


@dataclass(frozen=True, eq=False)
class SparseReals:
    """A sparse matrix of real numbers; `sparse_reals` makes one.

    Attributes
    ----------
    matrix : csr_array
        The nearest doubles: rows with sorted, distinct and non-zero entries.
    exact : ndarray of object, optional
        The numbers themselves, one for each stored entry; None where the doubles are the numbers.
    """

    matrix: csr_array
    exact: NDArray[np.object_] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.matrix.shape
        return int(rows), int(columns)

    def toarray(self) -> Reals:
        """All entries, the zeros too."""
        near = np.asarray(self.matrix.toarray())
        near.flags.writeable = False
        if self.exact is None:
            return Reals(near)
        exact = np.zeros(near.shape, dtype=object)
        exact[np.repeat(np.arange(near.shape[0]), np.diff(self.matrix.indptr)), self.matrix.indices] = self.exact
        return Reals(near, exact)


def doubles(values: Any) -> Any:
    """The nearest doubles of what holds numbers in another form: an array, or a sparse matrix."""
    return values.near if isinstance(values, Reals) else getattr(values, "matrix", values)


def sparse_reals(given: Any, name: str) -> SparseReals:
    """Take a scipy sparse matrix exactly, in arrays of one's own; entries given twice add up, without rounding."""
    if isinstance(given, SparseReals):
        return given
    # Conversion to rows would add duplicates in the given type, which rounds or wraps around.
    entries = given.tocoo(copy=True)
    row, column = (np.asarray(index, dtype=np.int64) for index in entries.coords)
    if entries.dtype.kind == "f":
        require_finite_entries(entries.data, row, column, name)
    return from_entries(as_reals(entries.data, name), row, column, given.shape)


def require_finite_entries(values: NDArray[Any], row: NDArray[np.int64], column: NDArray[np.int64], name: str) -> None:
    """Raise on NaN or infinity, saying in which row and column the first one is."""
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        found = f"{values[bad[0]]} at [{row[bad[0]]}, {column[bad[0]]}] ({bad.size} such entries)"
        raise InvalidInput(f"{name} must be finite", found, "remove NaN and infinities")


def from_entries(data: Reals, row: NDArray[np.int64], column: NDArray[np.int64], shape: tuple[int, ...]) -> SparseReals:
    """A sparse matrix from its entries, in any order; indices must be within the shape."""
    from scipy.sparse import csr_array

    order = np.lexsort((column, row))
    row, column, data = row[order], column[order], data[order]
    first = np.ones(row.size, dtype=np.bool_)
    first[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
    if not first.all():
        data = _sums(data, np.flatnonzero(first))
        row, column = row[first], column[first]
    kept = data.near != 0
    row, column, data = row[kept], column[kept], data[kept]
    starts = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=shape[0]))))
    matrix = csr_array((data.near, column, starts), shape=shape)
    return SparseReals(matrix, data.exact)


def _sums(data: Reals, starts: NDArray[np.intp]) -> Reals:
    """Sums of runs of numbers, exactly."""
    fractions = data.fractions()
    ends = [*starts[1:].tolist(), len(fractions)]
    sums = np.empty(starts.size, dtype=object)
    for place, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True)):
        sums[place] = sum(fractions[start:end], Fraction(0))
    return _from_objects(sums, "sums of entries given more than once")
