"""T1: the shift is Rump's, real factorisations stay within it, and odd answers of LAPACK prove
nothing.
"""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import hilbert, lapack
from soundness.tops import covers, left_by

from rpttheory.eigen import cholesky
from rpttheory.eigen.cholesky import UNDERFLOW, proves_upper, rounding_shift
from rpttheory.eigen.pencil import EntrywiseMatrix, Pencil, make_pencil

UNIT = Fraction(1, 2**53)
Array = np.ndarray[Any, np.dtype[np.float64]]


def pencil_of(matrix: Array, weights: Array | None = None) -> Pencil:
    pencil = make_pencil(EntrywiseMatrix(matrix), weights)
    assert pencil is not None
    return pencil


def test_a_proof_in_the_memory_of_a_pencil_leaves_it_whole_where_it_fails() -> None:
    matrix = np.arange(1.0, 26.0).reshape(5, 5)
    pencil = pencil_of(matrix + matrix.T, np.arange(1.0, 6.0))
    before = pencil.matrix.copy()
    top = np.linalg.eigvalsh((matrix + matrix.T) / np.sqrt(np.outer(range(1, 6), range(1, 6))))[-1]
    for level in (-1.0, 0.5 * top, 0.999 * top, top * (1 - 1e-12)):
        assert not proves_upper(pencil, pencil.scaled_level(level), overwrite=True)
        np.testing.assert_array_equal(pencil.matrix, before)
    assert proves_upper(pencil, pencil.scaled_level(top * (1 + 1e-12)), overwrite=True)


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1.0, 3.7, 1e30])
@pytest.mark.parametrize("d", [1, 2, 7, 400])
def test_the_shift_covers_the_bound_and_little_more(d: int, size: float) -> None:
    diagonal = size * np.random.default_rng(d).uniform(0.1, 1, d)
    needed = UNIT * sum((i + 3) * Fraction(v) for i, v in enumerate(diagonal.tolist()))
    shift = Fraction(rounding_shift(diagonal))
    assert needed * (1 + Fraction(1, 2**48)) + Fraction(UNDERFLOW) / 2 <= shift
    assert shift <= needed * (1 + Fraction(1, 2**40)) + Fraction(UNDERFLOW) * 2


def positive_matrices() -> list[Array]:
    rng = np.random.default_rng(3)
    made = [hilbert(n) + 1e-14 * np.eye(n) for n in (3, 6, 9)]
    made += [np.full((n, n), -1.0) + (n + 1e-13) * np.eye(n) for n in (2, 5, 16)]
    for n in (1, 2, 4, 8, 16):
        a = rng.standard_normal((n, n))
        made.append(a @ a.T + 1e-14 * np.eye(n))
        made.append(np.kron(a @ a.T, np.ones((2, 2))) + 1e-13 * np.eye(2 * n))
    graded = 10.0 ** -np.arange(0, 24, 3)
    made.append((np.ones((8, 8)) + np.eye(8)) * np.outer(graded, graded))
    return [np.triu(m) + np.triu(m, 1).T for m in made]


@pytest.mark.parametrize("matrix", positive_matrices())
def test_factorisations_err_by_no_more_than_the_shift(matrix: Array) -> None:
    """|R R' - A| <= delta in the spectral norm, decided exactly."""
    factor, info = lapack.dpotrf(matrix, lower=1, clean=1)
    assert info == 0 and covers(rounding_shift(matrix.diagonal()), left_by(matrix, factor))


def test_both_answers_occur() -> None:
    pencil = pencil_of(np.ones((4, 4)))
    assert proves_upper(pencil, pencil.scaled_level(4 + 1e-13))
    assert not proves_upper(pencil, pencil.scaled_level(4.0))
    assert not proves_upper(pencil, pencil.scaled_level(4 - 1e-13))
    assert not proves_upper(pencil, pencil.scaled_level(-4.0))


@pytest.mark.parametrize(
    "spoil", ["nan pivot", "nan below", "inf below", "zero pivot", "negative pivot", "failure"]
)
def test_odd_answers_of_lapack_prove_nothing(spoil: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """LAPACK has been seen to report success on NaN."""

    def dpotrf(matrix: Array, **options: Any) -> tuple[Array, int]:
        factor, info = lapack.dpotrf(matrix, **options)
        place, value = {
            "nan pivot": ((2, 2), math.nan),
            "nan below": ((2, 0), math.nan),
            "inf below": ((2, 0), math.inf),
            "zero pivot": ((1, 1), 0.0),
            "negative pivot": ((1, 1), -1.0),
            "failure": ((0, 0), 1.0),
        }[spoil]
        factor[place] = value
        return factor, 2 if spoil == "failure" else info

    pencil = pencil_of(np.ones((3, 3)))
    assert proves_upper(pencil, pencil.scaled_level(5.0))
    monkeypatch.setattr(cholesky, "lapack", SimpleNamespace(dpotrf=dpotrf))
    assert not proves_upper(pencil, pencil.scaled_level(5.0))


def test_success_of_lapack_alone_is_not_enough() -> None:
    """Below the truth by less than the shift LAPACK may succeed; the shifted matrix must then
    fail.
    """
    for n in range(2, 40):
        pencil = pencil_of(np.ones((n, n)))
        assert not proves_upper(pencil, pencil.scaled_level(math.nextafter(float(n), 0.0)))


def test_the_slack_counts_against_the_claim() -> None:
    pencil = make_pencil(EntrywiseMatrix(np.ones((2, 2)), np.array([0.0, 0.5])))
    assert pencil is not None
    truth = (2.5 + math.sqrt(0.25 + 4)) / 2  # the largest eigenvalue with the whole slack added
    assert not proves_upper(pencil, pencil.scaled_level(truth - 1e-12))
    assert proves_upper(pencil, pencil.scaled_level(truth + 1e-12))


def test_a_graded_weight_costs_no_digits() -> None:
    """Scaling by powers of two: without it a span of 24 orders of magnitude would cost as many
    digits.
    """
    weights = 10.0 ** np.linspace(-12, 12, 7)
    root = np.sqrt(weights)
    matrix = np.outer(root, root) * (np.eye(7) + 1)
    matrix = np.triu(matrix) + np.triu(matrix, 1).T
    pencil = pencil_of(matrix, weights)
    assert proves_upper(pencil, pencil.scaled_level(8 + 1e-13))
    assert not proves_upper(pencil, pencil.scaled_level(8 - 1e-13))
