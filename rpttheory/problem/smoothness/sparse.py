"""L as a scipy sparse matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...eigen.eigenpairs import FULL, Eigenpair, leading_eigenpair, magnitude
from ...eigen.exact import RationalMatrix, rational
from ...eigen.pencil import EntrywiseMatrix
from ...numbers import Bracket
from ...numbers.exact_array import FloatArray, SparseExactArray
from .dense import DenseSmoothness
from .protocol import IndexArray, Smoothness
from .rounding import within_slack

# Diagonal blocks up to this size are cheaper as dense arrays than as sparse ones.
_DENSE_BLOCK = 300


@dataclass(frozen=True, eq=False)
class SparseSmoothness(Smoothness):
    """L in compressed rows, without duplicates, finite and exactly symmetric; `slack` as for a
    dense L.

    `exact` has the numbers themselves, one for each stored entry, where they are no doubles;
    certificates need them.
    """

    matrix: sp.csr_array
    slack: FloatArray | None = None
    exact: NDArray[np.object_] | None = None

    @property
    def dimension(self) -> int:
        return int(self.matrix.shape[0])

    def _apply(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.matrix @ x)

    def diagonal(self) -> FloatArray:
        return np.asarray(self.matrix.diagonal(), dtype=np.float64)

    def diagonal_block(self, rows: slice) -> FloatArray:
        return np.asarray(self.matrix[rows, rows].toarray(), dtype=np.float64)

    def restrict(self, rows: slice) -> Smoothness:
        slack = None if self.slack is None else self.slack[rows]
        if rows.stop - rows.start <= _DENSE_BLOCK:
            return DenseSmoothness(self.diagonal_block(rows), slack, counter=self.counter)
        return SparseSmoothness(sp.csr_array(self.matrix[rows, rows]), slack, counter=self.counter)

    def permuted(self, order: IndexArray) -> Smoothness:
        slack = None if self.slack is None else self.slack[order]
        matrix = sp.csr_array(self.matrix[order][:, order])
        matrix.sort_indices()
        exact = self.exact
        if exact is not None:
            places = sp.csr_array(
                (np.arange(1, exact.size + 1), self.matrix.indices, self.matrix.indptr), self.shape
            )
            places = sp.csr_array(places[order][:, order])
            places.sort_indices()
            exact = exact[places.data - 1]
        return SparseSmoothness(
            matrix, slack, exact, counter=self.counter, asymmetry=self.asymmetry
        )

    def explicit(self) -> EntrywiseMatrix:
        return EntrywiseMatrix(self.matrix, self.slack)

    def rational(self) -> RationalMatrix | None:
        return (
            super().rational()
            if self.exact is None
            else rational(SparseExactArray(self.matrix, self.exact).toarray())
        )

    def diagonal_brackets(self) -> tuple[Bracket, ...] | None:
        return super().diagonal_brackets() or within_slack(self.diagonal(), self.slack)

    def leading_eigenpair(
        self, weights: FloatArray | None = None, accuracy: float = FULL
    ) -> Eigenpair:
        unit = magnitude(self.matrix.data)
        scaled = self if unit == 1.0 else SparseSmoothness(self.matrix / unit, counter=self.counter)
        return leading_eigenpair(
            scaled.matmat, self.dimension, weights, unit=unit, accuracy=accuracy
        )
