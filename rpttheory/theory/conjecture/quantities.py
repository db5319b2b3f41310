"""What the names in a claim stand for, on a given problem."""

from collections.abc import Iterable

from ...certify import Verdict
from ...certify.bracket import Bracket
from ...certify.exact import EXACT_DIMENSION
from ...problem.problem import Problem
from ...problem.spectral import Effort
from ...search.optimal import optimal_probabilities
from .claim import Conjecture, Decision

# Above this dimension a second, sharper look at undecided claims takes too long to do unasked.
SHARP_DIMENSION = 1500
_LOOKS: tuple[tuple[Effort, int], ...] = (("sharp", SHARP_DIMENSION), ("exact", EXACT_DIMENSION))
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


def decided(claim: Conjecture, problem: Problem) -> Decision:
    """A claim decided on a problem, with sharper brackets while it is undecided, as `verify` does."""
    found = claim.decide(quantities(problem, claim.names()))
    for effort, largest in _LOOKS:
        if found.verdict is Verdict.UNDECIDED and problem.blocks.dimension <= largest:
            found = claim.decide(quantities(problem.with_effort(effort), claim.names()))
    return found


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
