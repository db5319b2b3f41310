"""The two cross-checks of c(P): a conic solver, and all orders without the hidden convexity."""

from typing import Any

import numpy as np
import pytest
from oracles.optimum import AlongOrder, solve_conic, solve_exhaustive
from scipy.optimize import check_grad

from rpttheory import BlockOrder
from rpttheory.numbers import Rigor
from rpttheory.search.bounds import BoundTracker

from .problems import sdp


def bounds(method: str, *problem: Any, **extras: Any) -> BoundTracker:
    tracker = BoundTracker(sdp(*problem, **extras), 1e-6)
    if method == "conic":
        solve_conic(tracker)
    else:
        solve_exhaustive(tracker, np.random.default_rng(0))
    return tracker


@pytest.mark.parametrize("method", ["conic", "exhaustive"])
@pytest.mark.parametrize(
    ("w", "costs"),
    [([3.0, -1.0, 2.0], [1.0, 4.0, 9.0]), ([1.0] * 4, [1.0, 1.0, 1.0, 16.0]), ([5.0, 1.0], [4, 1])],
)
def test_rank_one_optimum(method: str, w: list[float], costs: list[float]) -> None:
    """(sum sqrt(c_k) |w_k|)^2, with p_k proportional to |w_k| / sqrt(c_k)."""
    tracker = bounds(method, np.outer(w, w), [1] * len(w), costs)
    truth = np.sum(np.sqrt(costs) * np.abs(w)) ** 2
    assert tracker.lower <= truth * (1 + 1e-12) and truth * (1 - 1e-12) <= tracker.upper
    assert tracker.upper == pytest.approx(truth, rel=1e-6) and tracker.rigor is Rigor.VERIFIED
    assert tracker.satisfied == (method == "conic"), "the search over orders has no dual point"
    p = np.abs(w) / np.sqrt(costs)
    assert tracker.best is not None
    assert tracker.best.probabilities == pytest.approx(p / p.max(), rel=1e-3)


def test_kinks_do_not_stop_the_search_over_orders() -> None:
    """Block-diagonal L: at the optimum all blocks' eigenvalues meet, so c(P) has a kink there."""
    tracker = bounds("exhaustive", np.diag([7.0, 3.0, 5.0, 1.0]), [1] * 4, [0.1, 0.2, 0.3, 0.4])
    assert tracker.upper == pytest.approx(0.7 + 0.6 + 1.5 + 0.4, rel=1e-7)
    order = BlockOrder(range(8))
    forced = bounds("exhaustive", np.diag(np.arange(8.0, 0.0, -1.0)), [1] * 8, order=order)
    assert forced.upper == pytest.approx(4.5, rel=1e-6), "a forced order allows many blocks"


@pytest.mark.parametrize("smoothing", [0.3, 0.03])
@pytest.mark.parametrize("overhead", [0.0, 0.7])
def test_the_smoothed_cost_has_this_gradient_and_limit(smoothing: float, overhead: float) -> None:
    rows = np.random.default_rng(0).integers(-4, 5, (8, 6)).astype(float)
    matrix = rows.T @ rows
    program = sdp(matrix, (1, 2, 1, 2), [0.1, 0.2, 0.3, 0.4], overhead=overhead)
    search = AlongOrder(program, matrix, np.array([2, 0, 3, 1]))
    y = np.array([0.3, 0.8, 0.2])

    def value(y: Any) -> float:
        return search.smoothed(y, smoothing)[0]

    assert check_grad(value, lambda y: search.smoothed(y, smoothing)[1], y) < 1e-5
    truth = search.log_cost(y)
    assert value(y) > truth == pytest.approx(search.smoothed(y, 1e-6)[0], abs=1e-5)
