"""The ascent and the multipliers fitted to it, with which the low-rank method proves once."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rpttheory import Blocks, optimal_probabilities
from rpttheory.problem.smoothness import as_smoothness
from rpttheory.search import low_rank
from rpttheory.search.burer_monteiro import BurerMonteiro
from rpttheory.search.multipliers import MultiplierFit

from .problems import FloatArray, wishart


def ascent_on(L: FloatArray, count: int, rank: int) -> BurerMonteiro:
    blocks = Blocks([L.shape[0] // count] * count)
    start = np.random.default_rng(1).standard_normal((L.shape[0], rank))
    return BurerMonteiro(lambda V: L @ V, blocks, np.full(count, 1 / count), start)


def test_the_residual_is_that_of_the_gradient() -> None:
    """A difference of squared norms would end near 1e-8."""
    ascent = ascent_on(wishart(30), 5, 4)
    for _ in range(400):
        ascent.step()
    assert ascent.point.residual < 1e-12


def test_the_fit_makes_the_error_quadratic() -> None:
    L = wishart(60)
    costs = np.full(12, 1 / 12)
    ascent = ascent_on(L, 12, 6)
    for _ in range(20):
        ascent.step()
    early = ascent.point
    for _ in range(200):
        ascent.step()
    truth = ascent.point.value

    def top(q: FloatArray) -> float:
        root = np.sqrt(np.repeat(q, 5))
        return float(np.linalg.eigvalsh(L / np.outer(root, root))[-1])

    fit = MultiplierFit(lambda V: L @ V, Blocks([5] * 12), costs)
    result = fit.multipliers(early, np.zeros((60, 0)), 2 * truth)
    plain = float(costs @ early.q) * top(early.q) / truth - 1
    fitted = result.cost / truth - 1
    assert 1e-10 < fitted < 0.01 * plain
    assert result.top == pytest.approx(top(result.q), rel=0.1 * fitted)


def graph(n: int) -> sp.csr_array:
    i, j = np.random.default_rng(0).integers(0, n, (2, 2 * n))
    W = sp.csr_array(sp.coo_array((np.ones(2 * n), (i, j)), shape=(n, n)))
    W = W + W.T
    return sp.csr_array(sp.diags_array(np.asarray(W.sum(axis=1)).ravel()) - W)


@pytest.mark.parametrize(
    ("L", "count", "products"),
    [
        (wishart(150), 10, 600),
        (np.eye(150) + 1e-6 * wishart(150) / 150, 10, 200),
        (graph(400), 400, 3000),
    ],
    ids=["dense", "shifted", "graph"],
)
def test_one_proof_is_enough(L: Any, count: int, products: int) -> None:
    """The shift hides the differences that the ascent needs, unless it is seen."""
    result = optimal_probabilities(L, Blocks([L.shape[0] // count] * count))
    assert (result.method, result.status, result.factorizations) == ("low-rank", "optimal", 1)
    assert result.products <= products


def test_a_missing_direction_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum has rank two at least: with one column alone the ascent ends elsewhere."""
    monkeypatch.setattr(low_rank, "_LARGEST_RANK", 1)
    result = optimal_probabilities(wishart(120, 3), Blocks([10] * 12), method="low-rank")
    assert result.status == "optimal" and result.dual.shape[1] > 1


@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_products_with_the_shifted_matrix(shift: float) -> None:
    L = wishart(60) + 60 * shift * np.eye(60)
    matrix = low_rank.ShiftedMatrix(as_smoothness(L), np.random.default_rng(0))
    assert (matrix.shift > 0) is (shift > 0)
    shifted = L / matrix.unit - matrix.shift * np.eye(60)
    V = np.random.default_rng(8).standard_normal((60, 3))
    size = np.linalg.norm(shifted) * np.linalg.norm(V)
    assert np.linalg.norm(matrix.product(V) - shifted @ V) < 1e-13 * size
