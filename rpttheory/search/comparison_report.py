"""What a comparison says: costs, probabilities per block, and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING

from ..certify import Bracket, Rigour
from ..problem.blocks import BlockOrder
from ..problem.problem_report import probability
from ..reals import FloatArray
from ..report import Document, Table, number
from .result import SearchResult

if TYPE_CHECKING:
    from .comparison import Comparison


def document(result: Comparison, title: str, notes: Sequence[str]) -> Document:
    """Costs, probabilities per block, and what they mean in plain words."""
    problem = result.problem
    head = f"d = {problem.blocks.dimension}, B = {problem.blocks.count}"
    if problem.overhead > 0:
        head += f", overhead {float(problem.overhead):g} per step"
    if problem.order is not None:
        head += ", order " + " ".join(map(str, problem.order.rank_to_block))
    if problem.total_cost.exact != 1:
        notes = (*notes, f"costs as given; all of them together cost {number(problem.total_cost)}")
    lines = [f"{title}: {head}" if title else head, *(f"  note: {note}" for note in notes)]
    return [*lines, "", _costs(result), "", _probabilities(result), "", *words(result)]


def _costs(result: Comparison) -> Table:
    gradient_descent = result.problem.gradient_descent
    entries: list[tuple[str, Bracket, str]] = [
        ("gradient descent", gradient_descent, "p = 1"),
        ("uniform p", gradient_descent, "any constant p: c(P) does not change with its scale"),
        ("closed form, its bound", result.problem.closed_form.bound, "(sum sqrt(L_k c_k))^2"),
        ("closed form, exact", result.problem.c_rounded, "c(P) at its probabilities"),
        ("optimum", result.optimal.bracket, _search_note(result.optimal)),
    ]
    if result.nonconvex is not None:
        entries.append(("nonconvex optimum", result.nonconvex.bracket, _search_note(result.nonconvex, order=True)))
    if result.given is not None:
        entries.insert(4, ("p as given", result.given, "c(P) at them"))
    rows = [
        (name, number(value), _ratio(gradient_descent, value), value.rigour.name.lower(), note)
        for name, value, note in entries
    ]
    return Table(("choice", "cost", "speed-up", "rigour", "how"), rows, frozenset({1, 2}))


def _ratio(gradient_descent: Bracket, value: Bracket) -> str:
    if value.upper == 0:
        return "-"
    ratio = gradient_descent / value
    if ratio.width <= 1e-3 * ratio.lower:
        return f"{ratio.midpoint:.4g}"
    # The lower end is what the stated probabilities achieve; how much more there is to gain is open.
    return f">= {ratio.lower:.4g}"


def _search_note(search: SearchResult, *, order: bool = False) -> str:
    note = f"{search.method}, gap {search.gap:.1g}, {search.products} products, {search.factorisations} factorisations"
    if search.status != "optimal":
        note += f", {search.status}"
    if order:
        note += ", order proved best" if search.order_proved else ", order not proved best"
    return note


def _probabilities(result: Comparison) -> Table:
    problem = result.problem
    chosen: list[tuple[str, FloatArray, BlockOrder | None]] = [
        ("closed form p", problem.closed_form.probabilities, None),
        ("optimal p", result.optimal.probabilities, result.optimal.order),
    ]
    if result.nonconvex is not None:
        chosen.append(("nonconvex p", result.nonconvex.probabilities, result.nonconvex.order))
    if result.given is not None:
        chosen.append(("p as given", problem.probabilities, None))
    header = ["block", "size", "cost", "L_k"]
    columns = [
        [problem.blocks.name(k) for k in range(problem.blocks.count)],
        list(map(str, problem.blocks.sizes)),
        [f"{cost:.6g}" for cost in problem.costs.near],
        [number(constant) for constant in problem.block_L],
    ]
    for name, p, order in chosen:
        header += [name] if order is None else [name, "rank"]
        columns.append([probability(problem, k, value) for k, value in enumerate(p)])
        columns += [] if order is None else [[str(rank + 1) for rank in order.block_to_rank]]
    rows = list(zip(*columns, strict=True))
    return Table(header, rows, frozenset(range(1, len(header))), blocks=True)


def words(result: Comparison) -> list[str]:
    """What the numbers mean, in sentences."""
    problem, optimal = result.problem, result.optimal
    certain = "certified" if optimal.rigour is not Rigour.NUMERICAL else "numerical, not proved"
    lines = []
    if optimal.upper == 0:
        return ["L = 0: every step is free of curvature, and all choices cost nothing."]
    if result.helps:
        most = _upwards(result.speedup.upper, 6)
        lines.append(f"By c(P), RPT can be at most {most} times cheaper than gradient descent ({certain}).")
    elif result.helps is False:
        lines.append(
            f"RPT does not help here: gradient descent is optimal within the gap of {optimal.gap:.1g} ({certain})."
        )
    else:
        lines.append(f"Whether RPT helps is open: the gap of {optimal.gap:.1g} is not closed.")
    if result.given is not None:
        lines.append(f"Your probabilities cost {_times(result, result.given)} the optimum.")
    lines.append(f"The closed form costs {_times(result, problem.c_rounded)} the optimum.")
    if problem.plain:
        # our:closedFormFactor in the ledger; it is attained.
        factor = _upwards((1 + problem.blocks.count**0.5) / 2, 4)
        lines[-1] += f" No matrix makes that more than (1 + sqrt(B)) / 2 = {factor}."
        low = problem.one_block_cost
        count = problem.blocks.count
        lines.append(
            f"Guarantee: sum c_k L_k = {number(low)} <= optimum <= B sum c_k L_k = {number(low * float(count))}."
        )
    if result.left_out:
        lines.append(f"Nonconvex optimum left out: {result.left_out}.")
    lines += [f"{name}: {search.message}." for name, search in _searches(result) if search.status != "optimal"]
    return lines


def _upwards(value: float, digits: int) -> str:
    """A bound from above in that many digits."""
    return f"{float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(value)):.{digits}g}"


def _times(result: Comparison, cost: Bracket) -> str:
    """How many times the optimum a cost is, or between what where that is not known well; never less than once."""
    known = min(result.optimal.upper, result.problem.c_rounded.upper, cost.upper)
    low = max(cost.lower / known, 1.0)
    high = max(cost.upper / result.optimal.lower if result.optimal.lower > 0 else math.inf, low)
    if high - low <= 1e-4 * low:
        return f"{(low + high) / 2:.6g} times"
    return f"between {low:.3g} and {high:.3g} times" if math.isfinite(high) else f"at least {low:.3g} times"


def _searches(result: Comparison) -> list[tuple[str, SearchResult]]:
    pairs = [("optimum", result.optimal)]
    return pairs if result.nonconvex is None else [*pairs, ("nonconvex optimum", result.nonconvex)]
