"""The certified global optimum of c(P): one entry for all routes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..certify import Bracket, Rigour
from ..errors import InvalidInput
from ..problem.blocks import BlockOrder, BlocksLike, as_blocks
from ..problem.semidefinite import require_positive_semidefinite
from ..problem.smoothness import DiagonalSmoothness, SmoothnessLike, as_smoothness
from ..reals import as_fraction
from ..validation import check_costs, read_only
from . import conic, exhaustive, formulas, interior_point, lowrank, subspace
from .certificate import FLOOR
from .judge import Callback, Judge
from .orders import optimal_order
from .program import Problem
from .result import SearchResult, Status

METHODS = ("auto", "formula", "interior-point", "low-rank", "subspace", "conic", "exhaustive")
REGIMES = ("convex", "nonconvex")

# Up to this dimension a hundred dense factorisations take milliseconds, and no conditioning of L can slow them.
_INTERIOR_DIMENSION = 100
# For gaps finer than this first-order steps are too many, and where they stall dense factorisations take over.
_FINE_TOLERANCE = 1e-8
_FACTORABLE_DIMENSION = 1500


def optimal_probabilities(
    L: SmoothnessLike,
    blocks: BlocksLike,
    costs: Any = None,
    *,
    overhead: Any = 0,
    order: BlockOrder | None = None,
    regime: str = "convex",
    tol: float = 1e-6,
    method: str = "auto",
    rng: np.random.Generator | int | None = None,
    callback: Callback | None = None,
) -> SearchResult:
    """The probabilities that minimise c(P), with a two-sided certificate that trusts no solver.

    Parameters
    ----------
    L : array, sparse matrix, LinearOperator or Smoothness
        Positive semidefinite.
    blocks : Blocks
    costs : array, optional
        One positive number per block, used as given; block sizes over d by default. With `order` and
        measured costs per outcome, pass the increments from one outcome to the next.
    overhead : float
        Work paid on every step whatever is updated, c_0.
    order : BlockOrder, optional
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
        KeyboardInterrupt, the best certified bracket so far is returned with status "interrupted".

    Examples
    --------
    >>> import numpy as np
    >>> found = optimal_probabilities(np.diag([9.0, 4.0, 1.0]), [1, 1, 1], [0.25, 0.25, 0.5])
    >>> found.method, round(found.upper, 12)
    ('formula', 3.75)
    """
    check_options(tol, method, regime)
    problem = make_problem(L, blocks, costs, overhead=overhead, order=order)
    generator = np.random.default_rng(0 if rng is None else rng)
    if regime == "nonconvex":
        if method != "auto":
            raise InvalidInput("the nonconvex regime chooses its own method", repr(method), "method='auto'")
        return _as_given(problem, optimal_order(problem, tol=tol, rng=generator, callback=callback))
    dimension, tops = problem.blocks.dimension, None
    if method in ("auto", "formula") and isinstance(problem.smoothness, DiagonalSmoothness):
        problem, tops = formulas.without_useless_coordinates(problem)
    judge = Judge(problem, tol, callback)
    chosen, why = choose(problem, tol) if method == "auto" else (method, "as asked")
    before = problem.smoothness.products
    status: Status = "optimal"
    try:
        _run(chosen, judge, generator)
        if method == "auto" and not judge.satisfied and _factorable(problem) and chosen != "interior-point":
            chosen, why = "interior-point", f"{chosen} stopped at a gap of {judge.gap:.1g}"
            _run(chosen, judge, generator)
    except KeyboardInterrupt:
        status, why = "interrupted", "stopped before the gap was reached"
    if judge.best is None:
        judge.callback = None
        judge.propose_gradient_descent()
    if tops is not None:
        assert judge.dual is not None
        dual = np.zeros((dimension, judge.dual.shape[1]))
        dual[tops] = judge.dual
        judge.dual = dual
    return _as_given(problem, _result(judge, chosen, status, why, problem.smoothness.products - before))


def _as_given(problem: Problem, found: SearchResult) -> SearchResult:
    """The bracket for the costs as given, where the search rounded them."""
    factor = problem.rounding
    if factor.exact == 1:
        return found
    lower, upper = Bracket.point(found.lower) * factor, found.upper
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


def choose(problem: Problem, tol: float) -> tuple[str, str]:
    """The route that suits the problem, and why."""
    d = problem.blocks.dimension
    if formulas.applies(problem):
        return "formula", "L is block-diagonal, so every block stands alone"
    if _factorable(problem) and d <= _INTERIOR_DIMENSION:
        return "interior-point", f"d = {d} is at most {_INTERIOR_DIMENSION}"
    if _factorable(problem) and tol < _FINE_TOLERANCE:
        return "interior-point", f"a gap of {tol:g} is too fine for first-order steps"
    if not problem.plain and _factorable(problem) and d <= 4 * _INTERIOR_DIMENSION:
        return "interior-point", f"an overhead or a forced order, and d = {d} within reach of dense factorisations"
    if not problem.plain:
        return "subspace", "an overhead or a forced order, and d too large for dense factorisations"
    return "low-rank", f"d = {d} is too large for repeated dense factorisations"


def _factorable(problem: Problem) -> bool:
    return problem.blocks.dimension <= _FACTORABLE_DIMENSION and problem.smoothness.explicit() is not None


def make_problem(
    L: SmoothnessLike,
    blocks: BlocksLike,
    costs: Any = None,
    *,
    overhead: Any = 0,
    order: BlockOrder | None = None,
) -> Problem:
    """Check the inputs of a search."""
    form = as_smoothness(L)
    blocks = as_blocks(blocks, form.dimension)
    prices = check_costs(blocks.shares if costs is None else costs, blocks.count)
    c, charge = prices.near, as_fraction(overhead, "overhead")
    if charge < 0:
        raise InvalidInput("overhead must be a non-negative number", repr(overhead), "0 for none")
    if float(charge) > 1e12 * c.sum():
        raise InvalidInput(
            "overhead must not dwarf the costs", f"{float(charge):g} beside {c.sum():g}", "at most 1e12 times"
        )
    if order is not None and len(order.rank_to_block) != blocks.count:
        raise InvalidInput(
            f"order must list all {blocks.count} blocks",
            f"{len(order.rank_to_block)} of them",
            "every block once, counting from 0",
        )
    with np.errstate(over="ignore"):
        reach = 4.0 * blocks.dimension * np.abs(form.diagonal()).max() * (c.sum() + float(charge))
    # Products alone are multiplied with one another on the way, where entries can be scaled first.
    if not reach < (math.inf if form.explicit() is not None else 1e290):
        found = f"entries to {np.abs(form.diagonal()).max():.3g} and costs that add up to {c.sum():.3g}"
        raise InvalidInput("L times the costs must be within the range of doubles", found, "one of them scaled down")
    require_positive_semidefinite(form)
    rounded = prices.exact is not None or float(charge) != charge
    return Problem(form, blocks, c, float(charge), order, (prices, charge) if rounded else None)


def check_options(tol: float, method: str, regime: str) -> None:
    """Raise on a tolerance outside (0, 1), an unknown method or an unknown regime."""
    if not 0 < tol < 1:
        raise InvalidInput("tol must lie strictly between 0 and 1", repr(tol), "1e-6")
    if method not in METHODS:
        raise InvalidInput("unknown method", repr(method), ", ".join(METHODS))
    if regime not in REGIMES:
        raise InvalidInput("unknown regime", repr(regime), " or ".join(REGIMES))


def _result(judge: Judge, method: str, status: Status, why: str, products: int) -> SearchResult:
    assert judge.best is not None and judge.dual is not None
    if judge.rigour > Rigour.NUMERICAL and 0 <= judge.upper < judge.lower:
        raise ArithmeticError(f"two proofs contradict each other: {judge.lower!r} <= c* <= {judge.upper!r}")
    if status == "optimal" and not judge.satisfied:
        status, why = "stalled", f"the gap stopped at {judge.gap:.1g}; {why}"
    if judge.best.floored:
        why += f"; no minimum is attained, and probabilities are kept at {FLOOR:g} of the largest or less"
    p = judge.best.probabilities
    judge.dual.flags.writeable = False
    order = BlockOrder.from_probabilities(p) if judge.problem.order is None else judge.problem.order
    return SearchResult(
        # Products alone carry rounding that no bound covers, and an L below zero by rounding has a negative upper end.
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
