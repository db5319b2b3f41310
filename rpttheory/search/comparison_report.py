"""The report of a comparison: costs, probabilities per block, and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING

from ..numbers import Bracket, Rigour
from ..numbers.decimals import decimal_ceiling, decimal_floor
from ..numbers.exact_array import FloatArray
from ..problem.blocks import BlockOrder
from ..problem.problem_report import probability
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
    notes = (*problem.notes, *notes)
    if problem.total_cost.exact != 1:
        notes = (*notes, f"costs as given; all of them together cost {number(problem.total_cost)}")
    lines = [f"{title}: {head}" if title else head, *(f"  note: {note}" for note in notes)]
    return [*lines, "", _costs(result), "", _probabilities(result), "", *words(result)]


def _costs(result: Comparison) -> Table:
    gradient_descent = result.problem.gradient_descent
    entries: list[tuple[str, Bracket, str]] = [
        ("gradient descent", gradient_descent, "p = 1"),
        *_uniform(result),
        ("closed form, its bound", result.problem.closed_form.bound, _bound_note(result)),
        ("closed form, exact", result.problem.c_rounded, "c(P) at its probabilities"),
    ]
    if result.given is not None:
        entries.append(("p as given", result.given, "c(P) at them"))
    entries.append(
        (_row_name("c(P)", result.optimal), result.optimal.bracket, _search_note(result.optimal))
    )
    if result.nonconvex is not None:
        note = _search_note(result.nonconvex, order=True)
        entries.append((_row_name("c_M, nested", result.nonconvex), result.nonconvex.bracket, note))
    if result.one_block_at_a_time is not None:
        entries.append(
            ("c_M, one block at a time", result.one_block_at_a_time, _one_block_note(result))
        )
    rows = [
        (name, number(value), _ratio(gradient_descent, value), value.rigour.name.lower(), note)
        for name, value, note in entries
    ]
    return Table(("choice", "cost", "speed-up", "rigour", "how"), rows, frozenset({1, 2}))


def _uniform(result: Comparison) -> list[tuple[str, Bracket, str]]:
    """The row of constant p, which costs as much as p = 1 unless there is an overhead."""
    if result.problem.overhead != 0:
        return []
    note = "any constant p: c(P) does not change with its scale"
    return [("uniform p", result.problem.gradient_descent, note)]


def _bound_note(result: Comparison) -> str:
    return (
        "(sum sqrt(L_k c_k))^2"
        if result.problem.plain
        else "(sum sqrt(L_S c_S))^2 over pools S of blocks"
    )


def _row_name(measure: str, search: SearchResult) -> str:
    """The name of a row; the bracket in it encloses the optimum whether the search finished or
    not.
    """
    name = f"optimum of {measure}"
    return name if search.status == "optimal" else f"{name} ({search.status})"


def _one_block_note(result: Comparison) -> str:
    formula = "sum c_k L_k" if result.problem.overhead == 0 else "c_0 sum L_k + sum c_k L_k"
    return f"another sampling, p_k = L_k / sum L_j: {formula}"


def _ratio(gradient_descent: Bracket, value: Bracket) -> str:
    if value.upper == 0:
        return "-"
    ratio = gradient_descent / value
    shown = number(ratio, 4)
    # The lower end is what the stated probabilities achieve; how much more there is to gain is
    # open.
    return f">= {decimal_floor(ratio.low, 4)}" if shown.startswith("[") else shown


def _search_note(search: SearchResult, *, order: bool = False) -> str:
    note = f"{search.method}, gap {decimal_ceiling(search.gap, 1)}, {search.products} products"
    note += f", {search.factorisations} factorisations"
    if search.status != "optimal":
        note += f", {search.status}"
    if order:
        note += ", order proved best" if search.order_proved else ", order not proved best"
    return note


def _probabilities(result: Comparison) -> Table:
    problem = result.problem
    chosen: list[tuple[str, FloatArray, BlockOrder | None]] = [
        ("closed form p", problem.closed_form.probabilities, None),
        (_column_name("c(P)", result.optimal), result.optimal.probabilities, result.optimal.order),
    ]
    nonconvex_p = result.nonconvex_probabilities
    if result.nonconvex is not None and nonconvex_p is not None:
        chosen.append((_column_name("c_M", result.nonconvex), nonconvex_p, result.nonconvex.order))
    if result.given is not None:
        chosen.append(("p as given", problem.probabilities, None))
    header = ["block", "size", "cost", "L_k"]
    columns = [
        [problem.blocks.name(k) for k in range(problem.blocks.count)],
        list(map(str, problem.blocks.sizes)),
        [f"{cost:.6g}" for cost in problem.costs.float64],
        [number(constant) for constant in problem.block_L],
    ]
    for name, p, order in chosen:
        header += [name] if order is None else [name, "rank"]
        columns.append([probability(problem, k, value) for k, value in enumerate(p)])
        columns += [] if order is None else [[str(rank + 1) for rank in order.block_to_rank]]
    rows = list(zip(*columns, strict=True))
    return Table(header, rows, frozenset(range(1, len(header))), blocks=True)


def _column_name(measure: str, search: SearchResult) -> str:
    return f"p for {measure}" if search.status == "optimal" else f"p for {measure} so far"


def words(result: Comparison) -> list[str]:
    """Sentences on what the numbers mean, each with the measure that it is about."""
    problem = result.problem
    optimal = result.optimal
    if optimal.upper == 0:
        return ["L = 0: every step is free of curvature, and all choices cost nothing."]
    lines = [_about_c_P(result)]
    if result.nonconvex is not None:
        lines.append(_about_c_M(result, result.nonconvex))
    one_block = result.one_block_at_a_time
    if one_block is not None:
        lines.append(
            f"By c_M, drawing one block at a time, which is not nested, costs {number(one_block)}"
            f" ({_certainty(one_block.rigour)}); gradient descent costs"
            f" {number(problem.gradient_descent)}."
        )
    cost = "sum p_k c_k" if problem.overhead == 0 else "(c_0 + sum p_k c_k)"
    lines.append(
        f"c(P) = L_P {cost} is the bound for convex f; c_M = L_M {cost} is the bound for nonconvex"
        " f, and for strongly convex f in function values (our:functionValues)."
    )
    if result.given is not None:
        lines.append(f"Your probabilities cost {_times(result, result.given)} the optimum of c(P).")
    lines.append(f"The closed form costs {_times(result, problem.c_rounded)} the optimum of c(P).")
    if problem.plain:
        # our:closedFormFactor in the ledger; it is attained.
        factor = _upwards((1 + problem.blocks.count**0.5) / 2, 4)
        lines[-1] += f" No matrix makes that more than (1 + sqrt(B)) / 2 = {factor}."
        low = problem.one_block_cost
        most = number(low * float(problem.blocks.count))
        lines.append(
            f"Guarantee: sum c_k L_k = {number(low)} <= optimum of c(P) <= B sum c_k L_k = {most}."
        )
    if result.left_out:
        lines.append(f"Optimum of c_M left out: {result.left_out}.")
    lines += [
        f"{name}: {search.message}."
        for name, search in _searches(result)
        if search.status != "optimal"
    ]
    return lines


def _about_c_P(result: Comparison) -> str:
    certainty = _certainty(min(result.optimal.rigour, result.problem.gradient_descent.rigour))
    gap = decimal_ceiling(result.optimal.gap, 1)
    if result.helps:
        most = decimal_ceiling(result.speedup.high, 6)
        return (
            f"By c(P), RPT can be at most {most} times cheaper than gradient descent ({certainty})."
        )
    if result.helps is False:
        return (
            "By c(P), RPT does not help here: gradient descent is optimal for c(P) "
            f"within the gap of {gap} ({certainty})."
        )
    return f"Whether RPT helps by c(P) is open: the gap of {gap} is not closed."


def _about_c_M(result: Comparison, search: SearchResult) -> str:
    certainty = _certainty(min(search.rigour, result.problem.gradient_descent.rigour))
    most = (result.problem.gradient_descent / search.bracket).high
    if most == math.inf:
        return "By c_M, how much cheaper RPT can be than gradient descent is open."
    bound = decimal_ceiling(most, 6)
    open_gap = "" if search.status == "optimal" else f"; the search was {search.status}"
    return (
        f"By c_M, RPT with nested sampling can be at most {bound} times cheaper than gradient"
        f" descent ({certainty}{open_gap})."
    )


def _certainty(rigor: Rigour) -> str:
    return "certified" if rigor is not Rigour.NUMERICAL else "numerical, not proved"


def _upwards(value: float, digits: int) -> str:
    """A bound from above in that many digits."""
    return f"{float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(value)):.{digits}g}"


def _times(result: Comparison, cost: Bracket) -> str:
    """How many times the optimum a cost is, or between what where that is not known well; never
    less than once.
    """
    known = min(result.optimal.upper, result.problem.c_rounded.upper, cost.upper)
    low = max(cost.lower / known, 1.0)
    high = max(cost.upper / result.optimal.lower if result.optimal.lower > 0 else math.inf, low)
    if not math.isfinite(high):
        return f"at least {decimal_floor(low, 3)} times"
    shown = number(Bracket(low, high), 6)
    if shown.startswith("["):
        return f"between {decimal_floor(low, 3)} and {decimal_ceiling(high, 3)} times"
    return f"{shown} times"


def _searches(result: Comparison) -> list[tuple[str, SearchResult]]:
    pairs = [(_row_name("c(P)", result.optimal), result.optimal)]
    if result.nonconvex is not None:
        pairs.append((_row_name("c_M, nested", result.nonconvex), result.nonconvex))
    return pairs
