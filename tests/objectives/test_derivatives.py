"""Gradients against values, gradient blocks against gradients, and curvature against the smoothness matrix."""

import itertools
from typing import Any

import numpy as np
import pytest

from rpttheory.objectives import Logistic, Objective, Quadratic, Ridge, Robust

from .families import ALL, NONCONVEX, STRONGLY_CONVEX, D, data, hessian, labels, matrix, points

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
every = pytest.mark.parametrize("f", list(ALL.values()), ids=list(ALL))


@every
def test_gradients_integrate_to_differences_of_values(f: Objective) -> None:
    # f(y) - f(x) is the integral of <f'(x + t (y - x)), y - x>: Gauss-Legendre has it to the last digits.
    for x, j in itertools.product(points(0), range(D)):
        h = 0.3 * np.eye(D)[j]
        integral = (
            sum(w / 2 * f.gradient(x + (node + 1) / 2 * h)[j] for node, w in zip(NODES, WEIGHTS, strict=True)) * 0.3
        )
        assert f.value(x + h) - f.value(x) == pytest.approx(integral, abs=1e-11 * (1 + abs(f.value(x))))


@every
def test_blocks_of_the_gradient(f: Objective) -> None:
    for x in points(1):
        whole = f.gradient(x)
        for start, stop in itertools.combinations(range(D + 1), 2):
            out = np.full(stop - start, np.nan)
            assert f.block_gradient(x, start, stop, out) is out
            np.testing.assert_allclose(out, whole[start:stop], rtol=1e-12, atol=1e-13)
        kept = np.full(D, np.nan)
        assert f.gradient(x, kept) is kept
        np.testing.assert_array_equal(kept, whole)


@every
def test_the_tracker_follows_a_point_that_moves_block_by_block(f: Objective) -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal(D)
    tracker = f.tracker(x)
    scales = rng.uniform(0.5, 2.0, D)
    for _ in range(30):
        start, stop = sorted(rng.choice(D + 1, 2, replace=False).tolist())
        out, scaled = np.empty(stop - start), np.empty(stop - start)
        tracker.gradient(start, stop, out)()
        np.testing.assert_allclose(out, f.gradient(x)[start:stop], rtol=1e-10, atol=1e-11)
        tracker.step(start, stop, scales, scaled)()
        np.testing.assert_allclose(scaled, scales[start:stop] * out, rtol=1e-12, atol=1e-13)
        step = 0.1 * rng.standard_normal(stop - start)
        moved = tracker.moved(start, stop, step)
        x[start:stop] -= step
        if moved is not None:
            moved()
    drifted = {name: values.copy() for name, values in tracker.state.items()}
    tracker.refresh()
    for name, values in tracker.state.items():
        np.testing.assert_allclose(values, drifted[name], rtol=1e-10, atol=1e-11)


def poisoned_rows(M: Any, start: int, stop: int) -> Any:
    out = np.full_like(M, np.nan)
    out[start:stop] = M[start:stop]
    return out


def test_a_block_of_a_diagonal_quadratic_reads_that_block_alone() -> None:
    f = STRONGLY_CONVEX["diagonal"]
    x = np.full(D, np.nan)
    x[2:4] = 1.0
    assert np.isfinite(f.block_gradient(x, 2, 4, np.empty(2))).all()


def test_a_block_of_a_dense_quadratic_reads_its_rows_alone() -> None:
    f = Quadratic(matrix())
    f.__dict__["_rows"] = poisoned_rows(matrix(), 2, 4)
    x = points(3)[0]
    np.testing.assert_allclose(f.block_gradient(x, 2, 4, np.empty(2)), matrix()[2:4] @ x)


def test_a_block_of_a_tall_ridge_reads_its_rows_of_the_hessian_alone() -> None:
    f = Ridge(data(11), labels(11), 0.1)
    x = points(3)[0]
    expected = f.gradient(x)[2:4]
    assert f.hessian is not None
    f.hessian.__dict__["_rows"] = poisoned_rows(f.hessian._dense(), 2, 4)
    object.__setattr__(f, "A", np.full_like(f.A, np.nan))
    np.testing.assert_allclose(f.block_gradient(x, 2, 4, np.empty(2)), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", [Ridge, Logistic, Robust])
def test_along_a_trajectory_a_block_reads_its_columns_of_the_data_alone(kind: Any) -> None:
    rows = 4 if kind is Ridge else 11
    f = kind(data(rows), labels(rows), 0.1)
    x = points(3)[0].copy()
    expected = f.gradient(x)[2:4]
    tracker, step = f.tracker(x), np.array([0.1, -0.2])
    object.__setattr__(f, "A", poisoned_rows(f.A.T, 2, 4).T)
    out = np.empty(2)
    tracker.gradient(2, 4, out)()
    np.testing.assert_allclose(out, expected, rtol=1e-12)
    tracker.moved(2, 4, step)()
    x[2:4] -= step
    tracker.gradient(2, 4, out)()
    np.testing.assert_allclose(out, kind(data(rows), labels(rows), 0.1).gradient(x)[2:4], rtol=1e-10)


def dense_smoothness(f: Objective) -> Any:
    return f.smoothness.matmat(np.eye(D))


@every
def test_the_smoothness_matrix_bounds_the_curvature(f: Objective) -> None:
    L = dense_smoothness(f)
    for x in points(4, 8):
        assert np.linalg.eigvalsh(L - hessian(f, x))[0] >= -1e-7


@pytest.mark.parametrize("kind", [Ridge, Logistic, Robust])
def test_the_smoothness_matrix_is_attained(kind: Any) -> None:
    # The curvature of each loss is largest where its argument is 0 (for Robust: where the residual is).
    A, y = data(11), labels(11)
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
