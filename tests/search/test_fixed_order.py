"""One order: its program, its certificate and the central path, against definitions."""

import itertools
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from rpttheory import Blocks
from rpttheory.problem.smoothness import EntrywiseSmoothness, gram
from rpttheory.search.orders.fixed_order_program import (
    TINY,
    FixedOrderProgram,
    certified_lower,
    fixed_order_program,
)
from rpttheory.search.orders.interior_point import minimize

from .problems import FloatArray, c_M_at, exactly, pools_along, sdp, sum_of_roots_squared, wishart


def fixed(L: Any, sizes: Any, costs: Any, overhead: float = 0.0) -> FixedOrderProgram:
    return fixed_order_program(sdp(L, sizes, costs, overhead=overhead))


def proved(program: FixedOrderProgram, V: FloatArray, order: Any) -> Fraction:
    """The certified bound, in the units of the problem."""
    return Fraction(certified_lower(program, V, order)) * program.unit


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, tuple[int, ...]]:
    """A program without zero blocks, which are left out before, and an order."""
    sizes = draw(st.sampled_from([(1, 1), (2, 1), (1, 1, 1), (2, 1, 3), (1, 2, 1, 1)]))
    rows = draw(st.integers(1, 4))
    A = draw(hnp.arrays(float, (rows, sum(sizes)), elements=st.integers(-5, 5))) + 0.0
    A[0, A.any(axis=0) == 0] = 1.0
    prices = st.sampled_from([1e-6, 0.1, 0.5, 1.0, 3.0])
    costs = draw(st.lists(prices, min_size=len(sizes), max_size=len(sizes)))
    overhead = draw(st.sampled_from([0.0, 0.3, 10.0]))
    order = tuple(draw(st.permutations(range(len(sizes)))))
    return sdp(A.T @ A, sizes, costs, overhead=overhead), order


def exact_bounds(
    program: FixedOrderProgram, V: FloatArray, order: tuple[int, ...]
) -> tuple[Fraction, Fraction]:
    """Fractions around the best bound that V proves along an order; 0 where a tail is negative."""
    rows = exactly(V)
    matrix = exactly(program.matrix)
    slices = program.blocks.slices
    g = []
    for rank in range(len(order)):
        tail = [i for k in order[rank:] for i in range(slices[k].start, slices[k].stop)]
        g.append(
            sum(
                matrix[i][j] * a * b
                for i in tail
                for j in tail
                for a, b in zip(rows[i], rows[j], strict=True)
            )
        )
    if min(g) < 0:
        return Fraction(0), Fraction(0)
    costs = [Fraction(program.costs[k]) for k in order]
    costs[0] += Fraction(program.overhead)
    steps = [a - b for a, b in zip(g, [*g[1:], Fraction(0)], strict=True)]
    low, high = sum_of_roots_squared(pools_along(costs, steps))
    trace = sum(x * x for row in rows for x in row)
    return low / trace, high / trace


@given(cases(), st.integers(0, 2**32 - 1))
def test_certificate_in_exact_arithmetic(case: Any, seed: int) -> None:
    """Factors made to cancel and over many magnitudes, and ordinary ones, whose bound is tight."""
    problem, order = case
    d = problem.blocks.dimension
    rng = np.random.default_rng(seed)
    ordinary = rng.random() < 0.3
    scales = np.ones(d) if ordinary else 10.0 ** rng.integers(-8, 1, d)
    L = problem.entries("test") * np.outer(scales, scales)
    program = fixed((L + L.T) / 2, problem.blocks.sizes, problem.costs, problem.overhead)
    V = rng.standard_normal((d, 2)) * (1 if ordinary else 10.0 ** rng.integers(-8, 8, (d, 1)))
    if not ordinary and rng.random() < 0.5:
        # Nearly in the kernel of L: g is what rounding leaves, plus very little.
        V = np.linalg.eigh(program.matrix)[1][:, :1] + 1e-7 * rng.standard_normal((d, 1))
    bound = Fraction(certified_lower(program, V, order))
    low, high = exact_bounds(program, V, order)
    assert bound <= high
    assert not ordinary or bound >= low * (1 - Fraction(1, 10**6))
    for _ in range(5):
        r = np.empty(len(order))
        r[list(order)] = np.cumsum(10.0 ** rng.uniform(-4, 2, len(order)))
        cost = c_M_at(sdp(program.matrix, program.blocks, program.costs), r.min() / r)
        assert problem.overhead > 0 or bound <= cost * (1 + 1e-12)


