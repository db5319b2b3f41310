"""The general conic solver as an oracle, and its refusal of what would not fit in memory."""

import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

from rpttheory.errors import InvalidInput
from rpttheory.numbers import Rigour
from rpttheory.problem.blocks import Blocks
from rpttheory.search import conic
from rpttheory.search.judge import Judge
from rpttheory.search.program import make_program

from .order_problems import gram_matrix


def judged(
    L: Any, sizes: tuple[int, ...], costs: list[float] | None = None, **extras: Any
) -> Judge:
    judge = Judge(make_program(L, Blocks(sizes), costs, **extras), 1e-6)
    conic.solve(judge)
    return judge


def test_rank_one_optimum() -> None:
    """(sum sqrt(c_k) |w_k|)^2 = (1 * 3 + 2 * 1 + 3 * 2)^2."""
    w = np.array([3.0, -1.0, 2.0])
    judge = judged(np.outer(w, w), (1, 1, 1), [1.0, 4.0, 9.0])
    assert judge.lower <= 121 <= judge.upper and judge.satisfied and judge.rigour is Rigour.ROUNDED


@pytest.mark.parametrize("d", [3, 12, 25])
def test_gap_closes(d: int) -> None:
    judge = judged(gram_matrix(d), (1, 1, d - 2))
    assert judge.lower <= judge.upper and judge.gap <= 1e-6


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scale_does_not_matter(scale: float) -> None:
    judge = judged(gram_matrix(5) * scale, (2, 3))
    plain = judged(gram_matrix(5), (2, 3))
    assert judge.gap <= 1e-6 and judge.upper == pytest.approx(plain.upper * scale, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_of_costs_does_not_matter(scale: float) -> None:
    judge, plain = (
        judged(gram_matrix(5), (2, 3), [0.3 * s, 0.7 * s], overhead=0.1 * s) for s in (scale, 1.0)
    )
    assert judge.gap <= 1e-6 and judge.upper == pytest.approx(plain.upper * scale, rel=1e-6)


def test_sparse_matrices_are_accepted_and_operators_refused() -> None:
    assert judged(sp.csr_array(gram_matrix(6)), (3, 3)).gap <= 1e-6
    with pytest.raises(InvalidInput, match="entries of L") as caught:
        judged(aslinearoperator(gram_matrix(4)), (2, 2))
    assert "subspace" in caught.value.remedy


@pytest.mark.parametrize(("d", "gigabytes"), [(100, 1.63), (200, 25.9), (2000, 256_000.0)])
def test_memory_estimate(d: int, gigabytes: float) -> None:
    """d = 200 was seen to exhaust 24 GB, d = 100 to fit."""
    assert conic.memory_needed(d) / 1e9 == pytest.approx(gigabytes, rel=0.01)


def test_what_would_not_fit_is_refused_before_anything_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(InvalidInput, match="memory") as caught:
        judged(np.eye(1000), (500, 500))
    assert "GB" in caught.value.found and "d = 1000" in caught.value.found
    assert "interior-point" in caught.value.remedy and "low-rank" in caught.value.remedy


def test_the_limit_is_the_memory_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conic, "available_bytes", lambda: conic.memory_needed(10) - 1)
    conic.require_room(9)
    with pytest.raises(InvalidInput, match="memory"):
        conic.require_room(10)


def test_the_second_solver_is_believed_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """SCS may leave an infeasible q; the bracket holds all the same."""
    w = np.array([3.0, -1.0, 2.0])
    monkeypatch.setattr(
        conic, "_solvers", lambda installed, gap: [("SCS", {"eps_abs": 1e-2, "eps_rel": 1e-2})]
    )
    judge = judged(np.outer(w, w), (1, 1, 1), [1.0, 4.0, 9.0])
    assert judge.lower <= 121 <= judge.upper and 1e-9 < judge.gap < 0.2


def test_a_solver_cut_short_is_no_cause_for_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """cvxpy warns of an inaccurate solution; here the bracket says how inaccurate, and warnings are
    errors.
    """
    monkeypatch.setattr(conic, "_solvers", lambda installed, gap: [("SCS", {"max_iters": 10})])
    judge = judged(gram_matrix(6), (1, 2, 3))
    monkeypatch.undo()
    truth = judged(gram_matrix(6), (1, 2, 3))
    assert judge.lower <= truth.upper and truth.lower <= judge.upper and judge.gap > truth.gap


def test_without_a_solver_the_remedy_is_named() -> None:
    assert [name for name, _ in conic._solvers(["OSQP", "SCS", "CLARABEL"], 1e-8)] == [
        "CLARABEL",
        "SCS",
    ]
    assert [name for name, _ in conic._solvers(["OSQP", "SCS"], 1e-8)] == ["SCS"]
    with pytest.raises(InvalidInput, match="solver") as caught:
        conic._solvers(["OSQP"], 1e-8)
    assert "OSQP" in caught.value.found and "interior-point" in caught.value.remedy


@pytest.mark.parametrize(
    "answer", [(None, None), (np.array([np.nan, 1.0]), None), (np.array([2.0, 1.0]), None)]
)
def test_a_solver_that_gives_up_leaves_gradient_descent(
    monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    monkeypatch.setattr(conic, "_solve_scaled", lambda problem, matrix, gap: answer)
    judge = judged(np.diag([2.0, 1.0]), (1, 1), [0.5, 0.5])
    assert judge.best is not None and judge.dual is not None and judge.lower <= 1.5 <= judge.upper
    assert judge.upper == pytest.approx(1.5 if answer[0] is not None and answer[0][0] == 2 else 2.0)


def test_a_solver_that_fails_is_followed_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    import cvxpy

    asked: list[str] = []

    def fail(self: Any, solver: str, **options: Any) -> None:
        asked.append(solver)
        raise cvxpy.error.SolverError("no")

    monkeypatch.setattr(cvxpy.Problem, "solve", fail)
    judge = judged(np.diag([2.0, 1.0]), (1, 1), [0.5, 0.5])
    assert asked[0] == "CLARABEL" and asked[-1] == "SCS"
    assert judge.lower <= 1.5 <= judge.upper == pytest.approx(2.0)
