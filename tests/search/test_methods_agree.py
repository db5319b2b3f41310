"""All methods that apply to a problem agree within their certificates, and with known values."""

from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpttheory import BlockOrder, Blocks, datasets, optimal_probabilities
from rpttheory.matrices.tight import tight_matrix
from rpttheory.numbers import Rigor
from rpttheory.search.block_sdp import BlockSDP
from rpttheory.search.bounds import BoundTracker
from rpttheory.search.optimal import METHODS, SOLVERS

from .problems import sdp

FAST = ("formula", "interior-point", "low-rank")
KINDS = (
    "gram",
    "low rank",
    "rank one",
    "block-diagonal",
    "graded",
    "tight",
    "laplacian",
    "all ones",
    "zero block",
)
EXTRAS = ((), ("overhead",), ("order",), ("overhead", "order"))
# Every example solves a problem twice or more, so fewer of them; the deep profile still searches
# long.
few = settings(max_examples=max(1, settings.default.max_examples // 4))


def bounds(method: str, program: BlockSDP, tol: float = 1e-6) -> BoundTracker:
    tracker = BoundTracker(program, tol)
    SOLVERS[method](tracker, np.random.default_rng(0))
    return tracker


def applicable(program: BlockSDP, names: Any = METHODS[1:]) -> list[str]:
    """The methods that take this program."""
    out = set()
    if not program.separable:
        out.add("formula")
    if not program.plain:
        out.add("low-rank")
    if program.blocks.count > 4 and program.order is None:
        out.add("exhaustive")
    return [name for name in names if name not in out]


def matrix_of(draw: st.DrawFn, kind: str, blocks: Blocks) -> np.ndarray:
    """A positive semidefinite matrix without a rounding error in it, except for the tight
    construction.
    """
    d = blocks.dimension

    def integers(rows: int, columns: int) -> np.ndarray:
        return draw(hnp.arrays(np.float64, (rows, columns), elements=st.integers(-4, 4).map(float)))

    together = blocks.labels[:, None] == blocks.labels[None, :]
    if kind == "tight":
        return tight_matrix(
            [(lambda A: A.T @ A + np.eye(size))(integers(size, size)) for size in blocks.sizes]
        )
    if kind == "laplacian":
        edges = np.triu(np.abs(integers(d, d)), 1)
        edges = edges + edges.T
        return np.diag(edges.sum(axis=1)) - edges
    if kind == "all ones":
        return np.ones((d, d))
    A = integers({"gram": d + 2, "low rank": 2, "rank one": 1}.get(kind, d), d)
    L = A.T @ A
    if kind == "block-diagonal":
        return L * together
    if kind == "graded":
        powers = 2.0 ** -np.array(draw(st.lists(st.integers(0, 20), min_size=d, max_size=d)))
        return L * powers[:, None] * powers[None, :]
    if kind == "zero block":
        kept = (blocks.labels != draw(st.integers(0, blocks.count - 1))).astype(float)
        return L * kept[:, None] * kept[None, :]
    return L


@st.composite
def programs(
    draw: st.DrawFn, *, kinds: tuple[str, ...] = KINDS, largest: int = 4, wide: bool = True
) -> BlockSDP:
    count = draw(st.integers(1, largest))
    sizes = draw(
        st.one_of(st.just([1] * count), st.lists(st.integers(1, 3), min_size=count, max_size=count))
    )
    L = matrix_of(draw, draw(st.sampled_from(kinds)), Blocks(sizes))
    powers = st.integers(-6, 6) if wide else st.integers(-1, 1)
    cost = st.builds(lambda digit, power: digit * 10.0**power, st.integers(1, 9), powers)
    costs = draw(st.lists(cost, min_size=count, max_size=count))
    extras = draw(st.sampled_from(EXTRAS))
    overhead = draw(st.integers(1, 99)) * 10.0 ** draw(st.integers(-3, 2))
    order = BlockOrder(draw(st.permutations(range(count))))
    return sdp(
        L,
        sizes,
        costs,
        overhead=overhead if "overhead" in extras else 0.0,
        order=order if "order" in extras else None,
    )


def agreeing(
    program: BlockSDP, names: Any, tol: float = 1e-6, closed: Any = FAST
) -> dict[str, BoundTracker]:
    """The bounds of all named methods, which must overlap; those named as closed reach tol."""
    result = {name: bounds(name, program, tol) for name in applicable(program, names)}
    for name, tracker in result.items():
        assert tracker.rigor >= Rigor.VERIFIED, name
        assert name not in closed or tracker.satisfied, (name, tracker.gap)
    lower = max(result, key=lambda name: result[name].lower)
    upper = min(result, key=lambda name: result[name].upper)
    assert result[lower].lower <= result[upper].upper, (lower, upper)
    return result


@given(programs())
def test_fast_methods_agree(program: BlockSDP) -> None:
    agreeing(program, FAST)


@few
@given(programs(largest=3))
def test_the_slow_methods_agree_with_the_interior_point(program: BlockSDP) -> None:
    """The search over orders has no dual point, but its value is the optimum all the same."""
    names = ("interior-point", "subspace", "conic", "exhaustive")
    result = agreeing(program, names)
    assert result["subspace"].gap <= 1e-3
    assert result["exhaustive"].upper <= result["interior-point"].upper * (1 + 1e-5)


@few
@given(programs(kinds=("gram", "rank one", "block-diagonal", "tight", "laplacian"), wide=False))
def test_the_conic_solver_closes_the_gap_on_ordinary_problems(program: BlockSDP) -> None:
    assert agreeing(program, ("interior-point", "conic"))["conic"].gap <= 1e-5


@few
@given(programs(largest=6, wide=False), st.sampled_from([1e-4, 1e-8, 1e-10]))
def test_the_interior_point_reaches_the_tolerance(program: BlockSDP, tol: float) -> None:
    tracker = bounds("interior-point", program, tol)
    assert tracker.lower <= tracker.upper and tracker.satisfied


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


@pytest.mark.parametrize("method", [name for name in METHODS[1:] if name != "low-rank"])
@pytest.mark.parametrize(
    ("overhead", "order", "value"),
    [
        (0.0, None, 19.0),
        (10.0, None, 69.0),
        (0.0, (2, 0, 1), 35.0),
        (0.0, (1, 2, 0), 19.0),
        (10.0, (1, 2, 0), 69.0),
        (10.0, (2, 0, 1), 85.0),
        (10.0, (0, 2, 1), 85.0),
    ],
)
def test_a_diagonal_matrix_by_hand(
    method: str, overhead: float, order: tuple[int, ...] | None, value: float
) -> None:
    """q_k = L_k, the overhead at the largest, or the running maximum along the order (two of them
    3-cycles).
    """
    L = np.diag([1.0, 5.0, 3.0])
    tracker = bounds(method, sdp(L, [1, 1, 1], [2.0, 1.0, 4.0], overhead=overhead, order=order))
    assert tracker.lower <= value <= tracker.upper
    assert tracker.upper == pytest.approx(value, rel=1e-6)
    assert method == "exhaustive" or tracker.satisfied


@pytest.mark.parametrize("extras", EXTRAS)
@pytest.mark.parametrize(("d", "count"), [(40, 1), (40, 5), (40, 40), (120, 12)])
def test_methods_agree_on_random_matrices(d: int, count: int, extras: tuple[str, ...]) -> None:
    rng = np.random.default_rng(d + count)
    A = rng.standard_normal((d, d)) * np.exp(rng.uniform(-2, 0, d))
    L = A.T @ A
    program = sdp(
        (L + L.T) / 2,
        [d // count] * count,
        rng.exponential(size=count),
        overhead=0.3 if "overhead" in extras else 0.0,
        order=BlockOrder(rng.permutation(count)) if "order" in extras else None,
    )
    result = agreeing(program, (*FAST, "subspace"))
    assert result["subspace"].gap <= 1e-3


@pytest.mark.parametrize("method", METHODS[1:])
def test_reference_instances(vectors: list[dict[str, Any]], method: str) -> None:
    """The reference's lower end was evaluated in plain floats."""
    checked = 0
    for index, vector in enumerate(vectors):
        program = sdp(np.array(vector["L"]), vector["blocks"], vector["costs"])
        if method not in applicable(program) or (len(vector["blocks"]) > 3 and "ex" in method):
            continue
        tracker = bounds(method, program)
        assert tracker.lower <= vector["optimum_upper"], index
        assert tracker.upper >= vector["optimum_lower"] * (1 - 1e-13), index
        if method != "subspace":
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


@pytest.mark.parametrize("power", [-831, 664, 1000])
def test_the_subspace_method_takes_L_of_any_size(power: int) -> None:
    A = np.random.default_rng(0).standard_normal((12, 12))
    L = A @ A.T + (A @ A.T).T
    plain, scaled = (
        optimal_probabilities(L * size, [4, 8], [1.0, 1.0], method="subspace", overhead=1.0)
        for size in (1.0, 2.0**power)
    )
    assert scaled.status == plain.status == "optimal"
    assert scaled.upper / 2.0**power == pytest.approx(plain.upper, rel=1e-5)
    assert scaled.lower / 2.0**power == pytest.approx(plain.lower, rel=1e-5)
