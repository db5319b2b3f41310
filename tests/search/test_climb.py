"""The climb and the multipliers fitted to it: what makes the low-rank route prove once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rpttheory import Blocks, optimal_probabilities
from rpttheory.eigen.eigenpairs import lanczos
from rpttheory.problem.smoothness import as_smoothness
from rpttheory.search import lowrank
from rpttheory.search.climb import Climb
from rpttheory.search.groups import groups_apart, turned
from rpttheory.search.multipliers import Fit

Array = np.ndarray[Any, np.dtype[np.float64]]


def wishart(d: int, seed: int = 0) -> Array:
    A = np.random.default_rng(seed).standard_normal((d, d))
    return A @ A.T / 2 + (A @ A.T).T / 2


def climb_on(L: Array, count: int, rank: int) -> Climb:
    blocks = Blocks([L.shape[0] // count] * count)
    start = np.random.default_rng(1).standard_normal((L.shape[0], rank))
    return Climb(lambda V: L @ V, blocks, np.full(count, 1 / count), start)


def test_the_residual_is_that_of_the_gradient() -> None:
    """A difference of squared norms would end near 1e-8."""
    climb = climb_on(wishart(30), 5, 4)
    for _ in range(400):
        climb.step()
    assert climb.point.residual < 1e-12


def test_a_rotation_changes_nothing_and_a_truncation_keeps_the_memory() -> None:
    climb = climb_on(wishart(60), 6, 5)
    rotated = climb_on(wishart(60), 6, 5)
    for each in (climb, rotated) * 10:
        each.step()
    rotation = rotated.singular()[1]
    rotated.change(lambda X: X @ rotation)
    assert len(rotated.pairs) == len(climb.pairs) > 5
    for each in (climb, rotated) * 5:
        each.step()
    assert rotated.point.value == pytest.approx(climb.point.value, rel=1e-9)
    lengths, rotation = rotated.singular()
    assert lengths == pytest.approx(np.linalg.svd(rotated.point.V, compute_uv=False))
    rotated.change(lambda X: X @ rotation[:, :3])
    assert rotated.point.V.shape[1] == rotated.pairs[-1][0].shape[1] == 3


def test_the_fit_makes_the_error_quadratic() -> None:
    L = wishart(60)
    costs = np.full(12, 1 / 12)
    climb = climb_on(L, 12, 6)
    for _ in range(20):
        climb.step()
    near = climb.point
    for _ in range(200):
        climb.step()
    truth = climb.point.value

    def top(q: Array) -> float:
        root = np.sqrt(np.repeat(q, 5))
        return float(np.linalg.eigvalsh(L / np.outer(root, root))[-1])

    found = Fit(lambda V: L @ V, Blocks([5] * 12), costs).multipliers(
        near, np.zeros((60, 0)), 2 * truth
    )
    plain = float(costs @ near.q) * top(near.q) / truth - 1
    fitted = found.cost / truth - 1
    assert 1e-10 < fitted < 0.01 * plain
    assert found.top == pytest.approx(top(found.q), rel=0.1 * fitted)


def test_lanczos_finds_both_ends() -> None:
    L = wishart(20)
    truth = np.linalg.eigvalsh(L)
    for end in (0, -1):
        values, vector, error = lanczos(lambda x: L @ x, np.ones(20), 20, end)
        assert values[end] == pytest.approx(truth[end]) and error < 1e-6
        assert np.linalg.norm(L @ vector - truth[end] * vector) < 1e-6 * truth[-1]
    assert lanczos(lambda x: 2 * x, np.ones(5), 9)[0] == pytest.approx([2.0])


def graph(n: int) -> sp.csr_array:
    i, j = np.random.default_rng(0).integers(0, n, (2, 2 * n))
    W = sp.csr_array(sp.coo_array((np.ones(2 * n), (i, j)), shape=(n, n)))
    W = W + W.T
    return sp.csr_array(sp.diags_array(np.asarray(W.sum(axis=1)).ravel()) - W)


# Graphs beyond what an envelope tells, shifts that hide what there is to climb, single precision,
# all with one proof.
@pytest.mark.parametrize(
    ("L", "count", "products"),
    [
        (wishart(150), 10, 600),
        (wishart(600), 20, 600),
        (np.eye(150) + 1e-6 * wishart(150) / 150, 10, 200),
        (graph(400), 400, 3000),
    ],
    ids=["dense", "single precision", "shifted", "graph"],
)
def test_one_proof_is_enough(L: Any, count: int, products: int) -> None:
    found = optimal_probabilities(L, Blocks([L.shape[0] // count] * count))
    assert (found.method, found.status, found.factorisations) == ("low-rank", "optimal", 1)
    assert found.products <= products


def test_a_missing_direction_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum has rank two at least: with one column alone the climb ends elsewhere."""
    L = wishart(120, 3)
    monkeypatch.setattr(lowrank, "_LARGEST_RANK", 1)
    found = optimal_probabilities(L, Blocks([10] * 12), method="low-rank")
    assert found.status == "optimal" and found.dual.shape[1] > 1


