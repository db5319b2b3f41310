"""L = scale A'A + shift I, kept as A: the Hessian of ridge regression and its relatives."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...eigen.collatz import (
    Products,
    bracket_lambda_max_of_products,
    near_product,
    product_above,
    squares_below,
    sum_above,
)
from ...eigen.eigenpairs import FULL, Eigenpair
from ...eigen.exact import EXACT_DIMENSION, RationalMatrix, rational_gram
from ...eigen.gram import (
    bracket_lambda_max_of_gram,
    can_bracket,
    entrywise_gram,
    sparse_entrywise_gram,
)
from ...eigen.pencil import UNIT, EntrywiseMatrix, Matrix, stored_entries, to_dense
from ...errors import InvalidInput
from ...numbers import Bracket, Rigor, arithmetic_is_sound
from ...numbers.bracket import round_down
from ...numbers.exact_array import ExactArray, FloatArray, Number, exact_number
from .entrywise import EntrywiseSmoothness
from .protocol import IndexArray, Smoothness

WHOLE = np.zeros(1, dtype=np.intp)
# Up to this dimension A'A is formed; beyond, only if sparse A makes it cheap.
FORMED_DIMENSION = 2000
_FORMED_ENTRIES = 2e7
# Below this the relative error of the nearest double is no longer one unit.
_SMALLEST_SCALE = 2.0**-1000


class GramForm(Smoothness):
    """L = scale A'A + shift I, however A is stored; `_formed` has the entries of L if they are
    computed.

    A form says how `near_product`, `product_above` or `squares_below` is applied to each diagonal
    block of A'A, which begin at `starts`, and how many roundings a sum over the rows goes through.
    """

    scale: Fraction
    shift: Fraction
    roundings: int

    @abstractmethod
    def _nonnegative(self) -> bool:
        """Return whether A >= 0: then products alone bound eigenvalues sharply."""

    @property
    @abstractmethod
    def _formed(self) -> EntrywiseMatrix | None: ...

    @abstractmethod
    def _applied(
        self, function: Callable[..., FloatArray], starts: IndexArray, x: FloatArray
    ) -> FloatArray: ...

    def _above(self, z: FloatArray, starts: IndexArray) -> FloatArray:
        return sum_above(self._applied(product_above, starts, z), self.roundings)

    def _below(self, V: FloatArray, starts: IndexArray) -> FloatArray:
        squares = self._applied(squares_below, starts, V)
        return squares * (1 - (self.roundings + 4) * UNIT * (1 + 2.0**-20))

    def floor(self) -> Fraction:
        return self.shift

    @property
    def exact_zeros(self) -> bool:
        return False  # rounded products may be zero where A'A is not

    def explicit(self) -> EntrywiseMatrix | None:
        # What unsound arithmetic would form must not be kept for the time when it is sound again.
        return self._formed if "_formed" in self.__dict__ or arithmetic_is_sound() else None

    def leading_eigenpair(
        self, weights: FloatArray | None = None, accuracy: float = FULL
    ) -> Eigenpair:
        formed = self.explicit()
        if formed is not None and isinstance(formed.matrix, np.ndarray):
            return EntrywiseSmoothness(formed.matrix, counter=self.counter).leading_eigenpair(
                weights, accuracy
            )
        return super().leading_eigenpair(weights, accuracy)

    def quadratic_form_below(self, V: FloatArray) -> tuple[float, Rigor]:
        if self.explicit() is not None:
            return super().quadratic_form_below(V)
        (squares,) = self._below(V, WHOLE).tolist()
        if not math.isfinite(squares):
            return 0.0, Rigor.NUMERICAL
        lengths = math.fsum(np.einsum("ij,ij->i", V, V).tolist()) * (1 - (V.shape[1] + 26) * UNIT)
        below = self.scale * Fraction(squares) + self.shift * Fraction(
            max(lengths - V.size * 2.0**-1073, 0.0)
        )
        return round_down(below), Rigor.VERIFIED

    def bracket_lambda_max(
        self, weights: FloatArray | None, vector: FloatArray | None, width: float
    ) -> Bracket:
        best = None
        if self._nonnegative():
            (bracket,) = self._by_products(WHOLE, weights, vector, width)
            if math.isfinite(bracket.upper) and bracket.rigor is not Rigor.NUMERICAL:
                best = bracket
        if best is None or best.width > width * best.upper:
            factored = self._by_factor(weights)
            if factored is not None and (best is None or factored.width < best.width):
                best = factored
        return super().bracket_lambda_max(weights, vector, width) if best is None else best

    def _by_factor(self, weights: FloatArray | None) -> Bracket | None:
        """Return a finite bracket of lambda_max from a factorization of A; None without one."""
        return None

    def _by_products(
        self,
        starts: IndexArray,
        weights: FloatArray | None,
        vector: FloatArray | None,
        width: float,
    ) -> tuple[Bracket, ...]:
        def counted(product: Callable[[FloatArray], FloatArray], x: FloatArray) -> FloatArray:
            self.counter.count += 1
            return product(x)

        products = Products(
            partial(counted, lambda x: self._applied(near_product, starts, x)),
            partial(counted, lambda z: self._above(z, starts)),
            lambda x: self._below(x, starts),
            starts,
        )
        ones = np.ones(self.dimension)
        return bracket_lambda_max_of_products(
            products,
            self.scale,
            self.shift,
            ones if weights is None else weights,
            ones if vector is None else vector,
            width,
        )


@dataclass(frozen=True, eq=False)
class GramSmoothness(GramForm):
    """scale A'A + shift I for an n x d matrix A, dense or sparse; scale > 0, shift >= 0.

    Parameters
    ----------
    data : ndarray or csr_array
        The nearest doubles to the entries of A.
    scale, shift : Fraction
    exact : ndarray of object, optional
        The entries of A themselves where they differ and d is small enough for exact decisions.
    rounded : bool
        Whether they differ.

    Examples
    --------
    >>> from rpttheory import gram
    >>> type(gram([[1.0, 0.0], [2.0, 1.0]])).__name__
    'GramSmoothness'
    """

    data: Matrix
    scale: Fraction
    shift: Fraction
    exact: NDArray[np.object_] | None = None
    rounded: bool = False
    roundings = 1

    @property
    def rounding(self) -> float:
        """The relative error of the doubles in `data`."""
        return 1.01 * UNIT if self.rounded else 0.0

    @property
    def dimension(self) -> int:
        return int(self.data.shape[1])

    def _apply(self, x: FloatArray) -> FloatArray:
        return np.asarray(
            float(self.scale) * (self.data.T @ (self.data @ x)) + float(self.shift) * x
        )

    def diagonal(self) -> FloatArray:
        return float(self.scale) * column_squares(self.data) + float(self.shift)

    def restrict(self, index: slice | IndexArray) -> Smoothness:
        part = self.data[:, index]
        data: Matrix = (
            np.ascontiguousarray(part) if isinstance(part, np.ndarray) else sp.csr_array(part)
        )
        return replace(self, data=data, exact=None if self.exact is None else self.exact[:, index])

    @cached_property
    def _formed(self) -> EntrywiseMatrix | None:
        entries = self.data.shape[0] * self.data.shape[1]
        if self.dimension <= FORMED_DIMENSION and (
            isinstance(self.data, np.ndarray) or entries <= _FORMED_ENTRIES
        ):
            return entrywise_gram(
                to_dense(self.data), self.scale, self.shift, rounding_of_data=self.rounding
            )
        if not isinstance(self.data, np.ndarray):
            per_row = np.diff(self.data.indptr).astype(np.float64)
            if float((per_row**2).sum()) <= _FORMED_ENTRIES:
                return sparse_entrywise_gram(
                    self.data, self.scale, self.shift, rounding_of_data=self.rounding
                )
        return None

    def rational(self) -> RationalMatrix | None:
        if self.dimension > EXACT_DIMENSION or (self.rounded and self.exact is None):
            return None
        entries = ExactArray(to_dense(self.data), self.exact)
        return rational_gram(entries, self.scale, self.shift)

    def _nonnegative(self) -> bool:
        return float(stored_entries(self.data).min(initial=0.0)) >= 0

    def _by_factor(self, weights: FloatArray | None) -> Bracket | None:
        if not can_bracket(self.data):
            return None
        bracket = bracket_lambda_max_of_gram(
            self.data,
            self.scale,
            self.shift,
            weights,
            self.leading_eigenpair(weights).vector,
            rounding_of_data=self.rounding,
        )
        return bracket if math.isfinite(bracket.upper) else None

    def _applied(
        self, function: Callable[..., FloatArray], starts: IndexArray, x: FloatArray
    ) -> FloatArray:
        return function(self.data, x, self.rounding)


def column_squares(matrix: Matrix) -> FloatArray:
    """Return the squared norms of the columns."""
    squares = matrix * matrix if isinstance(matrix, np.ndarray) else matrix.multiply(matrix)
    return np.asarray(squares.sum(axis=0), dtype=np.float64).ravel()


def scale_and_shift(scale: Number, shift: Number) -> tuple[Fraction, Fraction]:
    """Return both as fractions; raise unless scale is positive and shift not negative."""
    factor = exact_number(scale, "scale")
    added = exact_number(shift, "shift")
    if factor <= 0:
        raise InvalidInput(
            "must be positive and finite",
            repr(scale),
            "Fraction(2, n) for ridge regression",
            argument="scale",
        )
    if float(factor) < _SMALLEST_SCALE:
        raise InvalidInput(
            "must be within the range of doubles",
            repr(scale),
            "A scaled down instead",
            argument="scale",
        )
    if added < 0:
        raise InvalidInput(
            "must be non-negative and finite",
            repr(shift),
            "2 * lambda for ridge regression",
            argument="shift",
        )
    return factor, added
