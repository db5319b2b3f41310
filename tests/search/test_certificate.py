"""The two certified numbers against optima known exactly, for good, bad and absurd points.

Two families have an optimum in closed form with every extra. Block-diagonal L with rank-one blocks:
the least q is L_k, or its running maximum along a forced order. Rank-one L = w w': the inequality
reads sum_k ||w_k||^2 / q_k <= 1, and an overhead or an order ties blocks together in pools, each
worth sqrt(sum of costs * sum of ||w_k||^2). Data are integers and dyadic fractions, so nothing is
rounded.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

from rpttheory.numbers import Rigour
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.problem.quantities import weighted_smoothness
from rpttheory.problem.smoothness import (
    DenseSmoothness,
    GramSmoothness,
    as_smoothness,
    diagonal,
    gram,
)
from rpttheory.search import interior_point
from rpttheory.search.certificate import FLOOR, lower_bound, probabilities_from, upper_bound
from rpttheory.search.judge import Judge, generic_vector
from rpttheory.search.program import Program, make_program

# A block of these has a whole number as its length.
PATTERNS = (
    (1.0,),
    (0.0, 1.0),
    (3.0, 4.0),
    (1.0, 2.0, 2.0),
    (1.0, -1.0, 1.0, 1.0),
    (0.0, -6.0, 8.0),
)


@dataclass(frozen=True)
class Known:
    """A problem, the fractions between which its optimum lies (equal where it is rational), and
    w.
    """

    problem: Program
    low: Fraction
    high: Fraction
    w: np.ndarray

    def matrix(self) -> np.ndarray:
        return self.program.smoothness.explicit().matrix


def root_down(value: Fraction) -> Fraction:
    """sqrt(value) rounded down, to about 200 bits."""
    shift = 400
    return Fraction(math.isqrt((value.numerator << shift) // value.denominator), 1 << (shift // 2))


def sum_of_roots_squared(products: list[Fraction]) -> tuple[Fraction, Fraction]:
    low = sum(map(root_down, products), Fraction(0))
    high = low + len(products) * Fraction(1, 2**199)
    return low * low, high * high


def pools_along(costs: list[Fraction], sizes: list[Fraction]) -> list[Fraction]:
    """cost * size of each pool when sizes / costs must fall along the list (pool adjacent
    violators).
    """
    pools: list[tuple[Fraction, Fraction]] = []
    for cost, size in zip(costs, sizes, strict=True):
        pools.append((cost, size))
        while len(pools) > 1 and pools[-1][1] * pools[-2][0] >= pools[-2][1] * pools[-1][0]:
            last = pools.pop()
            pools[-1] = (pools[-1][0] + last[0], pools[-1][1] + last[1])
    return [cost * size for cost, size in pools]


def rank_one_optimum(
    costs: list[Fraction], sizes: list[Fraction], overhead: Fraction, order: BlockOrder | None
) -> tuple[Fraction, Fraction]:
    if order is not None:
        along = list(order.rank_to_block)
        charged = [costs[k] + (overhead if i == 0 else 0) for i, k in enumerate(along)]
        return sum_of_roots_squared(pools_along(charged, [sizes[k] for k in along]))
    ranked = sorted(range(len(costs)), key=lambda k: sizes[k] / costs[k], reverse=True)
    cost = overhead
    size = Fraction(0)
    rest = ranked
    # Blocks join the pool of the largest q as long as they would exceed it.
    while rest and (size == 0 or sizes[rest[0]] * cost > size * costs[rest[0]]) and overhead > 0:
        cost = cost + costs[rest[0]]
        size = size + sizes[rest[0]]
        rest = rest[1:]
    return sum_of_roots_squared([cost * size, *(costs[k] * sizes[k] for k in rest)])


def block_diagonal_optimum(
    costs: list[Fraction], sizes: list[Fraction], overhead: Fraction, order: BlockOrder | None
) -> tuple[Fraction, Fraction]:
    if order is None:
        value = overhead * max(sizes) + sum(c * s for c, s in zip(costs, sizes, strict=True))
        return value, value
    along = [sizes[k] for k in order.rank_to_block]
    q = [max(along[i:]) for i in range(len(along))]
    value = overhead * q[0] + sum(costs[k] * q[i] for i, k in enumerate(order.rank_to_block))
    return value, value


@st.composite
def known(draw: st.DrawFn, *, plain: bool = False, form: str = "dense") -> Known:
    count = draw(st.integers(1, 5))
    parts = [
        np.array(draw(st.sampled_from(PATTERNS))) * draw(st.integers(1, 40)) for _ in range(count)
    ]
    blocks = Blocks([part.size for part in parts])
    w = np.concatenate(parts)
    costs = [
        float(draw(st.integers(1, 99)) * 2.0 ** draw(st.integers(-20, 20))) for _ in range(count)
    ]
    extras = (
        ()
        if plain
        else draw(st.sampled_from([(), ("overhead",), ("order",), ("overhead", "order")]))
    )
    overhead = (
        draw(st.integers(1, 99)) * 2.0 ** draw(st.integers(-10, 10))
        if "overhead" in extras
        else 0.0
    )
    order = BlockOrder(draw(st.permutations(range(count)))) if "order" in extras else None
    sizes = [Fraction(float(part @ part)) for part in parts]
    L = np.outer(w, w)
    rank_one = draw(st.booleans())
    if not rank_one:
        L = L * (blocks.labels[:, None] == blocks.labels[None, :])
    optimum = rank_one_optimum if rank_one else block_diagonal_optimum
    low, high = optimum([Fraction(c) for c in costs], sizes, Fraction(overhead), order)
    given_form: Any = L
    if form == "sparse":
        given_form = sp.csr_array(L)
    elif form == "gram":
        data = (
            w[None, :] if rank_one else np.stack([w * (blocks.labels == k) for k in range(count)])
        )
        given_form = gram(data)
    return Known(
        make_program(given_form, blocks, costs, overhead=overhead, order=order), low, high, w
    )


def solved(problem: Program, tol: float = 1e-10) -> Judge:
    judge = Judge(problem, tol)
    interior_point.solve(judge)
    return judge


# -- the lower bound


@given(known(), st.data())
def test_lower_bound_holds_for_garbage(case: Known, data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 4))
    V = data.draw(hnp.arrays(np.float64, (case.w.size, rank), elements=st.floats(-1e80, 1e80)))
    assert Fraction(lower_bound(case.problem, V)[0]) <= case.high


@given(known(), st.sampled_from(["rows", "blocks"]), st.integers(0, 2**32 - 1))
def test_lower_bound_holds_for_wrong_lengths(case: Known, which: str, seed: int) -> None:
    """A good direction whose blocks have any length: the trace excess has to pay for it."""
    rng = np.random.default_rng(seed)
    count = case.w.size if which == "rows" else case.problem.blocks.count
    scale = 10.0 ** rng.uniform(-6, 6, count)
    if which == "blocks":
        scale = case.problem.blocks.expand(scale)
    assert Fraction(lower_bound(case.problem, (scale * case.w)[:, None])[0]) <= case.high


@given(known(), st.integers(-300, 300))
def test_lower_bound_of_the_best_dual_is_below_and_close(case: Known, power: int) -> None:
    judge = solved(case.problem)
    assert judge.dual is not None
    bound, rigour = lower_bound(case.problem, judge.dual * 2.0**power)
    assert (
        rigour is Rigour.ROUNDED
        and case.low * (1 - Fraction(1, 10**7)) <= Fraction(bound) <= case.high
    )


@pytest.mark.parametrize("form", ["dense", "sparse", "gram"])
@given(data=st.data())
def test_lower_bound_of_exact_dual_vectors(form: str, data: st.DataObject) -> None:
    """V_k = sqrt(c_k) w_k / ||w_k|| is optimal, so without room for rounding half of these bounds
    are false.
    """
    case = data.draw(known(plain=True, form=form))
    blocks = case.problem.blocks
    lengths = np.sqrt(np.add.reduceat(case.w**2, blocks.starts))
    V = (blocks.expand(np.sqrt(case.problem.costs) / lengths) * case.w)[:, None]
    bound, rigour = lower_bound(case.problem, V)
    assert (
        rigour is Rigour.ROUNDED
        and case.low * (1 - Fraction(1, 10**12)) <= Fraction(bound) <= case.high
    )


def exact_quotient(A: np.ndarray, V: np.ndarray, blocks: Blocks, costs: list[float]) -> Fraction:
    """<V, A'A V> over max_k ||V_k||^2 / c_k, in fractions."""
    rows = [[Fraction(x) for x in row] for row in A.tolist()]
    columns = [[Fraction(x) for x in column] for column in V.T.tolist()]
    images = [
        sum(a * x for a, x in zip(row, column, strict=True)) for row in rows for column in columns
    ]
    traces = [
        sum(column[i] ** 2 for column in columns for i in range(r.start, r.stop))
        for r in blocks.slices
    ]
    return sum(x * x for x in images) / max(
        t / Fraction(c) for t, c in zip(traces, costs, strict=True)
    )