def test_a_start_in_single_precision_ends_in_double() -> None:
    found = optimal_probabilities(wishart(500), Blocks([50] * 10), tol=1e-8, method="low-rank")
    assert found.gap <= 1e-8 and found.dual.dtype == np.float64


def test_groups_that_hardly_touch_are_seen() -> None:
    """Coordinates in any order, a chain and a zero among them; what couples is relative to the
    diagonal.
    """
    mixed = np.random.default_rng(3).permutation(41)
    groups = [mixed[:20], mixed[20:27], mixed[27:40], mixed[40:]]
    L = 1e-4 * wishart(41)
    for rows in groups[:2]:
        L[np.ix_(rows, rows)] *= 1e4
    chain = np.diag(np.full(13, 2.0)) - np.diag(np.ones(12), 1) - np.diag(np.ones(12), -1)
    L[np.ix_(groups[2], groups[2])] = chain
    L[groups[3]] = L[:, groups[3]] = 0.0
    scale = 10.0 ** np.random.default_rng(4).uniform(-6, 6, 41)
    for each in (L, L * np.outer(scale, scale)):
        for form in (each, sp.csr_array(each)):
            assert {tuple(found) for found in groups_apart(form)} == {
                tuple(sorted(rows)) for rows in groups[:3]
            }
    assert [list(found) for found in groups_apart(wishart(200))] == [list(range(200))]
    for form in (np.asarray, sp.csr_array):
        assert len(groups_apart(form(np.eye(100)))) == 100 and groups_apart(form(np.eye(101))) == []


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_two_groups_are_turned_as_well_as_they_can_be(dtype: Any) -> None:
    """<V_1 R, L_12 V_2> is at most the sum of the singular values of V_1'L_12 V_2, and rows keep
    their lengths.
    """
    L = wishart(30, 5)
    V = np.random.default_rng(6).standard_normal((30, 8))
    groups = [np.arange(0, 30, 3), np.setdiff1d(np.arange(30), np.arange(0, 30, 3))]
    first, second = groups
    V[second] = V[second, :2] @ np.random.default_rng(7).standard_normal(
        (2, 8)
    )  # of fewer directions than columns
    found = turned(V.astype(dtype), lambda X: (L @ X).astype(dtype), groups).astype(np.float64)
    room = 1e-9 if dtype == np.float64 else 1e-4
    best = np.linalg.svd(V[first].T @ L[np.ix_(first, second)] @ V[second], compute_uv=False).sum()
    assert np.vdot(found[first], L[np.ix_(first, second)] @ found[second]) == pytest.approx(
        best, rel=room
    )
    for rows in groups:
        np.testing.assert_allclose(
            found[rows] @ found[rows].T, V[rows] @ V[rows].T, atol=room * 100
        )


def test_groups_are_turned_where_a_climb_would_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    label = np.arange(160) // 20
    L = wishart(160, 1) * np.where(label[:, None] == label, 1.0, 1e-6)
    found = optimal_probabilities(L, Blocks.singletons(160), method="low-rank")
    monkeypatch.setattr(lowrank, "groups_apart", lambda _: [])
    other = optimal_probabilities(L, Blocks.singletons(160), method="low-rank")
    assert found.gap <= 1e-6 and found.upper >= other.lower and other.upper >= found.lower
    assert 2 * found.products < other.products


@pytest.mark.parametrize("floor", [0.0, 5.0])
@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 1e-13), (np.float32, 1e-5)])
def test_products_with_the_shifted_matrix(
    floor: float, dtype: type[np.floating], error: float
) -> None:
    L = wishart(600) + 600 * floor * np.eye(600)
    matrix = lowrank.ShiftedMatrix(as_smoothness(L), np.random.default_rng(0))
    assert (matrix.floor > 0) is (floor > 0)
    shifted = L / matrix.unit - matrix.floor * np.eye(600)
    V = np.random.default_rng(8).standard_normal((600, 3)).astype(dtype)
    assert np.linalg.norm(matrix.product(V) - shifted @ V) < error * np.linalg.norm(
        shifted
    ) * np.linalg.norm(V)
