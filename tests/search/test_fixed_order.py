"""One order: its program, its certificate and the primal-dual method, against definitions."""

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

from rpttheory import Blocks, NestedSampling, expected_clc
from rpttheory.numbers import Bracket
from rpttheory.problem.smoothness import EntrywiseSmoothness, gram
from rpttheory.search.orders.fixed_order_program import (
    TINY,
    FixedOrderProgram,
    certified_lower,
    fixed_order_program,
    lower_to_fit,
    pooled_slopes,
    tails,
)
from rpttheory.search.orders.interior_point import minimize

from .problems import FloatArray, c_M_at, sdp, wishart


def fixed(L: Any, sizes: Any, costs: Any, overhead: float = 0.0) -> FixedOrderProgram:
    return fixed_order_program(sdp(L, sizes, costs, overhead=overhead))


def proved(program: FixedOrderProgram, V: FloatArray, order: Any, y: Any) -> Fraction:
    """The certified bound, in the units of the problem."""
    return Fraction(certified_lower(program, V, tails(order), np.array(y))[0]) * program.unit


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_tails_make_the_second_moment_of_nested_sampling(order: tuple[int, ...]) -> None:
    L = wishart(6)
    blocks = Blocks((1, 3, 2))
    steps = np.array([1.0, 2.0, 5.0])
    r = tails(order) @ steps
    assert np.all(np.diff(r[list(order)]) > 0)
    ratio = (tails(order) * steps) @ tails(order).T
    np.testing.assert_allclose(
        L * ratio[blocks.labels][:, blocks.labels],
        expected_clc(L, blocks, sampling=NestedSampling(1 / r)),
        rtol=1e-14,
    )


@given(
    hnp.arrays(float, 5, elements=st.floats(0, 100)),
    hnp.arrays(float, 5, elements=st.floats(0.01, 10)),
)
def test_pooled_slopes_solve_the_ordered_problem(g: FloatArray, prices: FloatArray) -> None:
    """r = slope^-1/2 ascends, so it is admissible, and it attains the bound: both are optimal."""
    slopes = pooled_slopes(g, prices)
    y = slopes * prices
    assert (np.cumsum(y[::-1])[::-1] <= g * (1 + 1e-9) + 1e-9).all()
    assert (np.diff(slopes) <= 1e-9 * slopes.max(initial=1.0)).all()
    if (slopes > 1e-6).all():
        r = 1 / np.sqrt(slopes)
        attained = (r @ -np.diff(g, append=0.0)) * (prices / r).sum()
        assert attained == pytest.approx(np.sqrt(y * prices).sum() ** 2, rel=1e-6)


def test_lowering_never_breaks_what_holds() -> None:
    rows = np.array([[1.0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 0]])
    g = np.array([1.0, 3.0, 0.5, 0.0])
    y = lower_to_fit(np.array([1.0, 2.0, 3.0]), rows, g)
    assert (y @ rows <= g + 1e-15).all() and y[0] == 0 and y[1:].min() > 0


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


@given(cases(), st.integers(0, 2**32 - 1))
def test_certificate_holds_for_any_factor_and_any_multipliers(case: Any, seed: int) -> None:
    problem, order = case
    program = fixed_order_program(problem)
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((problem.blocks.dimension, rng.integers(1, 4)))
    bound = proved(program, V, order, 10.0 ** rng.uniform(-3, 3, program.prices.size))
    for _ in range(5):
        r = np.empty(len(order))
        r[list(order)] = np.cumsum(10.0 ** rng.uniform(-4, 2, len(order)))
        assert bound <= c_M_at(problem, r.min() / r) * (1 + 1e-12)


@given(cases(), st.integers(0, 2**32 - 1))
def test_certificate_in_exact_arithmetic(case: Any, seed: int) -> None:
    """y(T) <= g_T and the bound, in fractions, with factors made to cancel and over many
    magnitudes.
    """
    problem, order = case
    d = problem.blocks.dimension
    rng = np.random.default_rng(seed)
    scales = 10.0 ** rng.integers(-8, 1, d)
    L = problem.entries("test") * np.outer(scales, scales)
    blocks = problem.blocks.sizes
    program = fixed((L + L.T) / 2, blocks, problem.costs, problem.overhead)
    V = rng.standard_normal((d, 2)) * 10.0 ** rng.integers(-8, 8, (d, 1))
    if rng.random() < 0.5:
        # Nearly in the kernel of L: g is what rounding leaves, plus very little.
        V = np.linalg.eigh(program.matrix)[1][:, :1] + 1e-7 * rng.standard_normal((d, 1))
    sets = tails(order)
    bound, y = certified_lower(program, V, sets, 10.0 ** rng.uniform(-12, 3, program.prices.size))
    exact_V = [[Fraction(float(v)) for v in row] for row in V]
    label = program.blocks.labels
    for column, paid in zip(sets.T, program.rows(sets).T, strict=True):
        inside = [i for i in range(d) if column[label[i]]]
        g = sum(
            Fraction(float(program.matrix[i, j])) * a * b
            for i in inside
            for j in inside
            for a, b in zip(exact_V[i], exact_V[j], strict=True)
        )
        if bound > 0:
            assert sum(Fraction(float(v)) for v, held in zip(y, paid, strict=True) if held) <= g
    trace = Bracket.of_fraction(sum((v * v for row in exact_V for v in row), Fraction(0)))
    products = zip(y.tolist(), program.prices.tolist(), strict=True)
    roots = Bracket.sum([(Bracket.point(a) * b).sqrt() for a, b in products])
    assert Fraction(bound) <= (roots.squared() / trace).exact_upper


