"""The sparse route: only the residual is trusted, and grids of ten thousand nodes are within
reach.
"""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from soundness.tops import covers, left_by

from rpttheory.eigen import EntrywiseMatrix, bracket_lambda_max, factored, prove_psd
from rpttheory.eigen.envelope import dominates
from rpttheory.eigen.factored import affordable, proves_upper
from rpttheory.eigen.pencil import Pencil, make_pencil
from rpttheory.numbers import Verdict
from rpttheory.problem.quantities import lambda_max

Array = np.ndarray[Any, np.dtype[np.float64]]


def pencil_of(matrix: Any, weights: Array | None = None) -> Pencil:
    pencil = make_pencil(EntrywiseMatrix(sp.csr_array(matrix)), weights)
    assert pencil is not None
    return pencil


def grid(n: int) -> sp.csr_array:
    """The Laplacian of an n x n grid with fixed boundary; its top eigenvalue is 8 sin^2(n pi / (2 n
    + 2)).
    """
    line = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return sp.csr_array(sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line))


def top_of_grid(n: int) -> tuple[Fraction, Fraction]:
    with mpmath.workprec(300):
        value = 8 * mpmath.sin(mpmath.pi * n / (2 * n + 2)) ** 2
        middle = Fraction(int(mpmath.floor(value * 2**250)), 2**250)
    return middle - Fraction(1, 2**240), middle + Fraction(1, 2**240)


def test_two_grids_against_the_closed_form() -> None:
    for n in (12, 90):
        low, high = top_of_grid(n)
        bracket = lambda_max(grid(n))
        assert bracket.low <= low < high <= bracket.high and bracket.width <= 1e-10


def test_grid_levels_around_the_truth() -> None:
    low, _ = top_of_grid(40)
    explicit = EntrywiseMatrix(grid(40))
    ones = np.ones(1600)
    for below in (1e-16, 1e-14, 1e-12, 1e-9, 1e-3):
        assert prove_psd(explicit, ones, float(low * (1 - Fraction(below)))) is Verdict.UNDECIDED
    assert prove_psd(explicit, ones, float(low) * (1 + 1e-12)) is Verdict.PROVED


def small_matrices() -> list[Array]:
    rng = np.random.default_rng(2)
    made = []
    for n in (1, 2, 3, 6, 10):
        a = rng.standard_normal((n, n)) * (rng.random((n, n)) < 0.5)
        made += [
            a @ a.T + np.eye(n),
            np.ones((n, n)) + np.eye(n),
            np.diag(rng.uniform(0.1, 1, n)) + 0.01,
        ]
        made.append(np.eye(n) / 3 + np.outer(v := rng.uniform(0, 1, n), v))
    return [np.triu(m) + np.triu(m, 1).T for m in made]


