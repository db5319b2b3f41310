"""f(x) = x'Ax / 2 - b'x for a symmetric A in any form."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.linalg import lsqr

from ..certify.spectrum import top_pair
from ..problem.smoothness import DiagonalSmoothness, Smoothness, SmoothnessLike, as_smoothness
from ..reals import FloatArray
from ..validation import read_only
from .protocol import Objective, Tracker, check_point

# Up to this dimension eigenvalues and minimisers come from a dense factorisation.
_DENSE_DIMENSION = 3000
# Eigenvalues this close to zero, relative to the largest, are rounding.
_ROUNDING = 1e-13
# Vectors beyond this are scaled down before a product, so that the product itself stays finite.
_LARGE = 1e100


@dataclass(frozen=True, eq=False, init=False)
class Quadratic(Objective):
    """f(x) = x'Ax / 2 - b'x.

    A block of the gradient costs its own length for a diagonal A, its rows for a dense or sparse one, and a whole
    product where only products are known.

    Parameters
    ----------
    A : array, sparse matrix, LinearOperator or Smoothness
        Symmetric; `rpttheory.diagonal(values)` for a diagonal one. It is the smoothness matrix as well.
    b : array, optional
        Zero by default.

    Examples
    --------
    >>> from rpttheory import diagonal
    >>> f = Quadratic(diagonal([4.0, 1.0]), [4.0, 1.0])
    >>> print(f.minimiser, f.minimum, f.strong_convexity)
    [1. 1.] -2.5 1.0
    """

    A: Smoothness
    b: FloatArray | None

    def __init__(self, A: SmoothnessLike, b: ArrayLike | None = None) -> None:
        object.__setattr__(self, "A", as_smoothness(A))
        object.__setattr__(self, "b", None if b is None else read_only(check_point(b, self.A.dimension, "b")))

    @property
    def separable(self) -> bool:
        """Whether A is diagonal."""
        return isinstance(self.A, DiagonalSmoothness)

    @property
    def dimension(self) -> int:
        return self.A.dimension

    @property
    def smoothness(self) -> Smoothness:
        return self.A

    def value(self, x: FloatArray) -> float:
        half = 0.5 * float(x @ self._product(x))
        return half if self.b is None else half - float(self.b @ x)

    def _product(self, x: FloatArray) -> FloatArray:
        if isinstance(self.A, DiagonalSmoothness):
            return self.A.values * x
        return self._matrix_free(x) if self._rows is None else self._rows @ x

    def _matrix_free(self, x: FloatArray) -> FloatArray:
        """A x where only products are known, which refuse infinities: a run that diverges has a message of its own."""
        largest = float(np.abs(x).max())
        if not np.isfinite(largest):
            return np.full_like(x, np.nan)
        unit = largest if largest > _LARGE else 1.0
        return self.A.matmat(x / unit) * unit

    @cached_property
    def _rows(self) -> FloatArray | sp.csr_array | None:
        """The entries, where they are at hand."""
        explicit = None if isinstance(self.A, DiagonalSmoothness) else self.A.explicit()
        return None if explicit is None else explicit.matrix

    def block_gradient(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> FloatArray:
        self.product_rows(x, start, stop, out)()
        if self.b is not None:
            out -= self.b[start:stop]
        return out

    def product_rows(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> Callable[[], object]:
        """A function that writes rows start:stop of A x into `out`, with all slices cut beforehand."""
        rows = self._rows
        if isinstance(self.A, DiagonalSmoothness):
            return partial(np.multiply, self.A.values[start:stop], x[start:stop], out)
        if isinstance(rows, np.ndarray):
            return partial(np.dot, rows[start:stop], x, out)
        if rows is not None:
            some = sp.csr_array(rows[start:stop])
            return lambda: np.copyto(out, some @ x)
        return lambda: np.copyto(out, self._matrix_free(x)[start:stop])

    def tracker(self, x: FloatArray) -> Tracker:
        return _QuadraticTracker(self, x)

    @cached_property
    def lowest_eigenvalue(self) -> float:
        """The least eigenvalue of A, numerically."""
        if isinstance(self.A, DiagonalSmoothness):
            return float(self.A.values.min())
        if self.dimension <= _DENSE_DIMENSION:
            return float(np.linalg.eigvalsh(self._dense())[0])
        return -top_pair(lambda x: -self.A.matmat(x), self.dimension, None).value

    @cached_property
    def strong_convexity(self) -> float | None:
        lowest = self.lowest_eigenvalue
        if isinstance(self.A, DiagonalSmoothness):
            return max(lowest, 0.0) if lowest >= 0 else None
        rounding = _ROUNDING * self.dimension * float(np.abs(self.A.diagonal()).max())
        if lowest < -rounding:
            return None
        return lowest if lowest > rounding else 0.0

    @cached_property
    def minimiser(self) -> FloatArray | None:
        if self.strong_convexity is None:
            return None
        if self.b is None or not self.b.any():
            return read_only(np.zeros(self.dimension))
        found = self._stationary(self.b)
        residual = np.abs(self._product(found) - self.b).max()
        # Where A x = b has no solution f is unbounded below.
        return read_only(found) if residual <= 1e-6 * np.abs(self.b).max() else None

    def _stationary(self, b: FloatArray) -> FloatArray:
        if isinstance(self.A, DiagonalSmoothness):
            curved = self.A.values > 0
            return np.where(curved, b / np.where(curved, self.A.values, 1.0), 0.0)
        if self.dimension > _DENSE_DIMENSION:
            form = self.A if self._rows is None else self._rows
            return np.asarray(lsqr(_as_operator(form), b, atol=1e-15, btol=1e-15, iter_lim=20 * self.dimension)[0])
        if self.strong_convexity:
            return np.asarray(np.linalg.solve(self._dense(), b), dtype=np.float64)
        return np.asarray(np.linalg.lstsq(self._dense(), b, rcond=_ROUNDING * self.dimension)[0])

    def _dense(self) -> FloatArray:
        rows = self._rows
        if rows is None:
            return self.A.matmat(np.eye(self.dimension))
        return rows if isinstance(rows, np.ndarray) else np.asarray(rows.toarray())

    @cached_property
    def minimum(self) -> float | None:
        return None if self.minimiser is None else self.value(self.minimiser)

    def gap(self, x: FloatArray, gradient: FloatArray, away: FloatArray) -> float:
        """(x - x*)'f'(x) / 2, which loses no digits near the minimum."""
        return float("nan") if self.minimiser is None else 0.5 * float(away @ gradient)


class _QuadraticTracker(Tracker):
    """Rows of A x - b; for b = 0 and a diagonal or dense A a single numpy call, stepsizes included if diagonal."""

    objective: Quadratic

    def __init__(self, objective: Quadratic, x: FloatArray) -> None:
        super().__init__(objective, x)
        self._products: list[tuple[FloatArray, FloatArray]] = []

    def step(self, start: int, stop: int, scales: FloatArray, out: FloatArray) -> Callable[[], object]:
        form = self.objective.A
        if not isinstance(form, DiagonalSmoothness) or self.objective.b is not None:
            return super().step(start, stop, scales, out)
        product = next((product for known, product in self._products if known is scales), None)
        if product is None:
            product = np.empty(form.dimension)
            self._products.append((scales, product))
        coefficients = product[start:stop]
        np.multiply(form.values[start:stop], scales[start:stop], coefficients)
        return partial(np.multiply, coefficients, self.x[start:stop], out)

    def forget(self) -> None:
        self._products.clear()

    def gradient(self, start: int, stop: int, out: FloatArray) -> Callable[[], object]:
        product = self.objective.product_rows(self.x, start, stop, out)
        if self.objective.b is None:
            return product
        b = self.objective.b[start:stop]

        def gradient() -> None:
            product()
            np.subtract(out, b, out)

        return gradient


def _as_operator(form: object) -> object:
    from scipy.sparse.linalg import LinearOperator

    if isinstance(form, Smoothness):
        return LinearOperator(form.shape, matvec=form.matmat, rmatvec=form.matmat, dtype=np.float64)
    return form
