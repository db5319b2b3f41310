"""Numbers exactly as they were given: the nearest doubles, and the fractions where doubles cannot
hold them.

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
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FloatArray: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExactArray:
    """An array of real numbers; `exact_array` makes one.

    Attributes
    ----------
    float64 : ndarray
        The nearest doubles, read-only.
    exact : ndarray of object, optional
        The numbers themselves (anything that `Fraction` takes exactly), of the same shape; None
        where the doubles are the numbers. No number but zero has the nearest double zero.

    Examples
    --------
    >>> exact_array([Fraction(1, 3), 0.5], "p").float64
    array([0.33333333, 0.5       ])
    """

    float64: FloatArray
    exact: NDArray[np.object_] | None = None

    def __len__(self) -> int:
        return len(self.float64)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.float64.shape

    @property
    def numbers(self) -> NDArray[Any]:
        """The numbers themselves: `exact`, or the doubles where those are the numbers."""
        return self.float64 if self.exact is None else self.exact

    def fractions(self) -> list[Fraction]:
        """Return the numbers in one list, row by row."""
        return [Fraction(value) for value in self.numbers.ravel().tolist()]

    def ratios(self) -> list[tuple[int, int]]:
        """Return the same list as numerators and denominators."""
        return [value.as_integer_ratio() for value in self.numbers.ravel().tolist()]

    def fraction(self, index: int) -> Fraction:
        """Return the number at one place of a list."""
        return Fraction(self.numbers.item(index))

    def __getitem__(self, index: Any) -> ExactArray:
        """Return the numbers at some places of the array."""
        nearest = self.float64[index]
        nearest.flags.writeable = False
        return ExactArray(nearest, None if self.exact is None else self.exact[index])

    @cached_property
    def rounded(self) -> NDArray[np.bool_]:
        """True in each place where the double is not the number."""
        return np.asarray(self.numbers != self.float64, dtype=np.bool_)

    def rounding(self) -> tuple[Fraction, Fraction]:
        """Return the least and the largest of double / number, for positive numbers.

        Both are 1 where nothing was rounded.
        """
        if self.exact is None:
            return Fraction(1), Fraction(1)
        # Integers are hashed faster than fractions.
        pairs = set(zip(self.float64.ravel().tolist(), self.ratios(), strict=True))
        quotients = [Fraction(a) / Fraction(*b) for a, b in pairs]
        return min(quotients), max(quotients)


# Numbers as users write them. All of them are exact.
Number: TypeAlias = int | float | Fraction | Decimal
Numbers: TypeAlias = ArrayLike | ExactArray | Sequence[Number]


def exact_array(values: Numbers | Number, name: str) -> ExactArray:
    """Copy numbers to an exact array; raise InvalidInput for values that have no exact form.

    Doubles and what fits into them, integers of any size, `Fraction`, `Decimal` and long doubles
    are taken as they are; complex numbers if their imaginary parts are zero.

    Parameters
    ----------
    values : array
    name : str
        What error messages call them.

    Returns
    -------
    ExactArray

    Raises
    ------
    InvalidInput
        On text, masked entries, other objects, NaN, infinities, and numbers beyond the range of
        doubles.

    Examples
    --------
    >>> from fractions import Fraction
    >>> exact_array([Fraction(1, 3), 1], "p").fractions()
    [Fraction(1, 3), Fraction(1, 1)]
    """
    if isinstance(values, ExactArray):
        return values
    array = _as_array(values, name)
    if array.dtype.kind == "c":
        if array.imag.any():
            raise InvalidInput(
                "must hold real numbers", f"dtype {array.dtype}", "the real part", argument=name
            )
        array = array.real
    if array.dtype.kind == "O":
        return _from_objects(array, name)
    if array.dtype.kind not in "fiub":
        detail = f"text: {values!r}" if array.dtype.kind in "US" else f"dtype {array.dtype}"
        read = (
            "rpttheory.io.read_matrix(file), or " if isinstance(values, str) and name == "L" else ""
        )
        raise InvalidInput(
            "must hold real numbers",
            detail[:80],
            f"{read}int, float, Fraction or Decimal",
            argument=name,
        )
    with np.errstate(over="ignore"):
        nearest = np.array(array, dtype=np.float64, order="C", copy=True)
    # Integers beyond 2^53 are rounded, 2^53 + 1 to 2^53 itself.
    if array.dtype.kind in "iu":
        is_exact = bool((np.abs(nearest) < 2.0**53).all())
    else:
        is_exact = array.dtype.itemsize <= 8 or np.array_equal(nearest, array, equal_nan=True)
    return (
        from_parsed(nearest, None, name) if is_exact else _from_objects(array.astype(object), name)
    )


def exact_number(value: Number, name: str) -> Fraction:
    """Return one real number, exactly.

    Parameters
    ----------
    value : number
    name : str
        What error messages call it.

    Returns
    -------
    Fraction

    Examples
    --------
    >>> exact_number(0.5, "eps")
    Fraction(1, 2)
    """
    reals = exact_array(value, name)
    if reals.shape != ():
        raise InvalidInput("must be one number", f"shape {reals.shape}", "a number", argument=name)
    return reals.fractions()[0]


def from_parsed(nearest: FloatArray, exact: NDArray[np.object_] | None, name: str) -> ExactArray:
    """Check numbers from `parse.parse_decimals`; `exact` is None where the doubles are what is
    written.
    """
    require_finite(nearest, name)
    if exact is not None:
        lost = (nearest == 0) & np.asarray(exact != 0, dtype=np.bool_)
        if lost.any():
            detail = f"{int(lost.sum())} numbers below 2^-1074 in size that are not 0"
            raise InvalidInput(
                "must be within the range of doubles",
                detail,
                "numbers scaled up, or 0",
                argument=name,
            )
    nearest.flags.writeable = False
    return ExactArray(nearest, exact)


def require_finite(values: NDArray[Any], name: str, *places: NDArray[np.int64]) -> None:
    """Raise on NaN or infinity, saying where the first one is.

    `places` has the rows and the columns of the values, where they are entries of a sparse matrix.
    """
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        first = tuple(bad[0])
        where = _place(tuple(index[first] for index in places) or first)
        raise InvalidInput(
            "must be finite",
            f"{values[first]} at [{where}] ({len(bad)} such entries)",
            "remove NaN, infinities and numbers beyond 1.8e308",
            argument=name,
        )


def _place(index: tuple[Any, ...]) -> str:
    return ", ".join(str(int(place)) for place in index)


def _as_array(values: Any, name: str) -> NDArray[Any]:
    if _has_masked_entries(values):
        raise InvalidInput(
            "must have all its entries",
            "masked entries",
            "values for the masked entries",
            argument=name,
        )
    try:
        array = np.asarray(values)
        # numpy turns a list with integers and floats into doubles, the integers too.
        if (
            array.dtype.kind == "f"
            and not isinstance(values, np.ndarray)
            and (np.abs(array) >= 2.0**53).any()
        ):
            array = np.asarray(values, dtype=object)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            "must be a rectangular array of numbers",
            str(error),
            "rows of equal length",
            argument=name,
        ) from None
    return array


def _has_masked_entries(values: Any) -> bool:
    """Return whether an array, or an array anywhere in nested lists, masks an entry.

    numpy drops the masks of arrays in a list, and replaces `numpy.ma.masked` by NaN.
    """
    if isinstance(values, (list, tuple)):
        return any(_has_masked_entries(value) for value in values)
    if isinstance(values, np.ndarray) and values.dtype.kind == "O" and values.ndim:
        return np.ma.is_masked(values) or any(
            _has_masked_entries(value) for value in values.ravel().tolist()
        )
    if not isinstance(values, np.ndarray) and hasattr(values, "__array__"):
        try:
            return np.ma.is_masked(np.asanyarray(values))
        except (TypeError, ValueError):  # reported when the array is made
            return False
    return np.ma.is_masked(values)


def _from_objects(array: NDArray[Any], name: str) -> ExactArray:
    exact = np.empty(array.shape, dtype=object)
    nearest = np.empty(array.shape)
    for index, value in np.ndenumerate(array):
        exact[index], nearest[index] = _number_and_double(value, index, name)
    reals = from_parsed(nearest, exact, name)
    return reals if reals.rounded.any() else ExactArray(nearest)


def _number_and_double(value: Any, index: tuple[int, ...], name: str) -> tuple[Any, float]:
    """Return a number as it is and its nearest double, which is infinite beyond their range."""
    if isinstance(value, (bool, np.bool_, np.integer)):
        value = int(value)
    elif isinstance(value, np.floating) and not isinstance(value, float):
        value = float(value) if not math.isfinite(value) else Fraction(*value.as_integer_ratio())
    if not isinstance(value, (int, float, Fraction, Decimal)):
        detail = type(value).__name__ + (f" at [{_place(index)}]" if index else "")
        # Data sets that come with the package have an array of that name.
        has_values = hasattr(getattr(value, "values", None), "shape")
        remedy = "its .values" if has_values else "int, float, Fraction or Decimal"
        raise InvalidInput("must hold real numbers", detail, remedy, argument=name)
    try:
        return value, float(value)
    except OverflowError:
        return value, math.inf
    except ValueError:  # a signaling NaN of Decimal
        return math.nan, math.nan


@dataclass(frozen=True, eq=False)
class SparseExactArray:
    """A sparse matrix of real numbers; `sparse_exact_array` makes one.

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

    def toarray(self) -> ExactArray:
        """Return all entries, the zeros too."""
        nearest = np.asarray(self.matrix.toarray())
        nearest.flags.writeable = False
        if self.exact is None:
            return ExactArray(nearest)
        exact = np.zeros(nearest.shape, dtype=object)
        exact[
            np.repeat(np.arange(nearest.shape[0]), np.diff(self.matrix.indptr)), self.matrix.indices
        ] = self.exact
        return ExactArray(nearest, exact)


