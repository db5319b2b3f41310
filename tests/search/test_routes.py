"""All routes that apply to a problem agree within their certificates, and with values from
elsewhere.
"""

from collections.abc import Callable
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpttheory import datasets
from rpttheory.numbers import Rigour
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.search import (
    conic,
    exhaustive,
    formulas,
    interior_point,
    lowrank,
    optimal_probabilities,
    subspace,
)
from rpttheory.search.judge import Judge
from rpttheory.search.program import Program, make_program
from rpttheory.theory.tightness import tight_matrix

TOL = 1e-6
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


def seeded() -> np.random.Generator:
    return np.random.default_rng(0)


ROUTES: dict[str, Callable[[Judge], None]] = {
    "formula": formulas.solve,
    "interior-point": interior_point.solve,
    "low-rank": lambda judge: lowrank.solve(judge, seeded()),
    "subspace": lambda judge: subspace.solve(judge, seeded()),
    "conic": conic.solve,
    "exhaustive": lambda judge: exhaustive.solve(judge, seeded()),
}


def applicable(problem: Program, *, orders: int = 4) -> list[str]:
    """Routes that take this problem; `orders` limits the exhaustive one, for speed."""
    out = []
    if not formulas.applies(problem):
        out.append("formula")
    if not problem.plain:
        out.append("low-rank")
    if problem.blocks.count > orders and problem.order is None:
        out.append("exhaustive")
    return [name for name in ROUTES if name not in out]


def judged(name: str, problem: Program, tol: float = TOL) -> Judge:
    judge = Judge(problem, tol)
    ROUTES[name](judge)
    return judge


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
def problems(
    draw: st.DrawFn, *, kinds: tuple[str, ...] = KINDS, largest: int = 4, wide: bool = True
) -> Program:
    count = draw(st.integers(1, largest))
    sizes = draw(
        st.one_of(st.just([1] * count), st.lists(st.integers(1, 3), min_size=count, max_size=count))
    )
    blocks = Blocks(sizes)
    L = matrix_of(draw, draw(st.sampled_from(kinds)), blocks)
    powers = draw(
        st.lists(st.integers(-6, 6) if wide else st.integers(-1, 1), min_size=count, max_size=count)
    )
    digits = draw(st.lists(st.integers(1, 9), min_size=count, max_size=count))
    costs = [digit * 10.0**power for digit, power in zip(digits, powers, strict=True)]
    extras = draw(st.sampled_from(EXTRAS))
    return make_program(
        L,
        blocks,
        costs,
        overhead=draw(st.integers(1, 99)) * 10.0 ** draw(st.integers(-3, 2))
        if "overhead" in extras
        else 0.0,
        order=BlockOrder(draw(st.permutations(range(count)))) if "order" in extras else None,
    )


def assert_agreement(found: dict[str, Judge]) -> None:
    for name, judge in found.items():
        assert judge.lower <= judge.upper, name
        assert judge.rigour >= Rigour.ROUNDED, name
    best_lower = max(found, key=lambda name: found[name].lower)
    best_upper = min(found, key=lambda name: found[name].upper)
    assert found[best_lower].lower <= found[best_upper].upper, (best_lower, best_upper)


@given(problems())
def test_fast_routes_agree(problem: Program) -> None:
    names = [
        name for name in applicable(problem) if name in ("formula", "interior-point", "low-rank")
    ]
    found = {name: judged(name, problem) for name in names}
    assert_agreement(found)
    for name, judge in found.items():
        assert judge.satisfied, (name, judge.gap)


@few
@given(problems())
def test_the_subspace_route_agrees(problem: Program) -> None:
    found = {name: judged(name, problem) for name in ("interior-point", "subspace")}
    assert_agreement(found)
    assert found["subspace"].gap <= 1e-3


@few
@given(problems(largest=3))
def test_the_oracles_agree_with_the_interior_point(problem: Program) -> None:
    found = {
        name: judged(name, problem)
        for name in applicable(problem)
        if name in ("interior-point", "conic", "exhaustive")
    }
    assert_agreement(found)
    # The exhaustive search has no dual, but its value is the optimum all the same.
    assert found["exhaustive"].upper <= found["interior-point"].upper * (1 + 1e-5)


@few
@given(problems(kinds=("gram", "rank one", "block-diagonal", "tight", "laplacian"), wide=False))
def test_the_conic_solver_closes_the_gap_on_ordinary_problems(problem: Program) -> None:
    found = {name: judged(name, problem) for name in ("interior-point", "conic")}
    assert_agreement(found)
    assert found["conic"].gap <= 1e-5


@few
@given(problems(largest=6, wide=False), st.sampled_from([1e-4, 1e-8, 1e-10]))
def test_the_interior_point_reaches_the_tolerance_asked_for(problem: Program, tol: float) -> None:
    judge = judged("interior-point", problem, tol)
    assert judge.lower <= judge.upper and judge.satisfied


