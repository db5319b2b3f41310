"""The report of a problem: its quantities, and its blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..numbers import Bracket
from ..report import BRIEF, Detail, Table, number

if TYPE_CHECKING:
    from .problem import Problem

# A probability below this, of a block without curvature, is PROBABILITY_FLOOR and not a minimizer.
_LIMIT = 1e-9


def head(problem: Problem) -> str:
    """Return size and sampling in one line."""
    name = problem.sampling.name
    return f"d = {problem.blocks.dimension}, B = {problem.blocks.count}, {name} sampling"


def quantities(problem: Problem, detail: Detail = BRIEF) -> Table:
    """Return the numbers of the paper on a problem."""
    cost = (
        "sum p_k c_k"
        if problem.overhead == 0
        else f"c_0 + sum p_k c_k with c_0 = {problem.overhead}"
    )
    bound = "(sum sqrt(L_k c_k))^2, the paper's upper bound on the least c(P)"
    if not problem.plain:
        bound = "(sum sqrt(L_S c_S))^2 over pools S of blocks, an upper bound on the least c(P)"
    entries: list[tuple[str, Bracket, str]] = [
        ("lmax", problem.lmax, "lambda_max(L), which is L_P at p = 1"),
        ("L_P", problem.L_P, "lambda_max(P^-1/2 L P^-1/2)"),
        ("L_M", problem.L_M, "lambda_max(E[CLC])"),
        ("cost", problem.cost, f"expected cost of a step, {cost}"),
        ("c_P", problem.c_P, "c(P) = L_P * cost, at these probabilities"),
        ("closed", problem.closed, bound),
    ]
    rows = [
        (name, number(value, detail.digits), value.rigor.name.lower(), meaning)
        for name, value, meaning in entries
    ]
    return Table(("quantity", "value", "rigor", "meaning"), rows, frozenset({1}))


def blocks(problem: Problem, detail: Detail = BRIEF) -> Table:
    """Return size, cost, L_k and probability of each block."""
    rows = [
        (
            problem.blocks.name(k),
            str(size),
            f"{problem.costs.float64[k]:.{detail.digits}g}",
            number(problem.block_L[k], detail.digits),
            probability(problem, k, problem.probabilities[k], detail),
        )
        for k, size in enumerate(problem.blocks.sizes)
    ]
    return Table(
        ("block", "size", "cost", "L_k", "p_k"), rows, frozenset({1, 2, 3, 4}), blocks=True
    )


def probability(problem: Problem, k: int, p: float, detail: Detail = BRIEF) -> str:
    """Return the probability of a block as text; where L_k = 0 the minimum is not attained, and the
    limit is 0.
    """
    return "-> 0" if problem.block_L[k].upper == 0 and p < _LIMIT else f"{p:.{detail.digits}g}"
