"""Degenerate matrices and costs, bad input, and interruption: nothing may crash, hang or be
silently wrong.
"""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from refusals import refuses
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from rpttheory import Problem
from rpttheory.errors import InvalidInput, OutOfTime
from rpttheory.numbers import Rigor
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.problem.smoothness import diagonal, gram
from rpttheory.runs.progress import Event, ProgressCallback
from rpttheory.search import SearchResult, optimal, optimal_probabilities
from rpttheory.search.bounds import FLOOR
from rpttheory.search.optimal import METHODS, SOLVERS

from .problems import overlap, wishart

GENERAL = ("auto", "interior-point", "low-rank", "subspace")


def check(result: SearchResult, truth: float, *, tol: float = 1e-6, rounding: float = 0.0) -> None:
    """A closed, rigorous bracket of `truth` (itself known up to `rounding`), and usable
    probabilities.
    """
    assert result.lower <= truth * (1 + rounding) and truth * (1 - rounding) <= result.upper
    assert result.gap <= tol, result
    assert result.status == "optimal" and result.rigor >= Rigor.VERIFIED
    assert result.probabilities.max() == 1 and (result.probabilities > 0).all()
    assert np.isfinite(result.dual).all()
    json.dumps(result.to_dict(), allow_nan=False)
    assert str(result)


# -- degenerate matrices


def rank_one(*w: float) -> np.ndarray:
    return np.outer(w, w)


def rank_one_optimum(w: Any, costs: Any) -> float:
    """(sum sqrt(c_k) |w_k|)^2, for blocks of one coordinate."""
    return float((np.sqrt(costs) @ np.abs(w)) ** 2)


WIDE = [1e-6, 1e-3, 1.0, 1e3, 1e6]
# L, sizes of the blocks, costs, optimum.
KNOWN: dict[str, tuple[Any, list[int], list[float], float]] = {
    "zero": (np.zeros((3, 3)), [1, 2], [1, 1], 0.0),
    "useless block": (np.diag([4.0, 0.0]), [1, 1], [0.5, 0.5], 2.0),
    "block-diagonal": (np.kron(np.diag([2.0, 3, 5]), np.ones((2, 2))), [2, 2, 2], [2, 2, 4], 60.0),
    "one dimension": ([[7.0]], [1], [2], 14.0),
    "one tiny dimension": ([[1e-150]], [1], [2], 2e-150),
    "one huge dimension": ([[1e150]], [1], [2], 2e150),
    "multiple of the identity": (3 * np.eye(4), [2, 2], [1, 1], 6.0),
    "projection": (np.eye(4) - 0.25, [4], [1], 1.0),
    "zero diagonal block": (rank_one(3, 4, 0, 5), [2, 1, 1], [0.25, 0.5, 0.25], 25.0),
    "all ones": (np.ones((32, 32)), [1] * 32, [2.0**-5] * 32, 32.0),
    "rank one": (rank_one(*range(1, 9)), [1] * 8, [1] * 8, 36.0**2),
    "tiny entries": (rank_one(1, 2, 2, 3) * 2.0**-500, [3, 1], [1, 4], 81 * 2.0**-500),
    "huge entries": (rank_one(1, 2, 2, 3) * 2.0**500, [3, 1], [1, 4], 81 * 2.0**500),
    "tiny costs": (rank_one(1, 2), [1, 1], [2.0**-400, 2.0**-398], 25 * 2.0**-400),
    "huge costs": (rank_one(1, 2), [1, 1], [2.0**400, 2.0**402], 25 * 2.0**400),
    "wide costs": (rank_one(1, 2, 3, 4, 5), [1] * 5, WIDE, rank_one_optimum([1, 2, 3, 4, 5], WIDE)),
}


@pytest.mark.parametrize("method", GENERAL)
@pytest.mark.parametrize("case", KNOWN)
def test_known_optima(method: str, case: str) -> None:
    """If L is block-diagonal, c_M = c(P)."""
    L, blocks, costs, truth = KNOWN[case]
    if case == "wide costs" and method == "subspace":
        return
    result = optimal_probabilities(L, blocks, costs, method=method)
    check(result, truth, rounding=1e-13)
    if Problem(L, blocks).is_block_diagonal:
        c_M = optimal_probabilities(L, blocks, costs, objective="c_M")
        check(c_M, truth, rounding=1e-13)
        assert c_M.method == "formula" and c_M.order_proved
    if case == "useless block" and method == "auto":
        assert result.probabilities[1] == FLOOR and "no minimum" in result.message