def check_near_null_space(form: str, d: int, seed: int, noise: float) -> None:
    """V almost in the null space of L: the form is a small difference of large numbers, mostly
    rounding.
    """
    rng = np.random.default_rng(seed)
    A = rng.integers(-99, 100, (2, d)).astype(float)
    V = rng.standard_normal((d, 2))
    V -= np.linalg.pinv(A) @ (A @ V)
    V += noise * rng.standard_normal((d, 2))
    blocks = Blocks((3, d - 3))
    costs = [0.25, 0.75]
    made = {
        "dense": lambda: A.T @ A,
        "sparse": lambda: sp.csr_array(A.T @ A),
        "gram": lambda: gram(A),
    }[form]()
    truth = exact_quotient(A, V, blocks, costs)
    bound = Fraction(lower_bound(make_program(made, blocks, costs), V)[0])
    assert bound <= truth
    if noise == 1e-3:
        assert bound >= truth * Fraction(999, 1000)


@pytest.mark.parametrize("form", ["dense", "sparse", "gram"])
@given(seed=st.integers(0, 2**32 - 1), noise=st.sampled_from([1e-3, 1e-6, 1e-9]))
def test_cancellation_is_paid_for(form: str, seed: int, noise: float) -> None:
    check_near_null_space(form, 7, seed, noise)


