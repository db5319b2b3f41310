"""The report of a comparison: costs, probabilities per block, and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING

from ..numbers import Bracket, Rigor
from ..numbers.decimals import decimal_ceiling, decimal_floor
from ..numbers.exact_array import FloatArray
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
    problem = result.problem
    gradient_descent = problem.gradient_descent
    overhead = problem.overhead != 0
    bound = "(sum sqrt(L_S c_S))^2 over pools S of blocks"
    if problem.plain:
        bound = "(sum sqrt(L_k c_k))^2"
    one_block = "c_0 sum L_k + sum c_k L_k" if overhead else "sum c_k L_k"
    c_M = result.nonconvex
    constant_p = None if overhead else gradient_descent
    entries: list[tuple[str, Bracket | None, str]] = [
        ("gradient descent", gradient_descent, "p = 1"),
        ("uniform p", constant_p, "any constant p: c(P) does not change with its scale"),
        ("closed form, its bound", problem.closed_form.bound, bound),
        ("closed form, exact", problem.c_rounded, "c(P) at its probabilities"),
        ("p as given", result.given, "c(P) at them"),
        *(
            (name, search.bracket, _search_note(search, order=search is c_M))
            for name, search in _searches(result)
        ),
        (
            "c_M, one block at a time",
            result.one_block_at_a_time,
            f"another sampling, p_k = L_k / sum L_j: {one_block}",
        ),
    ]
    rows = [
        (name, number(value), _ratio(gradient_descent, value), value.rigor.name.lower(), note)
        for name, value, note in entries
        if value is not None
    ]
    return Table(("choice", "cost", "speed-up", "rigor", "how"), rows, frozenset({1, 2}))


def _searches(result: Comparison) -> list[tuple[str, SearchResult]]:
    """The name and the result of each search; its bracket encloses the optimum in any case."""
    named = [("optimum of c(P)", result.optimal), ("optimum of c_M, nested", result.nonconvex)]
    return [
        (name if search.status == "optimal" else f"{name} ({search.status})", search)
        for name, search in named
        if search is not None
    ]


def quotient(cost: Bracket, optimum: Bracket) -> Bracket:
    """cost / optimum, without an upper bound where the optimum has no positive lower bound."""
    if not optimum.lower <= 0 < optimum.upper < math.inf:
        return cost / optimum
    least = cost / Bracket.point(optimum.upper)
    return Bracket(least.lower, math.inf, min(least.rigor, optimum.rigor))


def _ratio(gradient_descent: Bracket, value: Bracket) -> str:
    if value.upper == 0:
        return "-"
    ratio = quotient(gradient_descent, value)
    shown = number(ratio, 4)
    # The lower end is what the stated probabilities achieve; how much more there is to gain is
    # open.
    return f">= {decimal_floor(ratio.exact_lower, 4)}" if shown.startswith("[") else shown


def _search_note(search: SearchResult, *, order: bool = False) -> str:
    note = f"{search.method}, gap {decimal_ceiling(search.gap, 1)}, {search.products} products"
    note += f", {search.factorizations} factorizations"
    if search.status != "optimal":
        note += f", {search.status}"
    if order:
        note += ", order proved best" if search.order_proved else ", order not proved best"
    return note


def _probabilities(result: Comparison) -> Table:
    problem = result.problem
    header = ["block", "size", "cost", "L_k"]
    columns = [
        [problem.blocks.name(k) for k in range(problem.blocks.count)],
        list(map(str, problem.blocks.sizes)),
        [f"{cost:.6g}" for cost in problem.costs.float64],
        [number(constant) for constant in problem.block_L],
    ]

    def add(name: str, p: FloatArray, search: SearchResult | None = None) -> None:
        columns.append([probability(problem, k, value) for k, value in enumerate(p)])
        header.append(name)
        if search is not None:
            header[-1] += "" if search.status == "optimal" else " so far"
            header.append("rank")
            columns.append([str(rank + 1) for rank in search.order.block_to_rank])

    add("closed form p", problem.closed_form.probabilities)
    add("p for c(P)", result.optimal.probabilities, result.optimal)
    if result.nonconvex_probabilities is not None:
        add("p for c_M", result.nonconvex_probabilities, result.nonconvex)
    if result.given is not None:
        add("p as given", problem.probabilities)
    rows = list(zip(*columns, strict=True))
    return Table(header, rows, frozenset(range(1, len(header))), blocks=True)


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
            f" ({_certainty(one_block.rigor)}); gradient descent costs"
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
    certainty = _certainty(min(result.optimal.rigor, result.problem.gradient_descent.rigor))
    gap = decimal_ceiling(result.optimal.gap, 1)
    if result.helps:
        return _at_most("c(P)", "RPT", result.speedup, certainty)
    if result.helps is False:
        return (
            "By c(P), RPT does not help here: gradient descent is optimal for c(P) "
            f"within the gap of {gap} ({certainty})."
        )
    return f"Whether RPT helps by c(P) is open: the gap of {gap} is not closed."


def _about_c_M(result: Comparison, search: SearchResult) -> str:
    certainty = _certainty(min(search.rigor, result.problem.gradient_descent.rigor))
    if search.status != "optimal":
        certainty += f"; the search was {search.status}"
    speedup = quotient(result.problem.gradient_descent, search.bracket)
    return _at_most("c_M", "RPT with nested sampling", speedup, certainty)


def _at_most(measure: str, method: str, speedup: Bracket, certainty: str) -> str:
    if speedup.exact_upper == math.inf:
        return (
            f"By {measure}, how much cheaper {method} can be than gradient descent is open: no"
            " bound is proved yet."
        )
    most = decimal_ceiling(speedup.exact_upper, 6)
    return (
        f"By {measure}, {method} can be at most {most} times cheaper than gradient descent"
        f" ({certainty})."
    )


def _certainty(rigor: Rigor) -> str:
    return "certified" if rigor is not Rigor.NUMERICAL else "numerical, not proved"


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
