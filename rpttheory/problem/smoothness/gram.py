"""L = scale A'A + shift I, kept as A: the Hessian of ridge regression and its relatives."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...certify import arithmetic_is_sound
from ...certify.exact import EXACT_DIMENSION, RationalMatrix, rational_gram
from ...certify.gram import gram_explicit, sparse_gram_explicit
from ...certify.pencil import UNIT, Explicit, Matrix
from ...certify.spectrum import FULL, TopPair
from ...reals import FloatArray, Reals
from .dense import DenseSmoothness
from .protocol import IndexArray, Smoothness

# Up to this dimension A'A is formed; beyond, only if sparse A makes it cheap.
FORMED_DIMENSION = 2000
_FORMED_ENTRIES = 2e7


@dataclass(frozen=True, eq=False)
class GramSmoothness(Smoothness):
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
    """

    data: Matrix
    scale: Fraction = Fraction(1)
    shift: Fraction = Fraction(0)
    exact: NDArray[np.object_] | None = None
    rounded: bool = False

    @property
    def rounding(self) -> float:
        """The relative error of the doubles in `data`."""
        return 1.01 * UNIT if self.rounded else 0.0

    @property
    def dimension(self) -> int:
        return int(self.data.shape[1])

    def _apply(self, x: FloatArray) -> FloatArray:
        return np.asarray(float(self.scale) * (self.data.T @ (self.data @ x)) + float(self.shift) * x)

    def diagonal(self) -> FloatArray:
        squares = self.data * self.data if isinstance(self.data, np.ndarray) else self.data.multiply(self.data)
        return float(self.scale) * np.asarray(squares.sum(axis=0), dtype=np.float64).ravel() + float(self.shift)

    def diagonal_block(self, rows: slice) -> FloatArray:
        part = self.data[:, rows]
        gram = part.T @ part
        dense = gram if isinstance(gram, np.ndarray) else gram.toarray()
        block = float(self.scale) * np.asarray(dense, dtype=np.float64)
        block[np.diag_indices(block.shape[0])] += float(self.shift)
        return (block + block.T) / 2

    def restrict(self, rows: slice) -> Smoothness:
        part = self.data[:, rows]
        kept: Matrix = np.ascontiguousarray(part) if isinstance(part, np.ndarray) else sp.csr_array(part)
        exact = None if self.exact is None else self.exact[:, rows]
        return GramSmoothness(kept, self.scale, self.shift, exact, self.rounded, counter=self.counter)

    def permuted(self, order: IndexArray) -> Smoothness:
        part = self.data[:, order]
        kept: Matrix = part if isinstance(part, np.ndarray) else sp.csr_array(part)
        exact = None if self.exact is None else self.exact[:, order]
        return GramSmoothness(kept, self.scale, self.shift, exact, self.rounded, counter=self.counter)

    @cached_property
    def _formed(self) -> Explicit | None:
        entries = self.data.shape[0] * self.data.shape[1]
        if self.dimension <= FORMED_DIMENSION and (isinstance(self.data, np.ndarray) or entries <= _FORMED_ENTRIES):
            dense = self.data if isinstance(self.data, np.ndarray) else np.asarray(self.data.toarray())
            return gram_explicit(dense, self.scale, self.shift, rounding_of_data=self.rounding)
        if not isinstance(self.data, np.ndarray):
            per_row = np.diff(self.data.indptr).astype(np.float64)
            if float((per_row**2).sum()) <= _FORMED_ENTRIES:
                return sparse_gram_explicit(self.data, self.scale, self.shift, rounding_of_data=self.rounding)
        return None

    def explicit(self) -> Explicit | None:
        # What unsound arithmetic would form must not be kept for the time when it is sound again.
        return self._formed if "_formed" in self.__dict__ or arithmetic_is_sound() else None

    def rational(self) -> RationalMatrix | None:
        if self.dimension > EXACT_DIMENSION:
            return None
        if self.rounded and self.exact is None:
            return None
        dense = self.data if isinstance(self.data, np.ndarray) else np.asarray(self.data.toarray())
        return rational_gram(Reals(dense, self.exact), self.scale, self.shift)

    def top_pair(self, weights: FloatArray | None = None, accuracy: float = FULL) -> TopPair:
        formed = self.explicit()
        if formed is not None and isinstance(formed.matrix, np.ndarray):
            return DenseSmoothness(formed.matrix, counter=self.counter).top_pair(weights, accuracy)
        return super().top_pair(weights, accuracy)