def scaled_program(matrix: Any, count: int = 1) -> FixedOrderProgram:
    """A program in its own units, with costs 1."""
    blocks = Blocks([matrix.shape[0] // count] * count)
    return FixedOrderProgram(np.asarray(matrix), None, blocks, np.ones(count), 0.0, Fraction(1))


def test_room_grows_with_the_number_of_terms(
    staircase: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums over rows of L round upwards, then sums over columns of the factor, in an order numpy
    may choose.
    """

    def from_left_to_right(values: FloatArray, starts: Any) -> FloatArray:
        return np.cumsum(np.cumsum(values, axis=0)[-1])[-1:].reshape(1, 1)

    module = import_module("rpttheory.search.orders.fixed_order_program")
    monkeypatch.setattr(module, "block_sums", from_left_to_right)
    matrix, x = staircase(200)
    terms = zip(matrix[0].tolist(), x.tolist(), strict=True)
    length = sum(Fraction(a) ** 2 for a in x.tolist())
    truth = (2 * sum(Fraction(a) * Fraction(b) for a, b in terms) - 1) / length
    bound = proved(scaled_program(matrix), x[:, None], (0,))
    assert truth * (1 - Fraction(1, 10**12)) <= bound <= truth
    row = np.full((1, 200), 2.0**-26.5 * (1 + 2.0**-20)).view(type(matrix))
    row[0, 0] = 1.0
    assert 1 - 1e-12 <= proved(scaled_program(np.ones((1, 1))), row, (0,)) <= 1


def test_tail_sums_that_cancel_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """w = v v' with a sum of v near 0: the sum over the whole is mostly rounding."""
    module = import_module("rpttheory.search.orders.fixed_order_program")
    program = scaled_program(np.eye(3), 3)
    for seed in range(100):
        v = np.append(np.random.default_rng(seed).uniform(0.5, 2, 2), 0.0)
        v[2] = 1e-8 - v.sum()
        w = np.outer(v, v)
        monkeypatch.setattr(module, "pair_weights", lambda program, V, w=w: (w, 1.0))
        exact = exactly(w)
        g = [sum(sum(row[rank:]) for row in exact[rank:]) for rank in range(4)]
        steps = [a - b for a, b in itertools.pairwise(g)]
        pools = pools_along([Fraction(1)] * 3, steps)
        high = sum_of_roots_squared(pools)[1] if g[0] >= 0 else 0
        assert certified_lower(program, np.eye(3), (0, 1, 2)) <= high


def test_a_set_that_proves_nothing_adds_nothing_to_the_others() -> None:
    """L = I and v = (1, e) with e^2 near the smallest number that counts: at best y = (1, 0), which
    proves 1.
    """
    for factor in (1.25, 1.5, 1.75, 2.5):
        V = np.array([[1.0], [np.sqrt(factor * TINY)]])
        assert 1 - 1e-12 <= certified_lower(scaled_program(np.eye(2), 2), V, (0, 1)) <= 1


@given(cases())
def test_bound_meets_cost(case: Any) -> None:
    problem, order = case
    program = fixed_order_program(problem)
    point, _ = minimize(program, order, tol=1e-7)
    bound = proved(program, point.factor, order)
    cost = c_M_at(problem, point.r.min() / point.r)
    assert (np.diff(point.r[list(order)]) >= 0).all()
    assert cost * (1 - 1e-5) <= bound <= cost * (1 + 1e-12)


@pytest.mark.parametrize(
    ("L", "V"),
    [
        (wishart(2), np.zeros((2, 1))),
        (wishart(2), np.full((2, 1), 1e40)),
        (wishart(2), np.full((2, 1), np.nan)),
        # Only the last tail fails, and with it every bound: r_2 may grow without limit.
        (np.array([[1.0, 2.0], [2.0, -1.0]]), np.array([[1.0], [0.2]])),
    ],
)
def test_bad_factors_prove_nothing(L: FloatArray, V: FloatArray) -> None:
    with np.errstate(invalid="ignore"):
        assert proved(fixed(L, (1, 1), [1.0, 1.0]), V, (0, 1)) == 0


def test_slack_of_a_rounded_gram_matrix_lowers_the_bound() -> None:
    A = np.random.default_rng(2).standard_normal((5, 4))
    program = fixed(gram(A, 0.3, 0.1), (2, 2), [0.5, 0.5])
    assert program.slack is not None
    wide = replace(program, slack=program.slack + 0.01)
    least = replace(program, matrix=program.matrix - 0.01 * np.eye(4), slack=None)
    low, middle, high = (proved(each, np.eye(4), (0, 1)) for each in (wide, least, program))
    assert low < middle < high and middle - low < 1e-5 * middle


@pytest.mark.parametrize("power", [-900, 0, 700])
def test_scaled_slack_is_rounded_up(power: int) -> None:
    """L and the costs are divided by powers of two, which `unit` undoes."""
    L = np.ldexp(wishart(4), power)
    slack = np.ldexp(np.array([1.0, 0.0, 3.0, 0.5]), power - 50)
    program = fixed(EntrywiseSmoothness(L, slack), (1, 3), [3.0, 0.5])
    assert program.slack is not None and program.costs.tolist() == [0.75, 0.125]
    assert 0.5 <= np.abs(program.matrix).max() < 1
    unit = program.unit / 4
    assert unit * Fraction(program.matrix[0, 0]) == Fraction(L[0, 0])
    for scaled, exact in zip(program.slack.tolist(), slack.tolist(), strict=True):
        least = Fraction(exact) / unit
        assert least < scaled <= least * (1 + Fraction(1, 2**50)) + Fraction(2) ** -1000
