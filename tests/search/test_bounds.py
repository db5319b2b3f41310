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

from rpttheory.numbers import Bracket, Rigor
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.problem.quantities import L_P
from rpttheory.problem.smoothness import (
    EntrywiseSmoothness,
    GramSmoothness,
    as_smoothness,
    diagonal,
    gram,
)
from rpttheory.runs.progress import Event
from rpttheory.search import interior_point
from rpttheory.search.block_sdp import BlockSDP
from rpttheory.search.bounds import (
    FLOOR,
    BoundTracker,
    LowerBound,
    UpperBound,
    generic_vector,
    lower_bound,
    probabilities_from,
    upper_bound,
)

from .problems import pools_along, sdp, sum_of_roots_squared

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

    program: BlockSDP
    low: Fraction
    high: Fraction
    w: np.ndarray


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
    unpooled = ranked
    # Blocks join the pool of the largest q as long as they would exceed it.
    while (
        unpooled
        and (size == 0 or sizes[unpooled[0]] * cost > size * costs[unpooled[0]])
        and overhead > 0
    ):
        cost = cost + costs[unpooled[0]]
        size = size + sizes[unpooled[0]]
        unpooled = unpooled[1:]
    return sum_of_roots_squared([cost * size, *(costs[k] * sizes[k] for k in unpooled)])


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
def known_cases(draw: st.DrawFn, *, plain: bool = False, form: str = "dense") -> Known:
    count = draw(st.integers(1, 5))
    parts = [
        np.array(draw(st.sampled_from(PATTERNS))) * draw(st.integers(1, 40)) for _ in range(count)
    ]
    blocks = Blocks([part.size for part in parts])
    w = np.concatenate(parts)
    dyadic = st.builds(math.ldexp, st.integers(1, 99).map(float), st.integers(-20, 20))
    costs = draw(st.lists(dyadic, min_size=count, max_size=count))
    overhead = draw(dyadic) if not plain and draw(st.booleans()) else 0.0
    order = None
    if not plain and draw(st.booleans()):
        order = BlockOrder(draw(st.permutations(range(count))))
    sizes = [Fraction(float(part @ part)) for part in parts]
    rank_one = draw(st.booleans())
    together = np.ones(count) if rank_one else np.eye(count)
    data = np.atleast_2d(together)[:, blocks.labels] * w
    optimum = rank_one_optimum if rank_one else block_diagonal_optimum
    low, high = optimum([Fraction(c) for c in costs], sizes, Fraction(overhead), order)
    matrix = FORMS[form](data)
    return Known(sdp(matrix, blocks, costs, overhead=overhead, order=order), low, high, w)


FORMS: dict[str, Any] = {
    "dense": lambda A: A.T @ A,
    "sparse": lambda A: sp.csr_array(A.T @ A),
    "gram": gram,
}


def solved(program: BlockSDP) -> BoundTracker:
    tracker = BoundTracker(program, 1e-10)
    interior_point.solve(tracker)
    return tracker


@pytest.fixture
def unformed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gram matrices are not formed, as beyond 2000 dimensions."""
    monkeypatch.setattr(import_module("rpttheory.problem.smoothness.gram"), "FORMED_DIMENSION", 0)


# -- the lower bound


@given(known_cases(), st.integers(0, 2**32 - 1))
def test_lower_bound_holds_for_wrong_lengths(case: Known, seed: int) -> None:
    """A good direction whose blocks have any length: the trace excess has to pay for it."""
    rng = np.random.default_rng(seed)
    scale = case.program.blocks.expand(10.0 ** rng.uniform(-6, 6, case.program.blocks.count))
    assert Fraction(lower_bound(case.program, (scale * case.w)[:, None]).value) <= case.high


@given(known_cases(), st.integers(-300, 300))
def test_bounds_of_the_best_points_are_close(case: Known, power: int) -> None:
    tracker = solved(case.program)
    assert tracker.proof is not None and tracker.proof.factor is not None
    bound = lower_bound(case.program, tracker.proof.factor * 2.0**power)
    assert bound.rigor is Rigor.VERIFIED
    assert case.low * (1 - Fraction(1, 10**7)) <= Fraction(bound.value) <= case.high
    assert case.low <= Fraction(tracker.upper) <= case.high * (1 + Fraction(1, 10**7))


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_lower_bound_of_exact_dual_vectors(form: str, data: st.DataObject) -> None:
    """V_k = sqrt(c_k) w_k / ||w_k|| is optimal, so without room for rounding half of these bounds
    are false.
    """
    case = data.draw(known_cases(plain=True, form=form))
    blocks = case.program.blocks
    lengths = np.sqrt(np.add.reduceat(case.w**2, blocks.starts))
    V = (blocks.expand(np.sqrt(case.program.costs) / lengths) * case.w)[:, None]
    bound = Fraction(lower_bound(case.program, V).value)
    assert case.low * (1 - Fraction(1, 10**12)) <= bound <= case.high


def exact_form(A: np.ndarray, V: np.ndarray) -> Fraction:
    """<V, A'A V>."""
    images = [
        sum(Fraction(a) * Fraction(x) for a, x in zip(row, column, strict=True))
        for row in A.tolist()
        for column in V.T.tolist()
    ]
    return sum((x * x for x in images), Fraction(0))


