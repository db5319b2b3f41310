"""The interface of all forms of smoothness matrices."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...eigen.eigenpairs import FULL, Eigenpair, leading_eigenpair
from ...eigen.exact import RationalMatrix, rational
from ...eigen.pencil import UNIT, EntrywiseMatrix, absolute_product, to_dense
from ...errors import InvalidInput
from ...numbers import Bracket, Rigor, arithmetic_problem
from ...numbers.exact_array import ExactArray, FloatArray
from ..blocks import Blocks

IndexArray = NDArray[np.intp]


@dataclass
class ProductCounter:
    """The number of products of L with single vectors: a cost that does not depend on a clock."""

    count: int = 0


@dataclass(frozen=True, eq=False)
class Smoothness(ABC):
    """A symmetric smoothness matrix L of dimension d x d.

    Attributes
    ----------
    asymmetry : float
        Zero where L is the matrix given. Elsewhere L is the symmetric part of a matrix whose
        entries differ from their mirror images by as much, relative to sqrt(L_ii L_jj).
    column_names : tuple of str
        The columns of the DataFrame that L was made from; empty for every other source.
    """

    counter: ProductCounter = field(default_factory=ProductCounter, kw_only=True, repr=False)
    asymmetry: float = field(default=0.0, kw_only=True, repr=False)
    column_names: tuple[str, ...] = field(default=(), kw_only=True, repr=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on L for reports: that it is the symmetric part of another matrix, if it is."""
        if not self.asymmetry:
            return ()
        size = ""
        if self.asymmetry < 1e-15:
            size = ", whose asymmetry is below 1e-15"
        elif math.isfinite(self.asymmetry):
            size = f", whose asymmetry is {self.asymmetry:.1g}"
        return (f"L is (F + F')/2 of the matrix F given{size}; every result is about L",)

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of coordinates, d."""

    @abstractmethod
    def _apply(self, x: FloatArray) -> FloatArray:
        """Return L x for a d x m array, without counting the products."""

    @abstractmethod
    def diagonal(self) -> FloatArray:
        """Return the diagonal of L."""

    @abstractmethod
    def restrict(self, index: slice | IndexArray) -> Smoothness:
        """Return L on some of the coordinates, in this order: a diagonal block, or L permuted."""

    def explicit(self) -> EntrywiseMatrix | None:
        """Return the entries, exactly or up to a small diagonal; None if they are not known."""
        return None

    def rational(self) -> RationalMatrix | None:
        """Return the entries as fractions, for small exact decisions; None if they are not known
        exactly.
        """
        explicit = self.explicit()
        if explicit is None or explicit.slack is not None:
            return None
        return rational(ExactArray(to_dense(explicit.matrix)))

    # -- what can be proved of L, which every form answers for itself

    def floor(self) -> Fraction | None:
        """Return s >= 0 with L - s I positive semidefinite by construction; None if that needs a
        proof.
        """
        return None

    @property
    def exact_zeros(self) -> bool:
        """True if an entry of `explicit()` is zero only where that of L is."""
        return True

    def diagonal_brackets(self) -> tuple[Bracket, ...] | None:
        """Return the diagonal of L, exactly or within the rounding of its entries; None if it is
        not stored.
        """
        explicit = self.explicit()
        if explicit is None or explicit.slack is not None:
            return None
        return tuple(Bracket.of_fraction(Fraction(value)) for value in self.diagonal().tolist())

    def block_brackets(self, blocks: Blocks) -> tuple[Bracket, ...] | None:
        """Return L_k for all blocks at once; None if one block at a time is better."""
        return self.diagonal_brackets() if blocks.count == self.dimension else None

    def exact_lambda_max(self, weights: ExactArray | None) -> Bracket | None:
        """Return lambda_max(W^-1/2 L W^-1/2) if the diagonal alone decides it; None otherwise."""
        entries = self.diagonal_brackets() if self.dimension == 1 else None
        if entries is None:
            return None
        return entries[0] if weights is None else entries[0] / weights.fraction(0)

    def bracket_lambda_max(
        self, weights: FloatArray | None, vector: FloatArray | None, width: float
    ) -> Bracket:
        """Return lambda_max(W^-1/2 L W^-1/2) of a form without entries, if possible of that
        relative width.

        `vector` may give an approximate top eigenvector. Products alone prove nothing.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            pair = self.leading_eigenpair(weights)
            low = pair.value - pair.residual
            high = pair.value + pair.residual
        if not (math.isfinite(low) and math.isfinite(high)):
            # beyond the range of doubles
            low = -math.inf
            high = math.inf
        return Bracket(low, high, Rigor.NUMERICAL)

    def quadratic_form_below(self, V: FloatArray) -> tuple[float, Rigor]:
        """Return a lower bound of <V, L V>, and its rigor."""
        explicit = self.explicit()
        if explicit is None:
            return float(np.vdot(V, self.matmat(V))), Rigor.NUMERICAL
        # One unit more than the sums need, for entries that are themselves rounded.
        room = (V.shape[0] + V.shape[1] + 26) * UNIT * (1 + 2.0**-20)
        product = explicit.matrix @ V
        error = room * float(np.vdot(np.abs(V), absolute_product(explicit.matrix, V)))
        # Each of d products that underflow in an entry of L V loses 2^-1075 at most, times the
        # entry of V it meets.
        error += V.shape[0] * 2.0**-1074 * float(np.abs(V).sum())
        if explicit.slack is not None:
            lengths = np.einsum("ij,ij->i", V, V) + V.shape[1] * 2.0**-1074
            error += float(explicit.slack @ lengths) * (1 + 2.0**-20)
        value = math.fsum(np.einsum("ij,ij->i", V, product).tolist())
        rigor = Rigor.NUMERICAL if arithmetic_problem(self.dimension) else Rigor.VERIFIED
        return math.nextafter(value - error * (1 + 2.0**-20) - 2.0**-1000, -math.inf), rigor

    @property
    def shape(self) -> tuple[int, int]:
        return (self.dimension, self.dimension)

    @property
    def products(self) -> int:
        """Products with single vectors so far."""
        return self.counter.count

    def matmat(self, x: FloatArray) -> FloatArray:
        """Return L x for one vector or several side by side; each column counts as one product."""
        if x.shape[0] != self.dimension:
            raise InvalidInput(
                f"vectors must have {self.dimension} entries",
                f"an array of shape {x.shape}",
                "one row per coordinate",
            )
        columns = x.reshape(self.dimension, -1)
        self.counter.count += columns.shape[1]
        result = np.asarray(self._apply(columns), dtype=np.float64)
        if not np.isfinite(result).all():
            raise InvalidInput(
                "products with L must be finite",
                "NaN or infinity in L x",
                "check L, or scale it down",
            )
        return result.reshape(x.shape)

    def trace(self) -> float:
        """Return the sum of the diagonal."""
        return float(self.diagonal().sum())

    def leading_eigenpair(
        self, weights: FloatArray | None = None, accuracy: float = FULL
    ) -> Eigenpair:
        """Return the numerical leading eigenpair of W^-1/2 L W^-1/2, with a value of relative error
        about `accuracy`.
        """
        return leading_eigenpair(self.matmat, self.dimension, weights, accuracy=accuracy)

    def size_of_entries(self) -> float:
        """Return about the largest entry, the scale of L."""
        return float(np.abs(self.diagonal()).max())
