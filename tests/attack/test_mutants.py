"""Statements that are false by a little: each must fall to the search, and its fall be proved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from rpttheory import Verdict
from rpttheory.attack import Instance, find_counterexample
from rpttheory.attack.target import AnyStatement, targets
from rpttheory.eigen.exact import definiteness
from rpttheory.statements import STATEMENTS, Statement, parse
from rpttheory.statements.batch import Batch
from rpttheory.statements.expression import Chain, Number
from rpttheory.statements.runs import RUN_STATEMENTS, one_step, sketched_gradient, start_value
from rpttheory.statements.table import COMPUTED_STATEMENTS, ComputedStatement, Sides, StepLimit

EVALUATIONS = 40_000
# The factor on the right-hand side, 99/100 unless another says how far a statement is from tight.
FACTORS = {
    "our:convexByLM": Fraction(32, 100),
    "our:lastIterate": Fraction(2, 3),
    "our:lastIterateLong": Fraction(97, 100),
    "thm:rcdConvex": Fraction(1, 4),
    "thm:oldConvex": Fraction(1, 5),
    "our:genericConvex": Fraction(1, 4),
    "our:noisyConvex": Fraction(49, 100),
    "our:noisyConvex/long steps": Fraction(37, 100),
    "our:noisyNonconvex": Fraction(74, 100),
    "thm:non-convex": Fraction(49, 100),
}


def stronger(statement: Statement | ComputedStatement) -> AnyStatement:
    """Return left <= factor right."""
    factor = FACTORS.get(statement.name, Fraction(99, 100))
    if isinstance(statement, Statement):
        claim = statement.claim
        right = Chain("", Number("", factor), (("*", claim.right),))
        return replace(claim, text=f"{factor} times {claim}", right=right)

    def sides(batch: Batch) -> Sides:
        left, right = statement.sides(batch)
        return left * factor.denominator, right * factor.numerator

    return replace(statement, part=f"{statement.part} times {factor}", sides=sides)


def second_moment_with_lmax(batch: Batch) -> Sides:
    return sketched_gradient(batch)[0], 2 * batch.lmax * start_value(batch)


# L_M may replace L_P in the nonconvex theorem; lambda_max(L) may not.
LMAX = StepLimit("1/lambda_max(L)", lambda batch: batch.lmax)
MUTANTS: list[AnyStatement] = [
    *(
        stronger(statement)
        for statement in STATEMENTS
        if not statement.claim.names() & {"g", "q", "optimum"}
    ),
    *(stronger(statement) for statement in COMPUTED_STATEMENTS),
    *(
        stronger(statement)
        for statement in RUN_STATEMENTS
        if statement.label != "our:stronglyConvexConjecture"
    ),
    parse("lmax <= max(L)"),
    parse("c_P <= sum(sqrt(c*L))^2"),
    ComputedStatement(
        "false:secondMoment", "E|C grad f|^2 <= 2 lmax (f - f*)", second_moment_with_lmax, "any"
    ),
    ComputedStatement("false:lmax", "one step with 1/lmax", one_step, "any", LMAX, (1,)),
]


def name(statement: AnyStatement) -> str:
    return targets(statement)[0].name


def require_hypotheses(statement: AnyStatement, instance: Instance) -> None:
    """Assert that a statement speaks of an instance: a counterexample elsewhere refutes nothing."""
    L = np.array(instance.L, dtype=object)
    assert definiteness(L.tolist()) in (0, 1)
    assert sum(instance.costs) == 1 and min(instance.costs) > 0
    f = instance.function
    assert (f is not None) == (
        isinstance(statement, ComputedStatement) and bool(statement.functions)
    )
    if f is None:
        return
    assert isinstance(statement, ComputedStatement) and instance.steps in statement.steps
    rows = np.array(f.rows, dtype=object)
    assert definiteness((L - rows.T @ rows - np.diag([f.mu] * len(L))).tolist()) in (0, 1)
    assert f.mu > 0 if statement.functions == "strongly convex" else f.mu >= 0
    assert f.shape == "huber" or statement.functions == "any"
    assert all(limit is None or limit >= 0 for limit in f.thresholds)
    if statement.limit is not None:
        assert instance.stepsize is not None and instance.stepsize > 0
        assert statement.limit.allows(instance.exact)


@pytest.mark.parametrize("mutant", MUTANTS, ids=name)
def test_falls(mutant: AnyStatement) -> None:
    result = find_counterexample(mutant, max_evaluations=EVALUATIONS)
    assert result.verdict is Verdict.REFUTED and result.ratio > 1
    assert result.evaluations < EVALUATIONS  # it stopped there
    assert result.left.exact_lower > result.right.exact_upper
    require_hypotheses(mutant, result.instance)


@pytest.mark.parametrize("rng", [7, 8])
@pytest.mark.parametrize("claim", ["L_M >= 0.26*L_P", "c_closed <= 1.48*optimum"])
def test_claims_that_fall_on_four_blocks_alone(claim: str, rng: int) -> None:
    """The default budget is enough for them, although most layouts have fewer blocks."""
    result = find_counterexample(claim, rng=rng)
    assert result.verdict is Verdict.REFUTED and len(result.instance.sizes) == 4