@pytest.mark.parametrize("form", [*FORMS, "unformed"])
@pytest.mark.parametrize("noise", [1e-3, 1e-6, 1e-9])
def test_cancellation_is_paid_for(form: str, noise: float, request: pytest.FixtureRequest) -> None:
    """V almost in the null space of L: the form is a small difference of large numbers, mostly
    rounding.
    """
    if form == "unformed":
        request.getfixturevalue("unformed")
    d = 200 if form == "unformed" else 7
    blocks = Blocks((3, d - 3))
    for seed in range(8 if form == "unformed" else 40):
        rng = np.random.default_rng(seed)
        A = rng.integers(-99, 100, (2, d)).astype(float)
        V = rng.standard_normal((d, 2))
        V -= np.linalg.pinv(A) @ (A @ V)
        V += noise * rng.standard_normal((d, 2))
        traces = [sum(Fraction(x) ** 2 for x in V[rows].ravel().tolist()) for rows in blocks.slices]
        truth = exact_form(A, V) / max(4 * traces[0], Fraction(4, 3) * traces[1])
        program = sdp(FORMS.get(form, gram)(A), blocks, [Fraction(1, 4), Fraction(3, 4)])
        bound = Fraction(lower_bound(program, V).value)
        assert bound <= truth and (noise < 1e-3 or bound >= truth * Fraction(999, 1000))


@pytest.mark.parametrize("form", ["dense", "gram"])
@pytest.mark.parametrize("ordered", [False, True])
def test_room_grows_with_the_number_of_terms(
    form: str, ordered: bool, staircase: Any, unformed: None
) -> None:
    """The form rounds upwards d times and, summed along an order, the traces downwards as often."""
    d = 300
    scale = Fraction(1, 3)
    shift = Fraction(1, 10)
    matrix, x = staircase(d)
    v = [Fraction(a) for a in x.tolist()]
    product = sum(Fraction(a) * b for a, b in zip(matrix[0].tolist(), v, strict=True))
    square = sum(a * a for a in v)
    if form == "dense":
        smoothness: Any = EntrywiseSmoothness(matrix)
        truth = product * 2 - 1
    else:
        smoothness = GramSmoothness(matrix[:1], scale, shift)
        truth = scale * product**2 + shift * square
    costs = np.full(d, 2.0**-90)
    costs[0] = 1.0
    # Along the order only the partial sums of the traces count, the largest at the end; else every
    # block on its own.
    order = BlockOrder(range(d)) if ordered else None
    excess = square / (1 + (d - 1) * Fraction(2) ** -90)
    if not ordered:
        costs[1:] = (x * x)[1:] * (1 + 2.0**-40)
        excess = Fraction(1)
    bound = lower_bound(sdp(smoothness, [1] * d, costs, order=order), x[:, None]).value
    assert truth / excess * (1 - Fraction(1, 10**12)) <= Fraction(bound) <= truth / excess


