"""L entry by entry, in a dense array or in compressed rows."""

from __future__ import annotations

from dataclasses import dataclass
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
from ...eigen.pencil import EntrywiseMatrix, Matrix
from ...numbers import Bracket
from ...numbers.exact_array import ExactArray, FloatArray, SparseExactArray, doubles
from .protocol import IndexArray, Smoothness
from .rounding import rounding_errors, slack_of, within_slack

# Diagonal blocks of a sparse matrix up to this size are cheaper as dense arrays.
_DENSE_BLOCK = 300


def symmetric_product(matrix: NDArray[Any], x: NDArray[Any]) -> NDArray[Any]:
    """L x of a symmetric L as (x'L)', for which BLAS need not pack all of L: up to twice as fast
    for few columns.

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
        stored = matrix if isinstance(matrix, np.ndarray) else matrix.data
        errors = rounding_errors(stored, ExactArray(stored, L.exact).rounded)
        is_kept = not isinstance(matrix, np.ndarray) or len(matrix) <= EXACT_DIMENSION
        return cls(matrix, slack_of(matrix, errors), L.exact if is_kept else None)

    @property
    def dimension(self) -> int:
        return int(self.matrix.shape[0])

    def _apply(self, x: FloatArray) -> FloatArray:
        if isinstance(self.matrix, np.ndarray):
            return symmetric_product(self.matrix, x)
        return np.asarray(self.matrix @ x)

    def diagonal(self) -> FloatArray:
        return np.array(self.matrix.diagonal(), dtype=np.float64)

    def diagonal_block(self, rows: slice) -> FloatArray:
        block = self.matrix[rows, rows]
        return block.copy() if isinstance(block, np.ndarray) else np.asarray(block.toarray())

    def restrict(self, rows: slice) -> Smoothness:
        slack = None if self.slack is None else self.slack[rows]
        if not isinstance(self.matrix, np.ndarray):
            block: Matrix
            if rows.stop - rows.start <= _DENSE_BLOCK:
                block = self.diagonal_block(rows)
            else:
                block = sp.csr_array(self.matrix[rows, rows])
            return EntrywiseSmoothness(block, slack, counter=self.counter)
        exact = None if self.exact is None else self.exact[rows, rows]
        return EntrywiseSmoothness(self.diagonal_block(rows), slack, exact, counter=self.counter)

    def permuted(self, order: IndexArray) -> Smoothness:
        slack = None if self.slack is None else self.slack[order]
        exact = self.exact
        matrix: Matrix
        if isinstance(self.matrix, np.ndarray):
            matrix = self.matrix[np.ix_(order, order)]
            exact = None if exact is None else exact[np.ix_(order, order)]
        else:
            # Numbers of the stored entries are permuted along: the exact ones follow them.
            numbers = np.arange(1, self.matrix.nnz + 1)
            places = sp.csr_array((numbers, self.matrix.indices, self.matrix.indptr), self.shape)
            places = sp.csr_array(places[order][:, order])
            places.sort_indices()
            data = self.matrix.data[places.data - 1]
            matrix = sp.csr_array((data, places.indices, places.indptr), self.shape)
            exact = None if exact is None else exact[places.data - 1]
        return EntrywiseSmoothness(
            matrix, slack, exact, counter=self.counter, asymmetry=self.asymmetry
        )

    def explicit(self) -> EntrywiseMatrix:
        return EntrywiseMatrix(self.matrix, self.slack)

    def rational(self) -> RationalMatrix | None:
        if self.exact is None:
            return super().rational()
        if isinstance(self.matrix, np.ndarray):
            return rational(ExactArray(self.matrix, self.exact))
        return rational(SparseExactArray(self.matrix, self.exact).toarray())

    def exact_diagonal(self) -> list[Fraction] | None:
        if self.exact is not None and isinstance(self.matrix, np.ndarray):
            return [Fraction(value) for value in self.exact.diagonal()]
        return super().exact_diagonal()

    def diagonal_brackets(self) -> tuple[Bracket, ...] | None:
        return super().diagonal_brackets() or within_slack(self.diagonal(), self.slack)

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
