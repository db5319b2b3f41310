"""L as a dense array."""

from __future__ import annotations

from dataclasses import dataclass

from ..certify.pencil import Explicit
from ..spectrum import DENSE_SIZE, TopPair, magnitude, top_pair, top_pair_dense
from .protocol import FloatArray, Smoothness


@dataclass(frozen=True, eq=False)
class DenseSmoothness(Smoothness):
    """L stored entry by entry; `matrix` must be finite and exactly symmetric."""

    matrix: FloatArray

    @property
    def dimension(self) -> int:
        return int(self.matrix.shape[0])

    def _apply(self, x: FloatArray) -> FloatArray:
        return self.matrix @ x

    def diagonal(self) -> FloatArray:
        return self.matrix.diagonal().copy()

    def diagonal_block(self, rows: slice) -> FloatArray:
        return self.matrix[rows, rows].copy()

    def restrict(self, rows: slice) -> Smoothness:
        return DenseSmoothness(self.diagonal_block(rows), counter=self.counter)

    def explicit(self) -> Explicit:
        return Explicit(self.matrix)

    def top_pair(self, weights: FloatArray | None = None) -> TopPair:
        if self.dimension <= DENSE_SIZE:
            return top_pair_dense(self.matrix, weights)
        unit = magnitude(self.matrix)
        scaled = self if unit == 1.0 else DenseSmoothness(self.matrix / unit, counter=self.counter)
        return top_pair(scaled.matmat, self.dimension, weights, unit=unit)
