"""The numerical top eigenpair of W^-1/2 L W^-1/2: fast, accurate, and proving nothing.

Its vector is what the certificates start from; a wrong one widens a bracket but cannot falsify it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from ..numbers.exact_array import FloatArray

Floats: TypeAlias = NDArray[Any]
Product: TypeAlias = Callable[[Any], Any]

# Up to the second size a full reduction was faster than a Lanczos iteration, up to the first faster
# than any other way. Both depend on the machine.
_SMALL = 32
DENSE_SIZE = 300
# Ritz values err by the square of the residual over the gap, so this leaves full accuracy.
_TOLERANCE = 1e-10
# The accuracy to ask an iteration for where nothing less will do: below a unit in the last place.
FULL = 2.0**-56
# Up to this dimension a basis with this number of vectors (19 MB) is stored: without restarts a
# quarter of the products was saved.
_KEPT_DIMENSION = 20_000
_KEPT_VECTORS = 120
# Steps between two tests of convergence; fewer where the start is good already. Guesses.
_LOOK = 6
_NEAR = 3


@dataclass(frozen=True)
class Eigenpair:
    """A value and a vector x with L x close to value W x.

    `residual` is the norm of W^-1/2 (L x - value W x) for a vector with x'Wx = 1.
    """

    value: float
    vector: FloatArray
    residual: float


def leading_eigenpair_dense(matrix: FloatArray, weights: FloatArray | None) -> Eigenpair:
    """Return the top pair by LAPACK's tridiagonal reduction, whatever the gap."""
    d = matrix.shape[0]
    root, unit = _inverse_roots(weights, d)
    size = magnitude(matrix)
    scaled = (matrix / size) * root[:, None] * root[None, :]
    more = magnitude(scaled)
    scaled = scaled / more
    values, vectors = scipy.linalg.eigh(scaled, subset_by_index=(d - 1, d - 1), check_finite=False)
    if vectors.shape[1] == 0:
        # The bisection behind a subset has been seen to lose a tight cluster; the full solver does
        # not.
        values, vectors = np.linalg.eigh(scaled)
    y = vectors[:, -1]
    residual = float(np.linalg.norm(scaled @ y - values[-1] * y))
    return _scaled_back(float(values[-1]), y * root, residual, (size, more, unit, unit))


def leading_eigenpair(
    apply: Product,
    dimension: int,
    weights: FloatArray | None,
    *,
    unit: float = 1.0,
    rough: Product | None = None,
    accuracy: float = FULL,
) -> Eigenpair:
    """Return the top pair by Lanczos iteration on products with L / unit.

    Parameters
    ----------
    apply : callable
        Products of L / unit with the columns of an array. Small matrices are formed by them.
    dimension : int
        The size of L.
    weights : ndarray, optional
        The positive diagonal of W; None for the identity.
    unit : float
        A power of two.
    rough : callable, optional
        Products with single vectors in single precision, in any unit, to find a start.
    accuracy : float
        The relative error of the value to aim for.
    """
    root, root_unit = _inverse_roots(weights, dimension)
    units = (unit, root_unit, root_unit)

    def scaled(y: FloatArray) -> FloatArray:
        y = y.reshape(dimension, -1)
        return np.asarray(root[:, None] * apply(root[:, None] * y))

    if dimension <= _SMALL:
        matrix = scaled(np.eye(dimension))
        pair = leading_eigenpair_dense((matrix / 2 + matrix.T / 2), None)
        return _scaled_back(pair.value, pair.vector * root, pair.residual, units)
    start = np.random.default_rng(0).standard_normal(dimension)
    first = scaled(start)
    if not first.any():
        return Eigenpair(0.0, start * root, 0.0)
    # Norms of huge or tiny products would overflow; the iteration sees them over a power of two.
    size = magnitude(first)
    if DENSE_SIZE < dimension <= _KEPT_DIMENSION:
        if rough is not None:
            # Single precision has no room for squares of large numbers.
            single = (root / root.max()).astype(np.float32)
            _, start, _ = lanczos(
                lambda y: single * rough(single * y), start.astype(np.float32), 60, accuracy=1e-10
            )
            start = start.astype(np.float64)
        values, start, residual = lanczos(
            lambda y: scaled(y)[:, 0] / size,
            start,
            _KEPT_VECTORS,
            accuracy=accuracy,
            look=_NEAR if rough else _LOOK,
        )
        if residual <= _TOLERANCE * abs(values[-1]) or _settled(values, residual, -1, accuracy):
            return _scaled_back(float(values[-1]), start * root, residual, (size, *units))
    operator = LinearOperator(
        (dimension, dimension),
        matvec=lambda y: scaled(y)[:, 0] / size,
        matmat=lambda y: scaled(y) / size,
        dtype=np.float64,
    )
    try:
        values, vectors = eigsh(operator, k=1, which="LA", tol=_TOLERANCE, v0=start)
    except ArpackNoConvergence as stuck:
        values = stuck.eigenvalues
        vectors = stuck.eigenvectors
    except ArpackError:
        values = np.empty(0)
        vectors = np.empty((dimension, 0))
    y = vectors[:, 0] if values.size else start / np.linalg.norm(start)
    product = scaled(y)[:, 0] / size
    value = float(values[0]) if values.size else float(y @ product)
    residual = float(np.linalg.norm(product - value * y))
    return _scaled_back(value, y * root, residual, (size, *units))