@pytest.mark.parametrize("tol", [1e-6, 1e-7, 1e-8, 1e-9, 1e-10])
@pytest.mark.parametrize(
    ("L", "sizes", "costs"),
    [
        # Dual entries of cheap blocks are eleven orders below those of dear ones.
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
def test_tolerances_that_need_care(
    L: Any, sizes: tuple[int, ...], costs: list[float], tol: float
) -> None:
    judge = judged(
        "interior-point", make_program(np.array(L, dtype=float), Blocks(sizes), costs), tol
    )
    assert judge.satisfied, judge.gap


@pytest.mark.parametrize("cost", [2.0**-27, 1e-12, 1.0])
def test_a_full_step_may_end_next_to_the_boundary(cost: float) -> None:
    """With one block an overhead is paid like any cost; from the usual start a step makes max q and
    q nearly meet.
    """
    w = np.array([1.0, 2.0, 2.0])
    judge = judged(
        "interior-point", make_program(np.outer(w, w), Blocks((3,)), [cost], overhead=1.0)
    )
    assert judge.lower <= 9 * (1 + cost) <= judge.upper
    assert judge.satisfied, judge.gap


@pytest.mark.parametrize("name", [name for name in ROUTES if name != "low-rank"])
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
    name: str, overhead: float, order: tuple[int, ...] | None, value: float
) -> None:
    """q_k = L_k, the overhead at the largest, or the running maximum along the order (two of them
    3-cycles).
    """
    forced = None if order is None else BlockOrder(order)
    problem = make_program(
        np.diag([1.0, 5.0, 3.0]),
        Blocks((1, 1, 1)),
        [2.0, 1.0, 4.0],
        overhead=overhead,
        order=forced,
    )
    judge = judged(name, problem)
    assert judge.lower <= value <= judge.upper
    if name == "exhaustive":
        assert judge.upper == pytest.approx(value, rel=1e-6)
    else:
        assert judge.satisfied, judge.gap


def random_problem(d: int, count: int, extras: tuple[str, ...]) -> Program:
    rng = np.random.default_rng(d + count)
    A = rng.standard_normal((d, d)) * np.exp(rng.uniform(-2, 0, d))
    L = A.T @ A
    return make_program(
        (L + L.T) / 2,
        Blocks([d // count] * count),
        rng.exponential(size=count),
        overhead=0.3 if "overhead" in extras else 0.0,
        order=BlockOrder(rng.permutation(count)) if "order" in extras else None,
    )


@pytest.mark.parametrize("extras", EXTRAS)
@pytest.mark.parametrize(("d", "count"), [(40, 1), (40, 5), (40, 40), (120, 12)])
def test_routes_agree_on_random_matrices(d: int, count: int, extras: tuple[str, ...]) -> None:
    problem = random_problem(d, count, extras)
    names = [
        name for name in applicable(problem) if name in ("formula", "interior-point", "low-rank")
    ]
    found = {name: judged(name, problem) for name in names}
    found["subspace"] = judged("subspace", problem, 1e-3)
    assert_agreement(found)
    assert all(judge.satisfied for judge in found.values()), {
        name: judge.gap for name, judge in found.items()
    }


@pytest.mark.parametrize("name", list(ROUTES))
def test_reference_instances(vectors: list[dict[str, Any]], name: str) -> None:
    checked = 0
    for index, vector in enumerate(vectors):
        problem = make_program(np.array(vector["L"]), Blocks(vector["blocks"]), vector["costs"])
        if name not in applicable(problem, orders=3):
            continue
        judge = judged(name, problem)
        # The reference's lower end was evaluated in plain floats.
        assert judge.lower <= vector["optimum_upper"], index
        assert judge.upper >= vector["optimum_lower"] * (1 - 1e-13), index
        if name == "exhaustive":
            assert judge.upper <= vector["optimum_upper"] * (1 + 1e-6), index
        elif name != "subspace":
            assert judge.satisfied, (index, judge.gap)
        checked += 1
    assert checked >= 5


@pytest.mark.parametrize("method", ["interior-point", "low-rank"])
@pytest.mark.parametrize("name", ["mcp100", "mcp124-1", "mcp124-2", "mcp250-1"])
def test_max_cut_values(name: str, method: str) -> None:
    data = datasets.load(name)
    d = data.rows
    found = optimal_probabilities(data.values, Blocks.singletons(d), tol=1e-6, method=method)
    assert found.status == "optimal" and found.gap <= 1e-6 and found.rigour is Rigour.ROUNDED
    printed = 0.5e-4
    assert data.optimum is not None and found.lower * d <= data.optimum + printed
    assert found.upper * d >= data.optimum - printed


@pytest.mark.parametrize("power", [-831, 664, 1000])
def test_the_subspace_route_takes_L_of_any_size(power: int) -> None:
    A = np.random.default_rng(0).standard_normal((12, 12))
    L = A @ A.T + (A @ A.T).T
    plain, scaled = (
        optimal_probabilities(L * size, [4, 8], [1.0, 1.0], method="subspace", overhead=1.0)
        for size in (1.0, 2.0**power)
    )
    assert scaled.status == plain.status == "optimal"
    assert scaled.upper / 2.0**power == pytest.approx(plain.upper, rel=1e-5)
    assert scaled.lower / 2.0**power == pytest.approx(plain.lower, rel=1e-5)


@pytest.mark.parametrize("overhead", [0.0, 0.5])
def test_the_interior_point_counts_its_factorisations(
    overhead: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each factors a shifted matrix of its own; the proof at the end is one more."""
    shifted = interior_point.BlockInequality.shifted
    calls: list[np.ndarray] = []

    def counted(self: Any, q: np.ndarray) -> np.ndarray:
        calls.append(q)
        return shifted(self, q)

    monkeypatch.setattr(interior_point.BlockInequality, "shifted", counted)
    L = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 1.0]])
    problem = make_program(L, Blocks((1, 2)), [1.0, 2.0], overhead=overhead)
    judge = judged("interior-point", problem, 1e-6)
    assert judge.satisfied
    assert judge.factorisations == len(calls) + 1