@pytest.mark.parametrize("seed", range(6))
def test_cancellation_is_paid_for_in_large_gram_matrices(seed: int) -> None:
    """Beyond the size where A'A is formed. Without room for rounding every second of these bounds
    is false.
    """
    check_near_null_space("gram", 2001, seed, 1e-3 if seed == 0 else 1e-9)


@given(st.integers(1, 400), st.integers(1, 30), st.floats(0.1, 1.0))
def test_many_columns_do_not_lift_the_bound(columns: int, height: int, entry: float) -> None:
    """All entries alike: rounding errors of long sums add up instead of cancelling."""
    problem = make_program(np.full((height, height), 3.0), Blocks((height,)), [1.0])
    bound, _ = lower_bound(problem, np.full((height, columns), entry))
    assert 3 * height * (1 - 1e-11) <= Fraction(bound) <= 3 * height


@pytest.mark.parametrize("form", ["dense", "gram"])
@pytest.mark.parametrize("ordered", [False, True])
def test_room_grows_with_the_number_of_terms(
    form: str, ordered: bool, staircase: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form rounds upwards d times and, summed along an order, the traces downwards as often."""
    d = 300
    scale = Fraction(1, 3)
    shift = Fraction(1, 10)
    matrix, x = staircase(d)
    v = [Fraction(a) for a in x.tolist()]
    row = [Fraction(a) for a in matrix[0].tolist()]
    if form == "dense":
        smoothness: Any = DenseSmoothness(matrix)
        truth = sum(a * b for a, b in zip(row, v, strict=True)) * 2 - 1
    else:
        monkeypatch.setattr(
            import_module("rpttheory.problem.smoothness.gram"), "FORMED_DIMENSION", 0
        )
        smoothness = GramSmoothness(matrix[:1], scale, shift)
        truth = scale * sum(a * b for a, b in zip(row, v, strict=True)) ** 2 + shift * sum(
            a * a for a in v
        )
    costs = np.full(d, 2.0**-90)
    costs[0] = 1.0
    # Along the order only the partial sums of the traces count, the largest at the end; else every
    # block on its own.
    order = BlockOrder(range(d)) if ordered else None
    excess = sum(a * a for a in v) / (1 + (d - 1) * Fraction(2) ** -90)
    if not ordered:
        costs[1:] = (x * x)[1:] * (1 + 2.0**-40)
        excess = Fraction(1)
    bound, rigour = lower_bound(
        Program(smoothness, Blocks.singletons(d), costs, order=order), x[:, None]
    )
    assert rigour is Rigour.ROUNDED
    assert truth / excess * (1 - Fraction(1, 10**12)) <= Fraction(bound) <= truth / excess


def test_room_is_relative_to_the_terms_and_not_to_their_sum(staircase: Any) -> None:
    matrix, x = staircase(300, cancelling=True)
    truth = (
        2
        * sum(
            Fraction(a) * Fraction(b) for a, b in zip(matrix[0].tolist(), x.tolist(), strict=True)
        )
        - 1
    )
    problem = Program(DenseSmoothness(matrix), Blocks((301,)), np.ones(1))
    bound = Fraction(lower_bound(problem, x[:, None])[0])
    assert truth / 10 <= bound * sum(Fraction(a) ** 2 for a in x.tolist()) <= truth


@given(
    st.lists(
        st.tuples(st.integers(1, 9), st.integers(0, 9), st.integers(-9, 9)), min_size=1, max_size=5
    )
)
def test_slack_is_subtracted_where_the_factor_lies(entries: list[tuple[int, int, int]]) -> None:
    """L may be any matrix within the slack: here the least, Diag(a - s / 16)."""
    a, s, v = (np.array(column, dtype=float) for column in zip(*entries, strict=True))
    problem = Program(DenseSmoothness(np.diag(a), s / 16), Blocks((a.size,)), np.ones(1))
    truth = max(
        Fraction(float((a - s / 16) @ (v * v))) / max(Fraction(float(v @ v)), 1), Fraction(0)
    )
    bound = Fraction(lower_bound(problem, v[:, None])[0])
    assert truth - Fraction(1, 10**4) <= bound <= truth


@pytest.mark.parametrize(
    "length", [1e-140, 1e-155, 1e-158, 1e-161, 2.3e-162, 1e-200, 0.0, 1e100, 1e160]
)
@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_bounds_hold_where_squares_leave_the_range_of_floats(length: float, size: float) -> None:
    problem = make_program(np.array([[size]]), Blocks((1,)), [1.0])
    with np.errstate(over="ignore"):
        assert lower_bound(problem, np.array([[length]]))[0] <= size


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_non_finite_duals_give_the_trivial_bound(bad: float) -> None:
    problem = make_program(np.eye(2), Blocks((1, 1)))
    V = np.array([[1.0], [bad]])
    with np.errstate(invalid="ignore"):
        assert lower_bound(problem, V)[0] == 0.0


def test_lower_bound_of_a_large_gram_matrix() -> None:
    """Beyond the size where A'A is formed the form is taken from A alone."""
    d = 2100
    w = np.random.default_rng(5).integers(1, 5, d).astype(float)
    blocks = Blocks((100, 2000))
    form = gram(w[None, :], 0.5, 0.25)
    assert form.explicit() is None
    # For L = (w w' + I/2) / 2 and V along w: the quotient is exact in fractions.
    problem = make_program(form, blocks, [0.25, 0.5])
    sizes = [Fraction(float(w[rows] @ w[rows])) for rows in blocks.slices]
    low, high = sum_of_roots_squared([Fraction(1, 4) * sizes[0], Fraction(1, 2) * sizes[1]])
    truth = (low / 2 + Fraction(3, 16), high / 2 + Fraction(3, 16))
    V = (blocks.expand(np.sqrt(problem.costs) / np.sqrt([float(s) for s in sizes])) * w)[:, None]
    for columns in (V, np.hstack((V, V, V)), np.repeat(V, 40, axis=1)):
        bound, rigour = lower_bound(problem, columns)
        assert rigour is Rigour.ROUNDED
        assert truth[0] * (1 - Fraction(1, 10**10)) <= Fraction(bound) <= truth[1]


def test_black_box_operators_are_labelled_numerical() -> None:
    problem = make_program(aslinearoperator(np.diag([2.0, 1.0])), Blocks((1, 1)))
    assert lower_bound(problem, np.eye(2))[1] is Rigour.NUMERICAL
    assert upper_bound(problem, np.ones(2)).rigour is Rigour.NUMERICAL


# -- the upper bound


@given(known(), st.data())
def test_upper_bound_holds_for_garbage(case: Known, data: st.DataObject) -> None:
    count = case.problem.blocks.count
    q = data.draw(hnp.arrays(np.float64, (count,), elements=st.floats(-1e80, 1e80)))
    found = upper_bound(case.problem, q)
    assert Fraction(found.value) >= case.low
    assert found.probabilities.max() == 1.0 and (found.probabilities > 0).all()
    assert (case.problem.admissible(found.probabilities) == found.probabilities).all()


@given(known())
def test_upper_bound_of_the_best_point_is_above_and_close(case: Known) -> None:
    judge = solved(case.problem)
    assert case.low <= Fraction(judge.upper) <= case.high * (1 + Fraction(1, 10**7))
    assert judge.lower <= judge.upper


@given(known(), st.lists(st.floats(1e-3, 1e3), min_size=5, max_size=5), st.booleans())
def test_upper_bound_covers_the_exact_cost(case: Known, weights: list[float], misled: bool) -> None:
    """Whatever vector is suggested, the value is at least c(P), which exact arithmetic knows."""
    q = np.array(weights[: case.problem.blocks.count])
    found = upper_bound(case.problem, q, vector=np.eye(case.w.size)[0] if misled else None)
    exact = weighted_smoothness(
        case.problem.smoothness,
        case.problem.blocks,
        probabilities=found.probabilities,
        effort="exact",
    )
    cost = exact * case.problem.expected_cost(found.probabilities)
    assert Fraction(found.value) >= cost.low
    if not misled:
        assert Fraction(found.value) <= cost.high * (1 + Fraction(1, 10**9))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 9)), min_size=1, max_size=6))
