"""What every form of smoothness matrix offers, so that no function needs a twin for another form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...certify.exact import RationalMatrix, rational
from ...certify.pencil import Explicit
from ...certify.spectrum import FULL, TopPair, top_pair
from ...errors import InvalidInput
from ...reals import FloatArray, Reals
from ..blocks import Blocks

IndexArray = NDArray[np.intp]


@dataclass
class ProductCounter:
    """How many single-vector products with L have been made: the cost that no clock blurs."""

    count: int = 0


@dataclass(frozen=True, eq=False)
class Smoothness(ABC):
    """A symmetric smoothness matrix L of dimension d x d."""

    counter: ProductCounter = field(default_factory=ProductCounter, kw_only=True, repr=False)

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of coordinates, d."""

    @abstractmethod
    def _apply(self, x: FloatArray) -> FloatArray:
        """L x for a d x m array, uncounted."""

    @abstractmethod
    def diagonal(self) -> FloatArray:
        """The diagonal of L."""

    @abstractmethod
    def diagonal_block(self, rows: slice) -> FloatArray:
        """One diagonal block as a dense array."""

    @abstractmethod
    def restrict(self, rows: slice) -> Smoothness:
        """One diagonal block as a smoothness matrix of its own, formed only where that is cheap."""

    @abstractmethod
    def permuted(self, order: IndexArray) -> Smoothness:
        """L with its coordinates in another order."""

    def explicit(self) -> Explicit | None:
        """The entries, exactly or up to a small diagonal; None where only products are known."""
        return None

    def rational(self) -> RationalMatrix | None:
        """The entries as fractions, for small exact decisions; None where they are not known exactly."""
        explicit = self.explicit()
        if explicit is None or explicit.slack is not None:
            return None
        matrix = explicit.matrix
        return rational(Reals(matrix if isinstance(matrix, np.ndarray) else matrix.toarray()))

    def exact_diagonal(self) -> list[Fraction] | None:
        """The diagonal as fractions; None where it is not known exactly."""
        explicit = self.explicit()
        if explicit is None or explicit.slack is not None:
            return None
        return [Fraction(value) for value in self.diagonal().tolist()]

    @property
    def shape(self) -> tuple[int, int]:
        return (self.dimension, self.dimension)

    @property
    def products(self) -> int:
        """Products with single vectors so far."""
        return self.counter.count

    def matmat(self, x: FloatArray) -> FloatArray:
        """L x for one vector or several side by side; each column counts as one product."""
        if x.shape[0] != self.dimension:
            raise InvalidInput(
                f"vectors must have {self.dimension} entries", f"an array of shape {x.shape}", "one row per coordinate"
            )
        columns = x.reshape(self.dimension, -1)
        self.counter.count += columns.shape[1]
        result = np.asarray(self._apply(columns), dtype=np.float64)
        if not np.isfinite(result).all():
            raise InvalidInput("products with L must be finite", "NaN or infinity in L x", "check L, or scale it down")
        return result.reshape(x.shape)

    def trace(self) -> float:
        """The sum of the diagonal."""
        return float(self.diagonal().sum())

    def top_pair(self, weights: FloatArray | None = None, accuracy: float = FULL) -> TopPair:
        """The numerical top eigenpair of W^-1/2 L W^-1/2, with a value that errs by about `accuracy`, relatively."""
        return top_pair(self.matmat, self.dimension, weights, accuracy=accuracy)

    def block_lambda_max(self, blocks: Blocks) -> FloatArray:
        """The largest eigenvalue of each diagonal block, numerically."""
        blocks.require_dimension(self.dimension)
        if blocks.count == self.dimension:
            return self.diagonal()
        return np.array([self.restrict(rows).top_pair().value for rows in blocks.slices])
