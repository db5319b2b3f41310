"""Eigenvalues by products alone: sharp where entries are non-negative (Collatz and Wielandt).

For a symmetric L, any z > 0 and weights w > 0, with t = max_j (|L| z)_j / (w_j z_j),

    x'Lx <= sum |L_ij| |x_i| |x_j| <= sum |L_ij| (x_i^2 z_j / z_i + x_j^2 z_i / z_j) / 2
          = sum x_i^2 (|L| z)_i / z_i <= t x'Wx,

so that lambda_max(W^-1/2 L W^-1/2) <= t. Where L >= 0 entry by entry Perron's vector attains it.
For L = A'A the product |A|'|A| z subtracts nothing, hence every sum is known up to its own number
of roundings, in whatever order and on however many machines it was made. From below a Rayleigh
quotient does the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..numbers.arithmetic_guard import arithmetic_problem
from ..numbers.bracket import Bracket, round_down, round_up
from ..numbers.exact_array import FloatArray
from ..numbers.verdict import Rigor
from .eigenpairs import leading_block_vectors
from .pencil import UNDERFLOW, UNIT, Matrix, Pencil

# The largest number of rounds, and the Lanczos steps in each: guesses, never tuned. A round that
# gains little ends the iteration anyway.
_ROUNDS = 12
_STEPS = 12
# A trial vector may have no zeros; entries of this size are noise, which a step of the power method
# smooths. After such a step only underflow is to be avoided.
_NOISE = 1e-12
_LEAST = 2.0**-300


def sum_above(total: FloatArray, terms: int, rounding: float = 0.0) -> FloatArray:
    """Return floats at least the sums of `terms` non-negative products, computed as `total`.

    In any order, fused or not, the exact sum is at most (total + terms 2^-1074) / (1 - u)^terms:
    each term goes through at most so many roundings, and each product may lose 2^-1075 to
    underflow. Four more units cover the roundings of this function. `rounding` is a relative error
    of the terms.
    """
    room = ((terms + 4) * UNIT + rounding) * (1 + 2.0**-20)
    return np.asarray(total * (1 + room) + terms * 2.0**-1073)


def near_product(data: Matrix, x: FloatArray, rounding: float = 0.0) -> FloatArray:
    """Return A'A x in floating point, with no bound on its error."""
    return np.asarray(data.T @ (data @ x))


def product_above(data: Matrix, z: FloatArray, rounding: float = 0.0) -> FloatArray:
    """Return floats at least |A|'|A| z for z >= 0, for any order of summation.

    NaN where arithmetic is not sound.
    """
    rows, d = data.shape
    if arithmetic_problem(d):
        return np.full(d, math.nan)
    size = abs(data)
    with np.errstate(over="ignore", invalid="ignore"):
        return sum_above(size.T @ sum_above(size @ z, d, rounding), rows, rounding)


def squares_below(data: Matrix, V: FloatArray, rounding: float = 0.0) -> FloatArray:
    """Return an array of one float at most ||A V||_F^2, also where A has negative entries.

    NaN where the squares overflow, or arithmetic is not sound.
    """
    V = V.reshape(data.shape[1], -1)
    d = V.shape[0]
    if arithmetic_problem(d):
        return np.array([math.nan])
    with np.errstate(over="ignore", invalid="ignore"):
        error = ((d + 4) * UNIT + rounding) * (1 + 2.0**-20) * (
            abs(data) @ np.abs(V)
        ) + d * 2.0**-1060
        least = np.maximum(np.abs(data @ V) - error, 0.0) * (1 - 4 * UNIT)
        squares = np.einsum("ij,ij->i", least, least)
        if not squares.sum() < 2.0**1023:
            return np.array([math.nan])  # `fsum` would raise
    # A square below the smallest normal float may have been rounded up, by 2^-1074 at most.
    room = 1 - (8 + V.shape[1]) * UNIT
    return np.array([max(math.fsum(squares.tolist()) * room - least.size * 2.0**-1073, 0.0)])


def rayleigh_below(squares: float, shift: Fraction, w: FloatArray, x: FloatArray) -> float:
    """Return a float at most (||A x||^2 + shift |x|^2) / x'Wx, where `squares` <= ||A x||^2.

    The entries of |x| must be at most 1.
    """
    if not math.isfinite(squares):
        return -math.inf
    weight = Fraction(math.fsum((w * x * x).tolist()) * (1 + 16 * UNIT)) + Fraction(2) ** -900
    length = Fraction(math.fsum((x * x).tolist()) * (1 - 16 * UNIT))
    return round_down((Fraction(squares) + shift * length) / weight)


def scaled_bracket(ends: tuple[float, float], scale: Fraction, rigor: Rigor) -> Bracket:
    """Return the bracket of a number times a positive scale, exactly."""
    low, high = (Fraction(end) * scale if math.isfinite(end) else end for end in ends)
    return Bracket(low, high, rigor)


@dataclass(frozen=True)
class Products:
    """Products with A'A, or with its diagonal blocks side by side.

    Attributes
    ----------
    product : callable
        A'A x block by block, in floating point.
    above : callable
        Floats at least |A|'|A| z block by block, for z >= 0.
    below : callable
        For each block a float at most |A_k x_k|^2.
    starts : ndarray of int
        The first coordinate of every block.
    """

    product: Callable[[FloatArray], FloatArray]
    above: Callable[[FloatArray], FloatArray]
    below: Callable[[FloatArray], FloatArray]
    starts: NDArray[np.intp]