@given(
    st.lists(
        st.tuples(st.integers(1, 9), st.integers(0, 9), st.integers(-9, 9)), min_size=1, max_size=5
    )
)
def test_slack_is_subtracted_where_the_factor_lies(entries: list[tuple[int, int, int]]) -> None:
    """L may be any matrix within the slack: here the least, Diag(a - s / 16)."""
    a, s, v = (np.array(column, dtype=float) for column in zip(*entries, strict=True))
    program = sdp(EntrywiseSmoothness(np.diag(a), s / 16), [a.size], [1.0])
    value = Fraction(float((a - s / 16) @ (v * v))) / max(Fraction(float(v @ v)), 1)
    truth = max(value, Fraction(0))
    bound = Fraction(lower_bound(program, v[:, None]).value)
    assert truth - Fraction(1, 10**4) <= bound <= truth


@pytest.mark.parametrize(
    "length", [1e-140, 1e-155, 1e-158, 1e-161, 2.3e-162, 1e-200, 0.0, 1e100, 1e160, np.nan, np.inf]
)
@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_bounds_hold_where_squares_leave_the_range_of_floats(length: float, size: float) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        bound = lower_bound(sdp([[size]], [1], [1.0]), np.array([[length]])).value
    assert 0 <= bound <= size and (math.isfinite(length) or bound == 0)


def test_a_term_has_room_for_each_of_its_roundings() -> None:
    """A term a v^2 is rounded when a is stored, when v is squared, and when they are multiplied."""
    rng = np.random.default_rng(12)
    for _ in range(300):
        entry = Fraction(int(rng.integers(1, 10**9)), 3**20)
        v = float(rng.uniform(1, 2))
        truth = entry * Fraction(v) ** 2
        value, rigor = diagonal([entry]).quadratic_form_below(np.array([[v]]))
        assert rigor is Rigor.VERIFIED
        assert truth * (1 - Fraction(1, 10**13)) <= Fraction(value) <= truth


def test_the_form_has_room_for_sums_that_always_round_up() -> None:
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
    if form == "diagonal":
        smoothness: Any = diagonal([1e300, 1.0])
        V = np.array([[0.8 * 2.0**-537], [0.0]])
        truth = Fraction(1e300) * Fraction(V[0, 0]) ** 2
    else:
        L = np.array([[0.0, 0.7], [0.7, 0.0]])
        slack = np.full(2, 2.0**1000) if form == "slack" else None
        V = np.array([[2.0**400], [2.0**-1074]])
        if form == "slack":
            V = np.full((2, 1), 0.7 * 2.0**-537)
        truth = 2 * Fraction(0.7) * Fraction(V[0, 0]) * Fraction(V[1, 0])
        if slack is not None:
            truth -= sum(Fraction(s) * Fraction(v) ** 2 for s, (v,) in zip(slack, V, strict=True))
        smoothness = (
            as_smoothness(sp.csr_array(L)) if form == "sparse" else EntrywiseSmoothness(L, slack)
        )
    value, rigor = smoothness.quadratic_form_below(V)
    assert rigor is Rigor.VERIFIED and Fraction(value) <= truth


def test_the_form_of_a_gram_matrix_that_is_not_formed(unformed: None) -> None:
    """A has a zero column, where shift |v|^2 is all there is: its roundings and its underflow are
    taken off.
    """
    A = np.array([[1.0, 2.0, 0.0], [0.5, -1.0, 0.0]])
    rng = np.random.default_rng(5)
    columns = [np.array([[0.0], [0.0], [length]]) for length in (1.0, 1e-170, 1e-162)]
    for shift in (1.0, 0.1, 1e300):
        form = gram(A, 1, shift)
        assert form.explicit() is None
        for V in (*columns, rng.standard_normal((3, 1)), rng.standard_normal((3, 7))):
            truth = exact_form(A, V) + Fraction(shift) * exact_form(np.eye(3), V)
            value, rigor = form.quadratic_form_below(V)
            assert rigor is Rigor.VERIFIED and Fraction(value) <= truth
            if V.max() > 1e-100:
                assert Fraction(value) >= truth * (1 - Fraction(1, 10**12))


# -- the upper bound


