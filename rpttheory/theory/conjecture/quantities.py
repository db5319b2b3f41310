"""What the names in a claim stand for, on a given problem."""

from __future__ import annotations

from collections.abc import Iterable

from ...certify.bracket import Bracket
from ...problem.problem import Problem
from ...search.optimal import optimal_probabilities

# The relative gap of the certified optimum, by the effort of the problem.
_GAP = {"fast": 1e-6, "sharp": 1e-9, "exact": 1e-9}


def quantities(problem: Problem, names: Iterable[str]) -> dict[str, Bracket | tuple[Bracket, ...]]:
    """Enclosures of the quantities named, one per block where the name says so.

    Examples
    --------
    >>> found = quantities(Problem([[4.0, 0.0], [0.0, 1.0]], [1, 1]), ["lmax", "c"])
    >>> print(found["lmax"], *found["c"])
    4 0.5 0.5
    """
    return {name: _quantity(problem, name) for name in names}


def _quantity(problem: Problem, name: str) -> Bracket | tuple[Bracket, ...]:
    match name:
        case "d" | "B":
            return Bracket.point(float(problem.blocks.dimension if name == "d" else problem.blocks.count))
        case "L":
            return problem.block_L
        case "p":
            return problem.marginals
        case "c":
            return tuple(map(Bracket.of_fraction, problem.costs.fractions()))
        case "optimum":
            return optimal_probabilities(problem, tol=_GAP[problem.effort]).bracket
    value = getattr(problem, name)
    assert isinstance(value, Bracket)
    return value
