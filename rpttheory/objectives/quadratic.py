"""f(x) = x'Ax / 2 - b'x for a symmetric A in any form."""

import math
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator, lsqr

from ..eigen.eigenpairs import leading_eigenpair
from ..numbers.checks import read_only
from ..numbers.exact_array import FloatArray
from ..problem.smoothness import DiagonalSmoothness, Smoothness, SmoothnessLike, as_smoothness
from .objective import Action, Objective, check_point

# Up to this dimension eigenvalues and minimizers come from a dense factorization.
_DENSE_DIMENSION = 3000
# Eigenvalues this close to zero, relative to the largest, are rounding errors.
_ROUNDING = 1e-13
# Matrices known by their products refuse those that overflow; larger vectors count as divergence.
_LARGE = 1e100


@dataclass(frozen=True, eq=False, init=False)
class Quadratic(Objective):
    """f(x) = x'Ax / 2 - b'x.

    A block of the gradient costs its own length for a diagonal A, its rows for a dense or sparse
    one, and a whole product where only products are known.

    Parameters
    ----------
    A : array, sparse matrix, LinearOperator or Smoothness
        Symmetric; `rpttheory.diagonal(values)` for a diagonal one. It is the smoothness matrix as
        well.
    b : array, optional
        Zero by default.

    Examples
    --------
    >>> from rpttheory import diagonal
    >>> f = Quadratic(diagonal([4.0, 1.0]), [4.0, 1.0])
    >>> print(f.minimizer, f.minimum, f.strong_convexity)
    [1. 1.] -2.5 1.0
    """

    A: Smoothness
    b: FloatArray | None

    def __init__(self, A: SmoothnessLike, b: ArrayLike | None = None) -> None:
        object.__setattr__(self, "A", as_smoothness(A))
        linear = None if b is None else read_only(check_point(b, self.A.dimension, "b"))
        object.__setattr__(self, "b", linear)

    @property
    def diagonal(self) -> FloatArray | None:
        """The diagonal of A, None unless A is diagonal."""
        return self.A.values if isinstance(self.A, DiagonalSmoothness) else None

    @property
    def dimension(self) -> int:
        return self.A.dimension

    @property
    def smoothness(self) -> Smoothness:
        return self.A

    def value(self, x: FloatArray) -> float:
        product = float(x @ self.gradient(x))
        return 0.5 * (product if self.b is None else product - float(self.b @ x))

    @cached_property
    def _rows(self) -> FloatArray | sp.csr_array | None:
        """The entries of A, None for a diagonal A and where only products are known."""
        explicit = None if self.diagonal is not None else self.A.explicit()
        return None if explicit is None else explicit.matrix

    def block_gradient(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> FloatArray:
        self.gradient_action(x, start, stop, out)()
        return out

    def gradient_action(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> Action:
        product = self._product_action(x, start, stop, out)
        if self.b is None:
            return product
        b = self.b[start:stop]

        def gradient() -> None:
            product()
            np.subtract(out, b, out)

        return gradient

    def _product_action(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> Action:
        """Return a function that writes rows start:stop of A x into `out`."""
        if self.diagonal is not None:
            return partial(np.multiply, self.diagonal[start:stop], x[start:stop], out)
        rows = self._rows
        if rows is None:
            return lambda: np.copyto(out, self._matrix_free(x)[start:stop])
        if isinstance(rows, np.ndarray):
            return partial(np.dot, rows[start:stop], x, out)
        block = sp.csr_array(rows[start:stop])
        return lambda: np.copyto(out, block @ x)

    def _matrix_free(self, x: FloatArray) -> FloatArray:
        """A x where only products are known; nan for an x whose product they would refuse."""
        return self.A.matmat(x) if np.abs(x).max() <= _LARGE else np.full_like(x, np.nan)

    @cached_property
    def strong_convexity(self) -> float | None:
        if self.diagonal is not None:
            lowest = float(self.diagonal.min())
            return lowest if lowest >= 0 else None
        if self.dimension <= _DENSE_DIMENSION:
            lowest = float(np.linalg.eigvalsh(self._dense())[0])
        else:
            lowest = -leading_eigenpair(lambda x: -self.A.matmat(x), self.dimension, None).value
        rounding = _ROUNDING * self.dimension * float(np.abs(self.A.diagonal()).max())
        if lowest < -rounding:
            return None
        return lowest if lowest > rounding else 0.0

    @cached_property
    def minimizer(self) -> FloatArray | None:
        if self.strong_convexity is None:
            return None
        if self.b is None or not self.b.any():
            return read_only(np.zeros(self.dimension))
        solution = self._solve(self.b)
        residual = np.abs(self.gradient(solution)).max()
        # Where A x = b has no solution f is unbounded below.
        return read_only(solution) if residual <= 1e-6 * np.abs(self.b).max() else None

    def _solve(self, b: FloatArray) -> FloatArray:
        """The shortest least-squares solution of A x = b."""
        if self.diagonal is not None:
            curved = self.diagonal > 0
            return np.where(curved, b / np.where(curved, self.diagonal, 1.0), 0.0)
        if self.dimension > _DENSE_DIMENSION:
            product = self.A.matmat
            A = LinearOperator(self.A.shape, matvec=product, rmatvec=product, dtype=np.float64)
            limit = 20 * self.dimension
            return np.asarray(lsqr(A, b, atol=1e-15, btol=1e-15, iter_lim=limit)[0])
        if self.strong_convexity:
            return np.asarray(np.linalg.solve(self._dense(), b), dtype=np.float64)
        return np.asarray(np.linalg.lstsq(self._dense(), b, rcond=_ROUNDING * self.dimension)[0])

    def _dense(self) -> FloatArray:
        rows = self._rows
        if rows is None:
            return self.A.matmat(np.eye(self.dimension))
        return rows if isinstance(rows, np.ndarray) else np.asarray(rows.toarray())

    def gap(self, x: FloatArray, gradient: FloatArray, difference: FloatArray) -> float:
        """(x - x*)'f'(x) / 2, which loses no digits near the minimum."""
        return math.nan if self.minimizer is None else 0.5 * float(difference @ gradient)
