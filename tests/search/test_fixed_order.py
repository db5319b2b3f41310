"""One order: the nested problem, its certificate and the primal-dual method, against
definitions.
"""

import itertools
from fractions import Fraction
from importlib import import_module
from typing import Any

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from scipy.optimize import minimize

from rpttheory import Blocks, NestedSampling, expected_clc
from rpttheory.errors import InvalidInput
from rpttheory.numbers import Bracket
from rpttheory.problem.smoothness import DenseSmoothness, as_smoothness, gram
from rpttheory.search.fixed_order import minimise
from rpttheory.search.nested import (
    TINY,
    Nested,
    certified_lower,
    lower_to_fit,
    nested_problem,
    pooled_slopes,
    tails,
)
from rpttheory.search.program import Program

FloatArray = NDArray[np.float64]
THREE_CYCLE = (1, 2, 0)


def make_nested(
    L: FloatArray, sizes: tuple[int, ...], costs: list[float], overhead: float = 0.0
) -> Nested:
    return nested_problem(Program(as_smoothness(L), Blocks(sizes), np.array(costs), overhead))


def definition(
    L: FloatArray, sizes: tuple[int, ...], costs: list[float], r: FloatArray, overhead: float = 0.0
) -> float:
    """lambda_max(E[CLC]) (c_0 + sum p c) at p = min r / r, entry by entry."""
    p = np.repeat(r.min() / r, sizes)
    moment = L / np.maximum(p[:, None], p[None, :])
    return float(
        np.linalg.eigvalsh(moment)[-1] * (overhead + (np.array(costs) * (r.min() / r)).sum())
    )


def brute_force(
    L: FloatArray, sizes: tuple[int, ...], costs: list[float], order: tuple[int, ...]
) -> float:
    """The least cost along one order by a simplex search that knows nothing of convexity."""

    def cost(steps: FloatArray) -> float:
        r = np.empty(len(order))
        r[list(order)] = np.exp(np.cumsum(np.append(0.0, np.abs(steps))))
        return definition(L, sizes, costs, r)

    best = np.inf
    for start in (0.1, 1.0):
        x = np.full(len(order) - 1, start)
        for _ in range(3):
            x = minimize(
                cost,
                x,
                method="Nelder-Mead",
                options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 400},
            ).x
        best = min(best, cost(x))
    return best


def wishart(seed: int, d: int, scales: list[float] | None = None) -> FloatArray:
    A = np.random.default_rng(seed).integers(-9, 10, (d, d)).astype(float)
    return (A.T @ A) * (1.0 if scales is None else np.outer(scales, scales))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_tails_make_the_second_moment_of_the_nested_sampling(order: tuple[int, ...]) -> None:
    L = wishart(0, 6)
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
    slopes = pooled_slopes(g, prices)
    y = slopes * prices
    assert (np.cumsum(y[::-1])[::-1] <= g * (1 + 1e-9) + 1e-9).all()
    # r = slope^-1/2 ascends, so it is admissible, and it attains the bound: both are optimal.
    assert (np.diff(slopes) <= 1e-9 * slopes.max(initial=1.0)).all()
    positive = slopes > 1e-6
    r = 1 / np.sqrt(slopes[positive])
    h = -np.diff(g, append=0.0)[positive]
    if positive.all():
        attained = (r @ h) * (prices / r).sum()
        assert attained == pytest.approx(np.sqrt(y * prices).sum() ** 2, rel=1e-6)


def test_lowering_never_breaks_what_holds() -> None:
    rows = np.array([[1.0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 0]])
    g = np.array([1.0, 3.0, 0.5, 0.0])
    y = lower_to_fit(np.array([1.0, 2.0, 3.0]), rows, g)
    assert (y @ rows <= g + 1e-15).all() and y[0] == 0 and y[1:].min() > 0


@st.composite
def nested_cases(
    draw: st.DrawFn,
) -> tuple[FloatArray, tuple[int, ...], list[float], float, tuple[int, ...]]:
    sizes = draw(st.sampled_from([(1, 1), (2, 1), (1, 1, 1), (2, 1, 3), (1, 2, 1, 1)]))
    A = draw(hnp.arrays(float, (draw(st.integers(1, 4)), sum(sizes)), elements=st.integers(-5, 5)))
    costs = draw(
        st.lists(
            st.sampled_from([1e-6, 0.1, 0.5, 1.0, 3.0]), min_size=len(sizes), max_size=len(sizes)
        )
    )
    overhead = draw(st.sampled_from([0.0, 0.3, 10.0]))
    order = tuple(draw(st.permutations(range(len(sizes)))))
    A = A + 0.0
    A[0, A.any(axis=0) == 0] = 1.0  # no zero blocks: they are set aside before
    return A.T @ A, sizes, costs, overhead, order


