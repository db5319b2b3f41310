"""The report of a comparison: costs, probabilities per block, and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..numbers import Bracket, Rigor
from ..numbers.decimals import decimal_ceiling, decimal_floor
from ..problem.problem_report import probability
from ..report import BRIEF, Detail, Document, Table, heading, number
from .result import SearchResult

if TYPE_CHECKING:
    from .comparison import Comparison


def document(
    result: Comparison, title: str, notes: Sequence[str], detail: Detail = BRIEF
) -> Document:
    """Costs, probabilities per block, and what they mean in plain words."""
    problem = result.problem
    head = f"d = {problem.blocks.dimension}, B = {problem.blocks.count}"
    if problem.overhead > 0:
        head += f", overhead {float(problem.overhead):g} per step"
    if problem.order is not None:
        head += ", order " + " ".join(map(str, problem.order.rank_to_block))
    notes = (*problem.notes, *notes)
    if problem.total_cost.exact != 1:
        total = number(problem.total_cost, detail.digits)
        notes = (*notes, f"costs as given; all of them together cost {total}")
    return [
        *heading(title, head, notes),
        "",
        _costs(result, detail),
        "",
        _probabilities(result, detail),
        "",
        *words(result),
    ]


def _costs(result: Comparison, detail: Detail) -> Table:
    rows = [
        (
            choice.name,
            number(choice.cost, detail.digits),
            _ratio(result.problem.gradient_descent, choice.cost),
            choice.cost.rigor.name.lower(),
            choice.note,
        )
        for choice in result.choices
    ]
    return Table(("choice", "cost", "speed-up", "rigor", "how"), rows, frozenset({1, 2}))


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
    digits = number(ratio, 4)
    # The lower end is what the stated probabilities achieve; how much more there is to gain is
    # open.
    return f">= {decimal_floor(ratio.exact_lower, 4)}" if digits.startswith("[") else digits


def _probabilities(result: Comparison, detail: Detail) -> Table:
    problem = result.problem
    header = ["block", "size", "cost", "L_k"]
    cells = [
        [problem.blocks.name(k) for k in range(problem.blocks.count)],
        list(map(str, problem.blocks.sizes)),
        [f"{cost:.{detail.digits}g}" for cost in problem.costs.float64],
        [number(constant, detail.digits) for constant in problem.block_L],
    ]
    for choice in result.choices:
        if choice.probabilities is not None:
            header.append(choice.column)
            cells.append(
                [probability(problem, k, p, detail) for k, p in enumerate(choice.probabilities)]
            )
            if choice.search is not None:
                header.append("rank")
                cells.append([str(rank + 1) for rank in choice.search.order.block_to_rank])
    rows = list(zip(*cells, strict=True))
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
        factor = decimal_ceiling((1 + problem.blocks.count**0.5) / 2, 4)
        lines[-1] += f" No matrix makes that more than (1 + sqrt(B)) / 2 = {factor}."
        low = problem.one_block_cost
        most = number(low * float(problem.blocks.count))
        lines.append(
            f"Guarantee: sum c_k L_k = {number(low)} <= optimum of c(P) <= B sum c_k L_k = {most}."
        )
    if result.left_out:
        lines.append(f"Optimum of c_M left out: {result.left_out}.")
    lines += [
        f"{choice.name}: {choice.search.message}."
        for choice in result.choices
        if choice.search is not None and choice.search.status != "optimal"
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


def _times(result: Comparison, cost: Bracket) -> str:
    """Return the ratio of a cost to the optimum as text, or its range if the optimum is not known
    well; at least 1.
    """
    cheapest = min(result.optimal.upper, result.problem.c_rounded.upper, cost.upper)
    low = max(cost.lower / cheapest, 1.0)
    high = max(cost.upper / result.optimal.lower if result.optimal.lower > 0 else math.inf, low)
    if not math.isfinite(high):
        return f"at least {decimal_floor(low, 3)} times"
    digits = number(Bracket(low, high), 6)
    if digits.startswith("["):
        return f"between {decimal_floor(low, 3)} and {decimal_ceiling(high, 3)} times"
    return f"{digits} times"
