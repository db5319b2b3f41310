"""What theory says of one problem: the speed-ups of RPT over gradient descent, as brackets."""

from fractions import Fraction
from typing import Any

from ..numbers import Bracket, Verdict
from ..problem.blocks import Blocks
from ..problem.smoothness import SmoothnessLike
from ..search.comparison import compare

# Far finer than any table shows, and reached at once in the small dimensions of these experiments.
_GAP = 1e-9


def speedups(L: SmoothnessLike, blocks: Blocks) -> dict[str, Any]:
    """The paper's formula, the exact speed-up at its probabilities, and the best that any
    probabilities can give.

    Costs are block sizes over d, as in both experiments of the paper.

    Returns
    -------
    dict
        JSON-safe: brackets under `formula` (lambda_max / (sum sqrt(L_k c_k))^2), `clipped` (the
        same, at least 1: p = 1 is always allowed), `exact` (lambda_max / c(P) at the closed form's
        probabilities) and `optimum` (lambda_max / c*), and the two sets of probabilities.
    """
    found = compare(L, blocks, objective="c_P", tol=_GAP)
    problem = found.problem
    formula = problem.gradient_descent / problem.closed
    return {
        "lambda_max": problem.gradient_descent.to_dict(),
        "block_L": [constant.midpoint for constant in problem.block_L],
        "formula": formula.to_dict(),
        "clipped": Bracket.largest([formula, Bracket.point(1.0)]).to_dict(),
        "exact": (problem.gradient_descent / problem.c_rounded).to_dict(),
        "optimum": found.speedup.to_dict(),
        "rigor": found.optimal.rigor.name,
        "probabilities": {
            "RPT": problem.closed_form.probabilities.tolist(),
            "RPT-optimal": found.optimal.probabilities.tolist(),
        },
    }


def rounds_to(value: Bracket, printed: str, decimals: int = 1) -> Verdict:
    """Whether a number, rounded to so many decimals, is the printed one.

    Both tables give one decimal and leave out a trailing zero: 1 stands above 1.1, 20 below 2.8.

    Examples
    --------
    >>> print(rounds_to(Bracket(1.249, 1.2491), "1.2"), rounds_to(Bracket(1.2, 1.2), "1.3"))
    PROVED REFUTED
    """
    half = Fraction(1, 2 * 10**decimals)
    low = value >= Fraction(printed) - half
    high = value <= Fraction(printed) + half
    if Verdict.REFUTED in (low, high):
        return Verdict.REFUTED
    return Verdict.PROVED if (low, high) == (Verdict.PROVED, Verdict.PROVED) else Verdict.UNDECIDED


def middle(bracket: dict[str, Any]) -> float:
    """The middle of a bracket that went through `to_dict`."""
    return (float(bracket["lower"]) + float(bracket["upper"])) / 2
