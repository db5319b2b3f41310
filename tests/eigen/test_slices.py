"""Slice products are exact to the last bit, and what they leave out stays within the stated
error.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from soundness.reals import rows_of, times_transpose

from rpttheory.eigen import slices
from rpttheory.eigen.slices import accurate_sum, sliced_product

UNIT = Fraction(1, 2**53)
Array = np.ndarray[Any, np.dtype[np.float64]]


def bits_for(inner: int) -> int:
    return (53 - math.ceil(math.log2(max(inner, 2)))) // 2


def nearly_one(rows: int, inner: int) -> Array:
    """The largest slices, and odd numbers of the unit that is one bit finer."""
    return np.full((rows, inner), 1 - 3 * 2.0 ** (-bits_for(inner) - 1))


def long_remainders(rows: int, inner: int) -> Array:
    """Row 0 is all ones; the others hold one 1 and tiny entries that reach far beyond the last
    slice.
    """
    matrix = np.ones((rows, inner))
    matrix[1:, 1:] = (2.0**44 + 1 + 7 / 16) * 2.0 ** (-4 * bits_for(inner))
    return matrix


def omitted_products() -> Array:
    """Entries that begin in the second slice and nearly fill the next two: the products that are
    left out come close to 3/4 of the unit that the error counts.
    """
    matrix = np.full((2, 16), 2.0**-25 - 2.0**-48 + 2.0**-49 - 2.0**-72 + 2.0**-73 - 2.0**-78)
    matrix[:, 0] = 1 - 2.0**-10
    return matrix


def matrices() -> dict[str, Array]:
    rng = np.random.default_rng(1)
    spread = rng.standard_normal((6, 9)) * 10.0 ** rng.uniform(-60, 60, (6, 9))
    tiny = rng.standard_normal((5, 7))
    tiny[1] *= 2.0**-260
    tiny[3] *= 2.0**-1060
    tiny[4] = 0.0
    boundary = rng.standard_normal((4, 5))
    boundary[0] = 2.0**-250
    boundary[1] = np.nextafter(2.0**-250, 0)
    boundary[2] = 2.0**250
    ties = (np.arange(24).reshape(4, 6) + 0.5) * 2.0**-26
    return {
        "random": rng.standard_normal((8, 8)),
        "one column": rng.standard_normal((5, 1)),
        "one by one": np.array([[-1 / 3]]),
        "spread": spread,
        "tiny rows": tiny,
        "all tiny": rng.standard_normal((3, 4)) * 2.0**-300,
        "zero": np.zeros((3, 4)),
        "boundary": boundary,
        "ties": ties,
        "row sizes": rng.standard_normal((6, 6)) * 10.0 ** np.arange(-60, 60, 20)[:, None],
        "nearly one": nearly_one(3, 8),
        "nearly one, long": nearly_one(2, 2048),
        "nearly one, past a power of two": nearly_one(2, 1025),
        "last bits": np.full((2, 1025), 1 - 2.0**-53),
        "long": rng.standard_normal((2, 1500)),
        "omitted products": omitted_products(),
        "remainders": long_remainders(4, 16),
        "remainders, long": long_remainders(2, 1000),
        "nearly orthogonal": np.linalg.qr(rng.standard_normal((8, 8)))[0],
        "nearly orthogonal, small": np.linalg.qr(rng.standard_normal((8, 8)))[0] * 2.0**-60,
        "triangular": np.tril(rng.standard_normal((12, 12))),
        "subnormal entries": np.array([[1.0, 5e-324], [2.0**-200, 3e-320]]),
    }


CASES = matrices()
everything = pytest.mark.parametrize("matrix", CASES.values(), ids=list(CASES))


def largest_error(matrix: Array, product: slices.SlicedProduct) -> Fraction:
    """The largest |R R' - sum of terms|_ij / (scale_i scale_j error)."""
    truth = times_transpose(rows_of(matrix), rows_of(matrix))
    terms = [rows_of(term) for term in product.terms]
    scale = [Fraction(v) for v in product.scale.tolist()]
    worst = Fraction(0)
    for i, row in enumerate(truth):
        for j, value in enumerate(row):
            gap = abs(value - sum((term[i][j] for term in terms), Fraction(0)))
            worst = max(worst, gap / (scale[i] * scale[j] * Fraction(product.error)))
    return worst


@everything
def test_what_is_left_out_is_within_the_error(matrix: Array) -> None:
    assert largest_error(matrix, sliced_product(matrix)) <= 1


def test_the_stated_error_is_nearly_reached() -> None:
    """So an error bound three times smaller would not pass these cases."""
    assert max(
        largest_error(matrix, sliced_product(matrix)) for matrix in CASES.values()
    ) > Fraction(1, 3)


@everything
def test_accurate_sum(matrix: Array) -> None:
    product = sliced_product(matrix)
    total, relative = accurate_sum(product)
    truth = times_transpose(rows_of(matrix), rows_of(matrix))
    scale = [Fraction(v) for v in product.scale.tolist()]
    assert np.array_equal(total, total.T)
    for i, row in enumerate(truth):
        for j, value in enumerate(row):
            computed = Fraction(float(total[i, j]))
            assert (
                abs(computed - value)
                <= UNIT * abs(computed) + Fraction(relative) * scale[i] * scale[j]
            )


def test_the_error_is_small_for_ordinary_sizes() -> None:
    """Far below one rounding, or the slices would be pointless."""
    for inner in (1, 10, 500, 2000):
        product = sliced_product(np.random.default_rng(2).standard_normal((3, inner)))
        assert inner * product.error < 2.0**-60 and accurate_sum(product)[1] < 2.0**-53


@pytest.mark.parametrize("bad", [np.inf, np.nan, 2.0**251])
def test_rows_out_of_range_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        sliced_product(np.array([[1.0, bad], [1.0, 1.0]]))
