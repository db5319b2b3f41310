"""Lower bounds on lambda_max from any trial vector: lambda_max >= x'Lx / x'Wx."""

import math
from fractions import Fraction

import numpy as np

from ..numbers.bracket import round_down
from ..numbers.exact_array import FloatArray
from .pencil import UNDERFLOW, UNIT, Pencil, absolute_product


def lower_bound(pencil: Pencil, x: FloatArray, *, accurate: bool = False) -> float:
    """Return a level of the scaled pencil that lambda_max is proved to reach.

    `accurate` costs d correctly rounded sums and errs by about one unit in the last place;
    otherwise the matrix-vector product's a-priori bound gamma_{d+3} |x|'|L||x| is subtracted.
    """
    d = x.size
    if accurate:
        product = _accurate_matvec(pencil, x)
        value = math.fsum((x * product).tolist())
        # Each component of the product, each term and the sum are rounded once.
        error = 4 * UNIT * math.fsum(np.abs(x * product).tolist())
    else:
        value = math.fsum((x * (pencil.matrix @ x)).tolist())
        size = math.fsum((np.abs(x) * absolute_product(pencil.matrix, x)).tolist())
        error = (d + 4) * UNIT * (1 + 2.0**-20) * size
    if pencil.slack is not None:
        error += 1.001 * math.fsum((pencil.slack * x * x).tolist())
    error = error * (1 + 2.0**-40) + UNDERFLOW * d
    weight = math.fsum((pencil.weights * x * x).tolist())
    low = math.nextafter(value - error, -math.inf)
    least = weight * (1 - 2.0**-50) - UNDERFLOW
    most = weight * (1 + 2.0**-50) + UNDERFLOW
    return (
        round_down(Fraction(low) / Fraction(most if low >= 0 else least))
        if least > 0
        else -math.inf
    )


def _accurate_matvec(pencil: Pencil, x: FloatArray) -> FloatArray:
    """Return L x with every component correctly rounded (up to underflow)."""
    matrix = pencil.matrix
    result = np.empty(x.size)
    for i in range(x.size):
        if isinstance(matrix, np.ndarray):
            entries, values = matrix[i], x
        else:
            row = slice(matrix.indptr[i], matrix.indptr[i + 1])
            entries, values = matrix.data[row], x[matrix.indices[row]]
        high = entries * values
        result[i] = math.fsum(
            np.concatenate((high, _product_error(entries, values, high))).tolist()
        )
    return result


def _split(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Split into halves of 26 bits (Veltkamp); safe because all entries are at most 4."""
    scaled = 134217729.0 * a
    high = scaled - (scaled - a)
    return high, a - high


def _product_error(a: FloatArray, b: FloatArray, product: FloatArray) -> FloatArray:
    """Return a b - fl(a b) exactly (Dekker), up to underflow."""
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