def test_upper_bound_is_attained_without_rounding(blocks_data: list[tuple[int, int]]) -> None:
    """L_k a power of two: p is exact and c(P) is the optimum itself, so any lapse downwards
    shows.
    """
    sizes = [4] * len(blocks_data)
    L = np.kron(np.diag([2.0**power for power, _ in blocks_data]), np.ones((4, 4)) / 4)
    costs = [cost / 16 for _, cost in blocks_data]
    problem = make_program(L, Blocks(sizes), costs)
    truth = sum(
        Fraction(cost) * 2**power for cost, (power, _) in zip(costs, blocks_data, strict=True)
    )
    found = upper_bound(problem, np.array([2.0**power for power, _ in blocks_data]))
    assert truth <= Fraction(found.value) <= truth * (1 + Fraction(1, 10**12))


def test_the_overhead_is_paid_once_in_full() -> None:
    problem = make_program(diagonal([4.0, 1.0]), Blocks((1, 1)), [0.5, 0.5], overhead=3.0)
    assert upper_bound(problem, np.array([4.0, 1.0])).value == 4 * (3 + 0.5 + 0.125)


# -- probabilities


@given(
    st.lists(st.tuples(st.floats(0, 1e30), st.integers(-6, 6)), min_size=1, max_size=6),
    st.sampled_from([0.0, 1e-9, 1.0]),
)
def test_the_floor_costs_next_to_nothing(entries: list[tuple[float, int]], overhead: float) -> None:
    q = np.array([value for value, _ in entries])
    costs = [10.0**power for _, power in entries]
    problem = make_program(np.eye(q.size), Blocks.singletons(q.size), costs, overhead=overhead)
    p, floored = probabilities_from(problem, q)
    assert p.max() == 1.0 and (p > 0).all()
    if q.max() > 0:
        plain = q / q.max()
        assert floored == bool((p != plain).any())
        assert (p >= plain).all() and p[p != plain].max(initial=0.0) <= FLOOR
        paid = problem.overhead + problem.costs @ plain
        assert problem.overhead + problem.costs @ p <= paid * (1 + 2 * q.size * FLOOR)


