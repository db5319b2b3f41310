"""Claims and statements decided on a problem, with as much effort as they need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ..eigen.exact import EXACT_DIMENSION
from ..errors import InvalidInput
from ..numbers import Bracket, Verdict
from ..numbers.exact_array import FloatArray
from ..problem.eigen_brackets import Effort
from ..problem.problem import Problem
from .brackets import BracketEvaluator
from .claim import Claim, Decision
from .parser import parse_expression
from .quantities import Quantities
from .table import STATEMENTS, Statement

# Above this dimension sharper brackets take too long to be computed unasked.
SHARP_DIMENSION = 1500
# Effort, the largest dimension at which it is tried, and the tolerance of the certified optimum.
_LADDER: tuple[tuple[Effort, float, float], ...] = (
    ("fast", math.inf, 1e-6),
    ("sharp", SHARP_DIMENSION, 1e-9),
    ("exact", EXACT_DIMENSION, 1e-9),
)


def decide(claims: Sequence[Claim | Statement], problem: Problem) -> tuple[Decision, ...]:
    """Decide claims on a problem; undecided ones are decided again with sharper brackets.

    Parameters
    ----------
    claims : sequence of Claim or Statement
    problem : Problem

    Returns
    -------
    tuple of Decision
        In the order of the claims. UNDECIDED means a tie as far as the arithmetic can tell, a
        quantity that is only approximated, or a side that may have no value.

    Examples
    --------
    >>> from rpttheory.statements import parse
    >>> problem = Problem([[4.0, 1.0], [1.0, 2.0]], [1, 1])
    >>> print(decide([parse("L_P <= 1.02*lmax")], problem)[0].verdict)
    REFUTED
    """
    decisions = list(decide_at_effort(claims, problem))
    for effort, largest_dimension, optimum_tol in _LADDER:
        pending = [i for i, decision in enumerate(decisions) if decision.can_improve]
        if not pending:
            break
        if problem.blocks.dimension > largest_dimension:
            continue
        keeps_effort = effort == "fast" or problem.effort in (effort, "exact")
        sharper = problem if keeps_effort else problem.with_effort(effort)
        again = decide_at_effort([claims[i] for i in pending], sharper, optimum_tol=optimum_tol)
        for i, decision in zip(pending, again, strict=True):
            decisions[i] = decision
    return tuple(decisions)


def decide_at_effort(
    claims: Sequence[Claim | Statement],
    problem: Problem,
    *,
    x: FloatArray | None = None,
    optimum_tol: float | None = None,
) -> tuple[Decision, ...]:
    """Decide claims from the brackets of the problem as it is, at its own effort.

    Parameters
    ----------
    claims : sequence of Claim or Statement
    problem : Problem
    x : array, optional
        The point of `g`, `xLx` and `dual`.
    optimum_tol : float, optional
        The relative gap of the certified optimum; by default it is bracketed without a search.

    Returns
    -------
    tuple of Decision

    Examples
    --------
    >>> from rpttheory.statements import parse
    >>> problem = Problem([[4.0, 0.0], [0.0, 2.0]], [1, 1])
    >>> print(decide_at_effort([parse("lmax <= 5")], problem)[0].verdict)
    PROVED
    """
    with_search = _evaluator(problem, x, optimum_tol)
    # No statement needs more than the initial bracket of the optimum.
    without_search = _evaluator(problem, x, None)
    decisions = []
    for claim in claims:
        if isinstance(claim, Claim):
            decisions.append(with_search.decide(claim))
            continue
        try:
            decision = without_search.decide(claim.claim, claim.label, claim.part)
        except InvalidInput:  # the root of an L_k that rounding has left below zero
            sides = (Bracket.everything(),) * 2
            decision = Decision(claim.label, claim.part, claim.text, *sides, Verdict.UNDECIDED)
        else:
            if decision.verdict is Verdict.UNDECIDED and claim.decided_by:
                implied = without_search.decide(claim.deciding_claim).verdict is Verdict.PROVED
                decision = replace(decision, verdict=Verdict.PROVED) if implied else decision
        decisions.append(decision)
    return tuple(decisions)


def applicable_statements(problem: Problem) -> list[Statement]:
    """Return the statements that `verify` decides on a problem.

    Those that sum over the outcomes of a sampling are left out where there are too many of them.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    list of Statement

    Examples
    --------
    >>> problem = Problem([[4.0, 1.0], [1.0, 2.0]], [1, 1])
    >>> applicable_statements(problem)[0].text
    'L_M <= L_P'
    """
    names = set(Quantities(problem))
    samplings = ("", problem.sampling.name)
    return [
        s
        for s in STATEMENTS
        if s.in_verify and s.sampling in samplings and s.claim.names() <= names
    ]


def _evaluator(
    problem: Problem, x: FloatArray | None, optimum_tol: float | None
) -> BracketEvaluator:
    values = BracketEvaluator(Quantities(problem, x=x, optimum_tol=optimum_tol))
    if problem.is_block_diagonal:
        # lambda_max of a block-diagonal matrix is the largest L_k.
        values.identify(parse_expression("max(L)"), parse_expression("lmax"))
    if problem.is_block_diagonal or problem.sampling.max_blocks == 1:
        # The same holds for E[CLC], whose diagonal blocks are L_kk / p_k.
        values.identify(parse_expression("max(L/p)"), parse_expression("L_M"))
    if problem.plain:
        values.identify(parse_expression("sum(sqrt(c*L))^2"), parse_expression("closed"))
    return values
