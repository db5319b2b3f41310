"""The oracle that tries every order and knows nothing of the hidden convexity."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.sparse.linalg import aslinearoperator

from rpttheory.errors import InvalidInput
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.problem.quantities import block_smoothness
from rpttheory.search import exhaustive
from rpttheory.search.judge import Judge
from rpttheory.search.program import make_program

from .order_problems import gram_matrix


def judged(
    L: Any, sizes: tuple[int, ...], costs: list[float] | None = None, **extras: Any
) -> Judge:
    judge = Judge(make_program(L, Blocks(sizes), costs, **extras), 1e-6)
    exhaustive.solve(judge, np.random.default_rng(0))
    return judge


@pytest.mark.parametrize(
    ("w", "costs"),
    [
        ([3.0, -1.0, 2.0], [1.0, 4.0, 9.0]),
        ([1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 16.0]),
        ([5.0, 1.0], [4.0, 1.0]),
    ],
)
def test_rank_one_optimum(w: list[float], costs: list[float]) -> None:
    """(sum sqrt(c_k) |w_k|)^2, with p_k proportional to |w_k| / sqrt(c_k)."""
    judge = judged(np.outer(w, w), (1,) * len(w), costs)
    assert judge.upper == pytest.approx(np.sum(np.sqrt(costs) * np.abs(w)) ** 2, rel=1e-9)
    assert judge.best is not None
    p = np.abs(w) / np.sqrt(costs)
    assert judge.best.probabilities == pytest.approx(p / p.max(), rel=1e-3)


def test_kinks_do_not_stop_it() -> None:
    """Block-diagonal L: at the optimum all blocks' eigenvalues meet, so c(P) has a kink there."""
    judge = judged(np.diag([7.0, 3.0, 5.0, 1.0]), (1, 1, 1, 1), [0.1, 0.2, 0.3, 0.4])
    assert judge.upper == pytest.approx(0.7 + 0.6 + 1.5 + 0.4, rel=1e-7)


def test_the_lower_bound_is_the_blocks_own() -> None:
    """sum c_k L_k and nothing better: the oracle has no dual."""
    L = gram_matrix(5)
    costs = [0.2, 0.3, 0.5]
    judge = judged(L, (1, 2, 2), costs)
    constants = [bracket.midpoint for bracket in block_smoothness(L, Blocks((1, 2, 2)))]
    assert judge.lower == pytest.approx(np.dot(costs, constants), rel=1e-12) and not judge.satisfied


def test_the_orders_are_those_of_the_problem() -> None:
    free = make_program(np.eye(3), Blocks((1, 1, 1)))
    assert len(set(exhaustive._orders(free))) == 6
    forced = make_program(np.eye(3), Blocks((1, 1, 1)), order=BlockOrder((1, 2, 0)))
    assert list(exhaustive._orders(forced)) == [(1, 2, 0)]


def test_a_forced_order_allows_many_blocks() -> None:
    judge = judged(np.diag(np.arange(8.0, 0.0, -1.0)), (1,) * 8, order=BlockOrder(range(8)))
    assert judge.upper == pytest.approx(4.5, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scale_does_not_matter(scale: float) -> None:
    plain = judged(gram_matrix(4), (1, 1, 2)).upper
    assert judged(gram_matrix(4) * scale, (1, 1, 2)).upper == pytest.approx(plain * scale, rel=1e-8)


def test_degenerate_matrices() -> None:
    assert judged(np.zeros((3, 3)), (1, 2)).upper == 0.0
    single = judged(np.array([[7.0]]), (1,), [2.0])
    assert single.lower <= 14.0 <= single.upper and single.satisfied
    hollow = judged(np.diag([4.0, 0.0]), (1, 1), [0.5, 0.5])
    assert hollow.upper == pytest.approx(2.0, rel=1e-9)


def test_too_many_blocks_are_refused() -> None:
    with pytest.raises(InvalidInput, match="every order") as caught:
        judged(np.eye(7), (1,) * 7)
    assert "7" in caught.value.found and "interior-point" in caught.value.remedy


def test_operators_are_refused() -> None:
    with pytest.raises(InvalidInput, match="entries of L"):
        judged(aslinearoperator(gram_matrix(4)), (2, 2))


def test_equal_seeds_give_equal_answers() -> None:
    first = judged(gram_matrix(4), (1, 1, 2))
    second = judged(gram_matrix(4), (1, 1, 2))
    assert first.best is not None and second.best is not None
    assert first.best.probabilities.tolist() == second.best.probabilities.tolist()


@pytest.mark.parametrize("smoothing", [0.3, 0.03])
@pytest.mark.parametrize("overhead", [0.0, 0.7])
def test_gradient(smoothing: float, overhead: float) -> None:
    problem = make_program(
        gram_matrix(6), Blocks((1, 2, 1, 2)), [0.1, 0.2, 0.3, 0.4], overhead=overhead
    )
    search = exhaustive._Search(problem, gram_matrix(6))
    evaluate = search._smoothed(np.array([2, 0, 3, 1]), smoothing)
    y = np.array([0.3, 0.8, 0.2])
    assert check_grad(lambda y: evaluate(y)[0], lambda y: evaluate(y)[1], y) < 1e-5


def test_smoothing_tends_to_the_true_cost() -> None:
    search = exhaustive._Search(
        make_program(gram_matrix(6), Blocks((1, 2, 3)), overhead=0.7), gram_matrix(6)
    )
    ranks = np.array([1, 2, 0])
    y = np.array([0.4, 0.1])
    truth = search._log_cost(y, ranks)
    errors = [search._smoothed(ranks, s)(y)[0] - truth for s in (0.3, 0.1, 0.03)]
    assert errors[0] > errors[1] > errors[2] > -1e-12
    assert search._smoothed(ranks, 1e-6)(y)[0] == pytest.approx(truth, abs=1e-5)


def test_interruption_leaves_a_bracket() -> None:
    calls: list[float] = []

    def stop(lower: float, upper: float) -> None:
        calls.append(upper)
        if len(calls) == 3:
            raise KeyboardInterrupt

    judge = Judge(make_program(gram_matrix(4), Blocks((1, 1, 2))), 1e-6, stop)
    with pytest.raises(KeyboardInterrupt):
        exhaustive.solve(judge, np.random.default_rng(0))
    assert judge.best is not None and judge.dual is not None
    assert 0 < judge.lower <= judge.upper == min(calls)
