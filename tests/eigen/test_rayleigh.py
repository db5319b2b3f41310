"""Lower bounds stay below the exact Rayleigh quotient of the very vector they were given."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from soundness.tops import symmetric

from rpttheory.eigen import rayleigh
from rpttheory.eigen.pencil import EntrywiseMatrix, Pencil, make_pencil
from rpttheory.eigen.rayleigh import lower_bound

UNIT = 2.0**-53
Array = np.ndarray[Any, np.dtype[np.float64]]


def entries_of(pencil: Pencil) -> list[list[Fraction]]:
    dense = pencil.matrix if isinstance(pencil.matrix, np.ndarray) else pencil.matrix.toarray()
    return [[Fraction(value) for value in row] for row in dense.tolist()]


def exact_quotient(pencil: Pencil, x: Array) -> tuple[Fraction, Fraction]:
    """(x'Lx - x'Diag(slack)x) / x'Wx for the scaled pencil, and the sum of sizes |x|'|L||x| /
    x'Wx.
    """
    v = [Fraction(value) for value in x.tolist()]
    terms = [
        a * value * b
        for a, row in zip(v, entries_of(pencil), strict=True)
        for value, b in zip(row, v, strict=True)
    ]
    top = sum(terms, Fraction(0))
    size = sum(map(abs, terms), Fraction(0))
    if pencil.slack is not None:
        top -= sum(Fraction(s) * a * a for s, a in zip(pencil.slack.tolist(), v, strict=True))
    bottom = sum(Fraction(w) * a * a for w, a in zip(pencil.weights.tolist(), v, strict=True))
    return top / bottom, size / bottom


def cases(seed: int) -> list[tuple[Pencil, Array]]:
    """Pencils and vectors; many quotients suffer cancellation, where errors show."""
    rng = np.random.default_rng(seed)
    pairs = []
    for index in range(60):
        d = int(rng.integers(1, 9))
        a = symmetric(rng.standard_normal((d, d)))
        matrix = (
            a,
            a * 10.0 ** symmetric(rng.uniform(-30, 0, (d, d))),
            symmetric(a @ a.T),
            np.ones((d, d)),
        )[index % 4]
        weights = None if index % 2 else 10.0 ** rng.uniform(-6, 6, d)
        slack = None if index % 3 else np.abs(rng.standard_normal(d)) * 1e-15
        form = matrix if index % 5 else sp.csr_array(matrix)
        pencil = make_pencil(EntrywiseMatrix(form, slack), weights)
        assert pencil is not None
        x = rng.standard_normal(d)
        if index % 4 == 0:  # nearly isotropic: x'Lx is far smaller than its terms
            values, vectors = np.linalg.eigh(a)
            low = max(-values[0], 0.0)
            high = max(values[-1], 0.0)
            x = np.sqrt(high) * vectors[:, 0] + np.sqrt(low) * vectors[:, -1] if low and high else x
            pencil = make_pencil(EntrywiseMatrix(a))
            assert pencil is not None
        pairs.append((pencil, pencil.vector(x)))
    return pairs


CASES = [case for seed in range(5) for case in cases(seed)]


@pytest.mark.parametrize("accurate", [False, True])
def test_the_bound_is_below_the_exact_quotient_and_close(accurate: bool) -> None:
    for pencil, x in CASES:
        bound = Fraction(lower_bound(pencil, x, accurate=accurate))
        quotient, size = exact_quotient(pencil, x)
        assert bound <= quotient
        steps = 24 if accurate else 2 * x.size + 24
        assert pencil.slack is not None or quotient - bound <= steps * Fraction(UNIT) * size


@pytest.mark.parametrize("canceling", [False, True])
@pytest.mark.parametrize("d", [2, 16, 64])
def test_room_grows_with_the_number_of_terms(
    d: int, canceling: bool, staircase: Callable[..., Any]
) -> None:
    matrix, x = staircase(d, canceling=canceling)
    pencil = make_pencil(EntrywiseMatrix(np.asarray(matrix)))
    assert pencil is not None
    worst = replace(pencil, matrix=pencil.matrix.view(type(matrix)))
    assert Fraction(lower_bound(worst, x)) <= exact_quotient(pencil, x)[0]


@pytest.mark.parametrize("accurate", [False, True])
@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e-160, 1e160, 1e300])
def test_extreme_sizes(size: float, accurate: bool) -> None:
    """Subnormal entries and tiny components of the vector lose digits, never soundness."""
    rng = np.random.default_rng(10)
    for _ in range(20):
        matrix = symmetric(np.rint(rng.uniform(1, 9, (4, 4)))) * size
        pencil = make_pencil(EntrywiseMatrix(matrix), 10.0 ** rng.uniform(-8, 0, 4))
        assert pencil is not None
        x = pencil.vector(rng.standard_normal(4) * 10.0 ** rng.uniform(-320, 0, 4))
        assert Fraction(lower_bound(pencil, x, accurate=accurate)) <= exact_quotient(pencil, x)[0]


def test_products_of_the_accurate_route_are_correctly_rounded() -> None:
    rng = np.random.default_rng(9)
    for d in (1, 2, 5, 40):
        matrix = symmetric(
            rng.standard_normal((d, d)) * 10.0 ** symmetric(rng.uniform(-20, 0, (d, d)))
        )
        for form in (matrix, sp.csr_array(matrix)):
            pencil = make_pencil(EntrywiseMatrix(form))
            assert pencil is not None
            x = pencil.vector(rng.standard_normal(d))
            v = [Fraction(value) for value in x.tolist()]
            expected = [
                float(sum(m * b for m, b in zip(row, v, strict=True))) for row in entries_of(pencil)
            ]
            assert rayleigh._accurate_matvec(pencil, x).tolist() == expected
