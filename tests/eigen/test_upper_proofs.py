"""The routes to an upper bound, judged in exact arithmetic: a priori, by residual, and sparse.

False levels by the thousand are in soundness/test_never_false.py; here are the constants of each
proof, and what a factorization that lies can do.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import hilbert, lapack
from soundness.tops import covers, left_by, symmetric

from rpttheory.eigen import EntrywiseMatrix, bracket_lambda_max, cholesky, prove_psd
from rpttheory.eigen.cholesky import (
    affordable,
    proves_by_cholesky,
    proves_by_residual,
    proves_by_sparse_residual,
    residual_norm,
    rounding_shift,
    sparse_residual_norm,
)
from rpttheory.eigen.collatz import dominates
from rpttheory.eigen.pencil import UNDERFLOW, UNIT, Pencil, make_pencil
from rpttheory.numbers import Verdict

Array = np.ndarray[Any, np.dtype[np.float64]]
ROUTES = [proves_by_cholesky, proves_by_residual, proves_by_sparse_residual]
every_route = pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.__name__)


def pencil_for(
    route: Any, matrix: Any, weights: Array | None = None, slack: Array | None = None
) -> Pencil:
    sparse = route is proves_by_sparse_residual
    form = sp.csr_array(matrix) if sparse else np.asarray(matrix, dtype=float)
    pencil = make_pencil(EntrywiseMatrix(form, slack), weights)
    assert pencil is not None
    return pencil


# -- what every route answers


def edges() -> dict[str, tuple[Array, Array | None, Array | None, float]]:
    """Matrices with weights, slack and the least level that holds."""
    weights = 10.0 ** np.linspace(-12, 12, 7)
    root = np.sqrt(weights)
    chain_root = np.array([0.1, 1.0, 10.0, 100.0])
    chain = (np.eye(4, k=1) + np.eye(4, k=-1)) * np.outer(chain_root, chain_root)
    golden = (1 + math.sqrt(5)) / 2
    star = np.zeros((5, 5))
    star[0, 1:] = star[1:, 0] = 1.0
    return {
        "all ones": (np.ones((4, 4)), None, None, 4.0),
        "slack": (np.ones((2, 2)), None, np.array([0.0, 0.5]), (2.5 + math.sqrt(4.25)) / 2),
        "graded weights": (symmetric(np.outer(root, root) * (np.eye(7) + 1)), weights, None, 8.0),
        "chain": (chain, chain_root**2, None, golden),
        "chain, slack": (chain, chain_root**2, 0.25 * chain_root**2, golden + 0.25),
        "no diagonal": (star, None, None, 2.0),
        "singular": (-np.diag([1.0, 2, 1]) + np.eye(3, k=1) + np.eye(3, k=-1), None, None, 0.0),
    }


@every_route
@pytest.mark.parametrize("name", edges())
def test_levels_around_the_edge(route: Any, name: str) -> None:
    matrix, weights, slack, edge = edges()[name]
    pencil = pencil_for(route, matrix, weights, slack)
    levels = {edge + 1e-11: True, edge - 1e-12: False, edge - 0.5: False, -4.0: False}
    for level, expected in levels.items():
        assert route(pencil, pencil.scaled_level(level)) is expected
    for far in (1e3, 1e120, 1e300):  # an answer, whatever it is, and no error
        route(pencil, pencil.scaled_level(far))


@every_route
def test_a_factorization_is_of_a_matrix_lower_by_what_it_may_err(
    route: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    factored: list[Array] = []

    def dpotrf(matrix: Array, **_: Any) -> tuple[Array, int]:
        factored.append(matrix.diagonal().copy())
        return matrix, 1

    monkeypatch.setattr(cholesky, "lapack", SimpleNamespace(dpotrf=dpotrf))
    monkeypatch.setattr(cholesky, "sparse_factor", lambda m: factored.append(m.diagonal()))
    rng = np.random.default_rng(8)
    for _ in range(50):
        matrix = np.diag(rng.uniform(0.1, 1, 6)) + 1
        pencil = pencil_for(route, matrix, rng.uniform(1, 4, 6))
        t = float(rng.uniform(3, 30))
        assert not route(pencil, t)
        claimed = pencil.shifted_diagonal(t)
        unit = 1.0
        if route is proves_by_residual:
            unit = 2.0 ** max(int(np.frexp(claimed.max())[1]), 0)
        error = {
            proves_by_cholesky: rounding_shift(claimed),
            proves_by_residual: cholesky.residual_guess(claimed / unit),
            proves_by_sparse_residual: 32 * UNIT * float(claimed.max()),
        }[route]
        for lowered, whole in zip(factored[-1].tolist(), (claimed / unit).tolist(), strict=True):
            assert Fraction(lowered) <= Fraction(whole) - Fraction(error)
            assert whole - error <= lowered + 4 * UNIT * whole


def wrong_factors() -> dict[str, Callable[[Array, Array], Array]]:
    """Ways in which a factorization can be wrong while it reports success."""
    rng = np.random.default_rng(0)

    def nearest_semidefinite(matrix: Array, _: Array) -> Array:
        values, vectors = np.linalg.eigh(matrix)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))

    return {
        "nearest semidefinite": nearest_semidefinite,
        "too large": lambda _, factor: factor * (1 + 1e-9),
        "zero": lambda _, factor: 0 * factor,
        "noise": lambda _, factor: np.tril(rng.standard_normal(factor.shape)),
        "noisy": lambda _, factor: factor + 1e-12 * np.tril(rng.standard_normal(factor.shape)),
        "nan": lambda _, factor: np.full(factor.shape, math.nan),
        "infinite": lambda _, factor: np.where(np.eye(len(factor)) > 0, math.inf, factor),
        "huge": lambda _, factor: 1e6 * np.eye(len(factor)),
    }


@pytest.mark.parametrize("route", ROUTES[1:], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", wrong_factors())
def test_no_factor_proves_a_falsehood(
    name: str, route: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the residual is trusted."""
    spoil = wrong_factors()[name]

    def factor_of(matrix: Array) -> Array:
        return spoil(matrix, lapack.dpotrf(matrix, lower=1, clean=1)[0])

    fake = SimpleNamespace(dpotrf=lambda matrix, **_: (factor_of(matrix), 0))
    monkeypatch.setattr(cholesky, "lapack", fake)
    monkeypatch.setattr(
        cholesky, "sparse_factor", lambda matrix: sp.csr_array(factor_of(matrix.toarray()))
    )
    for n in (1, 2, 3, 5, 9):
        pencil = pencil_for(route, np.ones((n, n)))
        for below in (1e-15, 1e-12, 1e-6, 0.5):
            assert not route(pencil, pencil.scaled_level(n * (1 - below)))


