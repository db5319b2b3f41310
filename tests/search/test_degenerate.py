"""Degenerate matrices and costs, bad input, and interruption: nothing may crash, hang or be
silently wrong.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from rpttheory.errors import InvalidInput, OutOfTime
from rpttheory.numbers import Rigour
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.problem.smoothness import diagonal, gram
from rpttheory.search import SearchResult, optimal_probabilities
from rpttheory.search.certificate import FLOOR
from rpttheory.search.optimal import METHODS

GENERAL = ("auto", "interior-point", "low-rank", "subspace")


def check(found: SearchResult, truth: float, *, tol: float = 1e-6, rounding: float = 0.0) -> None:
    """A closed, rigorous bracket of `truth` (itself known up to `rounding`), and usable
    probabilities.
    """
    assert found.lower <= truth * (1 + rounding) and truth * (1 - rounding) <= found.upper
    assert found.gap <= tol, found
    assert found.status == "optimal" and found.rigour >= Rigour.ROUNDED
    assert found.probabilities.max() == 1 and (found.probabilities > 0).all()
    assert np.isfinite(found.dual).all()
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found)


# -- degenerate matrices


@pytest.mark.parametrize("method", ["formula", *GENERAL])
@pytest.mark.parametrize("sizes", [(1,), (3,), (1, 2), (1, 1, 1)])
def test_zero_matrix(method: str, sizes: tuple[int, ...]) -> None:
    d = sum(sizes)
    found = optimal_probabilities(np.zeros((d, d)), Blocks(sizes), method=method)
    check(found, 0.0)
    assert found.upper == 0.0 and found.gap == 0.0


@pytest.mark.parametrize("extras", [{"overhead": 2.0}, {"order": BlockOrder((1, 0))}])
def test_zero_matrix_with_extras(extras: dict[str, Any]) -> None:
    for method in ("auto", "interior-point", "subspace"):
        check(optimal_probabilities(np.zeros((3, 3)), Blocks((1, 2)), method=method, **extras), 0.0)


@pytest.mark.parametrize("method", ["formula", *GENERAL])
@pytest.mark.parametrize("value", [7.0, 1e-150, 1e150])
def test_one_dimension(method: str, value: float) -> None:
    found = optimal_probabilities(np.array([[value]]), Blocks((1,)), [2.0], method=method)
    check(found, 2 * value)
    assert found.probabilities.tolist() == [1.0]


@pytest.mark.parametrize("method", GENERAL)
def test_zero_diagonal_block(method: str) -> None:
    """q_2 tends to 0 and no minimum is attained: the probability is kept above a floor, and that is
    said.
    """
    w = np.array([3.0, 4.0, 0.0, 5.0])
    blocks = Blocks((2, 1, 1))
    costs = [0.25, 0.5, 0.25]
    found = optimal_probabilities(np.outer(w, w), blocks, costs, method=method)
    check(found, 25.0)
    assert found.probabilities[1] <= 1e-5
    fine = optimal_probabilities(np.diag([4.0, 0.0]), Blocks((1, 1)), [0.5, 0.5])
    check(fine, 2.0)
    assert fine.probabilities[1] == FLOOR
    assert "floor" in fine.message or f"{FLOOR:g}" in fine.message


@pytest.mark.parametrize("method", GENERAL)
@pytest.mark.parametrize("count", [1, 2, 4])
def test_repeated_top_eigenvalues(method: str, count: int) -> None:
    """Multiples of the identity, and a projection: any vector of the top space is a top
    eigenvector.
    """
    blocks = Blocks([4 // count] * count)
    check(optimal_probabilities(3 * np.eye(4), blocks, [1.0] * count, method=method), 3.0 * count)
    projection = np.eye(4) - np.full((4, 4), 0.25)
    truth = optimal_probabilities(projection, blocks, [1.0] * count, method="interior-point")
    found = optimal_probabilities(projection, blocks, [1.0] * count, method=method)
    assert max(found.lower, truth.lower) <= min(found.upper, truth.upper) and found.gap <= 1e-6
    if count == 1:
        check(found, 1.0)


@pytest.mark.parametrize("method", GENERAL)
def test_rank_one(method: str) -> None:
    w = np.arange(1.0, 9.0)
    found = optimal_probabilities(np.outer(w, w), Blocks.singletons(8), np.ones(8), method=method)
    check(found, 36.0**2)


@pytest.mark.parametrize("method", GENERAL)
@pytest.mark.parametrize("d", [2, 5, 30])
def test_as_many_blocks_as_coordinates(method: str, d: int) -> None:
    """All ones: (sum_k sqrt(1/d))^2 = d = lambda_max, gradient descent is optimal."""
    found = optimal_probabilities(np.ones((d, d)), Blocks.singletons(d), method=method)
    check(found, float(d), rounding=1e-13)
    assert found.probabilities == pytest.approx(np.ones(d), rel=1e-2)


@pytest.mark.parametrize("method", GENERAL)
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_extreme_scales(method: str, scale: float) -> None:
    w = np.array([1.0, 2.0, 2.0, 3.0])
    found = optimal_probabilities(np.outer(w, w) * scale, Blocks((3, 1)), [1.0, 4.0], method=method)
    check(found, 81 * scale, rounding=1e-13)
    plain = optimal_probabilities(np.outer(w, w), Blocks((3, 1)), [1.0, 4.0], method=method)
    assert found.probabilities == pytest.approx(plain.probabilities, rel=1e-3)


@pytest.mark.parametrize("method", ["auto", "interior-point", "low-rank"])
@pytest.mark.parametrize("powers", [(-6, 6), (6, -6, 0), (-6, -3, 0, 3, 6)])
def test_costs_over_twelve_orders(method: str, powers: tuple[int, ...]) -> None:
    """Rank one and full rank; with rank one the optimum is (sum sqrt(c_k) |w_k|)^2."""
    count = len(powers)
    costs = [10.0**power for power in powers]
    w = np.arange(1.0, count + 1)
    found = optimal_probabilities(np.outer(w, w), Blocks.singletons(count), costs, method=method)
    check(found, float((np.sqrt(costs) @ w) ** 2), rounding=1e-13)
    A = np.random.default_rng(count).integers(-4, 5, (2 * count, 2 * count)).astype(float)
    full = optimal_probabilities(A.T @ A, Blocks([2] * count), costs, method=method)
    assert full.lower <= full.upper and full.gap <= 1e-6


@pytest.mark.parametrize("overhead", [1e-9, 1e9])
@pytest.mark.parametrize("order", [None, BlockOrder((2, 1, 0))])
def test_extreme_overheads(overhead: float, order: BlockOrder | None) -> None:
    w = np.array([1.0, 2.0, 3.0])
    found = optimal_probabilities(
        np.outer(w, w), Blocks((1, 1, 1)), [1.0, 1.0, 1.0], overhead=overhead, order=order
    )
    # All costs alike and w along the order: nothing is tied but by the overhead.
    truth = 36.0 if overhead < 1 else overhead * 14
    check(found, truth, rounding=1e-6)


@pytest.mark.parametrize("method", ["interior-point", "low-rank"])
@pytest.mark.parametrize("power", [-400, 400])
def test_the_unit_of_the_costs_does_not_matter(method: str, power: int) -> None:
    w = np.array([3.0, -1.0, 2.0])
    costs = np.array([1.0, 4.0, 9.0]) * 2.0**power
    check(
        optimal_probabilities(np.outer(w, w), Blocks((1, 1, 1)), costs, method=method),
        121 * 2.0**power,
    )


# -- forms


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "dense": lambda A: A.T @ A,
    "sparse": lambda A: sp.csr_array(A.T @ A),
    "gram": gram,
    "sparse gram": lambda A: gram(sp.csr_array(A)),
    "operator": lambda A: aslinearoperator(A.T @ A),
}


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("method", ["auto", "low-rank"])
def test_every_form_gives_the_same_optimum(form: str, method: str) -> None:
    A = np.random.default_rng(3).integers(-4, 5, (12, 10)).astype(float)
    blocks = Blocks((3, 3, 4))
    truth = optimal_probabilities(A.T @ A, blocks, tol=1e-9, method="interior-point")
    found = optimal_probabilities(FORMS[form](A), blocks, method=method)
    assert found.gap <= 1e-6 and (found.rigour is Rigour.NUMERICAL) == (form == "operator")
    room = 1e-9 if form == "operator" else 0.0
    assert found.lower <= truth.upper * (1 + room) and truth.lower * (1 - room) <= found.upper
    assert found.products > 0 or found.factorisations > 0


def test_a_million_coordinates_of_a_diagonal() -> None:
    d = 10**6
    values = np.arange(1.0, d + 1)
    found = optimal_probabilities(diagonal(values), Blocks((1, d - 1)), [0.5, 0.25])
    assert found.method == "formula"
    check(found, 0.5 + d / 4)
    # The dual point is one of the whole problem: block traces are the costs, and <V, L V> is the
    # lower end.
    squares = found.dual[:, 0] ** 2
    assert found.dual.shape == (d, 1)
    assert np.allclose([squares[0], squares[1:].sum()], [0.5, 0.25], rtol=1e-14)
    assert np.isclose(values @ squares, found.lower, rtol=1e-12)


# -- bad input


EYE = np.eye(2)
TWO = Blocks((1, 1))


@pytest.mark.parametrize("tol", [0.0, 1.0, -1e-6, 2.0, float("nan"), float("inf")])
def test_tolerances_outside_the_unit_interval(tol: float) -> None:
    with pytest.raises(InvalidInput, match="tol"):
        optimal_probabilities(EYE, TWO, tol=tol)


@pytest.mark.parametrize(
    ("option", "value"), [("method", "newton"), ("regime", "concave"), ("method", "")]
)
def test_unknown_names_are_answered_with_the_known_ones(option: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=option) as caught:
        optimal_probabilities(EYE, TWO, **{option: value})
    assert repr(value) in caught.value.found
    assert ("interior-point" if option == "method" else "nonconvex") in caught.value.remedy


@pytest.mark.parametrize(
    ("L", "options"),
    [
        (np.ones((2, 2)), {"method": "formula"}),
        (aslinearoperator(np.ones((2, 2))), {"method": "interior-point"}),
        (aslinearoperator(EYE), {"method": "formula"}),
        (aslinearoperator(np.ones((2, 2))), {"method": "conic", "overhead": 1.0}),
        (aslinearoperator(np.ones((2, 2))), {"method": "exhaustive", "order": BlockOrder((1, 0))}),
        (np.ones((2, 2)), {"method": "low-rank", "overhead": 1.0}),
        (np.ones((2, 2)), {"method": "low-rank", "order": BlockOrder((0, 1))}),
    ],
)
def test_a_method_that_does_not_apply_names_one_that_does(L: Any, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        optimal_probabilities(L, TWO, **options)
    assert options["method"] in caught.value.what
    named = [method for method in METHODS if repr(method) in caught.value.remedy]
    assert named
    others = {key: value for key, value in options.items() if key != "method"}
    for method in named:
        assert optimal_probabilities(L, TWO, **others, method=method).gap <= 1e-6


def nan_after(calls: int, matrix: np.ndarray) -> LinearOperator:
    """An operator that breaks down later than the first probe."""
    made = 0

    def product(x: np.ndarray) -> np.ndarray:
        nonlocal made
        made += 1
        return matrix @ x * (np.nan if made > calls else 1.0)

    return LinearOperator(matrix.shape, matvec=product, matmat=product, dtype=np.float64)


@pytest.mark.parametrize("calls", [0, 1, 5])
@pytest.mark.parametrize("method", ["auto", "low-rank", "subspace"])
def test_operators_that_return_nan(calls: int, method: str) -> None:
    A = np.random.default_rng(0).standard_normal((40, 40))
    with pytest.raises(InvalidInput, match="finite"):
        optimal_probabilities(nan_after(calls, A @ A.T), Blocks((20, 20)), method=method)


@pytest.mark.parametrize(
    "L",
    [
        np.array([[0.0, 1.0], [1.0, 0.0]]),
        np.diag([-1.0, -2.0]),
        np.array([[1.0, 3.0], [3.0, 1.0]]),
        np.diag([1.0, -1.0]),
    ],
)
def test_indefinite_matrices_never_get_a_false_bracket(L: np.ndarray) -> None:
    """L has to be positive semidefinite; where that is not noticed, the ends must be in order and
    true.
    """
    try:
        found = optimal_probabilities(L, TWO, [1.0, 1.0], method="interior-point")
    except InvalidInput:
        with pytest.raises(InvalidInput, match="semidefinite"):
            optimal_probabilities(L, TWO, [1.0, 1.0], method="interior-point")
        return
    # p = (1, r) for r <= 1 and (1/r, 1) beyond: c(P) depends on the ratio alone.
    ratios = np.geomspace(1e-6, 1e6, 801)
    least = min(
        float(np.linalg.eigvalsh(L / np.sqrt(np.outer([1, r], [1, r])))[-1]) * (1 + r)
        for r in ratios
    )
    assert found.lower <= found.upper and found.lower <= least + 1e-9


# -- interruption


def stop_at(call: int) -> Callable[[float, float], None]:
    calls = 0

    def callback(lower: float, upper: float) -> None:
        nonlocal calls
        calls += 1
        if calls >= call:
            raise KeyboardInterrupt

    return callback


def interruptible(method: str) -> tuple[np.ndarray, Blocks]:
    """A problem large enough for the subspace route to need several rounds, small enough for the
    conic one.
    """
    size = 20 if method == "subspace" else 10
    return wide(size, 1), Blocks([size] * 3)


def wide(size: int, seed: int) -> np.ndarray:
    A = np.random.default_rng(seed).integers(-4, 5, (3 * size, 3 * size)).astype(float)
    return A.T @ A


@pytest.mark.parametrize("call", [1, 2, 5])
@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("auto", "formula")])
def test_ctrl_c_returns_a_certified_bracket(method: str, call: int) -> None:
    L, blocks = interruptible(method)
    truth = optimal_probabilities(L, blocks)
    found = optimal_probabilities(L, blocks, method=method, callback=stop_at(call))
    if call == 1:
        assert found.status == "interrupted"
    assert found.status in ("interrupted", "optimal", "stalled") and found.rigour >= Rigour.ROUNDED
    assert 0 < found.lower <= truth.upper and truth.lower <= found.upper < np.inf and found.gap < 1
    assert found.probabilities.max() == 1 and (found.probabilities > 0).all()
    assert found.dual.shape[0] == blocks.dimension
    if found.status == "interrupted":
        assert "stopped" in found.message


@pytest.mark.parametrize("regime", ["convex", "nonconvex"])
def test_a_limit_that_strikes_with_the_gap_reached_has_stopped_nothing(regime: str) -> None:
    L, blocks = interruptible("auto")
    reached = optimal_probabilities(L, blocks, regime=regime, tol=1e-4)

    def strike(stop: type[BaseException], wide: bool) -> Callable[[float, float], None]:
        def callback(lower: float, upper: float) -> None:
            if wide or reached.upper * 0.9999 <= lower <= upper <= reached.lower * 1.0001:
                raise stop

        return callback

    for stop, wide, status in (
        (OutOfTime, False, "optimal"),
        (OutOfTime, True, "interrupted"),
        (KeyboardInterrupt, False, "interrupted"),
    ):
        found = optimal_probabilities(
            L, blocks, regime=regime, tol=1e-4, callback=strike(stop, wide)
        )
        assert (
            found.status == status and found.lower <= reached.upper and reached.lower <= found.upper
        )


def test_the_low_rank_route_shows_certified_bounds_alone() -> None:
    L = wide(40, 7)
    blocks = Blocks([40] * 3)
    seen: list[tuple[float, float]] = []
    found = optimal_probabilities(
        L, blocks, method="low-rank", callback=lambda low, high: seen.append((low, high))
    )
    assert (
        found.status == "optimal"
        and {low for low, _ in seen} <= {0.0, found.lower}
        and seen[-1][0] > 0
    )


@pytest.mark.parametrize("extras", [{"overhead": 0.5}, {"order": BlockOrder((2, 0, 1))}])
@pytest.mark.parametrize("method", ["interior-point", "subspace"])
def test_ctrl_c_with_extras(method: str, extras: dict[str, Any]) -> None:
    L, blocks = interruptible(method)
    truth = optimal_probabilities(L, blocks, **extras)
    found = optimal_probabilities(L, blocks, method=method, callback=stop_at(1), **extras)
    assert found.status == "interrupted"
    assert 0 < found.lower <= truth.upper and truth.lower <= found.upper < np.inf
    if "order" in extras:
        assert (np.diff(extras["order"].by_rank(found.probabilities)) <= 0).all()


def test_the_callback_sees_brackets_that_narrow_to_the_answer() -> None:
    A = np.random.default_rng(1).integers(-4, 5, (30, 30)).astype(float)
    seen: list[tuple[float, float]] = []
    found = optimal_probabilities(
        A.T @ A,
        [10, 10, 10],
        [1, 1, 1],
        method="interior-point",
        callback=lambda low, high: seen.append((low, high)),
    )
    assert len(seen) > 3 and seen[-1] == (found.lower, found.upper)
    assert seen[0][1] - seen[0][0] > seen[-1][1] - seen[-1][0]


# -- what the result says


def test_auto_says_which_route_and_why() -> None:
    A = np.random.default_rng(1).integers(-4, 5, (6, 6)).astype(float)
    assert optimal_probabilities(EYE, TWO).method == "formula"
    found = optimal_probabilities(A.T @ A, Blocks((3, 3)))
    assert found.method == "interior-point" and "d = 6" in found.message
    operator = optimal_probabilities(aslinearoperator(A.T @ A), Blocks((3, 3)))
    assert operator.method == "low-rank" and operator.rigour is Rigour.NUMERICAL


def test_results_repeat() -> None:
    A = np.random.default_rng(1).integers(-4, 5, (30, 30)).astype(float)
    first, second = (
        optimal_probabilities(A.T @ A, Blocks((15, 15)), method="low-rank") for _ in range(2)
    )
    assert first.probabilities.tolist() == second.probabilities.tolist()
    assert (first.lower, first.upper) == (second.lower, second.upper)


def test_where_first_order_steps_stall_factorisations_take_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gives_up(judge: Any, rng: Any) -> None:
        judge.propose_gradient_descent()

    monkeypatch.setattr("rpttheory.search.lowrank.solve", gives_up)
    L = np.diag(np.arange(1.0, 151)) + 1.0
    blocks = Blocks((50, 100))
    assert optimal_probabilities(L, blocks, method="low-rank").status == "stalled"
    found = optimal_probabilities(L, blocks)
    assert (found.status, found.method) == ("optimal", "interior-point")
    assert "low-rank stopped" in found.message


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (([[0.1527254]], [1]), {"method": "low-rank", "tol": 1e-15}),
        ((aslinearoperator(np.eye(2) * 1e120), [1, 1]), {"tol": 1e-15}),
        (([[2e-300, 1e-300], [1e-300, 2e-300]], [1, 1], [1, 1]), {"method": "low-rank"}),
    ],
)
def test_a_tolerance_out_of_reach_stalls(given: Any, options: dict[str, Any]) -> None:
    """The fit then knows every direction, and none is missing."""
    found = optimal_probabilities(*given, **options)
    assert (
        found.status in ("stalled", "optimal")
        and 0 < found.lower <= found.upper <= found.lower * 1.2
    )


def test_steps_of_the_interior_point_end_inside_at_any_tolerance() -> None:
    for seed in range(25):
        A = np.random.default_rng(seed).standard_normal((7, 7))
        found = optimal_probabilities(
            A @ A.T / 2 + (A @ A.T).T / 2, [1] * 7, method="interior-point", tol=1e-15
        )
        assert found.gap < 1e-10
