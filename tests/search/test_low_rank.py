"""The low-rank method: how much it computes, and weakly coupled groups of coordinates."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rpttheory import Blocks, optimal_probabilities
from rpttheory.matrices import families
from rpttheory.search import low_rank
from rpttheory.search.weak_coupling import weakly_coupled_groups

from .problems import FloatArray, overlap, wishart


@pytest.mark.parametrize(
    ("L", "count", "products"),
    [
        (wishart(150), 10, 600),
        (np.eye(150) + 1e-6 * wishart(150), 10, 200),
        (wishart(500), 10, 600),
        (np.eye(500) + 1e-6 * wishart(500), 10, 250),
        (sp.csr_array(families.laplacian(np.random.default_rng(0), 400, 0.005)), 400, 3000),
    ],
    ids=["dense", "shifted", "single precision", "shifted in single precision", "graph"],
)
def test_one_proof_is_enough(L: Any, count: int, products: int) -> None:
    """The shift hides the differences that the ascent needs, unless it is removed."""
    result = optimal_probabilities(L, Blocks([L.shape[0] // count] * count))
    assert (result.method, result.status, result.factorizations) == ("low-rank", "optimal", 1)
    assert result.products <= products


def test_a_missing_direction_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum has rank two at least: with one column alone the ascent ends elsewhere."""
    monkeypatch.setattr(low_rank, "_LARGEST_RANK", 1)
    result = optimal_probabilities(wishart(120, 3), Blocks([10] * 12), method="low-rank")
    assert result.status == "optimal" and result.dual.shape[1] > 1


def weakly_coupled() -> FloatArray:
    """Eight groups of twenty coordinates."""
    label = np.arange(160) // 20
    return wishart(160, 1) * np.where(label[:, None] == label, 1.0, 1e-6)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_groups_are_relative_to_the_diagonal(form: Any) -> None:
    """Coordinates in any order and of any scale, with a row of zeros among them."""
    rng = np.random.default_rng(3)
    mixed = rng.permutation(160)
    scale = 10.0 ** rng.uniform(-6, 6, 160) * (mixed > 0)
    L = weakly_coupled()[np.ix_(mixed, mixed)] * np.outer(scale, scale)
    expected = {tuple(np.flatnonzero((mixed // 20 == k) & (mixed > 0))) for k in range(8)}
    assert {tuple(group) for group in weakly_coupled_groups(form(L))} == expected
    assert [group.size for group in weakly_coupled_groups(form(wishart(200)))] == [200]
    assert len(weakly_coupled_groups(form(np.eye(100)))) == 100
    assert weakly_coupled_groups(form(np.eye(101))) == []


def test_rotations_of_weakly_coupled_groups_save_products(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = Blocks.singletons(160)
    result = optimal_probabilities(weakly_coupled(), blocks, method="low-rank")
    monkeypatch.setattr(low_rank, "_ROTATED_RESIDUALS", ())
    without = optimal_probabilities(weakly_coupled(), blocks, method="low-rank")
    overlap(result, without)
    assert result.gap <= 1e-6 and result.products < without.products