# -- residuals


def residual_of(matrix: Array, factor: Array, sparse: bool) -> float:
    if sparse:
        return sparse_residual_norm(sp.csr_array(matrix), sp.csr_array(factor))
    return residual_norm(matrix.copy(), factor)


def factors() -> dict[str, tuple[Array, Array]]:
    """Matrices and factors: good ones, exact ones, hopeless ones."""
    rng = np.random.default_rng(5)
    pairs: dict[str, tuple[Array, Array]] = {}
    for n in (1, 2, 3, 6, 10):
        a = rng.standard_normal((n, n))
        v = 10.0 ** rng.uniform(-90, 0, n)
        for name, matrix in {
            "random": a @ a.T + 1e-12 * np.eye(n),
            "half empty": (b := a * (rng.random((n, n)) < 0.5)) @ b.T + np.eye(n),
            "ones": np.ones((n, n)) + 1e-13 * np.eye(n),
            "Hilbert": hilbert(n) + 1e-13 * np.eye(n),
            "graded": np.outer(1e-9 ** np.arange(n), 1e-9 ** np.arange(n)) * (np.eye(n) + 1),
            "far apart": (np.eye(n) + 1) * np.outer(v, v),
            "small": 1e-100 * (a @ a.T + np.eye(n)),
        }.items():
            factor, _ = lapack.dpotrf(symmetric(matrix), lower=1, clean=1)
            pairs[f"{name} {n}"] = symmetric(matrix), np.ascontiguousarray(factor)
            pairs[f"{name} {n}, sloppy"] = (
                symmetric(matrix),
                factor.astype(np.float32).astype(float),
            )
        pairs[f"integers {n}"] = np.round(9 * a) @ np.round(9 * a).T, np.round(9 * a)
        pairs[f"hopeless {n}"] = np.eye(n), a
        pairs[f"zero {n}"] = np.eye(n), np.zeros((n, n))
    root = np.array([[math.sqrt(2.0)]])
    pairs["rounds to zero"] = root * root, root
    # Too small beside the 1 for every slice, so that the factor looks like the identity.
    lost = np.diag([1.0, 1.0, 2.0**-200])
    lost[0, 1] = 0.9 * 2.0**-100
    pairs["below the slices"] = np.diag(lost.diagonal() ** 2), lost
    # R R' = (1 + b^2) I, but products of different slices are 2^-26 and -2^-26 off the diagonal:
    # the entry 2^-80 is rounded away between them.
    b = 2.0**-13 + 2.0**-26
    pairs["lost between slices"] = (
        np.array([[1 + b * b, 2.0**-80], [2.0**-80, 1 + b * b]]),
        np.array([[1.0, b], [-b, 1.0]]),
    )
    star = np.zeros((6, 6))
    star[5, :5] = star[:5, 5] = -1.0
    pairs["entries beside a long column"] = star, np.diag([0.0, 0, 0, 0, 0, 1.0])
    # Squares just above half a unit of the sum before them: each sum rounds up.
    stairs = np.zeros((60, 60))
    stairs[-1] = 2.0**-26.5 * (1 + 2.0**-20)
    stairs[-1, 0] = 1.0
    pairs["a rounding in each term"] = (
        (sp.csr_array(stairs) @ sp.csr_array(stairs).T).toarray(),
        stairs,
    )
    return pairs


