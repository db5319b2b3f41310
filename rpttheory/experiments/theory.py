"""The speed-ups of RPT over gradient descent that theory gives, as brackets."""

from fractions import Fraction
from typing import Any

from ..numbers import Bracket, Verdict
from ..problem.blocks import Blocks
from ..problem.smoothness import SmoothnessLike
from ..search.comparison import compare

# Far finer than any table shows, and reached at once in the small dimensions of these experiments.
_GAP = 1e-9
_WORST_FIRST = (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.PROVED)


def speedups(L: SmoothnessLike, blocks: Blocks) -> dict[str, Any]:
    """Return the paper's formula, the exact speed-up at its probabilities, and the best possible.

    Costs are block sizes over d, as in both experiments of the paper.

    Returns
    -------
    dict
        JSON-safe: brackets under `formula` (lambda_max / (sum sqrt(L_k c_k))^2), `clipped` (the
        same, at least 1: p = 1 is always allowed), `exact` (lambda_max / c(P) at the closed form's
        probabilities) and `optimum` (lambda_max / c*), and the two sets of probabilities.
    """
    comparison = compare(L, blocks, tol=_GAP)
    problem = comparison.problem
    formula = problem.gradient_descent / problem.closed
    return {
        "lambda_max": problem.gradient_descent.to_dict(),
        "block_L": [constant.midpoint for constant in problem.block_L],
        "formula": formula.to_dict(),
        "clipped": Bracket.largest([formula, Bracket.point(1.0)]).to_dict(),
        "exact": (problem.gradient_descent / problem.c_rounded).to_dict(),
        "optimum": comparison.speedup.to_dict(),
        "rigor": comparison.optimal.rigor.name,
        "probabilities": {
            "RPT": problem.closed_form.probabilities.tolist(),
            "RPT-optimal": comparison.optimal.probabilities.tolist(),
        },
    }


def rounds_to(value: Bracket, printed: str) -> Verdict:
    """Decide whether a number, rounded to one decimal, is the printed one.

    Both tables give one decimal and leave out a trailing zero: 1 stands above 1.1, 20 below 2.8.

    Examples
    --------
    >>> print(rounds_to(Bracket(1.249, 1.2491), "1.2"), rounds_to(Bracket(1.2, 1.2), "1.3"))
    PROVED REFUTED
    """
    verdicts = {
        value >= Fraction(printed) - Fraction(1, 20),
        value <= Fraction(printed) + Fraction(1, 20),
    }
    return next(verdict for verdict in _WORST_FIRST if verdict in verdicts)


def middle(bracket: dict[str, Any]) -> float:
    """The middle of a bracket that went through `to_dict`."""
    return (float(bracket["lower"]) + float(bracket["upper"])) / 2
