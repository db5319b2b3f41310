"""The nonconvex regime: the least c_M over probabilities and over the orders of the blocks.

For one order the program is convex (`fixed_order`). Branch-and-bound covers all orders
(`order_tree`), to the end or as far as its limits allow. Beyond some twenty blocks a few good
orders are tried, and all orders bounded at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ..errors import OutOfTime
from . import formulas, interior_point
from .judge import Callback, Judge
from .order_bounds import Order, overhead_bound, separate_bound
from .order_keeper import Keeper
from .order_tree import OrderSearch
from .program import Program
from .result import SearchResult, Status

# Up to this many blocks branch-and-bound usually ends with a proof; up to that many its first
# bounds are affordable.
EXACT_BLOCKS = 12
SETS_BLOCKS = 20
_NODES = 3000
_SETS = 100_000_000


def optimal_order(
    program: Program, *, tol: float, callback: Callback | None = None
) -> SearchResult:
    """Minimise c_M = L_M (c_0 + sum p_k c_k) over probabilities and orders, with a certified
    bracket.

    Parameters
    ----------
    program : Program
        L must be positive semidefinite, and its entries known unless it is block-diagonal.
    tol : float
        Relative gap at which to stop.
    callback : callable, optional
        Called with (lower, upper) as the bracket narrows. On Ctrl-C, or if it raises
        KeyboardInterrupt, the best certified bracket so far is returned.

    Returns
    -------
    SearchResult
        The bracket holds for the minimum over all orders (or for the forced one). `order_proved`
        says that it is narrower than `tol`, so no order does better by more.
    """
    before = program.smoothness.products
    keeper = Keeper(program, tol, callback)
    status: Status = "optimal"
    try:
        why = keeper.formula() if formulas.applies(program) else _search(keeper)
    except KeyboardInterrupt as stop:
        why = "the gap was reached as the time ran out"
        if not (isinstance(stop, OutOfTime) and keeper.closed):
            status = "interrupted"
            why = "stopped before the gap was reached"
    return keeper.result(status, why, program.smoothness.products - before)


def _search(keeper: Keeper) -> str:
    nested = keeper.nested
    search = OrderSearch(nested, keeper.tol, keeper.propose, keeper.raise_lower)
    keeper.search = search
    forced = keeper.program.order
    if forced is not None:
        keeper.method = "fixed order"
        place = {block: index for index, block in enumerate(keeper.kept)}
        keeper.raise_lower(
            search.solve(tuple(place[block] for block in forced.rank_to_block if block in place))
        )
        return "the order is forced, and for one order the program is convex"
    overhead = overhead_bound(nested)
    keeper.raise_lower(overhead + Fraction(separate_bound(nested)))
    for order in _starts(keeper):
        search.solve(order)
    count = nested.blocks.count
    if count > SETS_BLOCKS:
        keeper.method = "chords"
        keeper.raise_lower(overhead + Fraction(search.chord_bound()))
        return f"{count} blocks have too many orders to cover"
    complete = search.branch_and_bound(_NODES, _SETS)[1]
    covered = "cover" if complete else "did not cover"
    return f"bounds of {search.nodes} sets of orders {covered} all orders of {count} blocks"


def _starts(keeper: Keeper) -> Iterator[Order]:
    """Orders worth trying first: the convex optimum's, the closed form's, by L_k, and as given."""
    nested = keeper.nested
    kept = list(keeper.kept)
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