def leading_block_vectors(
    apply: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    starts: NDArray[np.intp],
    steps: int,
) -> FloatArray:
    """Return top Ritz vectors of all diagonal blocks, side by side, by one Lanczos iteration.

    `apply` multiplies with all blocks at once, which begin at `starts`.
    """
    sizes = np.diff(starts, append=start.size)

    def inner(x: FloatArray, y: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(x * y, starts))

    basis = [np.zeros_like(start)]
    tridiagonal = np.zeros((starts.size, steps, steps))
    image = start
    norm = np.sqrt(inner(start, start))
    for step in range(steps):
        # A block whose space is exhausted goes on with zeros, which change none of its Ritz
        # vectors.
        basis.append(
            np.where(
                np.repeat(norm, sizes) > 0,
                image / np.repeat(np.where(norm > 0, norm, 1.0), sizes),
                0.0,
            )
        )
        image = apply(basis[-1])
        largest = np.sqrt(inner(image, image))
        tridiagonal[:, step, step] = inner(image, basis[-1])
        for vector in basis * 2:
            image = image - np.repeat(inner(image, vector), sizes) * vector
        norm = np.sqrt(inner(image, image))
        norm[norm <= 1e-13 * largest] = 0.0
        if step + 1 < steps:
            tridiagonal[:, step, step + 1] = tridiagonal[:, step + 1, step] = norm
    if not np.isfinite(tridiagonal).all():
        return start
    weights = np.linalg.eigh(tridiagonal)[1][:, :, -1]
    return np.asarray(
        sum(np.repeat(weights[:, k], sizes) * vector for k, vector in enumerate(basis[1:]))
    )


def lanczos(
    product: Product,
    start: Floats,
    steps: int,
    end: int = -1,
    accuracy: float = 0.0,
    look: int = _LOOK,
) -> tuple[FloatArray, Floats, float]:
    """Return two Ritz values at one end of the spectrum, the outer one's vector, and its residual.

    Parameters
    ----------
    product : callable
        Products of the matrix with a vector.
    start : ndarray
        The start vector, whose precision is that of all vectors.
    steps : int
        The largest number of products.
    end : int
        -1 for the largest values, 0 for the smallest.
    accuracy : float
        Stop where the outer value errs by less, relatively: its residual squared, over the
        distance to the next one. Never for 0.
    look : int
        Steps between two tests of that.
    """
    steps = min(steps, start.size)
    basis = np.empty((steps + 1, start.size), start.dtype)
    diagonal = np.zeros(steps)
    off = np.zeros(steps)
    basis[0] = start / np.linalg.norm(start)
    for size in range(1, steps + 1):
        built = basis[:size]
        image = product(built[-1])
        diagonal[size - 1] = built[-1] @ image
        length = _norm(image)
        # A second pass where the first has left little, in which rounding would show.
        while (left := _norm(image := image - (built @ image) @ built)) < 0.5 * length and left > 0:
            length = left
        off[size - 1] = left
        last = size == steps or off[size - 1] <= 1e-13 * np.abs(diagonal[:size]).max()
        if last or (accuracy > 0 and size % look == 0):
            two = (max(size - 2, 0), size - 1) if end else (0, min(1, size - 1))
            values, vectors = scipy.linalg.eigh_tridiagonal(
                diagonal[:size], off[: size - 1], select="i", select_range=two, check_finite=False
            )
            residual = float(off[size - 1] * abs(vectors[-1, end]))
            if last or _settled(values, residual, end, accuracy):
                break
        basis[size] = image / off[size - 1]
    return values, vectors[:, end].astype(start.dtype) @ built, residual


def _norm(x: Floats) -> float:
    return math.sqrt(x.dot(x))  # in a third of the time that numpy's takes for a short vector


def _settled(values: FloatArray, residual: float, end: int, accuracy: float) -> bool:
    """Return whether the Ritz value at one end seems to err by less than `accuracy`."""
    if values.size == 1:
        return False
    gap = abs(float(values[end]) - float(values[-2 if end else 1]))
    return residual**2 <= accuracy * abs(float(values[end])) * gap


def _inverse_roots(weights: FloatArray | None, dimension: int) -> tuple[FloatArray, float]:
    """Return W^-1/2 over a power of two near its largest entry, and that power."""
    if weights is None:
        return np.ones(dimension), 1.0
    root = 1 / np.sqrt(weights)
    unit = magnitude(root)
    return root / unit, unit


def _scaled_back(
    value: float, vector: FloatArray, residual: float, units: tuple[float, ...]
) -> Eigenpair:
    """Undo the scaling; a value beyond the range of floats becomes infinite."""
    for unit in units:
        value = value * unit
        residual = residual * unit
    return Eigenpair(value, vector, residual)


def magnitude(entries: FloatArray) -> float:
    """Return a power of two near the largest entry, against overflow; 1 for ordinary sizes."""
    largest = max(float(entries.max(initial=0.0)), -float(entries.min(initial=0.0)))
    if largest == 0 or 1e-100 < largest < 1e100 or not np.isfinite(largest):
        return 1.0
    return float(np.ldexp(1.0, min(max(int(np.frexp(largest)[1]), -1021), 1022)))
