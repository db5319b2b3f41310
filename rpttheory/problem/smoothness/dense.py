"""L as a dense array."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
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
from ...eigen.pencil import EntrywiseMatrix
from ...numbers import Bracket
from ...numbers.exact_array import ExactArray, FloatArray
from .protocol import IndexArray, Smoothness
from .rounding import rounding_errors, slack_of, within_slack


def symmetric_product(matrix: NDArray[Any], x: NDArray[Any]) -> NDArray[Any]:
    """L x of a symmetric L as (x'L)', for which BLAS need not pack all of L: up to twice as fast
    for few columns.

    For one column half of L is read.
    """
    if x.shape[1] == 1 and matrix.dtype == x.dtype == np.float64:
        return np.asarray(dsymv(1.0, matrix.T, x[:, 0]))[:, None]
    return np.ascontiguousarray((x.T @ matrix).T)


@dataclass(frozen=True, eq=False)
class DenseSmoothness(Smoothness):
    """L stored entry by entry; finite and exactly symmetric.

    Parameters
    ----------
    matrix : ndarray
        The nearest doubles.
    slack : ndarray, optional
        What they differ from L by, as a diagonal; None where they are L.
    entries : list of lists of Fraction, optional
        L itself where it differs and is small enough for exact decisions.
    """

    matrix: FloatArray
    slack: FloatArray | None = None
    entries: RationalMatrix | None = None

    @classmethod
    def of(cls, L: ExactArray) -> DenseSmoothness:
        """A symmetric matrix as given."""
        if L.exact is None:
            return cls(L.float64)
        small = len(L) <= EXACT_DIMENSION
        return cls(
            L.float64,
            slack_of(L.float64, rounding_errors(L.float64, L.rounded)),
            rational(L) if small else None,
        )

    @property
    def dimension(self) -> int:
        return int(self.matrix.shape[0])

    def _apply(self, x: FloatArray) -> FloatArray:
        return symmetric_product(self.matrix, x)

    def diagonal(self) -> FloatArray:
        return self.matrix.diagonal().copy()

    def diagonal_block(self, rows: slice) -> FloatArray:
        return self.matrix[rows, rows].copy()

    def restrict(self, rows: slice) -> Smoothness:
        slack = None if self.slack is None else self.slack[rows]
        entries = None if self.entries is None else [row[rows] for row in self.entries[rows]]
        return DenseSmoothness(self.diagonal_block(rows), slack, entries, counter=self.counter)

    def permuted(self, order: IndexArray) -> Smoothness:
        slack = None if self.slack is None else self.slack[order]
        places = order.tolist()
        entries = (
            None if self.entries is None else [[self.entries[i][j] for j in places] for i in places]
        )
        matrix = self.matrix[np.ix_(order, order)]
        return DenseSmoothness(
            matrix, slack, entries, counter=self.counter, asymmetry=self.asymmetry
        )

    def explicit(self) -> EntrywiseMatrix:
        return EntrywiseMatrix(self.matrix, self.slack)

    def rational(self) -> RationalMatrix | None:
        return self.entries if self.entries is not None else super().rational()

    def exact_diagonal(self) -> list[Fraction] | None:
        if self.entries is not None:
            return [row[i] for i, row in enumerate(self.entries)]
        return super().exact_diagonal()

    def diagonal_brackets(self) -> tuple[Bracket, ...] | None:
        return super().diagonal_brackets() or within_slack(self.diagonal(), self.slack)

    def leading_eigenpair(
        self, weights: FloatArray | None = None, accuracy: float = FULL
    ) -> Eigenpair:
        if self.dimension <= DENSE_SIZE:
            return leading_eigenpair_dense(self.matrix, weights)
        largest = max(float(self.matrix.max()), -float(self.matrix.min())) or 1.0
        unit = magnitude(np.array(largest))
        scaled = self if unit == 1.0 else DenseSmoothness(self.matrix / unit, counter=self.counter)
        single = np.divide(self.matrix, largest, out=np.empty(self.matrix.shape, np.float32))

        def rough(x: NDArray[np.float32]) -> NDArray[np.float32]:
            self.counter.count += 1
            return np.asarray(ssymv(1.0, single.T, x))  # which reads only half of L

        return leading_eigenpair(
            scaled.matmat, self.dimension, weights, unit=unit, rough=rough, accuracy=accuracy
        )
