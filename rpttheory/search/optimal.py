"""The certified global optimum of c(P) or c_M: one entry point for all methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ..errors import InvalidInput, OutOfTime
from ..numbers import Bracket
from ..numbers.checks import read_only
from ..numbers.exact_array import Number, Numbers
from ..problem.arguments import OrderLike
from ..problem.blocks import BlocksLike
from ..problem.problem import Problem, as_problem
from ..problem.smoothness import DiagonalSmoothness, EntrywiseSmoothness, SmoothnessLike
from ..runs.progress import ProgressCallback, no_progress
from . import formula, interior_point, low_rank, orders, subspace
from .block_sdp import BlockSDP, make_sdp
from .bounds import BoundTracker
from .result import SearchResult

Solver = Callable[..., None]

SOLVERS: dict[str, Solver] = {
    "formula": lambda tracker, rng: formula.solve(tracker),
    "interior-point": lambda tracker, rng: interior_point.solve(tracker),
    "low-rank": low_rank.solve,
    "subspace": subspace.solve,
}
METHODS = ("auto", *SOLVERS)
# The only method for c_M besides the formula.
SOLVERS["branch-and-bound"] = lambda tracker, rng: orders.solve(tracker)
OBJECTIVES = ("c_P", "c_M")

# Up to this dimension dense factorizations are as fast as first-order steps, and no conditioning of
# L can slow them. At d = 100 the steps are three times as fast on average over the families.
_INTERIOR_DIMENSION = 30
# The same with an overhead or a forced order, where the subspace method is the other choice.
_INTERIOR_DIMENSION_GENERAL = 400
# Up to so many blocks and with a dense L, the subspace method takes over from the low-rank method
# after 3e8 operations per block, but not before the number of products with L that the low-rank
# method needs on most families.
_FEW_BLOCKS = 100
_OPERATIONS = 3e8
_FEW_PRODUCTS = 2500
# A sparse L with a larger share of nonzero entries, up to this dimension (288 MB), is searched as a
# dense one: ten times as fast at a density of 0.24, and slower at 0.018.
_DENSE_SHARE = 0.05
_DENSE_DIMENSION = 6000
# For smaller tolerances first-order methods need too many steps, so dense factorizations are used,
# up to the dimension below. Chosen by hand, not measured.
_FINE_TOLERANCE = 1e-8
_FACTORABLE_DIMENSION = 1500


def optimal_probabilities(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Numbers | None = None,
    *,
    overhead: Number = 0,
    order: OrderLike | None = None,
    objective: str = "c_P",
    tol: float = 1e-6,
    method: str = "auto",
    rng: np.random.Generator | int | None = None,
    progress: ProgressCallback = no_progress,
) -> SearchResult:
    """Return probabilities whose c(P), or c_M, is within the reported gap of the least.

    The bracket is proved without trust in a solver, except for an L that is known through products
    only: then it is NUMERICAL.

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
        A forced order of the blocks; the probabilities must not increase along it.
    objective : {"c_P", "c_M"}
        Minimize c(P), or c_M over nested samplings.
    tol : float
        Relative gap at which to stop.
    method : {"auto", "formula", "interior-point", "low-rank", "subspace"}
        "auto" chooses by the size and the form of L.
    rng : Generator or int, optional
        For random starts; seeded with 0 by default, so that results repeat.
    progress : callable, optional
        Called with an `Event` whose `bracket` narrows. On Ctrl-C, or if it raises
        KeyboardInterrupt, the best certified bracket so far is returned with status "interrupted";
        if it raises `errors.OutOfTime`, with "optimal" where the gap was reached.

    Returns
    -------
    SearchResult

    Examples
    --------
    >>> import numpy as np
    >>> result = optimal_probabilities(np.diag([9.0, 4.0, 1.0]), [1, 1, 1], [0.25, 0.25, 0.5])
    >>> result.method, round(result.upper, 12)
    ('formula', 3.75)
    """
    check_options(tol, method, objective)
    problem = as_problem(L, blocks, costs, overhead=overhead, order=order)
    program = make_sdp(_with_dense_entries(problem))
    if objective == "c_M" and method != "auto":
        raise InvalidInput(
            "must be 'auto' for the objective c_M",
            repr(method),
            argument="method",
            suggest={"method": "auto"},
        )
    # A diagonal L needs one coordinate per block only.
    coordinates = None
    reduced = program
    if method in ("auto", "formula") and isinstance(program.smoothness, DiagonalSmoothness):
        small, coordinates = formula.one_coordinate_per_block(problem)
        reduced = BlockSDP(small)
    tracker = BoundTracker(reduced, tol, progress, "c_M" if objective == "c_M" else "c_P")
    result = _search(tracker, method, np.random.default_rng(0 if rng is None else rng))
    if coordinates is not None:
        dual = np.zeros((program.blocks.dimension, result.dual.shape[1]))
        dual[coordinates] = result.dual
        result = replace(result, dual=read_only(dual))
    return _for_original_problem(problem, program, result)


def optimum(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Numbers | None = None,
    *,
    overhead: Number = 0,
    order: OrderLike | None = None,
    tol: float = 1e-6,
) -> Bracket:
    """Return a bracket of the least c(P), wider than `tol` if the search stalls.

    Parameters
    ----------
    L, blocks, costs, overhead, order, tol
        As for `optimal_probabilities`, which also returns the probabilities.

    Returns
    -------
    Bracket

    Examples
    --------
    >>> print(f"{optimum([[4.0, 1.0], [1.0, 2.0]], [1, 1]):.5f}")
    4.00000
    """
    result = optimal_probabilities(L, blocks, costs, overhead=overhead, order=order, tol=tol)
    if result.status == "interrupted":
        raise KeyboardInterrupt
    return result.bracket


def _search(tracker: BoundTracker, method: str, rng: np.random.Generator) -> SearchResult:
    """Run one method, then its fallbacks until the gap is reached, or until Ctrl-C."""
    program = tracker.program
    tracker.method = method
    tracker.message = "as requested"
    fallbacks = []
    if method == "auto":
        tracker.method, tracker.message = choose(program, tracker.tol, tracker.objective)
        fallbacks = _fallbacks(program, tracker.method)
    solver = SOLVERS[tracker.method]
    if "subspace" in fallbacks and _few_dense_blocks(program):
        products = _OPERATIONS * program.blocks.count / (2 * program.blocks.dimension**2)
        solver = partial(SOLVERS[tracker.method], products=max(_FEW_PRODUCTS, products))
    try:
        solver(tracker, rng)
        for name in fallbacks:
            if tracker.satisfied:
                break
            tracker.message = f"{tracker.method} stopped at a gap of {tracker.gap:.1g}"
            tracker.method = name
            SOLVERS[name](tracker, rng)
    except KeyboardInterrupt as stop:
        # A time limit that expires after convergence still returns "optimal".
        if not (isinstance(stop, OutOfTime) and tracker.satisfied):
            reason = "by the time limit " if isinstance(stop, OutOfTime) else ""
            tracker.message = f"stopped {reason}before the gap was reached"
            return tracker.result("interrupted")
    return tracker.result()


def _with_dense_entries(problem: Problem) -> Problem:
    """Return the problem with L as a dense array where a sparse one is searched more slowly."""
    form = problem.smoothness
    if not isinstance(form, EntrywiseSmoothness) or isinstance(form.matrix, np.ndarray):
        return problem
    d = form.dimension
    if d > _DENSE_DIMENSION or form.matrix.nnz <= _DENSE_SHARE * d * d:
        return problem
    entries = EntrywiseSmoothness(form.matrix.toarray(), form.slack, counter=form.counter)
    return Problem(
        entries, problem.blocks, problem.costs, order=problem.order, overhead=problem.overhead
    )


def _for_original_problem(
    problem: Problem, program: BlockSDP, result: SearchResult
) -> SearchResult:
    """Undo the reordering of the coordinates in the dual point, and the rounding of the costs in
    the bracket.
    """
    if problem.arrangement is not None:
        dual = np.empty_like(result.dual)
        dual[problem.arrangement] = result.dual
        result = replace(result, dual=read_only(dual))
    factor = program.rounding
    if factor.exact == 1:
        return result
    lower = Bracket.point(result.lower) * factor
    upper = Bracket.point(result.upper) * factor
    return replace(result, lower=lower.lower, upper=upper.upper)


def choose(program: BlockSDP, tol: float, objective: str = "c_P") -> tuple[str, str]:
    """Return the method that suits the program, and why."""
    d = program.blocks.dimension
    if program.separable:
        # There E[CLC] = P^-1/2 L P^-1/2, so c_M = c(P).
        return "formula", "L is block-diagonal, so blocks do not interact"
    if objective == "c_M":
        return "branch-and-bound", "the best order of the blocks is searched for"
    if _factorable(program) and d <= _INTERIOR_DIMENSION:
        return "interior-point", f"d = {d} is at most {_INTERIOR_DIMENSION}"
    if _factorable(program) and tol < _FINE_TOLERANCE:
        return "interior-point", f"a gap of {tol:g} is too fine for first-order steps"
    if program.plain:
        return "low-rank", f"d = {d} is too large for repeated dense factorizations"
    if _factorable(program) and d <= _INTERIOR_DIMENSION_GENERAL:
        return (
            "interior-point",
            f"an overhead or a forced order, and d = {d} within reach of dense factorizations",
        )
    return "subspace", "an overhead or a forced order, and d too large for dense factorizations"


def _fallbacks(program: BlockSDP, method: str) -> list[str]:
    """Return the methods to try in turn where a first-order method stalls."""
    if method not in ("low-rank", "subspace"):
        return []
    factorable = _factorable(program)
    subspace = method == "low-rank" and (_few_dense_blocks(program) or not factorable)
    return ["subspace"] * subspace + ["interior-point"] * factorable


def _few_dense_blocks(program: BlockSDP) -> bool:
    explicit = program.smoothness.explicit()
    return (
        program.blocks.count <= _FEW_BLOCKS
        and explicit is not None
        and isinstance(explicit.matrix, np.ndarray)
    )


def _factorable(program: BlockSDP) -> bool:
    return (
        program.blocks.dimension <= _FACTORABLE_DIMENSION
        and program.smoothness.explicit() is not None
    )


def check_options(
    tol: float, method: str = "auto", objective: str = "c_P", time_limit: float | None = None
) -> None:
    """Raise InvalidInput for a tolerance that is not a float in (0, 1), an unknown method or
    objective, or a time limit that is not a positive number of seconds.
    """
    if not (isinstance(tol, float) and 0 < tol < 1):
        raise InvalidInput(
            "must be a float strictly between 0 and 1",
            repr(tol)[:80],
            argument="tol",
            suggest={"tol": 1e-6},
        )
    for name, value, choices in (("method", method, METHODS), ("objective", objective, OBJECTIVES)):
        if value not in choices:
            raise InvalidInput(
                "is not one of the choices", repr(value), ", ".join(choices), argument=name
            )
    if time_limit is not None and not (isinstance(time_limit, (int, float)) and time_limit > 0):
        raise InvalidInput(
            "must be a positive number of seconds",
            str(time_limit)[:80],
            argument="time_limit",
            suggest={"time_limit": 60},
        )
