"""L known only through its products: everything about it is numerical."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...eigen.eigenpairs import magnitude
from ...errors import InvalidInput
from ...numbers.exact_array import FloatArray
from .protocol import IndexArray, Smoothness

# Columns of unit vectors multiplied at once when entries must be read off a product.
_COLUMNS = 64


@dataclass(frozen=True, eq=False)
class OperatorSmoothness(Smoothness):
    """L behind a function that multiplies it with the columns of a d x m array.

    Attributes
    ----------
    size : int
        d.
    product : callable
        Multiplies L with the columns of a d x m array.

    Examples
    --------
    >>> OperatorSmoothness(2, lambda x: 3 * x).trace()
    6.0
    """

    size: int
    product: Callable[[FloatArray], FloatArray]

    @property
    def dimension(self) -> int:
        return self.size

    def _apply(self, x: FloatArray) -> FloatArray:
        if x.shape[1] == 0:  # which the product of a user need not accept
            return np.empty(x.shape)
        return np.asarray(self.product(x), dtype=np.float64).reshape(x.shape)

    def diagonal(self) -> FloatArray:
        entries = np.empty(self.size)
        for start in range(0, self.size, _COLUMNS):
            columns = np.arange(start, min(start + _COLUMNS, self.size))
            units = np.zeros((self.size, columns.size))
            units[columns, columns - start] = 1.0
            entries[columns] = self.matmat(units)[columns, columns - start]
        return entries

    def size_of_entries(self) -> float:
        # The entries of L s for random signs s: their mean square is at least that of the diagonal,
        # for few products.
        signs = np.random.default_rng(0).choice((-1.0, 1.0), (self.size, 4))
        return float(np.abs(self.matmat(signs)).max())

    def restrict(self, index: slice | IndexArray) -> Smoothness:
        def product(x: FloatArray) -> FloatArray:
            padded = np.zeros((self.size, x.shape[1]))
            padded[index] = x
            return self._apply(padded)[index]

        return replace(self, size=np.arange(self.size)[index].size, product=product)

    def require_symmetry(self) -> None:
        """Compare x'Ly with y'Lx for two random vectors, and raise if they differ beyond
        rounding.
        """
        x, y = np.random.default_rng(20).standard_normal((2, self.size))
        products = self.matmat(np.column_stack((x, y)))
        products = products / magnitude(products)
        one_way = float(y @ products[:, 0])
        other_way = float(x @ products[:, 1])
        norm = np.linalg.norm
        scale = float(norm(products[:, 0]) * norm(y) + norm(products[:, 1]) * norm(x))
        if abs(one_way - other_way) > 1e-8 * scale:
            raise InvalidInput(
                "must be symmetric",
                f"x'Ly = {one_way:.9g} but y'Lx = {other_way:.9g} for a random pair",
                "an operator that applies a symmetric matrix",
                argument="L",
            )
