"""The least c_M over orders: degenerate and badly scaled inputs."""

import math

import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

from rpttheory.errors import InvalidInput
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.problem.smoothness import as_smoothness, gram
from rpttheory.search.program import Program

from .order_problems import TOL, FloatArray, cost_at, instance, make_program, solve


@pytest.mark.parametrize("power", [500, -500])
def test_powers_of_two_change_nothing(power: int) -> None:
    problem = instance("random", (2, 1, 2))
    explicit = problem.smoothness.explicit()
    assert explicit is not None
    plain = solve(problem)
    scaled = solve(make_program(np.ldexp(explicit.matrix, power), (2, 1, 2), problem.costs))
    assert scaled.order == plain.order
    assert math.ldexp(scaled.lower, -power) == pytest.approx(plain.lower, rel=1e-12)
    assert math.ldexp(scaled.upper, -power) == pytest.approx(plain.upper, rel=1e-12)
    dear = solve(make_program(explicit.matrix, (2, 1, 2), np.ldexp(problem.costs, power)))
    assert math.ldexp(dear.lower, -power) == pytest.approx(plain.lower, rel=1e-12)


@pytest.mark.parametrize("costs", [(1e-12, 1e-6, 1e-3, 1.0), (1.0, 1e-9, 1e-12, 1e-4)])
def test_costs_over_twelve_orders_of_magnitude(costs: tuple[float, ...]) -> None:
    plain = instance("random", (1, 2, 1, 2))
    problem = Program(plain.smoothness, plain.blocks, np.array(costs))
    found = solve(problem)
    assert found.gap <= TOL and found.order_proved
    assert cost_at(problem, found.probabilities) == pytest.approx(found.upper, rel=1e-9)


@pytest.mark.parametrize("grade", [1e-3, 1e-9, 1e-13])
def test_graded_blocks(grade: float) -> None:
    plain = instance("random", (2, 2, 2))
    explicit = plain.smoothness.explicit()
    assert explicit is not None
    scale = np.repeat([grade, 1.0, math.sqrt(grade)], 2)
    found = solve(make_program(explicit.matrix * np.outer(scale, scale), (2, 2, 2), plain.costs))
    assert found.gap <= TOL and found.order.rank_to_block == (1, 2, 0)


@pytest.mark.parametrize("overhead", [0.0, 1.0])
def test_zero_block_goes_last_at_the_floor(overhead: float) -> None:
    plain = instance("random", (1, 2, 2))
    explicit = plain.smoothness.explicit()
    assert explicit is not None
    L = explicit.matrix.copy()
    L[1:3] = 0
    L[:, 1:3] = 0
    found = solve(make_program(L, (1, 2, 2), plain.costs, overhead=overhead))
    kept = [0, 3, 4]
    alone = solve(
        make_program(L[np.ix_(kept, kept)], (1, 2), plain.costs[[0, 2]], overhead=overhead)
    )
    assert found.gap <= TOL and "no minimum is attained" in found.message
    assert found.order.rank_to_block[-1] == 1 and 0 < found.probabilities[1] <= 1e-12
    assert found.lower <= alone.upper and alone.lower <= found.upper


def test_two_zero_blocks_of_different_cost_keep_the_order() -> None:
    """The floor depends on the cost, the order does not."""
    L = np.zeros((4, 4))
    L[:2, :2] = [[2.0, 1.0], [1.0, 3.0]]
    found = solve(make_program(L, (1, 1, 1, 1), [1.0, 1.0, 100.0, 0.1]))
    assert found.gap <= TOL and (np.diff(found.order.by_rank(found.probabilities)) <= 0).all()


def test_zero_block_inside_a_forced_order_is_paid_for() -> None:
    """A zero block that must come early has at least the probability of what follows."""
    L = np.zeros((3, 3))
    L[np.ix_([0, 2], [0, 2])] = [[2.0, 1.0], [1.0, 3.0]]
    problem = make_program(L, (1, 1, 1), [0.3, 0.3, 0.4], order=BlockOrder((0, 1, 2)))
    found = solve(problem)
    merged = solve(
        make_program(
            np.array([[2.0, 1.0], [1.0, 3.0]]), (1, 1), [0.3, 0.7], order=BlockOrder((0, 1))
        )
    )
    assert found.gap <= TOL and found.lower <= merged.upper and merged.lower <= found.upper
    assert found.probabilities[1] >= found.probabilities[2]
    last = solve(make_program(L, (1, 1, 1), [0.3, 0.3, 0.4], order=BlockOrder((0, 2, 1))))
    assert last.probabilities[1] <= 1e-12 and last.upper < found.lower


@pytest.mark.parametrize("L", [np.zeros((3, 3)), np.ones((3, 3))])
def test_one_block(L: FloatArray) -> None:
    found = solve(make_program(L, (3,), [2.0]))
    assert found.order_proved and found.order.rank_to_block == (0,)
    assert found.lower <= 2 * L.sum() / 3 <= found.upper and found.gap < 1e-12


def test_zero_matrix_costs_nothing() -> None:
    found = solve(make_program(np.zeros((3, 3)), (1, 2), [0.5, 0.5]))
    assert found.lower == found.upper == 0 and found.order_proved


def test_gram_form_and_operator() -> None:
    A = np.random.default_rng(3).integers(-5, 6, (4, 6)).astype(float)
    blocks = Blocks((2, 2, 2))
    costs = np.array([0.2, 0.3, 0.5])
    dense = solve(make_program(A.T @ A, (2, 2, 2), costs))
    formed = solve(Program(gram(A), blocks, costs))
    assert formed.gap <= TOL and formed.lower <= dense.upper and dense.lower <= formed.upper
    with pytest.raises(InvalidInput, match="entries of L"):
        solve(Program(as_smoothness(aslinearoperator(A.T @ A)), blocks, costs))
    with pytest.raises(InvalidInput, match="positive semidefinite"):
        solve(make_program(np.array([[0.0, 1.0], [1.0, 0.0]]), (1, 1), [1.0, 1.0]))


def test_rounding_indefinite_input_gets_a_sound_bracket() -> None:
    """Not quite positive semidefinite, with an overhead: nothing may rely on exact definiteness."""
    A = np.random.default_rng(5).standard_normal((2, 5))
    L = A.T @ A
    L = (L + L.T) / 2 - 1e-15 * np.eye(5)
    assert np.linalg.eigvalsh(L)[0] < 0
    problem = make_program(L, (1,) * 5, np.ones(5), overhead=3.0)
    found = solve(problem)
    assert 0 < found.lower <= cost_at(problem, found.probabilities) * (1 + 1e-12)
    assert found.lower >= 3 * np.linalg.eigvalsh(L)[-1]