@given(known_cases(), st.lists(st.floats(1e-3, 1e3), min_size=5, max_size=5), st.booleans())
def test_upper_bound_covers_the_exact_cost(case: Known, weights: list[float], misled: bool) -> None:
    """Whatever vector is suggested, the value is at least c(P), which exact arithmetic knows."""
    program = case.program
    q = np.array(weights[: program.blocks.count])
    bound = upper_bound(program, q, vector=np.eye(case.w.size)[0] if misled else None)
    p = bound.probabilities
    exact = L_P(program.smoothness, program.blocks, p, effort="exact")
    cost = exact * program.expected_cost(p)
    assert Fraction(bound.value) >= cost.exact_lower
    assert misled or Fraction(bound.value) <= cost.exact_upper * (1 + Fraction(1, 10**9))


@given(
    st.lists(st.tuples(st.floats(0, 1e30), st.integers(-6, 6)), min_size=1, max_size=6),
    st.sampled_from([0.0, 1e-9, 1.0]),
)
def test_the_floor_costs_next_to_nothing(entries: list[tuple[float, int]], overhead: float) -> None:
    q = np.array([value for value, _ in entries])
    costs = [10.0**power for _, power in entries]
    program = sdp(np.eye(q.size), [1] * q.size, costs, overhead=overhead)
    p, floored = probabilities_from(program, q)
    assert p.max() == 1.0 and (p > 0).all()
    plain = q / q.max() if q.max() > 0 else np.ones(q.size)
    assert floored == bool((p != plain).any())
    assert (p >= plain).all() and p[p != plain].max(initial=0.0) <= FLOOR
    cost = program.overhead + program.costs @ plain
    assert program.overhead + program.costs @ p <= cost * (1 + 2 * q.size * FLOOR)


# -- the tracker keeps the best


def test_the_tracker_keeps_the_best_of_what_it_saw() -> None:
    events: list[Event] = []
    program = sdp(diagonal([8.0, 4.0]), [1, 1], [0.5, 0.5])
    tracker = BoundTracker(program, 1e-6, events.append)
    assert tracker.gap == math.inf and not tracker.satisfied
    tracker.propose(np.array([8.0, 4.0]), np.diag(np.sqrt([0.5, 0.5])))
    best = tracker.best
    proof = tracker.proof
    assert tracker.satisfied and tracker.upper == 6.0
    tracker.propose(np.array([1.0, 1.0]), np.array([[1.0], [0.0]]))
    tracker.propose(np.array([0.0, 1.0]), np.zeros((2, 1)))
    assert tracker.best is best and tracker.proof is proof
    assert [event.bracket for event in events] == [(tracker.lower, 6.0)] * 3
    assert tracker.rigor is Rigor.VERIFIED


@pytest.mark.parametrize(
    ("lower", "upper", "gap"),
    [(3.0, 4.0, 0.25), (0.0, 8.0, 1.0), (0.0, 0.0, 0.0), (1.0, math.inf, math.inf)],
)
def test_the_gap_is_relative_to_the_upper_bound(lower: float, upper: float, gap: float) -> None:
    tracker = BoundTracker(sdp(np.eye(1), [1]), 0.25)
    tracker.improve_lower(LowerBound(lower, Rigor.VERIFIED))
    tracker.improve_upper(UpperBound(np.ones(1), upper, Rigor.VERIFIED))
    assert tracker.gap == gap and tracker.satisfied is (gap <= 0.25)


def test_proofs_that_contradict_each_other_are_an_error() -> None:
    tracker = BoundTracker(sdp(np.eye(1), [1]), 1e-6)
    tracker.improve_upper(UpperBound(np.ones(1), 1.0, Rigor.VERIFIED))
    tracker.improve_lower(LowerBound(1.5, Rigor.NUMERICAL, np.ones((1, 1))))
    result = tracker.result()
    assert (result.lower, result.upper, result.rigor) == (1.0, 1.0, Rigor.NUMERICAL)
    tracker.improve_lower(LowerBound(2.0, Rigor.VERIFIED))
    with pytest.raises(ArithmeticError):
        tracker.result()


def test_a_callback_that_has_raised_is_not_called_again() -> None:
    calls = []

    def stop(event: Event) -> None:
        assert event.bracket is not None
        calls.append(event.bracket[1])
        raise KeyboardInterrupt

    tracker = BoundTracker(sdp(np.array([[2.0, 1.0], [1.0, 2.0]]), [1, 1]), 1e-6, stop)
    with pytest.raises(KeyboardInterrupt):
        tracker.propose(np.array([1.0, 0.5]))
    tracker.propose_gradient_descent()
    result = tracker.result("interrupted")
    assert len(calls) == 1 and result.upper < calls[0]