def bracket_lambda_max_of_products(
    products: Products,
    scale: Fraction,
    shift: Fraction,
    weights: FloatArray,
    x: FloatArray,
    width: float,
) -> tuple[Bracket, ...]:
    """Bracket lambda_max(W^-1/2 (scale A'A + shift I) W^-1/2) for each diagonal block.

    The scale joins at the end, exactly, as in `gram.bracket_lambda_max_of_gram`.

    Parameters
    ----------
    products : Products
        Products with the diagonal blocks of A'A.
    scale, shift : Fraction
        Positive, and not negative.
    weights : ndarray
        The positive diagonal of W.
    x : ndarray
        Start vector: top eigenvectors of the blocks side by side, or anything else.
    width : float
        The relative width at which to stop.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        ends = _ends(products, shift / scale, weights, x, width)
    return tuple(scaled_bracket(pair, scale, Rigor.VERIFIED) for pair in ends)


def _ends(
    products: Products, shift: Fraction, weights: FloatArray, x: FloatArray, width: float
) -> list[tuple[float, float]]:
    starts = products.starts
    sizes = np.diff(starts, append=weights.size)
    add = round_up(shift)
    gap = math.inf
    low = np.zeros(starts.size)
    high = np.full(starts.size, math.inf)
    root = np.sqrt(weights)
    z = np.maximum(_scaled(x, starts, sizes), _NOISE)
    for attempt in range(_ROUNDS):
        for _ in range(2):
            image = products.above(z)
            high = np.fmin(high, np.maximum.reduceat(_quotients(image, z, add, weights), starts))
            last = z
            z = np.maximum(_scaled((image + add * z) / weights, starts, sizes), _LEAST)
        parts = zip(
            products.below(last).tolist(), starts.tolist(), (starts + sizes).tolist(), strict=True
        )
        low = np.fmax(
            low,
            [rayleigh_below(squares, shift, weights[a:b], last[a:b]) for squares, a, b in parts],
        )
        before = gap
        gap = float(((high - low) / high).max())
        if (
            not width < gap < math.inf
            or (attempt >= 2 and gap > 0.7 * before)
            or attempt == _ROUNDS - 1
        ):
            break
        # Division by a bound keeps norms from overflowing and changes no eigenvector.
        unit = np.repeat(np.where(high > 2.0**-900, high, 1.0), sizes)

        def scaled_product(y: FloatArray, unit: FloatArray = unit) -> FloatArray:
            return (products.product(y / root) / root + add * y / weights) / unit

        y = leading_block_vectors(scaled_product, root * z, starts, _STEPS)
        z = np.maximum(_scaled(y / root, starts, sizes), _NOISE)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _quotients(image: FloatArray, z: FloatArray, shift: float, weights: FloatArray) -> FloatArray:
    """Return floats at least (image_j / z_j + shift) / w_j.

    There are three roundings, and quotients may underflow.
    """
    quotients = (image / z + 2.0**-1070 + shift) / weights * (1 + 8 * UNIT) + 2.0**-1070
    return np.where(np.isnan(quotients), math.inf, quotients)


def _scaled(x: FloatArray, starts: NDArray[np.intp], sizes: NDArray[np.intp]) -> FloatArray:
    """Return |x| with 1 as the largest entry of every block."""
    size = np.abs(x)
    largest = np.maximum.reduceat(size, starts)
    usable = np.isfinite(largest) & (largest > 0)
    return np.where(
        np.repeat(usable, sizes), size / np.repeat(np.where(usable, largest, 1.0), sizes), 1.0
    )


# -- entries: the safety net where no factorization is in reach


def row_sum_bound(pencil: Pencil, x: FloatArray) -> float:
    """Return a level of the scaled pencil that lambda_max cannot exceed."""
    d = pencil.dimension
    size = abs(pencil.matrix)
    best = np.inf
    for trial in (np.ones(d), np.abs(x) + 1e-9, np.abs(x) + 1e-4):
        sums = size @ trial * (1 + (d + 8) * UNIT) + UNDERFLOW
        if pencil.slack is not None:
            sums = sums + pencil.slack * trial
        best = min(best, float((sums / (pencil.weights * trial)).max()))
    return best * (1 + 8 * UNIT) + UNDERFLOW


def dominates(pencil: Pencil, t: float) -> bool:
    """Return whether t Diag(w) - L is diagonally dominant, which proves lambda_max <= t.

    For the negative of a Laplacian that is enough. Sums of at most m non-negative terms err by
    gamma_m, relatively; four more units cover the roundings of the comparison. UNDERFLOW is for
    entries that scaling has lost.
    """
    off_diagonal = abs(pencil.matrix)
    off_diagonal.setdiag(0.0)
    terms = int(np.diff(off_diagonal.indptr).max())
    sums = off_diagonal @ np.ones(pencil.dimension) * (1 + (terms + 4) * UNIT) + UNDERFLOW
    return bool((pencil.shifted_diagonal(t) >= sums).all())
