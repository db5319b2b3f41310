"""The report of a comparison: costs, samplings, probabilities per block, and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..certificates.problem_latex import escaped, origin, power_of_ten, setting, value, vector
from ..numbers import Bracket, Rigor
from ..numbers.decimals import decimal_ceiling, decimal_floor
from ..numbers.exact_array import FloatArray
from ..problem.problem_report import probability
from ..report import BRIEF, Detail, Document, Table, heading, number
from ..report.text import WIDTH
from .result import SearchResult
from .samplings import SamplingCost

if TYPE_CHECKING:
    from .comparison import Comparison

_BY_C_P = ("closed form", "optimal", "your p")
_ADVICE = {
    "single": "draw one block at a time",
    "independent": "draw blocks independently",
    "nested": "use nested sampling (RPT)",
    "nonconvex": "use nested sampling (RPT)",
    "budget": "draw one block of each group",
}


def document(
    result: Comparison, title: str, notes: Sequence[str], detail: Detail = BRIEF
) -> Document:
    """Return costs, samplings, probabilities per block, and what they mean in plain words."""
    problem = result.problem
    head = f"d = {problem.blocks.dimension}, B = {problem.blocks.count}"
    if problem.overhead > 0:
        head += f", overhead {float(problem.overhead):g} per step"
    if problem.order is not None:
        head += ", order " + " ".join(map(str, problem.order.rank_to_block))
    if result.samplings.backprop:
        head += ", a step pays for its deepest block"
    if result.samplings.budget is not None:
        head += f", budget {result.samplings.budget}"
    notes = (*problem.notes, *notes)
    if problem.total_cost.exact != 1:
        total = number(problem.total_cost, detail.digits)
        notes = (*notes, f"a step that updates all blocks costs {total}")
    tables = [_costs(result, detail), _samplings(result, detail), *_probabilities(result, detail)]
    spaced = [part for table in tables for part in (table, "")]
    return [*heading(title, head, notes), "", *spaced, *sentences(result, detail)]


def _costs(result: Comparison, detail: Detail) -> Table:
    rows = []
    for choice in result.choices:
        note = choice.note
        if detail.verbose and choice.search is not None:
            note += f", {choice.search.method}, {choice.search.work}"
        rows.append((choice.name, *_numbers(result, choice.cost, detail), note))
    return Table(("choice", "c(P)", "speed-up", "rigor", "how"), rows, frozenset({1, 2}))


def _samplings(result: Comparison, detail: Detail) -> Table:
    rows = []
    for row in result.samplings.rows:
        note = row.obstacle or row.theorem
        if row.key == "nonconvex" and result.nonconvex is not None:
            search = result.nonconvex
            parts = [row.obstacle] if row.obstacle else []
            parts += [search.status] if search.status != "optimal" else []
            proved = "proved best order" if search.order_proved else "order not proved best"
            parts.append("in the forced order" if result.problem.order is not None else proved)
            if detail.verbose:
                parts += [search.method, f"gap {decimal_ceiling(search.gap, 1)}", search.work]
            note = ", ".join(parts)
        rows.append((row.name, *_numbers(result, row.cost, detail), note))
    return Table(("sampling", "c_M", "speed-up", "rigor", "by"), rows, frozenset({1, 2}))


def _numbers(result: Comparison, cost: Bracket, detail: Detail) -> tuple[str, str, str]:
    """Return a cost, its ratio to gradient descent, and its rigor."""
    ratio = speedup(result.problem.gradient_descent, cost)
    return number(cost, detail.digits), ratio, cost.rigor.name.lower()


def quotient(cost: Bracket, optimum: Bracket) -> Bracket:
    """cost / optimum, without an upper bound where the optimum has no positive lower bound."""
    if not optimum.lower <= 0 < optimum.upper < math.inf:
        return cost / optimum
    least = cost / Bracket.point(optimum.upper)
    return Bracket(least.lower, math.inf, min(least.rigor, optimum.rigor))


def speedup(gradient_descent: Bracket, value: Bracket) -> str:
    """Return the cost of gradient descent over another cost, to four digits."""
    if value.upper == 0:
        return "-"
    ratio = quotient(gradient_descent, value)
    digits = number(ratio, 4)
    # The lower end is what the stated probabilities achieve.
    return f">= {decimal_floor(ratio.exact_lower, 4)}" if digits.startswith("[") else digits


def _probabilities(result: Comparison, detail: Detail) -> list[Table]:
    """Return the probabilities per block, in a second table where one is too wide."""
    problem = result.problem
    names = [problem.blocks.name(k) for k in range(problem.blocks.count)]
    columns: list[tuple[str, list[str]]] = []
    probabilities = result.probabilities
    for key, p in probabilities.items():
        if key == "independent" and _equal_single(probabilities):
            continue  # without overhead they are the same
        cells = [probability(problem, k, value, detail) for k, value in enumerate(p)]
        columns.append((key, cells))
    if result.group_of is not None:
        columns.append(("group", list(map(str, result.group_of))))
    block_columns = [
        ("size", list(map(str, problem.blocks.sizes))),
        ("cost", [f"{cost:.{detail.digits}g}" for cost in problem.costs.float64]),
        ("L_k", [number(constant, detail.digits) for constant in problem.block_L]),
    ]

    def table(part: list[tuple[str, list[str]]]) -> Table:
        header = ["block", *(name for name, _ in part)]
        rows = list(zip(names, *(cells for _, cells in part), strict=True))
        return Table(header, rows, frozenset(range(1, len(header))), blocks=True)

    whole = table(block_columns + columns)
    if max(map(len, whole.lines())) <= WIDTH:
        return [whole]
    first = sum(key in _BY_C_P for key, _ in columns)
    return [table(block_columns + columns[:first]), table(columns[first:])]


def _equal_single(probabilities: dict[str, FloatArray]) -> bool:
    """Return whether the independent probabilities are those of one block at a time."""
    pair = probabilities["independent"], probabilities["single"]
    return np.allclose(*pair, rtol=1e-12, atol=0)


def sentences(result: Comparison, detail: Detail = BRIEF) -> list[str]:
    """Return the sentences below the tables."""
    problem = result.problem
    optimal = result.optimal
    if optimal.upper == 0:
        return ["L = 0: every choice costs 0."]
    lines = [recommendation(result), _about_c_P(result)]
    if result.nonconvex is not None:
        lines.append(_about_c_M(result, result.nonconvex))
    cost = "sum p_k c_k" if problem.overhead == 0 else "(c_0 + sum p_k c_k)"
    lines.append(
        f"c(P) = L_P {cost} is the bound for convex f. c_M = L_M {cost} is the bound for nonconvex"
        " f, and for strongly convex f in function values (our:functionValues)."
    )
    if result.samplings.backprop:
        lines[-1] += (
            " A step pays for all blocks up to its deepest one. For c(P) nested sampling is then"
            " the best of all samplings (our:backpropagation)."
        )
    else:
        lines[-1] += " Samplings with equal p_k have equal c(P) (our:samplingIndependence)."
    if result.given is not None:
        lines.append(f"Your probabilities cost {_times(result, result.given)} the optimum of c(P).")
    lines.append(f"The closed form costs {_times(result, problem.c_rounded)} the optimum of c(P).")
    if problem.plain:
        # our:closedFormFactor in the ledger; it is attained.
        factor = decimal_ceiling((1 + problem.blocks.count**0.5) / 2, 4)
        lines[-1] += f" For every matrix that factor is at most (1 + sqrt(B)) / 2 <= {factor}."
        least = problem.one_block_cost
        low = decimal_floor(least.exact_lower, detail.digits)
        most = least * float(problem.blocks.count)
        high = decimal_ceiling(most.exact_upper, detail.digits)
        lines.append(
            f"Guarantee: {low} <= sum c_k L_k <= optimum of c(P) <= B sum c_k L_k <= {high}."
        )
    if result.left_out:
        lines.append(f"Optimum of c_M left out: {result.left_out}.")
    searches = {"optimum of c(P)": optimal, "optimum of c_M, nested": result.nonconvex}
    lines += [
        f"{name} ({search.status}): {search.message}."
        for name, search in searches.items()
        if search is not None and search.status != "optimal"
    ]
    return lines


def recommendation(result: Comparison) -> str:
    """Return the sentence on which sampling to use by c_M."""
    samplings = result.samplings
    factor = samplings.factor
    theorems = " and ".join(dict.fromkeys((samplings.best.theorem, samplings.bound.theorem)))
    scope = " within the budget" * (samplings.bound.key == "any_within_budget")
    if factor.exact_upper == math.inf:
        excess = f"no bound is proved on how much less the best sampling{scope} costs"
    elif factor.upper - 1 < 1e-6:
        excess = f"no sampling{scope} costs less by more than a millionth"
    else:
        most = decimal_ceiling(factor.exact_upper, 4)
        excess = f"that costs at most {most} times the best of all samplings{scope}"
    certainty = _certainty(factor.rigor)
    best = samplings.best.key
    column = "optimal" if best == "nested" else best
    if best == "independent" and _equal_single(result.probabilities):
        column = "single"  # `_probabilities` lists equal columns once
    return (
        f'For least c_M, {_ADVICE[best]}, with the probabilities "{column}": {excess}'
        f" ({certainty}; {theorems})."
    )


def _about_c_P(result: Comparison) -> str:
    certainty = _certainty(min(result.optimal.rigor, result.problem.gradient_descent.rigor))
    gap = decimal_ceiling(result.optimal.gap, 1)
    if result.helps:
        return _savings("c(P)", result.speedup, certainty)
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
    ratio = quotient(result.problem.gradient_descent, search.bracket)
    return _savings("c_M", ratio, certainty)


def _savings(measure: str, ratio: Bracket, certainty: str) -> str:
    if ratio.exact_upper == math.inf:
        return (
            f"By {measure}, how much cheaper RPT can be than gradient descent is open: no bound is"
            " proved yet."
        )
    most = decimal_ceiling(ratio.exact_upper, 6)
    limit = f"no probabilities make RPT more than {most} times cheaper than gradient descent"
    if ratio.exact_lower > 1:
        least = decimal_floor(ratio.exact_lower, 6)
        limit = f"RPT is {least} times cheaper at the best probabilities listed, and {limit}"
    return f"By {measure}, {limit} ({certainty})."


def _certainty(rigor: Rigor) -> str:
    return "certified" if rigor is not Rigor.NUMERICAL else "numerical, not proved"


def _times(result: Comparison, cost: Bracket) -> str:
    """Return the ratio of a cost to the optimum as text, at least 1; a range if the bracket of the
    optimum is wide.
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


