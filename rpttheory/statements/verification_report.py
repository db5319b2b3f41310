"""The report of a verification: the input, the quantities, the blocks, and every claim with its
verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..numbers import Bracket, Rigor, Verdict, arithmetic_problem
from ..numbers.decimals import decimal_ceiling, decimal_floor
from ..problem import problem_report
from ..problem.problem import Problem
from ..report import Detail, Document, Table, finish, heading, new_axes, number, sides
from ..report.figure import INKS, tip
from ..vocabulary import AT_A_POINT
from .claim import Decision
from .numbering import named
from .parser import parse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .verify import Verification


def document(
    result: Verification, title: str, notes: Sequence[str], detail: Detail, L: str
) -> Document:
    """Return the whole report, which ends in one line that counts the verdicts.

    `L` says in words what the entries of L are.
    """
    problem = result.problem
    all_notes = [*problem.notes, *notes]
    unsound = arithmetic_problem(problem.blocks.dimension)
    if unsound:
        all_notes.append(f"nothing can be proved in this process: {unsound}")
    lines = heading(title, problem_report.head(problem), all_notes)
    lines.append(_numbers_line(L, problem))
    counts = ", ".join(f"{result.count(verdict)} {verdict.value.lower()}" for verdict in Verdict)
    numbers = (
        problem_report.quantities(problem, detail),
        "",
        problem_report.blocks(problem, detail),
    )
    return [*lines, "", *numbers, "", _claims(result.claims, detail), "", counts]


def _numbers_line(L: str, problem: Problem) -> str:
    """Return one line on where L, p and c come from."""
    if problem.notes and L == "as given":
        L = "the symmetric part of the matrix given"
    p = (
        "the closed form rounded to doubles"
        if problem.at_closed_form
        else "as given or fixed by the sampling"
    )
    c = (
        "block sizes divided by d"
        if problem.costs.fractions() == problem.blocks.shares.fractions()
        else "as given"
    )
    total = problem.total_cost
    if total.exact != 1:
        c += f"; they add up to {number(total)}"
    return f"  taken exactly: L ({L}), p ({p}), c ({c})"


def _claims(claims: Sequence[Decision], detail: Detail) -> Table:
    rows = []
    remarks = {}
    for index, claim in enumerate(claims):
        texts = sides(claim.left, claim.right, detail.digits)
        rows.append((claim.statement, *texts, claim.verdict.value))
        remarks[index] = _name(claim)
        if parse(claim.statement).names() & AT_A_POINT:
            remarks[index] += ", at one vector x"
        if claim.verdict is Verdict.UNDECIDED:
            remarks[index] += f"; undecided: {why_undecided(claim)}"
        if detail.verbose:
            ends = f"left in {_outward(claim.left)}, right in {_outward(claim.right)}"
            remarks[index] += f"; {claim.rigor.name.lower()}: {ends}"
    return Table(("statement", "left", "right", "verdict"), rows, frozenset({1, 2}), remarks)


def _name(claim: Decision) -> str:
    return f"{named(claim.label)} {claim.part}".strip()


def why_undecided(claim: Decision) -> str:
    """Return one line on why a claim is undecided."""
    left = claim.left
    right = claim.right
    if claim.rigor is Rigor.NUMERICAL:
        return "the sides are numerical approximations; they prove nothing"
    if math.inf in (left.exact_upper, -left.exact_lower, right.exact_upper, -right.exact_lower):
        return (
            "a side has no value: the root of a number that may be negative, or a division by one"
            " that may be zero"
        )
    if left.exact_upper < right.exact_lower or right.exact_upper < left.exact_lower:
        return (
            "the statement is about positive semidefinite L, and this one is so only up to rounding"
        )
    size = max(abs(left.lower), abs(left.upper), abs(right.lower), abs(right.upper))
    overlap = max(left.upper - right.lower, right.upper - left.lower)
    if size > 0 and overlap < 1e-6 * size:
        return (
            f"a tie: the sides agree to {overlap / size:.1g} relative, as closely as they are known"
        )
    return f"the brackets overlap: left {_outward(left)}, right {_outward(right)}"


def _outward(bracket: Bracket) -> str:
    """Return the ends of a bracket in eight digits, rounded outwards."""
    return f"[{decimal_floor(bracket.exact_lower, 8)}, {decimal_ceiling(bracket.exact_upper, 8)}]"


def plot(result: Verification, axes: Axes | None) -> Axes:
    """Draw left / right of each claim, in floats; the table has the verdicts."""
    axes = new_axes(8.5, 1.2 + 0.28 * len(result.claims)) if axes is None else axes
    for verdict, ink, marker in zip(
        Verdict, (INKS[3], INKS[1], INKS[5]), ("o", "X", "s"), strict=True
    ):
        style: dict[str, Any] = {"color": ink, "marker": marker, "markersize": 8}
        label: str | None = verdict.value
        for place, claim in enumerate(result.claims):
            has_ratio = claim.right.midpoint and math.isfinite(claim.right.width)
            if claim.verdict is verdict and has_ratio:
                ratio = claim.left.midpoint / claim.right.midpoint
                (point,) = axes.plot([ratio], [-place], label=label, linestyle="none", **style)
                tip(point, f"{_name(claim)}: {ratio:.8g}, {verdict}")
                label = None
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_yticks(
        [-place for place in range(len(result.claims))], [*map(_name, result.claims)], fontsize=8
    )
    axes.set_xlabel("left / right")
    return finish(axes)