def test_a_zero_point_means_gradient_descent() -> None:
    problem = make_program(np.eye(2), Blocks((1, 1)))
    p, floored = probabilities_from(problem, np.zeros(2))
    assert p.tolist() == [1.0, 1.0] and not floored


# -- the judge keeps the best


def test_the_judge_keeps_the_best_of_what_it_saw() -> None:
    problem = make_program(diagonal([8.0, 4.0]), Blocks((1, 1)), [0.5, 0.5])
    seen: list[tuple[float, float]] = []
    judge = Judge(problem, 1e-6, lambda low, high: seen.append((low, high)))
    assert judge.gap == math.inf and not judge.satisfied
    judge.propose(np.array([8.0, 4.0]), np.diag(np.sqrt([0.5, 0.5])))
    best = judge.best
    dual = judge.dual
    assert judge.satisfied and judge.upper == 6.0
    judge.propose(np.array([1.0, 1.0]), np.array([[1.0], [0.0]]))
    judge.propose(np.array([0.0, 1.0]), np.zeros((2, 1)))
    assert judge.best is best and judge.dual is dual
    assert [high for _, high in seen] == [6.0] * 3 and len({low for low, _ in seen}) == 1
    assert judge.rigour is Rigour.ROUNDED


def test_the_gap_is_relative_to_the_upper_bound() -> None:
    judge = Judge(make_program(np.eye(1), Blocks((1,))), 0.25)
    seen = (
        (3.0, 4.0, 0.25),
        (6.0, 8.0, 0.25),
        (0.0, 8.0, 1.0),
        (0.0, 0.0, 0.0),
        (1.0, math.inf, math.inf),
    )
    for lower, upper, gap in seen:
        judge.lower = lower
        judge.upper = upper
        assert judge.gap == gap and judge.satisfied is (gap <= 0.25)