def test_a_dual_point_of_c_P_proves_nothing_about_c_M() -> None:
    """On the matrix of ones c_M < c(P) = 2 at the optimum."""
    tracker = BoundTracker(sdp(np.ones((2, 2)), [1, 1], [0.5, 0.5]), 1e-6, objective="c_M")
    with pytest.raises(AssertionError):
        tracker.propose(V=np.ones((2, 1)))
    result = tracker.result("interrupted")
    assert result.lower == 0 and result.upper == pytest.approx(2) and not result.order_proved


def test_a_black_box_is_closed_by_an_ordinary_proposal() -> None:
    """There is nothing to factor; a generic vector in the range of V helps to bound L_P."""
    L = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    x = generic_vector(np.array([[1.0, 0.5], [1.0, 0.5], [0.0, 0.0]]))
    assert x.shape == (3,) and x[0] == x[1] != 0 and x[2] == 0
    tracker = BoundTracker(sdp(aslinearoperator(L), [2, 1], [0.5, 0.5]), 1e-3)
    V = np.array([[0.5, 0.0], [0.5, 0.0], [0.0, np.sqrt(0.5)]])
    assert tracker.try_to_close(np.array([3.0, 1.0]), V)
    assert tracker.factorizations == 0 and tracker.rigor is Rigor.NUMERICAL
    assert tracker.lower == pytest.approx(2.0) == tracker.upper


def test_gradient_descent_is_always_a_bracket() -> None:
    """In the second matrix the eigenvector is zero on a block, which then proves nothing."""
    L = np.array([[2.0, 1.0], [1.0, 2.0]])
    for form, costs, ends in ((L, [0.5, 0.5], (3, 3)), (diagonal([4, 1]), [0.5, 0.25], (2, 3))):
        tracker = BoundTracker(sdp(form, [1, 1], costs), 1e-6)
        tracker.propose_gradient_descent()
        assert ends[0] * (1 - 1e-12) <= tracker.lower <= ends[0]
        assert ends[1] <= tracker.upper <= ends[1] * (1 + 1e-12)


def test_the_value_of_a_closed_gap_is_rounded_up() -> None:
    """The proof is about level * cost, of which a double below is not proved."""
    for digits in range(1, 200):
        costs = [digits / 7, 1 / 3]
        program = sdp(np.array([[2.0, 1.0], [1.0, 2.0]]), [1, 1], costs)
        tracker = BoundTracker(program, 0.5)
        V = np.diag(np.sqrt(costs))
        assert tracker.try_to_close(np.ones(2), V) and tracker.best is not None
        cost = program.expected_cost(tracker.best.probabilities)
        level = (Bracket.point(tracker.lower / (1 - 0.95 * 0.5)) / cost).lower
        assert Fraction(tracker.upper) >= Fraction(level) * cost.exact


@settings(max_examples=max(1, settings.default.max_examples // 3))
@given(known_cases(), st.floats(1e-10, 0.5), st.data())
def test_closing_the_gap_in_one_stroke_is_no_less_strict(
    case: Known, tol: float, data: st.DataObject
) -> None:
    """A single proof at the level that would do: true for garbage and achieved at the solution."""
    count = case.program.blocks.count
    q = data.draw(hnp.arrays(np.float64, (count,), elements=st.floats(0, 1e6)))
    tracker = BoundTracker(case.program, tol)
    closed = tracker.try_to_close(q, case.w[:, None])
    assert tracker.factorizations == 1 and closed == tracker.satisfied
    assert Fraction(tracker.lower) <= case.high
    assert tracker.upper == math.inf or Fraction(tracker.upper) >= case.low
    good = solved(case.program)
    assert good.best is not None and good.proof is not None and good.proof.factor is not None
    again = BoundTracker(case.program, 1e-6)
    assert again.try_to_close(good.best.probabilities, good.proof.factor)
    assert Fraction(again.lower) <= case.high and case.low <= Fraction(again.upper)
