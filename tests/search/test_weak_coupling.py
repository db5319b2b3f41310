"""Weakly coupled groups: which they are, and how they are rotated."""

import numpy as np
import pytest
import scipy.sparse as sp

from rpttheory import Blocks, optimal_probabilities
from rpttheory.search import low_rank
from rpttheory.search.weak_coupling import rotate_groups, weakly_coupled_groups

from .problems import wishart


def test_groups_are_relative_to_the_diagonal() -> None:
    """Coordinates in any order, with a chain and a row of zeros among them."""
    mixed = np.random.default_rng(3).permutation(41)
    groups = [mixed[:20], mixed[20:27], mixed[27:40]]
    L = 1e-4 * wishart(41)
    for rows in groups[:2]:
        L[np.ix_(rows, rows)] *= 1e4
    chain = np.diag(np.full(13, 2.0)) - np.diag(np.ones(12), 1) - np.diag(np.ones(12), -1)
    L[np.ix_(groups[2], groups[2])] = chain
    L[mixed[40]] = 0.0
    L[:, mixed[40]] = 0.0
    scale = 10.0 ** np.random.default_rng(4).uniform(-6, 6, 41)
    expected = {tuple(sorted(rows)) for rows in groups}
    for matrix in (L, L * np.outer(scale, scale)):
        for form in (matrix, sp.csr_array(matrix)):
            assert {tuple(group) for group in weakly_coupled_groups(form)} == expected


def test_one_group_and_too_many() -> None:
    assert [list(group) for group in weakly_coupled_groups(wishart(200))] == [list(range(200))]
    for form in (np.asarray, sp.csr_array):
        assert len(weakly_coupled_groups(form(np.eye(100)))) == 100
        assert weakly_coupled_groups(form(np.eye(101))) == []


def test_two_groups_are_rotated_optimally() -> None:
    """<V_1 R, L_12 V_2> is at most the sum of the singular values of V_1'L_12 V_2."""
    L = wishart(30, 5)
    V = np.random.default_rng(6).standard_normal((30, 8))
    first = np.arange(0, 30, 3)
    second = np.setdiff1d(np.arange(30), first)
    V[second] = V[second, :2] @ np.random.default_rng(7).standard_normal((2, 8))
    between = L[np.ix_(first, second)]
    result = rotate_groups(V, lambda X: L @ X, [first, second])
    best = np.linalg.svd(V[first].T @ between @ V[second], compute_uv=False).sum()
    assert np.vdot(result[first], between @ result[second]) == pytest.approx(best, rel=1e-9)
    for rows in (first, second):
        expected = V[rows] @ V[rows].T
        np.testing.assert_allclose(result[rows] @ result[rows].T, expected, atol=1e-7)


def test_a_search_with_weak_coupling_takes_fewer_products(monkeypatch: pytest.MonkeyPatch) -> None:
    label = np.arange(160) // 20
    L = wishart(160, 1) * np.where(label[:, None] == label, 1.0, 1e-6)
    result = optimal_probabilities(L, Blocks.singletons(160), method="low-rank", rng=0)
    monkeypatch.setattr(low_rank, "_ROTATED_RESIDUALS", ())
    without = optimal_probabilities(L, Blocks.singletons(160), method="low-rank", rng=0)
    assert result.gap <= 1e-6
    assert max(result.lower, without.lower) <= min(result.upper, without.upper)
    assert 2 * result.products < without.products
