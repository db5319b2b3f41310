"""Statements that are false by a little: each must fall to the search, and its fall be proved."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from proofs_check.attack import Inequality, inequalities, search
from proofs_check.attack.case import Case
from proofs_check.attack.construction import Construction, ConstructionSpace
from proofs_check.attack.expectations import (
    convex,
    convex_sharp,
    decide_generic,
    decide_like_descent,
    exactly,
    function_values,
    generic_convex,
    generic_nonconvex_sharp,
    last_iterate,
    like_descent,
    noisy_convex,
    noisy_nonconvex,
    noisy_strongly_convex,
    nonconvex,
    old_convex,
    one_step,
    random_iterate,
    sketched_gradient,
    start,
    strongly_convex,
    strongly_convex_conjecture,
    strongly_convex_simple,
)
from proofs_check.attack.matrix_statements import MATRICES, WITH_POINT, ByBrackets, instance_of
from proofs_check.attack.problems import Problems, layouts
from proofs_check.attack.space import Space
from proofs_check.attack.stack import Stack
from proofs_check.attack.stepsize import Limit
from rpttheory import Blocks, Bracket, Verdict
from rpttheory.eigen.exact import bracket_exactly, definiteness
from rpttheory.statements import parse
from rpttheory.statements.at_point import dual_value
from rpttheory.statements.batch import sides, top

EVALUATIONS = 40_000


def scaled(
    name: str, factor: str, brackets: Callable[[Any], tuple[Bracket, Bracket]]
) -> Inequality:
    """left <= factor right, from a statement about matrices."""
    (true,) = inequalities(name)
    number = Fraction(factor)

    def sides(stack: Stack) -> tuple[Any, Any]:
        left, right = true.sides(stack)
        return left, float(number) * right

    def decide(case: Case) -> Verdict:
        left, right = brackets(instance_of(case))
        return left <= right * number

    return replace(true, part=f"times {factor}", sides=sides, decide=decide)


BY_BRACKETS = ("our:logConvex", "our:overhead", "our:forcedOrder")


def by_brackets(name: str, factor: Fraction) -> Inequality:
    """left <= factor right, from a statement that is decided by enclosures of both."""
    (true,) = inequalities(name)
    assert isinstance(true.decide, ByBrackets)
    enclose = true.decide.brackets

    def sides(stack: Stack) -> tuple[Any, Any]:
        left, right = true.sides(stack)
        return left, float(factor) * right

    def decide(case: Case) -> Verdict:
        left, right = enclose(case)
        return left <= right * factor

    return replace(true, part=f"times {factor}", sides=sides, decide=decide)


def rational(
    name: str, text: str, space: Space, sides: Callable[[Stack], tuple[Any, Any]]
) -> Inequality:
    """A statement about functions whose two sides are fractions."""
    return Inequality(name, text, "", space, sides, exactly(sides), "false", False)


def with_factor(
    name: str, true: Callable[[Stack], tuple[Any, Any]], factor: Fraction
) -> Inequality:
    """left <= factor right, from a statement about functions."""
    (one, *_) = inequalities(name)

    def sides(stack: Stack) -> tuple[Any, Any]:
        left, right = true(stack)
        return left * factor.denominator, right * factor.numerator

    return rational(name, f"times {factor}", one.space, sides)


# -- matrices

INDEFINITE = Problems(MATRICES.layouts, mu=(-4.0, -0.25))
SINGLETONS = Problems(layouts(partitions=((1, 1), (1, 1, 1))))


def wrong_power(stack: Stack) -> tuple[Any, Any]:
    """c(P) at p_k proportional to L_k / c_k, without the root."""
    p = np.maximum(stack.block_L, 1e-9) / stack.costs
    return stack.weighted(p) * (p * stack.costs).sum(axis=1), sides(parse("closed <= 1"), stack)[0]


def decide_wrong_power(case: Case) -> Verdict:
    exact = case.exact
    p = [exact.L[0][k, k] / exact.costs[0][k] for k in range(case.blocks.count)]
    if min(p) == 0:
        return Verdict.UNDECIDED
    high = sum(exact.L[0][k, k] / p[k] for k in range(len(p)))
    cost = sum(q * c for q, c in zip(p, exact.costs[0], strict=True))
    return (
        bracket_exactly(exact.L[0].tolist(), p, Bracket(Fraction(0), high)) * cost
        <= instance_of(case).closed
    )


def always_closed(case: Case) -> tuple[Bracket, Bracket]:
    instance = instance_of(case)
    return instance.c_P, instance.closed


# -- functions


def _lmax_allows(case: Case) -> bool:
    L = case.exact.L[0]
    return case.psd(np.diag([1 / Fraction(case.stepsize or 0.0)] * len(L)) - L)


# L_M may replace L_P in the nonconvex theorem; lambda_max(L) may not.
LMAX = Limit("1/lambda_max(L)", lambda s: 1 / s.lmax, _lmax_allows)


def decide_second_moment_with_lmax(case: Case) -> Verdict:
    gap = Fraction(start(case.exact)[0][0])
    if gap == 0:
        return Verdict.UNDECIDED
    t = Fraction(sketched_gradient(case.exact)[0]) / (2 * gap)
    definite = definiteness((np.diag([t] * len(case.L)) - case.exact.L[0]).tolist()) == 1
    return Verdict.REFUTED if definite else Verdict.PROVED


def decide_without_eps(case: Construction) -> Verdict:
    """sum m_k <= lambda_max(M)."""
    matrix = case.exact.matrix[0]
    total = case.exact.total[0] + case.exact.slack[0].sum()
    excess = np.diag([total] * len(matrix)) - matrix
    return Verdict.REFUTED if definiteness(excess.tolist()) == 1 else Verdict.PROVED


FALSE = [
    scaled("lem:key_quantity/left", "99/100", lambda i: (i.L_M, i.L_P)),
    scaled(
        "lem:key_quantity/right",
        "99/100",
        lambda i: (i.L_P, i.lmax / min(i.sampling.marginals.fractions())),
    ),
    scaled("lem:twoBounds/lower", "99/100", lambda i: (Bracket.largest(i.block_L), i.lmax)),
    scaled("lem:twoBounds/upper", "98/100", lambda i: (i.lmax, Bracket.sum(i.block_L))),
    scaled("our:sandwich/lower", "99/100", lambda i: (i.one_block_cost, i.c_P)),
    scaled(
        "our:sandwich/factor", "99/100", lambda i: (i.closed, i.blocks.count * i.one_block_cost)
    ),
    scaled(
        "text:productBound",
        "99/100",
        lambda i: (i.c_P, Bracket.sum(map(_over, i.block_L, i.marginals)) * i.cost),
    ),
    scaled("our:LPgeqL", "99/100", lambda i: (i.lmax, i.L_P)),
    scaled(
        "our:closedFormFactor",
        "99/100",
        lambda i: (i.c_closed, i.c_P * (Bracket.point(i.blocks.count).sqrt() + 1) * Fraction(1, 2)),
    ),
    scaled(
        "lem:upperBound",
        "99/100",
        lambda i: (i.closed, Bracket.sum(map(_over, i.block_L, i.marginals)) * i.cost),
    ),
    Inequality(
        "false:oneBlock",
        "lambda_max(L) <= max L_k",
        "",
        MATRICES,
        lambda s: (s.lmax, s.block_L.max(axis=1)),
        ByBrackets(
            lambda case: (instance_of(case).lmax, Bracket.largest(instance_of(case).block_L))
        ),
        "",
        False,
    ),
    Inequality(
        "false:indefinite",
        "lambda_max(M) <= sum M_k for symmetric M",
        "",
        INDEFINITE,
        lambda s: (s.lmax, s.block_L.sum(axis=1)),
        ByBrackets(lambda case: (instance_of(case).lmax, Bracket.sum(instance_of(case).block_L))),
        "",
        False,
    ),
    Inequality(
        "false:power",
        "c(P) <= (sum sqrt(L_k c_k))^2 at p_k ~ L_k / c_k",
        "",
        SINGLETONS,
        wrong_power,
        decide_wrong_power,
        "",
        False,
    ),
    Inequality(
        "false:everyP",
        "c(P) <= (sum sqrt(L_k c_k))^2 for every P",
        "",
        MATRICES,
        lambda s: (s.L_P * s.cost, sides(parse("closed <= 1"), s)[0]),
        ByBrackets(always_closed),
        "",
        False,
    ),
    Inequality(
        "false:optimum",
        "min c(P) <= 0.99 (sum sqrt(L_k c_k))^2",
        "",
        WITH_POINT,
        lambda s: (s.dual, 0.99 * sides(parse("closed <= 1"), s)[0]),
        ByBrackets(
            lambda case: (
                dual_value(instance_of(case), case.x),
                instance_of(case).closed * Fraction(99, 100),
            )
        ),
        "",
        False,
    ),
    Inequality(
        "false:eps",
        "sum lambda_max(M_k) <= lambda_max(M)",
        "",
        ConstructionSpace(),
        lambda s: (s.total + s.slack.sum(axis=1), top(s.matrix)),
        decide_without_eps,
        "",
        False,
    ),
    Inequality(
        "false:secondMoment",
        "E|C grad f|^2 <= 2 lambda_max(L) (f - f*)",
        "",
        inequalities("lem:secondMoment")[0].space,
        lambda s: (sketched_gradient(s), 2 * s.lmax * start(s)[0]),
        decide_second_moment_with_lmax,
        "",
        False,
    ),
    with_factor("thm:rcdStronglyConvex", strongly_convex, Fraction(99, 100)),
    with_factor("our:convexSharp", convex_sharp, Fraction(99, 100)),
    with_factor("our:convexSharp/several steps", convex_sharp, Fraction(99, 100)),
    with_factor("our:stronglyConvexSimple", strongly_convex_simple, Fraction(99, 100)),
    with_factor("our:nonconvexRandomIterate", random_iterate, Fraction(99, 100)),
    with_factor("our:noisyConvex", noisy_convex, Fraction(49, 100)),
    with_factor("our:noisyNonconvex", noisy_nonconvex, Fraction(74, 100)),
    with_factor("our:noisyStronglyConvex", noisy_strongly_convex, Fraction(99, 100)),
    with_factor("our:genericConvex", generic_convex, Fraction(1, 4)),
    with_factor("our:functionValues", function_values, Fraction(99, 100)),
    with_factor("our:lastIterate", last_iterate, Fraction(2, 3)),
    replace(
        inequalities("our:lastIterateOne")[0],
        part="times 99/100",
        sides=lambda s: (like_descent(s)[0], 0.99 * like_descent(s)[1]),
        decide=partial(decide_like_descent, factor=Fraction(99, 100)),
    ),
    replace(
        inequalities("our:genericNonconvex")[0],
        part="times 99/100",
        sides=lambda s: (generic_nonconvex_sharp(s)[0], 0.99 * generic_nonconvex_sharp(s)[1]),
        decide=partial(decide_generic, sharp=True, factor=Fraction(99, 100)),
    ),
    *(by_brackets(name, Fraction(99, 100)) for name in BY_BRACKETS),
    with_factor("thm:rcdConvex", convex, Fraction(1, 4)),
    with_factor("thm:oldConvex", old_convex, Fraction(1, 5)),
    with_factor("thm:rcdNonconvex", nonconvex, Fraction(99, 100)),
    with_factor("thm:rcdNonconvex/one step", one_step, Fraction(99, 100)),
    rational(
        "false:lmax",
        "gamma/2 |grad f(x_0)|^2 <= f(x_0) - E f(x_1), gamma <= 1/lambda_max(L)",
        Problems(layouts(1, partitions=((1, 1), (2, 1))), functions=True, limit=LMAX),
        one_step,
    ),
]


def _over(a: Bracket, b: Bracket) -> Bracket:
    return a / b


@pytest.mark.parametrize("wrong", FALSE, ids=lambda one: f"{one.name}: {one.text}")
def test_falls(wrong: Inequality) -> None:
    # Roundings decide where the search of one seed ends, so there are more; the first that succeeds
    # is the last.
    searches = (
        search(wrong, seconds=600.0, seed=seed, max_evaluations=EVALUATIONS) for seed in range(20)
    )
    found = next(found for found in searches if found.verdict is Verdict.REFUTED)
    assert found.ratio > 1
    assert found.evaluations < EVALUATIONS  # it stopped there
    # What was found refutes it again when read back from its JSON-safe values.
    assert wrong.decide(wrong.space.read(found.instance)) is Verdict.REFUTED


def test_a_small_counterexample_to_the_conjecture() -> None:
    # L = P = diag(1, 1/4), mu = 1/8, H = mu I + aa' with a = (1/2, 1/4), x = (-1, 3): 521/640 >
    # 13/16.
    case = Case(
        Blocks((1, 1)),
        np.diag([1.0, 0.25]),
        np.array([1.0, 0.25]),
        np.ones(2),
        np.array([-1.0, 3.0]),
        rows=np.array([[0.5, 0.25]]),
        thresholds=np.array([np.inf]),
        mu=0.125,
        stepsize=1.0,
        steps=1,
    )
    (conjecture,) = inequalities("our:stronglyConvexConjecture")
    (sharp,) = inequalities("our:stronglyConvexSharp")
    assert conjecture.decide(conjecture.space.read(case.to_dict())) is Verdict.REFUTED
    assert sharp.decide(sharp.space.read(case.to_dict())) is Verdict.PROVED
    promised, made = strongly_convex_conjecture(case.exact)
    assert 1 - made[0] / 10 == Fraction(521, 640) and 1 - promised[0] / 10 == Fraction(13, 16)