def test_a_black_box_is_closed_by_an_ordinary_proposal() -> None:
    """There is nothing to factor; a generic vector in the range of V helps to bound L_P."""
    L = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    V = np.array([[1.0, 0.5], [1.0, 0.5], [0.0, 0.0]])
    x = generic_vector(V)
    assert x.shape == (3,) and x[0] == x[1] != 0 and x[2] == 0
    judge = Judge(make_program(aslinearoperator(L), Blocks((2, 1)), [0.5, 0.5]), 1e-3)
    assert judge.try_to_close(
        np.array([3.0, 1.0]), np.array([[0.5, 0.0], [0.5, 0.0], [0.0, np.sqrt(0.5)]])
    )
    assert judge.factorisations == 0 and judge.rigour is Rigour.NUMERICAL
    assert judge.lower == pytest.approx(2.0) == judge.upper


def test_gradient_descent_is_a_bracket_at_hand() -> None:
    problem = make_program(np.array([[2.0, 1.0], [1.0, 2.0]]), Blocks((1, 1)), [0.5, 0.5])
    judge = Judge(problem, 1e-6)
    judge.propose_gradient_descent()
    # The top eigenvector has equal blocks, so gradient descent is optimal here and the bracket
    # closes.
    assert judge.lower <= 3 <= judge.upper and judge.gap < 1e-12
    # Here the eigenvector is zero on the second block, which then proves nothing and costs nothing.
    judge = Judge(make_program(diagonal([4.0, 1.0]), Blocks((1, 1)), [0.5, 0.25]), 1e-6)
    judge.propose_gradient_descent()
    assert 2 * (1 - 1e-12) <= judge.lower <= 2 and judge.upper == 3


