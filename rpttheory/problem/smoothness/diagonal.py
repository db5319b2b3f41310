"""L as a diagonal, for which everything is exact and costs one pass over d numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...eigen import bracket_lambda_max_of_diagonal
from ...eigen.eigenpairs import FULL, Eigenpair
from ...eigen.exact import RationalMatrix
from ...eigen.pencil import UNIT, EntrywiseMatrix
from ...numbers import Bracket, Rigor, arithmetic_problem
from ...numbers.exact_array import ExactArray, FloatArray
from ..blocks import Blocks
from .protocol import IndexArray, Smoothness
from .rounding import rounding_errors


@dataclass(frozen=True, eq=False)
class DiagonalSmoothness(Smoothness):
    """L = Diag(entries).

    Attributes
    ----------
    entries : ExactArray
        The diagonal.

    Examples
    --------
    >>> from rpttheory import diagonal
    >>> diagonal([3, 1]).values
    array([3., 1.])
    """

    entries: ExactArray

    @property
    def values(self) -> FloatArray:
        """The nearest doubles."""
        return self.entries.float64

    @property
    def dimension(self) -> int:
        return int(self.values.size)

    def _apply(self, x: FloatArray) -> FloatArray:
        return self.values[:, None] * x

    def diagonal(self) -> FloatArray:
        return self.values.copy()

    def restrict(self, index: slice | IndexArray) -> Smoothness:
        return replace(self, entries=self.entries[index])

    def explicit(self) -> EntrywiseMatrix:
        matrix = sp.csr_array(sp.diags_array(self.values))
        if self.entries.exact is None:
            return EntrywiseMatrix(matrix)
        return EntrywiseMatrix(matrix, rounding_errors(self.values, self.entries.rounded))

    def rational(self) -> RationalMatrix:
        exact = self.entries.fractions()
        zero = Fraction(0)
        return [
            [value if i == j else zero for j in range(len(exact))] for i, value in enumerate(exact)
        ]

    def diagonal_brackets(self) -> tuple[Bracket, ...]:
        return tuple(map(Bracket.of_fraction, self.entries.fractions()))

    def block_brackets(self, blocks: Blocks) -> tuple[Bracket, ...]:
        return tuple(map(Bracket.of_fraction, self.entries[self.tops(blocks)].fractions()))

    def exact_lambda_max(self, weights: ExactArray | None) -> Bracket:
        return bracket_lambda_max_of_diagonal(self.entries, weights)

    def quadratic_form_below(self, V: FloatArray) -> tuple[float, Rigor]:
        terms = self.values * np.einsum("ij,ij->i", V, V)
        room = (V.shape[1] + 26) * UNIT * (1 + 2.0**-20) * math.fsum(np.abs(terms).tolist())
        # No matrix product is needed, whose threads would have to be probed as well.
        rigor = Rigor.NUMERICAL if arithmetic_problem() else Rigor.VERIFIED
        # Squares that underflow gain 2^-1075 at most.
        lost = V.shape[1] * 2.0**-1074 * math.fsum(np.abs(self.values).tolist())
        return math.fsum(terms.tolist()) - room - lost - 2.0**-1000, rigor

    def tops(self, blocks: Blocks) -> NDArray[np.intp]:
        """Return the index of the largest entry of each block, compared exactly."""
        tops = []
        for rows in blocks.slices:
            doubles = self.values[rows]
            top = rows.start + int(doubles.argmax())
            if self.entries.exact is not None:
                ties = rows.start + np.flatnonzero(doubles == doubles.max())
                top = max(ties.tolist(), key=self.entries.fraction)
            tops.append(top)
        return np.array(tops)

    def leading_eigenpair(
        self, weights: FloatArray | None = None, accuracy: float = FULL
    ) -> Eigenpair:
        quotients = self.values if weights is None else self.values / weights
        top = int(np.argmax(quotients))
        vector = np.zeros(self.dimension)
        vector[top] = 1.0
        return Eigenpair(float(quotients[top]), vector, 0.0)
