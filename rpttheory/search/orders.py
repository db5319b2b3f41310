"""The nonconvex regime: the least c_M over probabilities and over the orders of the blocks.

For one order the program is convex (`fixed_order`). Up to a few blocks branch-and-bound covers all
orders (`order_tree`). Beyond, a local search finds a good order (`order_moves`), and groups of blocks
bound every order from below (`order_bounds`).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from . import formulas, interior_point
from .judge import Callback, Judge
from .order_bounds import group_bound, overhead_bound, separate_bound
from .order_keeper import Keeper
from .order_moves import local_search
from .order_tree import Order, OrderSearch
from .program import Program
from .result import SearchResult, Status

# Up to this many blocks all orders are covered.
EXACT_BLOCKS = 8
_NODES = 3000


def optimal_order(
    program: Program, *, tol: float, rng: np.random.Generator, callback: Callback | None = None
) -> SearchResult:
    """Minimise c_M = L_M (c_0 + sum p_k c_k) over probabilities and orders, with a certified bracket.

    Parameters
    ----------
    program : Program
        L must be positive semidefinite, and its entries known unless it is block-diagonal.
    tol : float
        Relative gap at which to stop.
    rng : Generator
        For the samples of the local search.
    callback : callable, optional
        Called with (lower, upper) as the bracket narrows. On Ctrl-C, or if it raises
        KeyboardInterrupt, the best certified bracket so far is returned.

    Returns
    -------
    SearchResult
        The bracket holds for the minimum over all orders (or for the forced one). `order_proved` says
        that it is narrower than `tol`, so no order does better by more.
    """
    before = program.smoothness.products
    keeper = Keeper(program, tol, callback)
    status: Status = "optimal"
    try:
        why = keeper.formula() if formulas.applies(program) else _search(keeper, rng)
    except KeyboardInterrupt:
        status, why = "interrupted", "stopped before the gap was reached"
    return keeper.result(status, why, program.smoothness.products - before)


def _search(keeper: Keeper, rng: np.random.Generator) -> str:
    nested = keeper.nested
    search = OrderSearch(nested, keeper.tol, keeper.propose, keeper.raise_lower)
    keeper.search = search
    forced = keeper.program.order
    if forced is not None:
        keeper.method = "fixed order"
        place = {block: index for index, block in enumerate(keeper.kept)}
        keeper.raise_lower(search.solve(tuple(place[block] for block in forced.rank_to_block if block in place)))
        return "the order is forced, and for one order the program is convex"
    overhead = overhead_bound(nested)
    keeper.raise_lower(overhead + Fraction(separate_bound(nested)))
    for order in _starts(keeper):
        search.solve(order)
    count = nested.blocks.count
    if count <= EXACT_BLOCKS:
        keeper.method = "branch-and-bound"
        _, complete = search.branch_and_bound(_NODES)
        if complete:
            return f"all orders of {count} blocks are covered by bounds of {search.nodes} sets of orders"
        why = f"bounds of {search.nodes} sets of orders did not cover all orders of {count} blocks"
    else:
        why = f"{count} blocks have too many orders to cover"
    keeper.method = "local search"
    local_search(search, rng)
    if count > EXACT_BLOCKS:
        keeper.raise_lower(overhead + group_bound(nested))
    return why


def _starts(keeper: Keeper) -> Iterator[Order]:
    """Orders worth trying first: the convex optimum's, the closed form's, by L_k, and as given."""
    nested, kept = keeper.nested, list(keeper.kept)
    judge = Judge(keeper.program, 1e-3)
    interior_point.solve(judge)
    keeper.factorisations += judge.factorisations
    assert judge.best is not None
    for score in (
        judge.best.probabilities[kept],
        nested.tops / nested.costs,
        nested.tops,
        np.arange(len(kept), 0.0, -1.0),
    ):
        yield tuple(np.argsort(-score, kind="stable").tolist())
