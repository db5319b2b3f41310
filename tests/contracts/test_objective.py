"""The contract of an objective: gradients, curvature, constants, minimizers, gaps, refusals."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from contracts.objectives import (
    ALL,
    CONVEX,
    NONCONVEX,
    STRONGLY_CONVEX,
    B,
    D,
    data,
    hessian,
    labels,
    points,
)
from refusals import refuses
from scipy.linalg import eigvalsh_tridiagonal

from rpttheory import diagonal
from rpttheory.objectives import Logistic, Objective, Quadratic, Ridge, Robust
from rpttheory.objectives.objective import check_point

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
every = pytest.mark.parametrize("f", list(ALL.values()), ids=list(ALL))


@every
def test_gradients_integrate_to_differences_of_values(f: Objective) -> None:
    # f(y) - f(x) is the integral of <f'(x + t (y - x)), y - x>: Gauss-Legendre has it to the last
    # digits.
    for x, j in itertools.product(points(0), range(D)):
        h = 0.3 * np.eye(D)[j]
        integral = (
            sum(
                w / 2 * f.gradient(x + (node + 1) / 2 * h)[j]
                for node, w in zip(NODES, WEIGHTS, strict=True)
            )
            * 0.3
        )
        assert f.value(x + h) - f.value(x) == pytest.approx(
            integral, abs=1e-11 * (1 + abs(f.value(x)))
        )


@every
def test_blocks_of_the_gradient(f: Objective) -> None:
    for x in points(1):
        whole = f.gradient(x)
        for start, stop in itertools.combinations(range(D + 1), 2):
            out = np.full(stop - start, np.nan)
            assert f.block_gradient(x, start, stop, out) is out
            np.testing.assert_allclose(out, whole[start:stop], rtol=1e-12, atol=1e-13)
        buffer = np.full(D, np.nan)
        assert f.gradient(x, buffer) is buffer
        np.testing.assert_array_equal(buffer, whole)


@every
def test_actions_follow_a_point_that_changes_block_by_block(f: Objective) -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal(D)
    cache = f.product_cache(x)
    for _ in range(30):
        start, stop = sorted(rng.choice(D + 1, 2, replace=False).tolist())
        out = np.empty(stop - start)
        f.gradient_action(x, start, stop, out)()
        np.testing.assert_allclose(out, f.gradient(x)[start:stop], rtol=1e-12, atol=1e-13)
        step = 0.1 * rng.standard_normal(stop - start)
        x[start:stop] -= step
        if cache is not None:
            cache.update_action(start, stop, step)()
            cache.gradient_action(start, stop, out)()
            np.testing.assert_allclose(out, f.gradient(x)[start:stop], rtol=1e-10, atol=1e-11)


def test_a_refreshed_cache_has_the_product_at_the_current_point() -> None:
    f = STRONGLY_CONVEX["logistic"]
    x = np.ones(D)
    cache = f.product_cache(x)
    assert cache is not None
    x[:] = -1.0
    cache.refresh()
    out = np.empty(D)
    cache.gradient_action(0, D, out)()
    np.testing.assert_allclose(out, f.gradient(x), rtol=1e-12)


def poisoned_rows(M: Any, start: int, stop: int) -> Any:
    out = np.full_like(M, np.nan)
    out[start:stop] = M[start:stop]
    return out


@pytest.mark.parametrize("kind", [Ridge, Logistic, Robust])
def test_along_a_trajectory_a_block_reads_its_columns_of_the_data_alone(kind: Any) -> None:
    rows = 4 if kind is Ridge else 11
    f = kind(data(rows), labels(rows), 0.1)
    x = points(3)[0].copy()
    expected = f.gradient(x)[2:4]
    cache = f.product_cache(x)
    step = np.array([0.1, -0.2])
    object.__setattr__(f, "A", poisoned_rows(f.A.T, 2, 4).T)
    out = np.empty(2)
    cache.gradient_action(2, 4, out)()
    np.testing.assert_allclose(out, expected, rtol=1e-12)
    cache.update_action(2, 4, step)()
    x[2:4] -= step
    cache.gradient_action(2, 4, out)()
    np.testing.assert_allclose(
        out, kind(data(rows), labels(rows), 0.1).gradient(x)[2:4], rtol=1e-10
    )


def dense_smoothness(f: Objective) -> Any:
    return f.smoothness.matmat(np.eye(D))


@every
def test_the_smoothness_matrix_bounds_the_curvature(f: Objective) -> None:
    L = dense_smoothness(f)
    for x in points(4, 8):
        assert np.linalg.eigvalsh(L - hessian(f, x))[0] >= -1e-7


@pytest.mark.parametrize("kind", [Ridge, Logistic, Robust])
def test_the_smoothness_matrix_is_attained(kind: Any) -> None:
    # The curvature of each loss is largest where its argument is 0 (for Robust: where the residual
    # is).
    A = data(11)
    y = labels(11)
    f = kind(A, A @ np.ones(D) if kind is Robust else y, 0.0)
    x = np.ones(D) if kind is Robust else np.zeros(D)
    np.testing.assert_allclose(hessian(f, x), dense_smoothness(f), atol=1e-8)


@every
def test_mu_is_a_lower_bound_on_the_curvature(f: Objective) -> None:
    lowest = min(float(np.linalg.eigvalsh(hessian(f, x))[0]) for x in points(5, 8))
    mu = f.strong_convexity
    if mu is None:
        assert f in NONCONVEX.values() and lowest < -1e-3
    else:
        assert 0 <= mu <= lowest + 1e-8
        if not isinstance(f, Logistic):
            assert mu == pytest.approx(max(lowest, 0.0), abs=1e-7)


def test_the_robust_loss_is_not_convex_and_its_curvature_is_two_sided() -> None:
    f = NONCONVEX["robust"]
    L = dense_smoothness(f)
    for x in points(6, 8):
        assert np.linalg.eigvalsh(hessian(f, x) + L)[0] >= -1e-7


ATTAINED = {
    name: f for name, f in (STRONGLY_CONVEX | CONVEX).items() if name != "logistic, no penalty"
}
attained = pytest.mark.parametrize("f", list(ATTAINED.values()), ids=list(ATTAINED))


@attained
def test_the_gradient_vanishes_at_the_minimizer(f: Objective) -> None:
    assert f.minimizer is not None and f.minimum is not None
    assert np.abs(f.gradient(f.minimizer)).max() <= 1e-12 * (
        1 + np.abs(f.gradient(np.ones(D))).max()
    )
    assert f.minimum == f.value(f.minimizer)
    for x in points(0, 8):
        assert f.value(f.minimizer + x) >= f.minimum - 1e-12 * (1 + abs(f.minimum))
    assert not f.minimizer.flags.writeable


@attained
def test_gaps_are_differences_of_values(f: Objective) -> None:
    assert f.minimizer is not None and f.minimum is not None
    for x in points(1, 8):
        gap = f.gap(x, f.gradient(x), x - f.minimizer)
        assert gap == pytest.approx(
            f.value(x) - f.minimum, rel=1e-9, abs=1e-12 * (1 + abs(f.minimum))
        )


@pytest.mark.parametrize("name", ["diagonal", "ridge, tall"])
def test_gaps_keep_their_digits_near_the_minimum(name: str) -> None:
    f = STRONGLY_CONVEX[name]
    assert f.minimizer is not None and f.minimum is not None
    h = np.zeros(D)
    h[0] = 2.0**-20
    curvature = float(h @ f.smoothness.matmat(h)) / 2
    x = f.minimizer + h
    # Differences of values would leave no digit: the gap is 1e-12, a value of order 1 is known to
    # 1e-16.
    assert f.gap(x, f.gradient(x), x - f.minimizer) == pytest.approx(curvature, rel=1e-6)


@pytest.mark.parametrize("f", list(NONCONVEX.values()), ids=list(NONCONVEX))
def test_nothing_is_claimed_where_no_minimum_is_known(f: Objective) -> None:
    assert f.minimizer is None and f.minimum is None and f.strong_convexity is None
    x = np.ones(D)
    assert np.isnan(f.gap(x, f.gradient(x), x))


def test_an_unattained_infimum_is_not_called_a_minimum() -> None:
    assert CONVEX["logistic, no penalty"].minimizer is None


def test_a_quadratic_unbounded_below_has_no_minimum() -> None:
    for f in (Quadratic(diagonal([1.0, 0.0]), [1.0, 1.0]), Quadratic(np.outer(B, B), np.ones(D))):
        assert f.strong_convexity == 0.0 and f.minimizer is None and f.minimum is None


def test_the_shortest_minimizer_of_a_singular_quadratic() -> None:
    f = CONVEX["singular"]
    assert f.minimizer is not None
    np.testing.assert_allclose(f.minimizer, 2 * B / (B @ B), rtol=1e-10)
    np.testing.assert_array_equal(Quadratic(diagonal([2.0, 0.0]), [2.0, 0.0]).minimizer, [1.0, 0.0])


def test_large_sparse_quadratics() -> None:
    # Beyond the size of dense factorizations; one weak spot sets the least eigenvalue apart.
    d = 3001
    main = np.full(d, 2.5)
    side = np.full(d - 1, -1.0)
    main[7] = 1.5
    b = np.random.default_rng(0).standard_normal(d)
    f = Quadratic(sp.csr_array(sp.diags_array([side, main, side], offsets=[-1, 0, 1])), b)
    lowest = eigvalsh_tridiagonal(main, side, select="i", select_range=(0, 0))[0]
    assert f.strong_convexity == pytest.approx(lowest, rel=1e-6) and f.minimizer is not None
    assert np.abs(f.gradient(f.minimizer)).max() <= 1e-9


def test_logistic_minimizers_are_stationary_to_the_last_digits() -> None:
    for lam in (1e-6, 1e-2, 10.0):
        f = Logistic(30 * data(40), labels(40), lam)
        assert f.minimizer is not None
        assert (
            np.abs(f.gradient(f.minimizer)).max() <= 1e-12 * np.abs(f.gradient(np.zeros(D))).max()
        )


def test_a_penalty_lost_in_rounding_leaves_the_minimizer_unknown() -> None:
    # With more columns than rows the second derivative is singular but for the penalty.
    A = np.random.default_rng(0).standard_normal((3, 12))
    for lam in (1e-30, 1e-16, 1e-18):
        f = Logistic(A, [1.0, -1.0, 1.0], lam)
        if f.minimizer is None:
            assert f.minimum is None
        else:
            assert np.abs(f.gradient(f.minimizer)).max() <= 1e-9
    assert Logistic(A, [1.0, -1.0, 1.0], 1e-30).minimizer is None
    # Twelve equal columns: already the first system is singular to working precision.
    assert Logistic(np.ones((3, 12)), [1.0, -1.0, 1.0], 1e-16).minimizer is None
    assert Logistic(np.ones((3, 12)), [1.0, -1.0, 1.0], 1e-8).minimizer is not None


def test_large_arguments_do_not_overflow() -> None:
    f = Logistic(1e6 * data(5), labels(5), 0.0)
    x = np.ones(D)
    assert np.isfinite(f.value(x)) and np.isfinite(f.gradient(x)).all()
    margins = labels(5) * (f.A @ x)
    assert f.value(x) == pytest.approx(float(np.maximum(-margins, 0).mean()), rel=1e-12)


def test_ridge_is_the_function_of_the_paper() -> None:
    A = [[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]]
    b = [1.0, 0.0, 2.0]
    x = [3.0, -1.0]
    rows = [(Fraction(a[0]), Fraction(a[1]), Fraction(y)) for a, y in zip(A, b, strict=True)]
    exact = sum((p * 3 - q - y) ** 2 for p, q, y in rows) / 3 + Fraction(1, 4) * 10
    assert Ridge(A, b, 0.25).value(np.array(x)) == pytest.approx(float(exact), rel=1e-15)


def test_objectives_do_not_share_memory_with_what_they_were_given() -> None:
    A = data(4)
    b = labels(4)
    f = Ridge(A, b, 0.1)
    before = Ridge(A, b, 0.1).value(np.ones(D))
    A[:] = 0.0
    b[:] = 7.0
    assert f.value(np.ones(D)) == before


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: Quadratic(np.eye(2), [1.0] * 3), "shape (3,)"),
        (lambda: Quadratic(np.eye(2), [1.0, np.nan]), "nan"),
        (lambda: Ridge([1.0, 2.0], [1.0], 0.1), "1 dimension"),
        (lambda: Ridge(np.eye(2), [1.0, np.inf], 0.1), "inf at"),
        (lambda: Ridge(np.eye(2), [1.0, 2.0], -0.1), "-0.1"),
        (lambda: Logistic(np.eye(2), [1.0, 0.0], 0.1), "0 in row 1"),
        (lambda: check_point([[1.0, 2.0]], 2), "shape (1, 2)"),
    ],
)
def test_bad_input(make: Any, found: str) -> None:
    with refuses(found=found):
        make()
