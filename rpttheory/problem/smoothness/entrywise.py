"""L entry by entry, in a dense array or in compressed rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg.blas import dsymv, ssymv

from ...eigen.eigenpairs import (
    DENSE_SIZE,
    FULL,
    Eigenpair,
    leading_eigenpair,
    leading_eigenpair_dense,
    magnitude,
)
from ...eigen.exact import EXACT_DIMENSION, RationalMatrix, rational
from ...eigen.pencil import EntrywiseMatrix, Matrix, stored_entries
from ...numbers import Bracket
from ...numbers.exact_array import ExactArray, FloatArray, SparseExactArray, doubles
from .protocol import IndexArray, Smoothness
from .rounding import rounding_errors, slack_of

# Diagonal blocks of a sparse matrix up to this size are cheaper as dense arrays.
_DENSE_BLOCK = 300


def symmetric_product(matrix: NDArray[Any], x: NDArray[Any]) -> NDArray[Any]:
    """Return L x of a symmetric L as (x'L)', for which BLAS need not pack all of L: up to twice as
    fast for few columns.

    For one column half of L is read.
    """
    if x.shape[1] == 1 and matrix.dtype == x.dtype == np.float64:
        return np.asarray(dsymv(1.0, matrix.T, x[:, 0]))[:, None]
    return np.ascontiguousarray((x.T @ matrix).T)


@dataclass(frozen=True, eq=False)
class EntrywiseSmoothness(Smoothness):
    """L stored entry by entry; finite and exactly symmetric.

    Parameters
    ----------
    matrix : ndarray or csr_array
        The nearest doubles; compressed rows are sorted and without duplicates.
    slack : ndarray, optional
        What they differ from L by, as a diagonal; None where they are L.
    exact : ndarray of object, optional
        L itself where it differs: one number for each stored entry of a sparse matrix, and all
        entries of a dense one that is small enough for exact decisions.

    Examples
    --------
    >>> from rpttheory.problem.smoothness import as_smoothness
    >>> type(as_smoothness([[2.0, 1.0], [1.0, 2.0]])).__name__
    'EntrywiseSmoothness'
    """

    matrix: Matrix
    slack: FloatArray | None = None
    exact: NDArray[np.object_] | None = None

    @classmethod
    def of(cls, L: ExactArray | SparseExactArray) -> EntrywiseSmoothness:
        """Return the form of a symmetric matrix, with the rounding of its entries as slack."""
        matrix: Matrix = doubles(L)
        if L.exact is None:
            return cls(matrix)
        stored = stored_entries(matrix)
        errors = rounding_errors(stored, ExactArray(stored, L.exact).rounded)
        keeps_exact = not isinstance(matrix, np.ndarray) or len(matrix) <= EXACT_DIMENSION
        return cls(matrix, slack_of(matrix, errors), L.exact if keeps_exact else None)

    @property
    def dimension(self) -> int:
        return int(self.matrix.shape[0])

    def _apply(self, x: FloatArray) -> FloatArray:
        if isinstance(self.matrix, np.ndarray):
            return symmetric_product(self.matrix, x)
        return np.asarray(self.matrix @ x)

    def diagonal(self) -> FloatArray:
        return np.array(self.matrix.diagonal(), dtype=np.float64)

    def restrict(self, index: slice | IndexArray) -> Smoothness:
        slack = None if self.slack is None else self.slack[index]
        exact = self.exact
        matrix: Matrix
        if isinstance(self.matrix, np.ndarray):
            places = np.arange(self.dimension)[index]
            block = np.ix_(places, places)
            matrix = self.matrix[block]
            exact = None if exact is None else exact[block]
        elif isinstance(index, slice):
            matrix = sp.csr_array(self.matrix[index, index])
            exact = None
            if matrix.shape[0] <= _DENSE_BLOCK:
                matrix = matrix.toarray()
        else:
            # Numbers of the stored entries are permuted along: the exact ones follow them.
            numbers = np.arange(1, self.matrix.nnz + 1)
            stored = sp.csr_array((numbers, self.matrix.indices, self.matrix.indptr), self.shape)
            stored = sp.csr_array(stored[index][:, index])
            stored.sort_indices()
            data = self.matrix.data[stored.data - 1]
            matrix = sp.csr_array((data, stored.indices, stored.indptr), stored.shape)
            exact = None if exact is None else exact[stored.data - 1]
        return replace(self, matrix=matrix, slack=slack, exact=exact)

    def explicit(self) -> EntrywiseMatrix:
        return EntrywiseMatrix(self.matrix, self.slack)

    def rational(self) -> RationalMatrix | None:
        if self.exact is None:
            return super().rational()
        if isinstance(self.matrix, np.ndarray):
            return rational(ExactArray(self.matrix, self.exact))
        return rational(SparseExactArray(self.matrix, self.exact).toarray())

    def diagonal_brackets(self) -> tuple[Bracket, ...] | None:
        if self.exact is not None and isinstance(self.matrix, np.ndarray):
            return tuple(Bracket.of_fraction(Fraction(value)) for value in self.exact.diagonal())
        if self.slack is None:
            return super().diagonal_brackets()
        pairs = zip(self.diagonal().tolist(), self.slack.tolist(), strict=True)
        return tuple(
            Bracket(Fraction(value) - Fraction(slack), Fraction(value) + Fraction(slack))
            for value, slack in pairs
        )

    def leading_eigenpair(
        self, weights: FloatArray | None = None, accuracy: float = FULL
    ) -> Eigenpair:
        matrix = self.matrix
        rough = None
        if isinstance(matrix, np.ndarray):
            if self.dimension <= DENSE_SIZE:
                return leading_eigenpair_dense(matrix, weights)
            largest = max(float(matrix.max()), -float(matrix.min())) or 1.0
            unit = magnitude(np.array(largest))
            single = np.divide(matrix, largest, out=np.empty(matrix.shape, np.float32))

            def rough(x: NDArray[np.float32]) -> NDArray[np.float32]:
                self.counter.count += 1
                return np.asarray(ssymv(1.0, single.T, x))  # which reads only half of L

        else:
            unit = magnitude(matrix.data)
        scaled = self
        if unit != 1.0:
            scaled = EntrywiseSmoothness(matrix / unit, counter=self.counter)
        return leading_eigenpair(
            scaled.matmat, self.dimension, weights, unit=unit, rough=rough, accuracy=accuracy
        )