def test_a_floor_that_is_no_limit_is_not_called_one() -> None:
    """L_2 > 0 is so small that its probability is raised, and the minimum is attained."""
    result = optimal_probabilities([[1.0, 0.0], [0.0, 1e-30]], [1, 1], [0.5, 0.5])
    assert result.probabilities[1] == FLOOR and "no minimum" not in result.message


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
    result = optimal_probabilities(FORMS[form](A), blocks, method=method)
    assert result.gap <= 1e-6 and (result.rigor is Rigor.NUMERICAL) == (form == "operator")
    room = 1e-9 if form == "operator" else 0.0
    assert result.lower <= truth.upper * (1 + room) and truth.lower * (1 - room) <= result.upper
    assert result.products > 0 or result.factorizations > 0


def test_a_million_coordinates_of_a_diagonal() -> None:
    d = 10**6
    values = np.arange(1.0, d + 1)
    result = optimal_probabilities(diagonal(values), Blocks((1, d - 1)), [0.5, 0.25])
    assert result.method == "formula"
    check(result, 0.5 + d / 4)
    # The dual point is one of the whole problem: block traces are the costs, and <V, L V> is the
    # lower end.
    squares = result.dual[:, 0] ** 2
    assert result.dual.shape == (d, 1)
    assert np.allclose([squares[0], squares[1:].sum()], [0.5, 0.25], rtol=1e-14)
    assert np.isclose(values @ squares, result.lower, rtol=1e-12)


# -- bad input


EYE = np.eye(2)
ONES = np.ones((2, 2))


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("tol", [0.0, 1.0, -1e-6, 2.0, float("nan"), float("inf")]),
        ("tol", [None, "1e-3", Decimal("sNaN"), Decimal("1e-3"), np.float32(1e-3)]),
        ("method", ["newton", ""]),
        ("objective", ["concave"]),
    ],
)
def test_options_outside_their_range(option: str, values: list[Any]) -> None:
    for value in values:
        with refuses(option, found=repr(value)):
            optimal_probabilities(EYE, [1, 1], **{option: value})


@pytest.mark.parametrize(
    ("L", "method", "extras"),
    [
        (ONES, "formula", {}),
        (aslinearoperator(EYE), "formula", {}),
        (aslinearoperator(ONES), "interior-point", {}),
        (ONES, "low-rank", {"overhead": 1.0}),
        (ONES, "low-rank", {"order": BlockOrder((0, 1))}),
    ],
)
def test_a_method_that_does_not_apply_names_one_that_does(
    L: Any, method: str, extras: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput) as caught:
        optimal_probabilities(L, [1, 1], method=method, **extras)
    named = [name for name in METHODS if repr(name) in caught.value.remedy]
    assert caught.value.argument in ("L", "method") and named
    for name in named:
        assert optimal_probabilities(L, [1, 1], method=name, **extras).gap <= 1e-6


def nan_after(calls: int, matrix: np.ndarray) -> LinearOperator:
    """An operator that breaks down later than the first probe."""
    count = 0

    def product(x: np.ndarray) -> np.ndarray:
        nonlocal count
        count += 1
        return matrix @ x * (np.nan if count > calls else 1.0)

    return LinearOperator(matrix.shape, matvec=product, matmat=product, dtype=np.float64)


@pytest.mark.parametrize("calls", [0, 1, 5])
@pytest.mark.parametrize("method", ["auto", "low-rank", "subspace"])
def test_operators_that_return_nan(calls: int, method: str) -> None:
    with pytest.raises(InvalidInput):
        optimal_probabilities(nan_after(calls, wishart(40)), [20, 20], method=method)


@pytest.mark.parametrize("L", [[[0, 1], [1, 0]], [[-1, 0], [0, -2]], [[1, 3], [3, 1]]])
def test_indefinite_matrices_are_refused(L: list[list[int]]) -> None:
    for objective in ("c_P", "c_M"):
        with refuses("L"):
            optimal_probabilities(L, [1, 1], objective=objective)


# -- interruption


def stop_at(call: int) -> ProgressCallback:
    calls = 0

    def progress(event: Event) -> None:
        nonlocal calls
        calls += 1
        if calls >= call:
            raise KeyboardInterrupt

    return progress


def interruptible(method: str) -> tuple[np.ndarray, Blocks]:
    """A problem large enough for the subspace method to need several rounds."""
    size = 20 if method == "subspace" else 10
    return wishart(3 * size, 1), Blocks([size] * 3)


INTERRUPTIBLE = [
    *((method, {}) for method in METHODS[2:]),
    *((method, {"overhead": 0.5}) for method in ("interior-point", "subspace")),
    *((method, {"order": (2, 0, 1)}) for method in ("interior-point", "subspace")),
    ("auto", {"objective": "c_M"}),
    ("auto", {"objective": "c_M", "order": (2, 0, 1)}),
]