@given(nested_cases(), st.integers(0, 2**32 - 1))
def test_certificate_holds_for_any_factor_and_any_multipliers(case, seed: int) -> None:
    L, sizes, costs, overhead, order = case
    nested = make_nested(L, sizes, costs, overhead)
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((sum(sizes), rng.integers(1, 4)))
    y = 10.0 ** rng.uniform(-3, 3, nested.prices.size)
    bound = certified_lower(nested, V, tails(order), y)[0] * float(nested.unit)
    for _ in range(5):
        r = np.empty(len(sizes))
        r[list(order)] = np.cumsum(10.0 ** rng.uniform(-4, 2, len(sizes)))
        assert bound <= definition(L, sizes, costs, r, overhead) * (1 + 1e-12)


@given(nested_cases(), st.integers(0, 2**32 - 1))
def test_certificate_in_exact_arithmetic(case, seed: int) -> None:
    """y(T) <= g_T and the bound, in fractions, with factors made to cancel and over many
    magnitudes.
    """
    L, sizes, costs, overhead, order = case
    rng = np.random.default_rng(seed)
    L = L * np.outer(*[10.0 ** rng.integers(-8, 1, sum(sizes))] * 2)
    nested = make_nested((L + L.T) / 2, sizes, costs, overhead)
    V = rng.standard_normal((sum(sizes), 2)) * 10.0 ** rng.integers(-8, 8, (sum(sizes), 1))
    if rng.random() < 0.5:
        # Nearly in the kernel of L: g is what rounding leaves, plus very little.
        V = np.linalg.eigh(nested.matrix)[1][:, :1] + 1e-7 * rng.standard_normal((sum(sizes), 1))
    sets = tails(order)
    bound, y = certified_lower(nested, V, sets, 10.0 ** rng.uniform(-12, 3, nested.prices.size))
    exact_V = [[Fraction(float(v)) for v in row] for row in V]
    label = nested.blocks.labels
    rows = nested.rows(sets)
    for column, paid in zip(sets.T, rows.T, strict=True):
        inside = [i for i in range(sum(sizes)) if column[label[i]]]
        g = sum(
            Fraction(float(nested.matrix[i, j])) * a * b
            for i in inside
            for j in inside
            for a, b in zip(exact_V[i], exact_V[j], strict=True)
        )
        if bound > 0:
            assert sum(Fraction(float(v)) for v, held in zip(y, paid, strict=True) if held) <= g
    trace = Bracket.of_fraction(sum((v * v for row in exact_V for v in row), Fraction(0)))
    roots = [
        (Bracket.point(float(a)) * float(b)).sqrt() for a, b in zip(y, nested.prices, strict=True)
    ]
    assert Fraction(bound) <= (Bracket.sum(roots).squared() / trace).high


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
        nested = make_nested(np.outer(w, w), (9,), [0.7])
        bound = (
            Fraction(certified_lower(nested, v[:, None], tails((0,)), np.ones(1))[0]) * nested.unit
        )
        truth = product**2 * Fraction(0.7) / length
        assert bound <= truth
        if noise == 1e-3:
            assert bound >= truth * Fraction(999, 1000)