@pytest.mark.parametrize("noise", [1e-3, 1e-7, 1e-8, 3e-9, 0.0])
def test_factors_in_the_kernel_prove_next_to_nothing(noise: float) -> None:
    """L = w w' and one block: the bound is (w'v)^2 c / v'v, what remains where all terms cancel."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        w = rng.integers(1, 99, 9).astype(float)
        v = rng.standard_normal(9)
        v -= w * (w @ v) / (w @ w)
        v += noise * rng.standard_normal(9)
        product, length = (
            sum(Fraction(a) * Fraction(b) for a, b in zip(x, v, strict=True)) for x in (w, v)
        )
        bound = proved(fixed(np.outer(w, w), (9,), [0.7]), v[:, None], (0,), [1.0])
        truth = product**2 * Fraction(0.7) / length
        assert bound <= truth
        assert noise < 1e-3 or bound >= truth * Fraction(999, 1000)


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
    bound = proved(scaled_program(matrix), x[:, None], (0,), [1.0])
    assert truth * (1 - Fraction(1, 10**12)) <= bound <= truth
    row = np.full((1, 200), 2.0**-26.5 * (1 + 2.0**-20)).view(type(matrix))
    row[0, 0] = 1.0
    assert 1 - 1e-12 <= proved(scaled_program(np.ones((1, 1))), row, (0,), [1.0]) <= 1


def test_a_set_that_proves_nothing_adds_nothing_to_the_others() -> None:
    """L = I and v = (1, e) with e^2 near the smallest number that counts: at best y = (1, 0), which
    proves 1.
    """
    for factor in (1.25, 1.5, 1.75, 2.5):
        V = np.array([[1.0], [np.sqrt(factor * TINY)]])
        for y in ([1.9, 0.5], [1.0, 1.0], [1.0, 0.0], [0.5, 1e-6]):
            program = scaled_program(np.eye(2), 2)
            bound, fitted = certified_lower(program, V, tails((0, 1)), np.array(y))
            assert min(y[0], 1) * (1 - 1e-12) <= bound <= 1
            assert (fitted >= 0).all()


@given(cases())
def test_bound_meets_cost(case: Any) -> None:
    problem, order = case
    program = fixed_order_program(problem)
    point, _ = minimize(program, tails(order), tol=1e-7)
    bound = proved(program, point.factor, order, point.y)
    cost = c_M_at(problem, point.r.min() / point.r)
    assert (np.diff(point.r[list(order)]) >= 0).all()
    assert cost * (1 - 1e-5) <= bound <= cost * (1 + 1e-12)


def test_exact_optimum_of_a_diagonal_is_never_passed() -> None:
    exact = Fraction(7, 8) + Fraction(3, 4) + Fraction(5, 8)
    program = fixed(np.diag([7.0, 3.0, 1.0]), (1, 1, 1), [0.125, 0.25, 0.625])
    V = np.diag(np.sqrt([7 * 0.125, 3 * 0.25, 0.625]))
    best = np.array([49 * 0.125, 9 * 0.25, 0.625]) / 8  # <L_k, V V'> with L scaled by 1/8
    for y in (best, 8 * best, np.ones(3), np.full(3, 1e9)):
        assert 0 < proved(program, V, (0, 1, 2), y) <= exact
    assert proved(program, V, (0, 1, 2), best) > exact * (1 - Fraction(1, 10**12))


def test_overhead_needs_the_whole_set() -> None:
    program = fixed(wishart(2), (1, 1), [1.0, 1.0], overhead=5.0)
    bound, y = certified_lower(program, np.eye(2), np.eye(2), np.array([0.1, 0.1, 100.0]))
    assert y[2] == 0 and bound > 0


def test_bad_factors_prove_nothing() -> None:
    """In the last case only the last tail fails, and with it every bound: r_2 may grow without
    limit.
    """
    program = fixed(wishart(2), (1, 1), [1.0, 1.0])
    indefinite = fixed(np.array([[1.0, 2.0], [2.0, -1.0]]), (1, 1), [1.0, 1.0])
    assert proved(program, np.zeros((2, 1)), (0, 1), [1.0, 1.0]) == 0
    assert proved(program, np.full((2, 1), 1e40), (0, 1), [1.0, 1.0]) == 0
    assert proved(indefinite, np.array([[1.0], [0.2]]), (0, 1), [1.0, 1.0]) == 0


def test_slack_of_a_rounded_gram_matrix_lowers_the_bound() -> None:
    A = np.random.default_rng(2).standard_normal((5, 4))
    program = fixed(gram(A, 0.3, 0.1), (2, 2), [0.5, 0.5])
    assert program.slack is not None
    wide = replace(program, slack=program.slack + 0.01)
    least = replace(program, matrix=program.matrix - 0.01 * np.eye(4), slack=None)
    low, middle, high = (
        proved(each, np.eye(4), (0, 1), [1.0, 1.0]) for each in (wide, least, program)
    )
    assert low < middle < high and middle - low < 1e-5 * middle


def test_large_problem_takes_few_factorizations() -> None:
    program = fixed(wishart(60, 7), (1,) * 60, [1.0] * 60)
    order = tuple(np.random.default_rng(0).permutation(60).tolist())
    point, factorizations = minimize(program, tails(order), tol=1e-8)
    assert point.value - point.estimate <= 1e-8 * point.value and factorizations < 400


def test_target_stops_early_on_either_side() -> None:
    program = fixed(wishart(6, 4), (2, 2, 2), [0.2, 0.5, 0.3])
    sets = tails((0, 1, 2))
    full, spent = minimize(program, sets, tol=1e-10)
    easy, less = minimize(program, sets, tol=1e-10, target=0.8 * full.value)
    assert easy.estimate >= 0.8 * full.value and less < spent
    hopeless, less = minimize(program, sets, tol=1e-10, target=1.5 * full.value, settle=True)
    assert hopeless.value < 1.5 * full.value and less < spent


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
