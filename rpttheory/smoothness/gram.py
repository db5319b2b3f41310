"""L = scale A'A + shift I, kept as A: the Hessian of ridge regression and its relatives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from ..certify.exact import EXACT_DIMENSION, RationalMatrix, rational_gram
from ..certify.gram import gram_explicit, sparse_gram_explicit
from ..certify.pencil import Explicit, Matrix
from ..spectrum import TopPair
from .dense import DenseSmoothness
from .protocol import FloatArray, Smoothness

# Up to this dimension A'A is formed; beyond, only if sparse A makes it cheap.
FORMED_DIMENSION = 2000
_FORMED_ENTRIES = 2e7


@dataclass(frozen=True, eq=False)
class GramSmoothness(Smoothness):
    """scale A'A + shift I for an n x d matrix A, dense or sparse; scale > 0, shift >= 0."""

    data: Matrix
    scale: float = 1.0
    shift: float = 0.0

    @property
    def dimension(self) -> int:
        return int(self.data.shape[1])

    def _apply(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.scale * (self.data.T @ (self.data @ x)) + self.shift * x)

    def diagonal(self) -> FloatArray:
        squares = self.data * self.data if isinstance(self.data, np.ndarray) else self.data.multiply(self.data)
        return self.scale * np.asarray(squares.sum(axis=0), dtype=np.float64).ravel() + self.shift

    def diagonal_block(self, rows: slice) -> FloatArray:
        part = self.data[:, rows]
        gram = part.T @ part
        dense = gram if isinstance(gram, np.ndarray) else gram.toarray()
        block = self.scale * np.asarray(dense, dtype=np.float64)
        block[np.diag_indices(block.shape[0])] += self.shift
        return (block + block.T) / 2

    def restrict(self, rows: slice) -> Smoothness:
        part = self.data[:, rows]
        kept: Matrix = np.ascontiguousarray(part) if isinstance(part, np.ndarray) else sp.csr_array(part)
        return GramSmoothness(kept, self.scale, self.shift, counter=self.counter)

    @cached_property
    def _formed(self) -> Explicit | None:
        entries = self.data.shape[0] * self.data.shape[1]
        if self.dimension <= FORMED_DIMENSION and (isinstance(self.data, np.ndarray) or entries <= _FORMED_ENTRIES):
            dense = self.data if isinstance(self.data, np.ndarray) else np.asarray(self.data.toarray())
            return gram_explicit(dense, self.scale, self.shift)
        if not isinstance(self.data, np.ndarray):
            per_row = np.diff(self.data.indptr).astype(np.float64)
            if float((per_row**2).sum()) <= _FORMED_ENTRIES:
                return sparse_gram_explicit(self.data, self.scale, self.shift)
        return None

    def explicit(self) -> Explicit | None:
        return self._formed

    def rational(self) -> RationalMatrix | None:
        if self.dimension > EXACT_DIMENSION:
            return None
        dense = self.data if isinstance(self.data, np.ndarray) else np.asarray(self.data.toarray())
        return rational_gram(dense, self.scale, self.shift)

    def top_pair(self, weights: FloatArray | None = None) -> TopPair:
        formed = self._formed
        if formed is not None and isinstance(formed.matrix, np.ndarray):
            return DenseSmoothness(formed.matrix, counter=self.counter).top_pair(weights)
        return super().top_pair(weights)