def latex(result: Comparison) -> str:
    """Return the problem, the costs of probabilities and samplings, and the origin as LaTeX."""
    problem = result.problem
    search = result.optimal
    sentences = [setting(problem, sampling=False)]
    if result.samplings.backprop:
        sentences.append("A step pays for all blocks up to its deepest one in this order.")
    if result.samplings.budget is not None:
        sentences.append(f"A step may update at most {result.samplings.budget} of the blocks.")
    per_step = r"\sum_k p_k c_k" if problem.overhead == 0 else r"(c_0 + \sum_k p_k c_k)"
    sentences.append(
        f"Here $c(P) = L_P {per_step}$, and $c_M$ is $L_M$ times the expected cost of a step."
    )
    rows = [f"{escaped(choice.name)} & ${value(choice.cost)}$" for choice in result.choices]
    samplings = [_latex_row(row) for row in result.samplings.rows]
    lines = ["probabilities & $c(P)$", *rows, "sampling & $c_M$", *samplings]
    table = " \\\\\n".join(lines)
    p = vector("p", [Fraction(share) for share in search.probabilities.tolist()])
    gap = power_of_ten(decimal_ceiling(search.gap, 1))
    least = f"least $c(P)$ is ${value(search.bracket)}$ ({_certainty(search.rigor)})"
    return (
        "\n".join(sentences) + f"\n\n\\begin{{tabular}}{{lr}}\n{table}\n\\end{{tabular}}\n\n"
        f"The {least}, attained up to a relative gap of ${gap}$ at ${p}$.\n"
        f"{origin(problem, result.certificate, 'the least $c(P)$')}"
    )


def _latex_row(row: SamplingCost) -> str:
    """Return a sampling and its c_M, or a bound, as a row of a table in LaTeX."""
    if row.sampling is None:
        scope = " within the budget" * (row.key == "any_within_budget")
        least = power_of_ten(decimal_floor(row.cost.exact_lower, 6))
        return rf"every sampling{scope} & $\ge {least}$"
    name = f"{row.name}, {row.obstacle}" if row.obstacle else row.name
    return f"{escaped(name)} & ${value(row.cost)}$"