@pytest.mark.parametrize("call", [1, 2, 5])
@pytest.mark.parametrize(("method", "extras"), INTERRUPTIBLE)
def test_ctrl_c_returns_a_certified_bracket(method: str, extras: dict[str, Any], call: int) -> None:
    L, blocks = interruptible(method)
    truth = optimal_probabilities(L, blocks, **extras)
    result = optimal_probabilities(L, blocks, method=method, progress=stop_at(call), **extras)
    assert call > 1 or result.status == "interrupted"
    assert result.rigor >= Rigor.VERIFIED
    overlap(result, truth)
    assert result.upper < np.inf and ("c_M" in extras.values() or result.gap < 1)
    assert result.probabilities.max() == 1 and (result.probabilities > 0).all()
    assert result.dual.shape[0] == blocks.dimension
    assert (np.diff(result.order.by_rank(result.probabilities)) <= 0).all()
    assert result.order.rank_to_block == extras.get("order", result.order.rank_to_block)


@pytest.mark.parametrize("objective", ["c_P", "c_M"])
@pytest.mark.parametrize(
    ("stop", "status"), [(OutOfTime, "optimal"), (KeyboardInterrupt, "interrupted")]
)
def test_a_time_limit_that_expires_after_convergence_stops_nothing(
    objective: str, stop: type[BaseException], status: str
) -> None:
    L, blocks = interruptible("auto")
    reached = optimal_probabilities(L, blocks, objective=objective, tol=1e-4)

    def progress(event: Event) -> None:
        assert event.bracket is not None
        lower, upper = event.bracket
        if reached.upper * 0.9999 <= lower <= upper <= reached.lower * 1.0001:
            raise stop

    result = optimal_probabilities(L, blocks, objective=objective, tol=1e-4, progress=progress)
    assert result.status == status
    overlap(result, reached)


# -- what the result says


def test_auto_picks_a_method() -> None:
    L = wishart(6)
    assert optimal_probabilities(EYE, [1, 1]).method == "formula"
    assert optimal_probabilities(L, [3, 3]).method == "interior-point"
    operator = optimal_probabilities(aslinearoperator(L), [3, 3])
    assert operator.method == "low-rank" and operator.rigor is Rigor.NUMERICAL


@pytest.mark.parametrize(
    ("stalling", "sizes", "second"),
    [
        (("low-rank",), [50, 100], "subspace"),
        (("low-rank", "subspace"), [50, 100], "interior-point"),
        (("low-rank",), [1] * 150, "interior-point"),
    ],
)
def test_where_one_method_stalls_another_takes_over(
    stalling: tuple[str, ...], sizes: list[int], second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(tracker: Any, rng: Any, **options: Any) -> None:
        tracker.propose_gradient_descent()

    for method in stalling:
        monkeypatch.setitem(SOLVERS, method, give_up)
    L = np.diag(np.arange(1.0, 151)) + 1.0
    assert optimal_probabilities(L, sizes, method="low-rank").status == "stalled"
    result = optimal_probabilities(L, sizes)
    assert (result.status, result.method) == ("optimal", second)


def test_a_slow_ascent_hands_over_to_the_subspace_method(monkeypatch: pytest.MonkeyPatch) -> None:
    """The spectrum is flat and then zero, where thousands of steps gain next to nothing."""
    monkeypatch.setattr(optimal, "_OPERATIONS", 0.0)
    monkeypatch.setattr(optimal, "_FEW_PRODUCTS", 200)
    apart = np.subtract.outer(np.arange(200), np.arange(200))
    result = optimal_probabilities(np.sinc(apart / 2) / 2, [1] * 6 + [188] + [1] * 6)
    assert (result.status, result.method) == ("optimal", "subspace")


def test_a_crowded_sparse_matrix_is_searched_as_a_dense_one() -> None:
    counts = np.random.default_rng(0).poisson(0.3, (400, 60)).astype(float)
    L = counts.T @ counts
    sparse = optimal_probabilities(sp.csr_array(L), [20, 40])
    same = optimal_probabilities(L, [20, 40])
    assert (sparse.lower, sparse.upper) == (same.lower, same.upper)
    assert sparse.products == same.products > 0


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        (([[0.1527254]], [1]), {"method": "low-rank", "tol": 1e-15}),
        ((aslinearoperator(np.eye(2) * 1e120), [1, 1]), {"tol": 1e-15}),
        (([[2e-300, 1e-300], [1e-300, 2e-300]], [1, 1], [1, 1]), {"method": "low-rank"}),
    ],
)
def test_a_tolerance_out_of_reach_stalls(problem: Any, options: dict[str, Any]) -> None:
    """The fit then knows every direction, and none is missing."""
    result = optimal_probabilities(*problem, **options)
    assert (
        result.status in ("stalled", "optimal")
        and 0 < result.lower <= result.upper <= result.lower * 1.2
    )


def test_steps_of_the_interior_point_end_inside_at_any_tolerance() -> None:
    for seed in range(25):
        result = optimal_probabilities(
            wishart(7, seed), [1] * 7, method="interior-point", tol=1e-15
        )
        assert result.gap < 1e-10
