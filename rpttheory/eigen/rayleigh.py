"""Lower bounds on lambda_max from any trial vector: lambda_max >= x'Lx / x'Wx."""

import math
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from ..numbers.bracket import round_down
from ..numbers.exact_array import FloatArray
from .pencil import UNDERFLOW, UNIT, Pencil, absolute_product


def lower_bound(pencil: Pencil, x: FloatArray, *, accurate: bool = False) -> float:
    """A level of the scaled pencil that lambda_max is proved to reach.

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
    """L x with every component correctly rounded (up to underflow)."""
    matrix = pencil.matrix
    d = x.size
    if isinstance(matrix, np.ndarray):
        rows = ((matrix[i], x) for i in range(d))
    else:
        kept: sp.csr_array = matrix
        starts = kept.indptr
        indices = kept.indices
        data = kept.data
        rows = (
            (data[starts[i] : starts[i + 1]], x[indices[starts[i] : starts[i + 1]]])
            for i in range(d)
        )
    result = np.empty(d)
    for i, (entries, values) in enumerate(rows):
        high = entries * values
        result[i] = math.fsum(
            np.concatenate((high, _product_error(entries, values, high))).tolist()
        )
    return result


def _split(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Veltkamp's splitting into halves of 26 bits; safe because all entries are at most 4."""
    scaled = 134217729.0 * a
    high = scaled - (scaled - a)
    return high, a - high


def _product_error(a: FloatArray, b: FloatArray, product: FloatArray) -> FloatArray:
    """a b - fl(a b) exactly (Dekker), up to underflow."""
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
