"""Products of matrices that no order of summation can change.

A float matrix is cut into slices of so few bits that every product of two slices, and every partial
sum of such products, is an integer multiple of one unit below 2^53 times that unit. BLAS then
computes slice products exactly, in any order, with or without fused operations. (Ozaki, Ogita,
Oishi and Rump, 2012, "Error-free transformations of matrix multiplication by using fast routines of
matrix multiplication"; cut row by row here.)
"""

import math
from dataclasses import dataclass

import numpy as np

from ..numbers.exact_array import FloatArray
from .pencil import UNIT

# Rows smaller than this are left to the error bound, so that no slice product can underflow.
_TINY_ROW = 2.0**-250


@dataclass(frozen=True)
class SlicedProduct:
    """A product R R' as the sum of `terms`, in falling size.

    Entry (i, j) errs by at most scale_i scale_j error.
    """

    terms: tuple[FloatArray, ...]
    scale: FloatArray
    error: float


def sliced_product(factor: FloatArray) -> SlicedProduct:
    """Return R R' as a sum of exactly computed matrices and a small entrywise error.

    Row maxima must lie within [2^-250, 2^250] or below; smaller rows are counted in the error.
    """
    inner = factor.shape[1]
    bits = (53 - math.ceil(math.log2(max(inner, 2)))) // 2
    largest = np.abs(factor).max(axis=1, initial=0.0)
    if not np.isfinite(largest).all() or largest.max(initial=0.0) > 2.0**250:
        raise ValueError("rows must be finite and at most 2^250")
    tiny = largest < _TINY_ROW
    scale = np.ldexp(
        1.0, np.frexp(np.where(tiny, _TINY_ROW, largest))[1]
    )  # at least the row maximum
    remainder = np.where(tiny[:, None], 0.0, factor)
    slices = []
    unit = scale[:, None]
    for _ in range(4):
        unit = unit * 2.0**-bits
        cut = np.rint(remainder / unit) * unit
        remainder = remainder - cut  # exact: multiples of one unit, and the result is smaller
        slices.append(cut)
    # Relative to the row scale the slices are at most 1, 2^-bits/2, 4^-bits/2, 8^-bits/2, and what
    # is left 16^-bits/2. All products down to 8^-bits are formed; left out are 3x3, 2x4 twice,
    # smaller ones, and twice everything with the remainder.
    terms = [slices[0] @ slices[0].T]
    for a, b in ((0, 1), (1, 1), (0, 2), (1, 2), (0, 3)):
        product = slices[a] @ slices[b].T
        terms += [product] if a == b else [product, product.T]
    error = inner * 2.0 ** (-4 * bits) * (3 / 4 + 1) * 1.01
    if tiny.any():
        # A tiny row was replaced by zero: all of its products, each at most inner _TINY_ROW
        # scale_j, must fit into the error.
        scale = np.where(tiny, 2 * inner * _TINY_ROW / error, scale)
    return SlicedProduct(tuple(terms), scale, error)


def accurate_sum(product: SlicedProduct) -> tuple[FloatArray, float]:
    """Return R R' summed from the smallest terms up, as G and a bound r on its error.

    |G - R R'|_ij <= UNIT |G_ij| + r scale_i scale_j.
    """
    first, *small = product.terms
    # Pairs of transposes are added first, so that every partial sum is symmetric.
    correction = np.zeros(first.shape)
    size = np.zeros(first.shape)
    for pair in (small[7:9], small[5:7], small[3:5], small[2:3], small[0:2]):
        both = pair[0] + pair[1] if len(pair) == 2 else pair[0]
        correction = correction + both
        size += np.abs(both) + np.abs(correction)
    relative = float((size / (product.scale[:, None] * product.scale[None, :])).max(initial=0.0))
    return first + correction, (1.01 * UNIT * relative + product.error) * (1 + 2.0**-40)