@pytest.mark.parametrize("short", [None, 0, 2, 32])
def test_residual_bounds_cover_the_norm(short: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dense, or sparse with all columns of the factor, some or none multiplied as dense ones."""
    if short is not None:
        monkeypatch.setattr(cholesky, "_ALWAYS_SHORT", short)
    for name, (matrix, factor) in factors().items():
        error = left_by(matrix, factor)
        bound = residual_of(matrix, factor, sparse=short is not None)
        assert covers(bound, error), name
        if short is None:
            row_sums = max(sum(map(abs, row)) for row in error)
            largest = float((factor * factor).sum(axis=1).max())
            assert bound <= 1.01 * float(row_sums) + 2.0**-70 * largest + 1e-75, name


# -- a priori


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1.0, 3.7, 1e30])
@pytest.mark.parametrize("d", [1, 2, 7, 400])
def test_the_shift_covers_the_bound_and_little_more(d: int, size: float) -> None:
    diagonal = size * np.random.default_rng(d).uniform(0.1, 1, d)
    required = Fraction(UNIT) * sum((i + 3) * Fraction(v) for i, v in enumerate(diagonal.tolist()))
    shift = Fraction(rounding_shift(diagonal))
    assert required * (1 + Fraction(1, 2**48)) + Fraction(UNDERFLOW) / 2 <= shift
    assert shift <= required * (1 + Fraction(1, 2**40)) + Fraction(UNDERFLOW) * 2


def test_factorizations_err_by_no_more_than_the_shift() -> None:
    """|R R' - A| <= delta in the spectral norm, decided exactly."""
    for name, (matrix, factor) in factors().items():
        if "sloppy" not in name and name.split()[0] in ("random", "ones", "Hilbert", "graded"):
            assert covers(rounding_shift(matrix.diagonal()), left_by(matrix, factor)), name


@pytest.mark.parametrize(
    ("place", "value", "info"),
    [
        ((2, 2), math.nan, 0),
        ((2, 0), math.nan, 0),
        ((2, 0), math.inf, 0),
        ((1, 1), 0.0, 0),
        ((1, 1), -1.0, 0),
        ((0, 0), 1.0, 2),
    ],
)
def test_odd_answers_of_lapack_prove_nothing(
    place: tuple[int, int], value: float, info: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LAPACK has been seen to report success on NaN."""

    def dpotrf(matrix: Array, **options: Any) -> tuple[Array, int]:
        factor, _ = lapack.dpotrf(matrix, **options)
        factor[place] = value
        return factor, info

    pencil = pencil_for(proves_by_cholesky, np.ones((3, 3)))
    assert proves_by_cholesky(pencil, pencil.scaled_level(5.0))
    monkeypatch.setattr(cholesky, "lapack", SimpleNamespace(dpotrf=dpotrf))
    assert not proves_by_cholesky(pencil, pencil.scaled_level(5.0))


def test_a_failed_proof_in_the_memory_of_a_pencil_leaves_it_whole() -> None:
    matrix = np.arange(1.0, 26.0).reshape(5, 5)
    pencil = pencil_for(proves_by_cholesky, matrix + matrix.T, np.arange(1.0, 6.0))
    before = pencil.matrix.copy()
    top = np.linalg.eigvalsh((matrix + matrix.T) / np.sqrt(np.outer(range(1, 6), range(1, 6))))[-1]
    for level in (-1.0, 0.5 * top, 0.999 * top, top * (1 - 1e-12)):
        assert not proves_by_cholesky(pencil, pencil.scaled_level(level), overwrite=True)
        np.testing.assert_array_equal(pencil.matrix, before)
    assert proves_by_cholesky(pencil, pencil.scaled_level(top * (1 + 1e-12)), overwrite=True)


# -- sparse


def grid(n: int) -> sp.csr_array:
    """The Laplacian of an n x n grid with fixed boundary."""
    line = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return sp.csr_array(sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line))


@pytest.mark.parametrize("n", [12, 90])
def test_grids_against_the_closed_form(n: int) -> None:
    """The largest eigenvalue is 8 sin^2(n pi / (2 n + 2)); factors are found and kept apart."""
    with mpmath.workprec(300):
        value = 8 * mpmath.sin(mpmath.pi * n / (2 * n + 2)) ** 2
        truth = Fraction(int(mpmath.floor(value * 2**250)), 2**250)
    matrix = grid(n)
    explicit = EntrywiseMatrix(matrix)
    ones = np.ones(n * n)
    bracket = bracket_lambda_max(explicit, None, ones)
    assert bracket.exact_lower <= truth <= bracket.exact_upper
    for below in (1e-16, 1e-14, 1e-12, 1e-9, 1e-3):
        level = float(truth * (1 - Fraction(below)))
        assert prove_psd(explicit, ones, level) is Verdict.UNDECIDED
    assert prove_psd(explicit, ones, float(truth) * (1 + 1e-12)) is Verdict.PROVED
    assert (matrix != grid(n)).nnz == 0


def test_long_columns_give_the_same_bound_on_fewer_rows_than_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matrix = sp.csr_array(grid(50) + 0.1 * sp.eye_array(2500))
    factor = cholesky.sparse_factor(matrix)
    assert factor is not None
    columns, rows = cholesky._long_columns(factor)
    assert 0 < columns.size < 500 and set(sp.csc_array(factor)[:, columns].indices) == set(rows)
    bounds = [sparse_residual_norm(matrix, factor)]
    for limit in (rows.size - 1, 0):
        monkeypatch.setattr(cholesky, "_DENSE_ROWS", limit)
        assert cholesky._long_columns(factor)[1].size <= limit
        bounds.append(sparse_residual_norm(matrix, factor))
    assert max(bounds) <= 1.5 * min(bounds) <= 1e-11


def test_affordable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert affordable(grid(60))
    with monkeypatch.context() as context:
        context.setattr(cholesky, "_SMALL_DIMENSION", 0)
        assert affordable(grid(60))
        context.setattr(cholesky, "ENVELOPE_ENTRIES", 1e4)
        assert not affordable(grid(60))
    rng = np.random.default_rng(0)
    for n, entries, expected in (
        (40_000, 480_000, False),
        (10_000, 30_000, True),
        (10_000, 300_000, False),
    ):
        places = tuple(rng.integers(0, n, (2, entries)))
        pattern = sp.coo_array((np.ones(entries), places), shape=(n, n))
        assert affordable(sp.csr_array(pattern + pattern.T)) == expected


# -- diagonal dominance, which needs no factor


def test_dominance_does_not_lose_what_a_sum_rounds_away() -> None:
    """1 + 2^-54 + ... + 2^-54 is 1 in doubles; forty such terms come to 20 units."""
    L = np.zeros((42, 42))
    L[0, 1] = 1.0
    L[0, 2:] = 2.0**-54
    sums = pencil_for(proves_by_sparse_residual, L + L.T)
    assert not dominates(sums, sums.scaled_level(1 + 2.0**-50))
    assert dominates(sums, sums.scaled_level(1 + 1e-14))
    mixed = pencil_for(proves_by_sparse_residual, np.diag([2.0, 1.0]) + 0.5)
    assert [dominates(mixed, mixed.scaled_level(t)) for t in (2.9, 3.1)] == [False, True]


def test_dominance_counts_what_scaling_loses() -> None:
    """6e on the diagonal and -e beside it, twenty times, is indefinite; e is lost beside 2^1000."""
    e = 2.0**-75
    small = 6 * e * np.eye(20) - e * (np.ones((20, 20)) - np.eye(20))
    A = sp.csr_array(sp.block_diag([sp.coo_array([[2.0**1000]]), small]))
    assert prove_psd(EntrywiseMatrix(-A), np.ones(21), 0.0) is not Verdict.PROVED