@settings(max_examples=max(1, settings.default.max_examples // 3))
@given(known(), st.floats(1e-10, 0.5), st.data())
def test_closing_the_gap_in_one_stroke_is_no_less_strict(
    case: Known, tol: float, data: st.DataObject
) -> None:
    """A single proof at the level that would do: true for garbage and achieved at the solution."""
    count = case.problem.blocks.count
    q = data.draw(hnp.arrays(np.float64, (count,), elements=st.floats(0, 1e6)))
    seen: list[tuple[float, float]] = []
    judge = Judge(case.problem, tol, lambda low, high: seen.append((low, high)))
    closed = judge.try_to_close(q, case.w[:, None])
    assert seen[-1] == (judge.lower, judge.upper) and judge.factorisations == 1
    assert Fraction(judge.lower) <= case.high and (
        judge.upper == math.inf or Fraction(judge.upper) >= case.low
    )
    assert closed == judge.satisfied
    if closed:
        assert judge.best is not None and judge.gap <= tol
    good = solved(case.problem)
    assert good.best is not None and good.dual is not None
    again = Judge(case.problem, 1e-6)
    assert (
        again.try_to_close(good.best.probabilities, good.dual)
        and again.rigours == [Rigour.ROUNDED] * 2
    )
    assert case.low <= Fraction(again.upper) <= case.high * (1 + Fraction(1, 10**6))
    assert Fraction(again.lower) <= case.high


@pytest.mark.parametrize(
    "form", [np.diag, sp.diags_array, diagonal], ids=["dense", "sparse", "diagonal"]
)
def test_the_value_of_a_dual_point_is_as_close_below_as_its_roundings(form: Any) -> None:
    V = np.random.default_rng(4).standard_normal((5, 3))
    values = [3.0, 1.0, 0.25, 7.0, 2.0]
    truth = sum(
        Fraction(a) * sum(Fraction(v) ** 2 for v in row)
        for a, row in zip(values, V.tolist(), strict=True)
    )
    value, _ = as_smoothness(form(values)).quadratic_form_below(V)
    assert truth * (1 - Fraction(1, 10**13)) <= Fraction(value) <= truth


def test_a_dual_point_of_one_column_has_room_for_every_rounding_of_its_terms() -> None:
    """A term a v^2 is rounded when a is stored, when v is squared, and when they are multiplied."""
    rng = np.random.default_rng(12)
    for _ in range(300):
        entry = Fraction(int(rng.integers(1, 10**9)), 3**20)
        v = float(rng.uniform(1, 2))
        truth = entry * Fraction(v) ** 2
        value, rigour = diagonal([entry]).quadratic_form_below(np.array([[v]]))
        assert rigour is Rigour.ROUNDED
        assert truth * (1 - Fraction(1, 10**13)) <= Fraction(value) <= truth


def test_the_value_of_a_dual_point_has_room_for_sums_that_always_round_up() -> None:
    """x'(a J)x = a d^2 for ones x, with a just above a tie at one of the sizes that the sums go
    through.
    """
    for d in (64, 300, 1000):
        for bit in range(1, 10):
            a = 1 + (2.0 ** (bit - 1) + 1) * 2.0**-52
            for form in (np.full((d, d), a), sp.csr_array(np.full((d, d), a))):
                value, _ = as_smoothness(form).quadratic_form_below(np.ones((d, 1)))
                assert Fraction(value) <= Fraction(a) * d * d


@pytest.mark.parametrize("form", ["dense", "sparse", "diagonal", "slack"])
def test_what_underflow_gains_is_taken_off(form: str) -> None:
    """Products that are a third of the least double and more are rounded up to it, and then meet
    large numbers.
    """
    least = 2.0**-1074
    if form == "diagonal":
        smoothness: Any = diagonal([1e300, 1.0])
        V = np.array([[0.8 * 2.0**-537], [0.0]])
        truth = Fraction(1e300) * Fraction(V[0, 0]) ** 2
    else:
        L = np.array([[0.0, 0.7], [0.7, 0.0]])
        slack = np.full(2, 2.0**1000) if form == "slack" else None
        V = np.array([[2.0**400], [least]]) if form != "slack" else np.full((2, 1), 0.7 * 2.0**-537)
        truth = 2 * Fraction(0.7) * Fraction(V[0, 0]) * Fraction(V[1, 0])
        truth -= (
            0
            if slack is None
            else sum(Fraction(s) * Fraction(v) ** 2 for s, (v,) in zip(slack, V, strict=True))
        )
        smoothness = (
            as_smoothness(sp.csr_array(L)) if form == "sparse" else DenseSmoothness(L, slack)
        )
    value, rigour = smoothness.quadratic_form_below(V)
    assert rigour is Rigour.ROUNDED and Fraction(value) <= truth


def test_a_dual_point_of_a_gram_matrix_that_is_not_formed_is_bounded_from_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A has a zero column, where shift |v|^2 is all there is: its roundings and its underflow are
    taken off.
    """
    gram_file = import_module("rpttheory.problem.smoothness.gram")
    monkeypatch.setattr(gram_file, "FORMED_DIMENSION", 0)
    A = np.array([[1.0, 2.0, 0.0], [0.5, -1.0, 0.0]])
    rng = np.random.default_rng(5)
    columns = [np.array([[0.0], [0.0], [1.0]]), np.array([[0.0], [0.0], [1e-170]])]
    columns += [
        np.array([[0.0], [0.0], [1e-162]]),
        rng.standard_normal((3, 1)),
        rng.standard_normal((3, 7)),
    ]
    for shift in (1.0, 0.1, 1e300):
        form = gram(A, 1, shift)
        assert form.explicit() is None
        for V in columns:
            exact = [[Fraction(v) for v in row] for row in V.tolist()]
            squares = sum(v * v for row in exact for v in row)
            products = [
                sum(Fraction(a) * v for a, v in zip(row, column, strict=True))
                for row in A.tolist()
                for column in zip(*exact, strict=True)
            ]
            truth = sum(product * product for product in products) + Fraction(shift) * squares
            value, rigour = form.quadratic_form_below(V)
            assert rigour is Rigour.ROUNDED and Fraction(value) <= truth
            if truth > 1e-290:
                assert Fraction(value) >= truth * (1 - Fraction(1, 10**12)) or V.max() < 1e-100, (
                    "and not far below"
                )
