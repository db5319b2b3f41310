"""Minimisers, minima and gaps; and what is refused."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigvalsh_tridiagonal

from rpttheory import InvalidInput, diagonal
from rpttheory.objectives import Logistic, Objective, Quadratic, Ridge, Robust, check_point

from .families import ALL, CONVEX, NONCONVEX, STRONGLY_CONVEX, B, D, data, labels, points

ATTAINED = {name: f for name, f in (STRONGLY_CONVEX | CONVEX).items() if name != "logistic, no penalty"}
attained = pytest.mark.parametrize("f", list(ATTAINED.values()), ids=list(ATTAINED))


@attained
def test_the_gradient_vanishes_at_the_minimiser(f: Objective) -> None:
    assert f.minimiser is not None and f.minimum is not None
    assert np.abs(f.gradient(f.minimiser)).max() <= 1e-12 * (1 + np.abs(f.gradient(np.ones(D))).max())
    assert f.minimum == f.value(f.minimiser)
    for x in points(0, 8):
        assert f.value(f.minimiser + x) >= f.minimum - 1e-12 * (1 + abs(f.minimum))
    with pytest.raises(ValueError, match="read-only"):
        f.minimiser[0] = 1.0


@attained
def test_gaps_are_differences_of_values(f: Objective) -> None:
    assert f.minimiser is not None and f.minimum is not None
    for x in points(1, 8):
        gap = f.gap(x, f.gradient(x), x - f.minimiser)
        assert gap == pytest.approx(f.value(x) - f.minimum, rel=1e-9, abs=1e-12 * (1 + abs(f.minimum)))


@pytest.mark.parametrize("name", ["diagonal", "ridge, tall"])
def test_gaps_keep_their_digits_near_the_minimum(name: str) -> None:
    f = STRONGLY_CONVEX[name]
    assert f.minimiser is not None and f.minimum is not None
    h = np.zeros(D)
    h[0] = 2.0**-20
    curvature = float(h @ f.smoothness.matmat(h)) / 2
    x = f.minimiser + h
    # Differences of values would leave no digit: the gap is 1e-12, a value of order 1 is known to 1e-16.
    assert f.gap(x, f.gradient(x), x - f.minimiser) == pytest.approx(curvature, rel=1e-6)


@pytest.mark.parametrize("f", list(NONCONVEX.values()), ids=list(NONCONVEX))
def test_nothing_is_claimed_where_no_minimum_is_known(f: Objective) -> None:
    assert f.minimiser is None and f.minimum is None and f.strong_convexity is None
    x = np.ones(D)
    assert np.isnan(f.gap(x, f.gradient(x), x))


def test_an_unattained_infimum_is_not_called_a_minimum() -> None:
    assert CONVEX["logistic, no penalty"].minimiser is None


def test_a_quadratic_unbounded_below_has_no_minimum() -> None:
    for f in (Quadratic(diagonal([1.0, 0.0]), [1.0, 1.0]), Quadratic(np.outer(B, B), np.ones(D))):
        assert f.strong_convexity == 0.0 and f.minimiser is None and f.minimum is None


def test_the_shortest_minimiser_of_a_singular_quadratic() -> None:
    f = CONVEX["singular"]
    assert f.minimiser is not None
    np.testing.assert_allclose(f.minimiser, 2 * B / (B @ B), rtol=1e-10)
    np.testing.assert_array_equal(Quadratic(diagonal([2.0, 0.0]), [2.0, 0.0]).minimiser, [1.0, 0.0])


def test_large_sparse_quadratics() -> None:
    # Beyond the size of dense factorisations; one weak spot sets the least eigenvalue apart.
    d = 3001
    main, side = np.full(d, 2.5), np.full(d - 1, -1.0)
    main[7] = 1.5
    b = np.random.default_rng(0).standard_normal(d)
    f = Quadratic(sp.csr_array(sp.diags_array([side, main, side], offsets=[-1, 0, 1])), b)
    lowest = eigvalsh_tridiagonal(main, side, select="i", select_range=(0, 0))[0]
    assert f.strong_convexity == pytest.approx(lowest, rel=1e-6) and f.minimiser is not None
    assert np.abs(f.gradient(f.minimiser)).max() <= 1e-9


def test_wide_ridge_without_penalty_interpolates() -> None:
    f = CONVEX["ridge, wide, no penalty"]
    assert f.minimum == pytest.approx(0.0, abs=1e-25) and f.strong_convexity == 0.0


def test_logistic_minimisers_are_stationary_to_the_last_digits() -> None:
    for lam in (1e-6, 1e-2, 10.0):
        f = Logistic(30 * data(40), labels(40), lam)
        assert f.minimiser is not None
        assert np.abs(f.gradient(f.minimiser)).max() <= 1e-12 * np.abs(f.gradient(np.zeros(D))).max()


def test_a_penalty_lost_in_rounding_leaves_the_minimiser_unknown() -> None:
    # With more columns than rows the second derivative is singular but for the penalty.
    A = np.random.default_rng(0).standard_normal((3, 12))
    for lam in (1e-30, 1e-16, 1e-18):
        f = Logistic(A, [1.0, -1.0, 1.0], lam)
        if f.minimiser is None:
            assert f.minimum is None
        else:
            assert np.abs(f.gradient(f.minimiser)).max() <= 1e-9
    assert Logistic(A, [1.0, -1.0, 1.0], 1e-30).minimiser is None
    # Twelve equal columns: already the first system is singular to working precision.
    assert Logistic(np.ones((3, 12)), [1.0, -1.0, 1.0], 1e-16).minimiser is None
    assert Logistic(np.ones((3, 12)), [1.0, -1.0, 1.0], 1e-8).minimiser is not None


def test_large_arguments_do_not_overflow() -> None:
    f = Logistic(1e6 * data(5), labels(5), 0.0)
    x = np.ones(D)
    assert np.isfinite(f.value(x)) and np.isfinite(f.gradient(x)).all()
    margins = labels(5) * (f.A @ x)
    assert f.value(x) == pytest.approx(float(np.maximum(-margins, 0).mean()), rel=1e-12)


def test_ridge_is_the_function_of_the_paper() -> None:
    A, b, x = [[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]], [1.0, 0.0, 2.0], [3.0, -1.0]
    rows = [(Fraction(a[0]), Fraction(a[1]), Fraction(y)) for a, y in zip(A, b, strict=True)]
    exact = sum((p * 3 - q - y) ** 2 for p, q, y in rows) / 3 + Fraction(1, 4) * 10
    assert Ridge(A, b, 0.25).value(np.array(x)) == pytest.approx(float(exact), rel=1e-15)


def test_objectives_do_not_share_memory_with_what_they_were_given() -> None:
    A, b = data(4), labels(4)
    f, before = Ridge(A, b, 0.1), Ridge(A, b, 0.1).value(np.ones(D))
    A[:], b[:] = 0.0, 7.0
    assert f.value(np.ones(D)) == before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quadratic(np.eye(2), [1.0]), "b must have one number per coordinate, 2"),
        (lambda: Quadratic(np.eye(2), [1.0, np.nan]), "b must be finite"),
        (lambda: Quadratic([[1.0, 2.0], [0.0, 1.0]]), "symmetric"),
        (lambda: Ridge(np.eye(2), [1.0], 0.1), "one number per row of A, 2"),
        (lambda: Ridge(np.eye(2), [1.0, np.inf], 0.1), "finite\n  found: inf at"),
        (lambda: Ridge([1.0, 2.0], [1.0], 0.1), "A must be a matrix"),
        (lambda: Ridge(np.eye(2), [1.0, 2.0], -0.1), "lam must be finite and not negative"),
        (lambda: Robust(np.eye(2), [1.0, 2.0], np.nan), "lam must be finite"),
        (lambda: Ridge(np.eye(2), [1.0, 2.0], "a"), "lam must be finite and not"),  # type: ignore[arg-type]
        (lambda: Logistic(np.eye(2), [1.0, 1.0], True), "lam must be"),
        (lambda: Logistic(np.eye(2), [1.0, 0.0], 0.1), "labels must be -1 or 1"),
        (lambda: check_point(["a", "b"], 2), "x0 must be numbers"),
        (lambda: check_point([[1.0, 2.0]], 2), "x0 must have one number per coordinate"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()


def test_every_objective_has_the_dimension_of_its_smoothness() -> None:
    for f in ALL.values():
        assert f.dimension == f.smoothness.dimension == D