def test_room_grows_with_the_number_of_terms(
    staircase: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums over rows of L round upwards, then sums over columns of the factor, in an order numpy
    may choose.
    """

    def from_left_to_right(values: FloatArray, starts: Any) -> FloatArray:
        return np.cumsum(np.cumsum(values, axis=0)[-1])[-1:].reshape(1, 1)

    monkeypatch.setattr(import_module("rpttheory.search.nested"), "block_sums", from_left_to_right)
    matrix, x = staircase(200)
    truth = (
        2
        * sum(
            Fraction(a) * Fraction(b) for a, b in zip(matrix[0].tolist(), x.tolist(), strict=True)
        )
        - 1
    )
    column = Nested(np.asarray(matrix), None, Blocks((200,)), np.ones(1), 0.0, Fraction(1))
    bound = Fraction(certified_lower(column, x[:, None], tails((0,)), np.ones(1))[0])
    length = sum(Fraction(a) ** 2 for a in x.tolist())
    assert truth / length * (1 - Fraction(1, 10**12)) <= bound <= truth / length
    row = np.full((1, 200), 2.0**-26.5 * (1 + 2.0**-20)).view(type(matrix))
    row[0, 0] = 1.0
    scalar = Nested(np.ones((1, 1)), None, Blocks((1,)), np.ones(1), 0.0, Fraction(1))
    assert 1 - 1e-12 <= certified_lower(scalar, row, tails((0,)), np.ones(1))[0] <= 1


def test_a_set_that_proves_nothing_adds_nothing_to_the_others() -> None:
    """L = I and v = (1, e) with e^2 near the smallest number that counts: at best y = (1, 0), which
    proves 1.
    """
    nested = Nested(np.eye(2), None, Blocks((1, 1)), np.ones(2), 0.0, Fraction(1))
    for factor in (1.25, 1.5, 1.75, 2.5):
        V = np.array([[1.0], [np.sqrt(factor * TINY)]])
        for y in ([1.9, 0.5], [1.0, 1.0], [1.0, 0.0], [0.5, 1e-6]):
            bound, fitted = certified_lower(nested, V, tails((0, 1)), np.array(y))
            assert min(y[0], 1) * (1 - 1e-12) <= bound <= 1
            assert (fitted >= 0).all()


@given(nested_cases())
def test_bound_meets_cost(case) -> None:
    L, sizes, costs, overhead, order = case
    nested = make_nested(L, sizes, costs, overhead)
    point, _ = minimise(nested, tails(order), tol=1e-7)
    bound = certified_lower(nested, point.factor, tails(order), point.y)[0] * float(nested.unit)
    cost = definition(L, sizes, costs, point.r, overhead)
    assert (np.diff(point.r[list(order)]) >= 0).all() and cost * (1 - 1e-5) <= bound <= cost * (
        1 + 1e-12
    )


@pytest.mark.parametrize("order", [(0, 1, 2), THREE_CYCLE, (2, 0, 1)])
@pytest.mark.parametrize("scales", [[1.0] * 6, [1, 1, 9, 9, 0.1, 0.1]])
def test_agrees_with_a_search_that_knows_nothing(
    order: tuple[int, ...], scales: list[float]
) -> None:
    L = wishart(3, 6, scales)
    sizes = (2, 2, 2)
    costs = [0.2, 0.5, 0.3]
    nested = make_nested(L, sizes, costs)
    point, _ = minimise(nested, tails(order), tol=1e-9)
    bound = certified_lower(nested, point.factor, tails(order), point.y)[0] * float(nested.unit)
    found = brute_force(L, sizes, costs, order)
    assert bound <= found * (1 + 1e-12) and found == pytest.approx(bound, rel=1e-4)


def test_wrong_reading_of_an_order_claims_too_much() -> None:
    """The inverse of a 3-cycle is another order: its certificate would refute the truth."""
    L = np.diag([9.0, 4.0, 1.0]) + 0.5
    sizes = (1, 1, 1)
    costs = [0.2, 0.3, 0.5]
    nested = make_nested(L, sizes, costs)
    inverse = tuple(int(k) for k in np.argsort(THREE_CYCLE))
    bounds = {}
    for order in (THREE_CYCLE, inverse):
        point, _ = minimise(nested, tails(order), tol=1e-9)
        bounds[order] = certified_lower(nested, point.factor, tails(order), point.y)[0] * float(
            nested.unit
        )
        assert bounds[order] == pytest.approx(brute_force(L, sizes, costs, order), rel=1e-4)
    assert max(bounds.values()) > 1.05 * min(bounds.values())


def test_exact_optimum_of_a_diagonal_is_never_passed() -> None:
    values = [Fraction(7), Fraction(3), Fraction(1)]
    costs = [Fraction(1, 8), Fraction(1, 4), Fraction(5, 8)]
    exact = sum(v * c for v, c in zip(values, costs, strict=True))
    nested = make_nested(np.diag([7.0, 3.0, 1.0]), (1, 1, 1), [0.125, 0.25, 0.625])
    V = np.diag(np.sqrt([7 * 0.125, 3 * 0.25, 0.625]))
    best = np.array([49 * 0.125, 9 * 0.25, 0.625]) / 8  # <L_k, V V'> with L scaled by 1/8
    for y in (best, 8 * best, np.ones(3), np.full(3, 1e9)):
        bound = Fraction(certified_lower(nested, V, tails((0, 1, 2)), y)[0]) * nested.unit
        assert 0 < bound <= exact
    bound = Fraction(certified_lower(nested, V, tails((0, 1, 2)), best)[0]) * nested.unit
    assert bound > exact * (1 - Fraction(1, 10**12))


def test_overhead_needs_the_whole_set() -> None:
    nested = make_nested(wishart(1, 2), (1, 1), [1.0, 1.0], overhead=5.0)
    bound, y = certified_lower(nested, np.eye(2), np.eye(2), np.array([0.1, 0.1, 100.0]))
    assert y[2] == 0 and bound > 0


def test_bad_factors_prove_nothing() -> None:
    nested = make_nested(wishart(1, 2), (1, 1), [1.0, 1.0])
    sets = tails((0, 1))
    assert certified_lower(nested, np.zeros((2, 1)), sets, np.ones(2))[0] == 0
    assert certified_lower(nested, np.full((2, 1), 1e40), sets, np.ones(2))[0] == 0
    indefinite = make_nested(np.array([[1.0, 2.0], [2.0, -1.0]]), (1, 1), [1.0, 1.0])
    # Only the last tail fails here, and with it every bound: r_2 may grow without limit.
    assert certified_lower(indefinite, np.array([[1.0], [0.2]]), sets, np.ones(2))[0] == 0


def test_slack_of_a_rounded_gram_matrix_lowers_the_bound() -> None:
    A = np.random.default_rng(2).standard_normal((5, 4))
    problem = Program(gram(A, 0.3, 0.1), Blocks((2, 2)), np.array([0.5, 0.5]))
    nested = nested_problem(problem)
    assert nested.slack is not None
    V = np.eye(4)
    with_slack = certified_lower(nested, V, tails((0, 1)), np.ones(2))[0]
    wide = Nested(nested.matrix, nested.slack + 0.01, nested.blocks, nested.costs, 0.0, nested.unit)
    least = Nested(
        nested.matrix - 0.01 * np.eye(4), None, nested.blocks, nested.costs, 0.0, nested.unit
    )
    bounds = [certified_lower(one, V, tails((0, 1)), np.ones(2))[0] for one in (wide, least)]
    assert bounds[0] < bounds[1] < with_slack and bounds[1] - bounds[0] < 1e-5 * bounds[1]


def test_large_problem_takes_few_factorisations() -> None:
    nested = make_nested(wishart(7, 60), (1,) * 60, [1.0] * 60)
    order = tuple(np.random.default_rng(0).permutation(60).tolist())
    point, factorisations = minimise(nested, tails(order), tol=1e-8)
    assert point.value - point.estimate <= 1e-8 * point.value and factorisations < 400


def test_target_stops_early_on_either_side() -> None:
    nested = make_nested(wishart(4, 6), (2, 2, 2), [0.2, 0.5, 0.3])
    sets = tails((0, 1, 2))
    full, spent = minimise(nested, sets, tol=1e-10)
    easy, less = minimise(nested, sets, tol=1e-10, target=0.8 * full.value)
    assert easy.estimate >= 0.8 * full.value and less < spent
    hopeless, less = minimise(nested, sets, tol=1e-10, target=1.5 * full.value, settle=True)
    assert hopeless.value < 1.5 * full.value and less < spent


@pytest.mark.parametrize(("power", "price"), [(0, 0), (-900, 300), (700, -800), (3, -1000)])
@pytest.mark.parametrize("overhead", [0.0, 0.25, 96.0])
def test_scaling_by_powers_of_two_changes_no_digit(power: int, price: int, overhead: float) -> None:
    A = np.random.default_rng(3).integers(-9, 10, (3, 4)).astype(float)
    costs = np.array([3.0, 0.5])
    sizes = (1, 3)
    plain = make_nested(-(A.T @ A), sizes, costs.tolist(), overhead)
    moved = make_nested(
        np.ldexp(-(A.T @ A), power),
        sizes,
        np.ldexp(costs, price).tolist(),
        np.ldexp(overhead, price),
    )
    assert (
        0.5 <= np.abs(plain.matrix).max() < 1 and 0.5 <= max(plain.costs.max(), plain.overhead) < 1
    )
    for a, b in (
        (plain.matrix, moved.matrix),
        (plain.costs, moved.costs),
        (plain.overhead, moved.overhead),
    ):
        np.testing.assert_array_equal(a, b)
    form = DenseSmoothness(
        np.ldexp(A.T @ A, power), np.ldexp(np.array([1.0, 0.0, 3.0, 0.5]), power - 50)
    )
    slack = nested_problem(Program(form, Blocks(sizes), costs)).slack
    assert slack is not None
    most = (
        Fraction(2) ** power
        / plain.unit
        * Fraction(2) ** int(np.frexp(max(*costs, overhead))[1] - 50)
    )
    for own, factor in zip(
        slack.tolist(), (Fraction(1), Fraction(0), Fraction(3), Fraction(1, 2)), strict=True
    ):
        exactly = factor * most / Fraction(2) ** power
        assert exactly < own <= exactly * (1 + Fraction(1, 2**50)) + Fraction(2) ** -1000
    assert moved.unit == plain.unit * Fraction(2) ** (power + price)
    largest = max(*costs, overhead)
    assert plain.unit * Fraction(float(np.abs(plain.matrix).max())) * Fraction(
        float(max(plain.costs.max(), plain.overhead))
    ) == Fraction(float(np.abs(A.T @ A).max())) * Fraction(float(largest))


def test_operator_is_refused() -> None:
    from scipy.sparse.linalg import aslinearoperator

    problem = Program(as_smoothness(aslinearoperator(np.eye(2) + 1)), Blocks((1, 1)), np.ones(2))
    with pytest.raises(InvalidInput, match="entries of L"):
        nested_problem(problem)
