"""All methods that apply to a problem agree within their certificates, and with known values."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.optimum import solve_conic, solve_exhaustive

from rpttheory import Blocks, datasets, optimal_probabilities
from rpttheory.matrices import families
from rpttheory.numbers import Rigor
from rpttheory.search.block_sdp import BlockSDP
from rpttheory.search.bounds import BoundTracker
from rpttheory.search.optimal import METHODS, SOLVERS, Solver

from .problems import programs, sdp

FAST = ("formula", "interior-point", "low-rank")
# Every example solves a problem twice or more, so fewer of them; the deep profile still searches
# long.
few = settings(max_examples=max(1, settings.default.max_examples // 4))


ORACLES: dict[str, Solver] = {
    "conic": lambda tracker, rng: solve_conic(tracker),
    "exhaustive": solve_exhaustive,
}
# Methods that need not close the gap.
INEXACT = {"subspace"}


def bounds(method: str, program: BlockSDP, tol: float = 1e-6) -> BoundTracker:
    tracker = BoundTracker(program, tol)
    (SOLVERS | ORACLES)[method](tracker, np.random.default_rng(0))
    return tracker


def agreeing(program: BlockSDP, names: Any) -> dict[str, BoundTracker]:
    """The bounds of the named methods that take the program, which must overlap; those of FAST
    reach the tolerance.
    """
    unfit = set()
    if not program.separable:
        unfit.add("formula")
    if not program.plain:
        unfit.add("low-rank")
    if program.blocks.count > 4 and program.order is None:
        unfit.add("exhaustive")
    result = {name: bounds(name, program, 1e-6) for name in names if name not in unfit}
    for name, tracker in result.items():
        assert tracker.rigor >= Rigor.VERIFIED, name
        assert name not in FAST or tracker.satisfied, (name, tracker.gap)
    lower = max(result, key=lambda name: result[name].lower)
    upper = min(result, key=lambda name: result[name].upper)
    assert result[lower].lower <= result[upper].upper, (lower, upper)
    return result


@given(programs())
def test_fast_methods_agree(program: BlockSDP) -> None:
    agreeing(program, FAST)


@few
@given(programs(largest=4, decades=4))
def test_the_slow_methods_agree_with_the_interior_point(program: BlockSDP) -> None:
    """The search over orders has no dual point, but its value is the optimum all the same."""
    result = agreeing(program, ("interior-point", "subspace", "conic", "exhaustive"))
    assert result["subspace"].gap <= 1e-3
    if "exhaustive" in result:
        assert result["exhaustive"].upper <= result["interior-point"].upper * (1 + 1e-5)


@few
@given(programs(kind="gram", decades=1), st.sampled_from([1e-4, 1e-8, 1e-10]))
def test_ordinary_problems_are_closed(program: BlockSDP, tol: float) -> None:
    assert bounds("interior-point", program, tol).satisfied
    assert bounds("conic", program).gap <= 1e-5


@pytest.mark.parametrize("tol", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize(
    ("L", "sizes", "costs"),
    [
        # Dual entries of cheap blocks are eleven orders below those of expensive ones.
        (
            [
                [33, -11, -16, -5, 8],
                [-11, 42, 7, 11, 7],
                [-16, 7, 43, -8, 39],
                [-5, 11, -8, 30, -5],
                [8, 7, 39, -5, 63],
            ],
            (1, 1, 1, 1, 1),
            [1e-5, 1e-4, 1e6, 1e2, 1e5],
        ),
        # Any vector of the dual is a poor top eigenvector of the pencil.
        ([[0, 0, 0, 0], [0, 1, 0, -1], [0, 0, 1, -1], [0, -1, -1, 2]], (1, 3), [0.5, 0.5]),
        (np.ones((7, 7)), (3, 2, 1, 1), [0.25, 0.25, 0.25, 0.25]),
    ],
    ids=["wide costs", "isolated vertex", "all ones"],
)
def test_tolerances_that_need_care(L: Any, sizes: Any, costs: Any, tol: float) -> None:
    tracker = bounds("interior-point", sdp(np.array(L, dtype=float), sizes, costs), tol)
    assert tracker.satisfied, tracker.gap


@pytest.mark.parametrize("cost", [2.0**-27, 1e-12, 1.0])
def test_a_full_step_may_end_next_to_the_boundary(cost: float) -> None:
    """With one block an overhead is paid like any cost; from the usual start a step makes max q and
    q nearly meet.
    """
    w = np.array([1.0, 2.0, 2.0])
    tracker = bounds("interior-point", sdp(np.outer(w, w), [3], [cost], overhead=1.0))
    assert tracker.lower <= 9 * (1 + cost) <= tracker.upper and tracker.satisfied


@pytest.mark.parametrize("extras", [{}, {"overhead": 0.3}, {"order": True}])
@pytest.mark.parametrize(("d", "count"), [(40, 1), (40, 5), (40, 40), (120, 12)])
def test_methods_agree_on_random_matrices(d: int, count: int, extras: dict[str, Any]) -> None:
    rng = np.random.default_rng(d + count)
    L = families.graded_wishart(rng, d, 2.0)
    if "order" in extras:
        extras = {"order": rng.permutation(count)}
    program = sdp(L, [d // count] * count, rng.exponential(size=count), **extras)
    assert agreeing(program, (*FAST, "subspace"))["subspace"].gap <= 1e-3


@pytest.mark.parametrize("method", [*METHODS[1:], *ORACLES])
def test_reference_instances(vectors: list[dict[str, Any]], method: str) -> None:
    """The reference's lower end was evaluated in plain floats."""
    checked = 0
    for index, vector in enumerate(vectors):
        program = sdp(np.array(vector["L"]), vector["blocks"], vector["costs"])
        unfit = method == "formula" and not program.separable
        if unfit or (len(vector["blocks"]) > 3 and method == "exhaustive"):
            continue
        tracker = bounds(method, program)
        assert tracker.lower <= vector["optimum_upper"], index
        assert tracker.upper >= vector["optimum_lower"] * (1 - 1e-13), index
        if method not in INEXACT:
            assert tracker.upper <= vector["optimum_upper"] * (1 + 2e-6), index
        checked += 1
    assert checked >= 5


@pytest.mark.parametrize("method", ["interior-point", "low-rank"])
@pytest.mark.parametrize("name", ["mcp100", "mcp124-1", "mcp124-2", "mcp250-1"])
def test_max_cut_values(name: str, method: str) -> None:
    data = datasets.load(name)
    d = data.rows
    result = optimal_probabilities(data.values, Blocks.singletons(d), method=method)
    assert result.status == "optimal" and result.gap <= 1e-6 and result.rigor is Rigor.VERIFIED
    printed = 0.5e-4
    assert data.optimum is not None and result.lower * d <= data.optimum + printed
    assert result.upper * d >= data.optimum - printed
