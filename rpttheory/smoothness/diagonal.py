"""L as a diagonal, for which everything is exact and costs one pass over d numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..blocks import Blocks
from ..certify.pencil import Explicit
from ..spectrum import TopPair
from .protocol import FloatArray, Smoothness


@dataclass(frozen=True, eq=False)
class DiagonalSmoothness(Smoothness):
    """L = Diag(values)."""

    values: FloatArray

    @property
    def dimension(self) -> int:
        return int(self.values.size)

    def _apply(self, x: FloatArray) -> FloatArray:
        return self.values[:, None] * x

    def diagonal(self) -> FloatArray:
        return self.values.copy()

    def diagonal_block(self, rows: slice) -> FloatArray:
        return np.diag(self.values[rows])

    def restrict(self, rows: slice) -> Smoothness:
        return DiagonalSmoothness(self.values[rows], counter=self.counter)

    def explicit(self) -> Explicit:
        return Explicit(sp.csr_array(sp.diags_array(self.values)))

    def top_pair(self, weights: FloatArray | None = None) -> TopPair:
        quotients = self.values if weights is None else self.values / weights
        top = int(np.argmax(quotients))
        vector = np.zeros(self.dimension)
        vector[top] = 1.0
        return TopPair(float(quotients[top]), vector, 0.0)

    def block_lambda_max(self, blocks: Blocks) -> FloatArray:
        blocks.require_dimension(self.dimension)
        starts = [rows.start for rows in blocks.slices]
        return np.asarray(np.maximum.reduceat(self.values, starts), dtype=np.float64)
