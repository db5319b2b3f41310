"""The certified global optimum of c(P): one entry for all routes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InvalidInput, OutOfTime
from ..numbers import Bracket, Rigour
from ..numbers.checks import read_only
from ..problem.blocks import BlockOrder, BlocksLike
from ..problem.problem import Problem, as_problem
from ..problem.smoothness import DiagonalSmoothness, SmoothnessLike
from . import conic, exhaustive, formulas, interior_point, lowrank, subspace
from .certificate import FLOOR
from .judge import Callback, Judge
from .orders import optimal_order
from .program import Program, make_program
from .result import SearchResult, Status

METHODS = ("auto", "formula", "interior-point", "low-rank", "subspace", "conic", "exhaustive")
REGIMES = ("convex", "nonconvex")

# Up to this dimension a hundred dense factorisations take milliseconds, and no conditioning of L
# can slow them.
_INTERIOR_DIMENSION = 100
# For gaps finer than this first-order steps are too many, and where they stall dense factorisations
# take over.
_FINE_TOLERANCE = 1e-8
_FACTORABLE_DIMENSION = 1500


def optimal_probabilities(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Any = None,
    *,
    overhead: Any = 0,
    order: Any = None,
    regime: str = "convex",
    tol: float = 1e-6,
    method: str = "auto",
    rng: np.random.Generator | int | None = None,
    callback: Callback | None = None,
) -> SearchResult:
    """The probabilities that minimise c(P), with a two-sided certificate that trusts no solver.

    Parameters
    ----------
    L : array, sparse matrix, LinearOperator, Smoothness or Problem
        Positive semidefinite.
    blocks : Blocks, sequence of int or str
    costs : array, optional
        One positive number per block, used as given; block sizes over d by default. With `order`
        and measured costs per outcome, pass the increments from one outcome to the next.
    overhead : float
        Work paid on every step whatever is updated, c_0.
    order : BlockOrder or sequence of int, optional
        A forced order of the blocks; probabilities then fall along it.
    regime : {"convex", "nonconvex"}
        Minimise c(P), or c_M, which may replace it for nonconvex functions.
    tol : float
        Relative gap at which to stop.
    method : {"auto", "formula", "interior-point", "low-rank", "subspace", "conic", "exhaustive"}
        The last two are oracles for small problems: a conic solver on the naive form, and all
        permutations with a local optimiser that knows nothing of the rest.
    rng : Generator or int, optional
        For random starts; seeded with 0 by default, so that results repeat.
    callback : callable, optional
        Called with (lower, upper) as the bracket narrows. On Ctrl-C, or if it raises
        KeyboardInterrupt, the best certified bracket so far is returned with status "interrupted";
        if it raises `errors.OutOfTime`, with "optimal" where the gap was reached.

    Examples
    --------
    >>> import numpy as np
    >>> found = optimal_probabilities(np.diag([9.0, 4.0, 1.0]), [1, 1, 1], [0.25, 0.25, 0.5])
    >>> found.method, round(found.upper, 12)
    ('formula', 3.75)
    """
    check_options(tol, method, regime)
    problem = as_problem(L, blocks, costs, overhead=overhead, order=order)
    program = make_program(problem)
    generator = np.random.default_rng(0 if rng is None else rng)
    if regime == "nonconvex":
        if method != "auto":
            raise InvalidInput(
                "the nonconvex regime chooses its own method",
                repr(method),
                suggest={"method": "auto"},
            )
        return _as_given(problem, program, optimal_order(program, tol=tol, callback=callback))
    return _as_given(problem, program, _least(program, tol, method, generator, callback))


def _least(
    program: Program,
    tol: float,
    method: str,
    generator: np.random.Generator,
    callback: Callback | None,
) -> SearchResult:
    """The least c(P) by one route, or by a second one where the first stalls, as far as Ctrl-C lets
    it go.
    """
    dimension = program.blocks.dimension
    tops = None
    if method in ("auto", "formula") and isinstance(program.smoothness, DiagonalSmoothness):
        program, tops = formulas.without_useless_coordinates(program)
    judge = Judge(program, tol, callback)
    chosen, why = choose(program, tol) if method == "auto" else (method, "as asked")
    before = program.smoothness.products
    status: Status = "optimal"
    try:
        _run(chosen, judge, generator)
        if (
            method == "auto"
            and not judge.satisfied
            and _factorable(program)
            and chosen != "interior-point"
        ):
            chosen, why = "interior-point", f"{chosen} stopped at a gap of {judge.gap:.1g}"
            _run(chosen, judge, generator)
    except KeyboardInterrupt as stop:
        # A limit that strikes once the gap is reached has stopped nothing.
        if not (isinstance(stop, OutOfTime) and judge.satisfied):
            status = "interrupted"
            why = "stopped before the gap was reached"
    if judge.best is None:
        judge.propose_gradient_descent()
    if tops is not None:
        assert judge.dual is not None
        dual = np.zeros((dimension, judge.dual.shape[1]))
        dual[tops] = judge.dual
        judge.dual = dual
    return _result(judge, chosen, status, why, program.smoothness.products - before)


def _as_given(problem: Problem, program: Program, found: SearchResult) -> SearchResult:
    """The bracket for the costs as given, where the search rounded them, and the dual point in the
    user's order.
    """
    if problem.arrangement is not None:
        dual = np.empty_like(found.dual)
        dual[problem.arrangement] = found.dual
        found = replace(found, dual=read_only(dual))
    factor = program.rounding
    if factor.exact == 1:
        return found
    lower = Bracket.point(found.lower) * factor
    upper = found.upper
    return replace(found, lower=lower.lower, upper=(Bracket.point(upper) * factor).upper)


def _run(method: str, judge: Judge, rng: np.random.Generator) -> None:
    routes: dict[str, Callable[[], None]] = {
        "formula": lambda: formulas.solve(judge),
        "interior-point": lambda: interior_point.solve(judge),
        "low-rank": lambda: lowrank.solve(judge, rng),
        "subspace": lambda: subspace.solve(judge, rng),
        "conic": lambda: conic.solve(judge),
        "exhaustive": lambda: exhaustive.solve(judge, rng),
    }
    routes[method]()


def choose(program: Program, tol: float) -> tuple[str, str]:
    """The route that suits the program, and why."""
    d = program.blocks.dimension
    if formulas.applies(program):
        return "formula", "L is block-diagonal, so every block stands alone"
    if _factorable(program) and d <= _INTERIOR_DIMENSION:
        return "interior-point", f"d = {d} is at most {_INTERIOR_DIMENSION}"
    if _factorable(program) and tol < _FINE_TOLERANCE:
        return "interior-point", f"a gap of {tol:g} is too fine for first-order steps"
    if not program.plain and _factorable(program) and d <= 4 * _INTERIOR_DIMENSION:
        return (
            "interior-point",
            f"an overhead or a forced order, and d = {d} within reach of dense factorisations",
        )
    if not program.plain:
        return "subspace", "an overhead or a forced order, and d too large for dense factorisations"
    return "low-rank", f"d = {d} is too large for repeated dense factorisations"


def _factorable(program: Program) -> bool:
    return (
        program.blocks.dimension <= _FACTORABLE_DIMENSION
        and program.smoothness.explicit() is not None
    )


def check_options(tol: float, method: str, regime: str) -> None:
    """Raise on a tolerance outside (0, 1), an unknown method or an unknown regime."""
    if not 0 < tol < 1:
        raise InvalidInput(
            "must lie strictly between 0 and 1", repr(tol), argument="tol", suggest={"tol": 1e-6}
        )
    if method not in METHODS:
        raise InvalidInput("unknown method", repr(method), ", ".join(METHODS))
    if regime not in REGIMES:
        raise InvalidInput("unknown regime", repr(regime), " or ".join(REGIMES))


def _result(judge: Judge, method: str, status: Status, why: str, products: int) -> SearchResult:
    assert judge.best is not None and judge.dual is not None
    if judge.rigour > Rigour.NUMERICAL and 0 <= judge.upper < judge.lower:
        raise ArithmeticError(
            f"two proofs contradict each other: {judge.lower!r} <= c* <= {judge.upper!r}"
        )
    if status == "optimal" and not judge.satisfied:
        status, why = "stalled", f"the gap stopped at {judge.gap:.1g}; {why}"
    if judge.best.floored:
        why += (
            f"; no minimum is attained, and probabilities are kept at {FLOOR:g} of the largest or"
            " less"
        )
    p = judge.best.probabilities
    judge.dual.flags.writeable = False
    order = BlockOrder.from_probabilities(p) if judge.program.order is None else judge.program.order
    return SearchResult(
        # Products alone carry rounding that no bound covers, and an L below zero by rounding has a
        # negative upper end.
        lower=min(judge.lower, judge.upper),
        upper=judge.upper,
        probabilities=read_only(p),
        order=order,
        dual=judge.dual,
        method=method,
        rigour=judge.rigour,
        products=products,
        factorisations=judge.factorisations,
        status=status,
        message=why,
    )