def doubles(values: Any) -> Any:
    """Return the nearest doubles of an exact array or a sparse one; anything else as it is."""
    return values.float64 if isinstance(values, ExactArray) else getattr(values, "matrix", values)


def sparse_exact_array(matrix: Any, name: str) -> SparseExactArray:
    """Copy a scipy sparse matrix exactly; entries at the same place add up, without rounding.

    Raises
    ------
    InvalidInput
        If it is not two-dimensional, if its index arrays are damaged, and wherever
        `exact_array` does.
    """
    if isinstance(matrix, SparseExactArray):
        return matrix
    data, row, column = sparse_entries(matrix, name)
    if data.dtype.kind == "f":
        require_finite(data, name, row, column)
    return from_entries(exact_array(data, name), row, column, matrix.shape)


def sparse_entries(
    matrix: Any, name: str
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Return the stored numbers of a scipy sparse matrix with their rows and columns, all indices
    checked.

    scipy checks indices only when asked to, and its conversions follow damaged ones out of their
    arrays. Duplicates stay: scipy would add them in their own type, which rounds or wraps around.
    """
    if len(matrix.shape) != 2:
        detail = f"a sparse array of {len(matrix.shape)} dimension(s)"
        raise InvalidInput("must be a matrix", detail, "a 2-D sparse array", argument=name)
    try:
        entries = _checked_copy(matrix).tocoo(copy=True)
        row, column = (np.asarray(index) for index in entries.coords)
        for index, extent in ((row, matrix.shape[0]), (column, matrix.shape[1])):
            if index.dtype.kind not in "iu" or index.shape != entries.data.shape:
                raise ValueError("every entry needs an integer index")
            if index.size and not 0 <= int(index.min()) <= int(index.max()) < extent:
                raise ValueError(f"an index outside 0..{extent - 1}")
    except (ValueError, TypeError, IndexError, AttributeError, OverflowError) as error:
        detail = " ".join(str(error).split())[:160] or type(error).__name__
        raise InvalidInput(
            "must be an intact sparse matrix", detail, "matrix.check_format()", argument=name
        ) from None
    return entries.data, row.astype(np.int64), column.astype(np.int64)


def _checked_copy(matrix: Any) -> Any:
    """Return a copy that may be converted, since `check_format` replaces arrays of a matrix; raise
    ValueError where the arrays of a matrix do not match.
    """
    if matrix.format in ("csr", "csc", "bsr"):
        if matrix.indptr.dtype.kind not in "iu" or matrix.indices.dtype.kind not in "iu":
            raise ValueError("every entry needs an integer index")
        if (np.diff(matrix.indptr.astype(np.int64)) < 0).any():
            raise ValueError("starts that fall")  # which scipy overlooks if the last one is 0
        matrix = matrix.copy()
        matrix.check_format(full_check=True)
    if matrix.format == "bsr" and np.mod(matrix.shape, matrix.blocksize).any():
        raise ValueError(f"blocks of shape {matrix.blocksize} in a matrix of {matrix.shape}")
    if matrix.format == "lil" and list(map(len, matrix.rows)) != list(map(len, matrix.data)):
        raise ValueError("every entry needs an index")
    if matrix.format == "dia" and (
        matrix.offsets.dtype.kind not in "iu" or len(matrix.offsets) != len(matrix.data)
    ):
        raise ValueError("every diagonal needs one integer offset")
    return matrix


def from_entries(
    data: ExactArray, row: NDArray[np.int64], column: NDArray[np.int64], shape: tuple[int, ...]
) -> SparseExactArray:
    """Return a sparse matrix from its entries, in any order; indices must be within the shape."""
    from scipy.sparse import csr_array

    order = np.lexsort((column, row))
    row = row[order]
    column = column[order]
    data = data[order]
    first = np.ones(row.size, dtype=np.bool_)
    first[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
    if not first.all():
        data = _sums(data, np.flatnonzero(first))
        row = row[first]
        column = column[first]
    nonzero = data.float64 != 0
    row = row[nonzero]
    column = column[nonzero]
    data = data[nonzero]
    starts = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=shape[0]))))
    matrix = csr_array((data.float64, column, starts), shape=shape)
    return SparseExactArray(matrix, data.exact)


def _sums(data: ExactArray, starts: NDArray[np.intp]) -> ExactArray:
    """Return the sums of runs of numbers, exactly."""
    fractions = data.fractions()
    ends = [*starts[1:].tolist(), len(fractions)]
    sums = np.empty(starts.size, dtype=object)
    for place, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True)):
        sums[place] = sum(fractions[start:end], Fraction(0))
    return _from_objects(sums, "sums of entries given more than once")