@pytest.mark.parametrize("short", [0, 2, 32])
def test_the_residual_bound_covers_the_norm(short: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all columns of the factor, some or none multiplied as dense ones."""
    monkeypatch.setattr(factored, "_ALWAYS_SHORT", short)
    rng = np.random.default_rng(3)
    for matrix in small_matrices():
        sparse = sp.csr_array(matrix)
        factor = factored._factor(sparse)
        assert factor is not None
        noisy = sp.csr_array(
            factor + 1e-13 * sp.csr_array(np.tril(rng.standard_normal(matrix.shape)))
        )
        for trial in (factor, noisy, sp.csr_array(np.zeros(matrix.shape))):
            bound = factored._residual_norm(sparse, trial)
            assert covers(bound, left_by(matrix, trial.toarray()))


def test_entries_beside_the_long_columns_count_by_their_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(factored, "_ALWAYS_SHORT", 0)
    star = np.zeros((6, 6))
    factor = np.zeros((6, 6))
    star[5, :5] = star[:5, 5] = -1.0
    factor[5, 5] = 1.0
    assert covers(
        factored._residual_norm(sp.csr_array(star), sp.csr_array(factor)), left_by(star, factor)
    )


def test_a_residual_that_rounds_to_zero_is_not_taken_for_zero() -> None:
    root = np.array([[math.sqrt(2.0)]])
    error = left_by(root * root, root)
    assert (
        factored._residual_norm(sp.csr_array(root * root), sp.csr_array(root))
        >= abs(error[0][0])
        > 0
    )


def test_every_term_of_a_product_of_factors_has_its_rounding() -> None:
    """Squares just above half a unit of the sum before them: each sum rounds up, and the matrix is
    what comes of it.
    """
    factor = np.zeros((200, 200))
    factor[-1] = 2.0**-26.5 * (1 + 2.0**-20)
    factor[-1, 0] = 1.0
    sparse = sp.csr_array(factor)
    matrix = sp.csr_array(sparse @ sparse.T)
    assert covers(factored._residual_norm(matrix, sparse), left_by(matrix.toarray(), factor))


def test_without_the_product_error_the_bound_would_be_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(factored, "UNIT", 0.0)
    root = np.array([[math.sqrt(2.0)]])
    bound = factored._residual_norm(sp.csr_array(root * root), sp.csr_array(root))
    assert not covers(bound, left_by(root * root, root))


def test_long_columns_give_the_same_bound_on_fewer_rows_than_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matrix = sp.csr_array(grid(50) + 0.1 * sp.eye_array(2500))
    factor = factored._factor(matrix)
    assert factor is not None
    columns, rows = factored._long_columns(factor)
    assert 0 < columns.size < 500 and set(sp.csc_array(factor)[:, columns].indices) == set(rows)
    bounds = [factored._residual_norm(matrix, factor)]
    for limit in (rows.size - 1, 0):
        monkeypatch.setattr(factored, "_DENSE_ROWS", limit)
        assert factored._long_columns(factor)[1].size <= limit
        bounds.append(factored._residual_norm(matrix, factor))
    assert max(bounds) <= 1.5 * min(bounds) <= 1e-11


def test_dominance_does_not_lose_what_a_sum_rounds_away() -> None:
    """1 + 2^-54 + ... + 2^-54 is 1 in doubles; forty such terms come to 20 units."""
    L = np.zeros((42, 42))
    L[0, 1] = 1.0
    L[0, 2:] = 2.0**-54
    pencil = pencil_of(L + L.T)
    assert not dominates(pencil, pencil.scaled_level(1 + 2.0**-50))
    assert dominates(pencil, pencil.scaled_level(1 + 1e-14))
    mixed = pencil_of(np.diag([2.0, 1.0]) + 0.5)
    assert [dominates(mixed, mixed.scaled_level(t)) for t in (2.0, 2.9, 3.1)] == [
        False,
        False,
        True,
    ]


def test_minus_a_laplacian_needs_no_factorisation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factored, "_factor", None)
    path = sp.diags_array([-np.ones(5), [1.0, 2, 2, 2, 2, 1], -np.ones(5)], offsets=[-1, 0, 1])
    ones = np.ones(6)
    assert (
        prove_psd(EntrywiseMatrix(sp.csr_array(-path), 0.1 * ones), ones, 0.1 + 1e-10)
        is Verdict.PROVED
    )
    with pytest.raises(TypeError):
        prove_psd(EntrywiseMatrix(sp.csr_array(-path), 0.1 * ones), ones, 0.1 - 1e-10)


def test_a_generous_guess_saves_a_factorisation_and_proves_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    genuine = factored._factor
    calls = []

    def counted(matrix: sp.csr_array) -> sp.csr_array | None:
        calls.append(matrix)
        return genuine(matrix)

    monkeypatch.setattr(factored, "_factor", counted)
    low, _ = top_of_grid(12)
    explicit = EntrywiseMatrix(grid(12))
    ones = np.ones(144)
    assert prove_psd(explicit, ones, float(low) * (1 + 1e-7)) is Verdict.PROVED and len(calls) == 1
    assert prove_psd(explicit, ones, float(low) * (1 + 1e-12)) is Verdict.PROVED and len(calls) > 2
    assert prove_psd(explicit, ones, float(low) * (1 - 1e-12)) is Verdict.UNDECIDED


def nearest_positive(matrix: sp.csr_array) -> sp.csr_array:
    """A factor of the nearest positive semidefinite matrix: its residual is the eigenvalue below
    zero.
    """
    values, vectors = np.linalg.eigh(matrix.toarray())
    return sp.csr_array(vectors * np.sqrt(np.maximum(values, 0.0)))


@pytest.mark.parametrize("kind", range(6))
def test_no_factor_proves_a_falsehood(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = factored._factor

    def spoiled(matrix: sp.csr_array) -> sp.csr_array | None:
        factor = genuine(matrix)
        n = matrix.shape[0]
        if kind == 0:
            return None
        if kind == 5:
            return nearest_positive(matrix)
        if factor is None or kind == 1:
            return sp.csr_array(np.tril(np.random.default_rng(n).standard_normal((n, n))))
        if kind == 2:
            return sp.csr_array(factor * (1 + 1e-9))
        if kind == 3:
            return sp.csr_array(factor * math.nan)
        return sp.csr_array((n, n))

    monkeypatch.setattr(factored, "_factor", spoiled)
    for n in (1, 2, 3, 6):
        pencil = pencil_of(np.ones((n, n)))
        for below in (1e-15, 1e-12, 1e-6, 0.5):
            assert not proves_upper(pencil, pencil.scaled_level(n * (1 - below)))


def test_singular_and_indefinite_matrices_prove_nothing() -> None:
    laplacian = grid(5) - sp.diags_array(
        np.asarray(grid(5).sum(axis=1)).ravel()
    )  # row sums 0: singular
    pencil = pencil_of(-laplacian)
    assert not proves_upper(pencil, 0.0) and not proves_upper(pencil, -0.5)
    assert proves_upper(pencil, pencil.scaled_level(1e-9))


def test_a_matrix_without_a_diagonal() -> None:
    """Bipartite graphs have none, and the augmented Gram matrix neither."""
    star = sp.csr_array(
        np.block([[np.zeros((1, 1)), np.ones((1, 4))], [np.ones((4, 1)), np.zeros((4, 4))]])
    )
    pencil = pencil_of(star)
    assert proves_upper(pencil, pencil.scaled_level(2 + 1e-12))
    assert not proves_upper(pencil, pencil.scaled_level(2 - 1e-12))


def test_weights_and_slack() -> None:
    weights = np.array([0.01, 1.0, 100.0, 1e4])
    root = np.sqrt(weights)
    tridiagonal = np.eye(4, k=1) + np.eye(4, k=-1)
    matrix = sp.csr_array(tridiagonal * np.outer(root, root))
    golden = (1 + math.sqrt(5)) / 2
    for slack, extra in ((None, 0.0), (0.25 * weights, 0.25)):
        explicit = EntrywiseMatrix(matrix, slack)
        assert prove_psd(explicit, weights, golden + extra + 1e-12) is Verdict.PROVED
        assert prove_psd(explicit, weights, golden + extra - 1e-12) is Verdict.UNDECIDED


def test_the_matrix_given_is_left_alone() -> None:
    matrix = grid(6)
    copy = matrix.copy()
    bracket_lambda_max(EntrywiseMatrix(matrix), np.linspace(0.1, 1, 36), np.ones(36))
    assert (matrix != copy).nnz == 0 and np.array_equal(matrix.indptr, copy.indptr)


def test_affordable() -> None:
    assert affordable(grid(60))
    rng = np.random.default_rng(0)
    for n, entries, wanted in (
        (40_000, 480_000, False),
        (10_000, 30_000, True),
        (10_000, 300_000, False),
    ):
        pattern = sp.coo_array(
            (np.ones(entries), tuple(rng.integers(0, n, (2, entries)))), shape=(n, n)
        )
        assert affordable(sp.csr_array(pattern + pattern.T)) == wanted


def test_dominance_counts_what_scaling_loses() -> None:
    """6e on the diagonal and -e beside it, twenty times, is indefinite, and e is lost beside
    2^1000.
    """
    e = 2.0**-75
    small = 6 * e * np.eye(20) - e * (np.ones((20, 20)) - np.eye(20))
    A = sp.csr_array(sp.block_diag([sp.coo_array([[2.0**1000]]), small]))
    assert prove_psd(EntrywiseMatrix(-A), np.ones(21), 0.0) is not Verdict.PROVED
