"""Statements of the table, and other claims in its language, decided on random problems."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from rpttheory import (
    Blocks,
    ExplicitSampling,
    OneOfEachGroup,
    Problem,
    SearchResult,
    TauNice,
    optimal_probabilities,
)
from rpttheory.attack.shrink import rounded
from rpttheory.attack.space import at
from rpttheory.attack.target import targets
from rpttheory.numbers import Bracket, Rigor, Verdict
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.problem.sampling import Sampling, sampling_named
from rpttheory.problem.sampling.named import BUDGETED, NAMED_SAMPLINGS
from rpttheory.statements import STATEMENTS, Claim, Statement, decide, parse, statements
from rpttheory.statements.batch import Batch
from rpttheory.statements.runs import RUN_STATEMENTS
from rpttheory.statements.table import COMPUTED_STATEMENTS, ComputedStatement, Sides
from rpttheory.vocabulary import JOINT

from ..engine.entry import Check, Evidence, Finding, Trial, failed, held, unanswered

PARTITIONS = ((1,), (1, 1), (2, 1), (1, 1, 1), (2, 2), (1, 2, 1), (3, 1, 2), (1,) * 6)
MATRIX_KINDS = ("full", "rank one", "rank two", "graded", "nearly rank one", "block-diagonal")
_SAMPLINGS = (*NAMED_SAMPLINGS, *BUDGETED, ExplicitSampling.name)
# Relative distance of two sides that count as a tie, which is not decided. Chosen by hand; not
# tuned.
_TIE = 1e-6


def holds_on_matrices(label: str, count: int = 144) -> Check:
    """Return a check of the statements of the table with a label, or of the one "label/part"."""
    texts = tuple(statement.text for statement in statements(label))
    if not texts:
        raise ValueError(f"the table of statements has no {label}")
    return claims_hold_on_matrices(*texts, count=count)


def claims_hold_on_matrices(*texts: str, count: int = 144) -> Check:
    """Return a check of claims, each decided in brackets with as much effort as it needs."""
    return Check(Evidence.RIGOROUS, _decide_on_matrices, (texts, count))


def _decide_on_matrices(trial: Trial, texts: tuple[str, ...], count: int) -> Finding:
    claims = [_claim(text) for text in texts]
    total = ties = 0
    is_joint = any((c if isinstance(c, Claim) else c.claim).names() & JOINT for c in claims)
    for problem in random_problems(trial, count, any_sampling=is_joint):
        about_sampling = [
            c for c in claims if isinstance(c, Claim) or c.sampling in ("", problem.sampling.name)
        ]
        for decision in decide(about_sampling, problem):
            where = f"{decision.statement} on {describe(problem)}"
            if decision.verdict is Verdict.REFUTED:
                return failed(where)
            if decision.verdict is Verdict.UNDECIDED:
                if decision.left.upper - decision.right.lower > _TIE * abs(decision.right.lower):
                    return unanswered(where)
                ties += 1
            total += 1
    return held(f"{total - ties} decisions, and {ties} ties within {_TIE:g}")


def holds_on_runs(name: str, count: int = 60) -> Check:
    """Return a check of a statement with two sides for any number type, by its label and part.

    Problems and functions are random fractions, expectations sums over all paths of the sketches.
    """
    statement = _by_sides(name)
    arguments = (statement.sides, name, statement.text, count)
    return Check(Evidence.ENUMERATED, _decide_on_runs, arguments)


def _decide_on_runs(
    trial: Trial, sides: Callable[[Batch], Sides], name: str, text: str, count: int
) -> Finding:
    statement = _by_sides(name)
    checked = replace(statement, sides=sides)
    space = next(target.space for target in targets(name) if target.name == name)
    total = 0
    for number in range(trial.instances(count)):
        layout = space.layouts[number % len(space.layouts)]
        start = at(space.starts(layout, trial.rng, 1), 0)
        if statement.functions == "strongly convex" and number % 3 == 0 and "p" in start:
            # L = mu I with equal probabilities at the longest step makes these statements tight.
            equal = np.full_like(start["p"], start["p"].max())
            longest = np.ones_like(start["mu"])
            start = {**start, "rows": 0 * start["rows"], "p": equal, "share": longest}
        for point in rounded(space.fields(layout), start, 4)[:1]:
            instance = space.exact(layout, point)
            if instance is None:
                continue
            left, right = checked.brackets(instance.exact)
            if (left <= right) is Verdict.REFUTED:
                return failed(f"{text}: {'; '.join(instance.lines())}")
            if (left <= right) is Verdict.UNDECIDED:
                return unanswered(f"{text}: {'; '.join(instance.lines())}")
            total += 1
    return held(f"{total} instances, exactly")


def _by_sides(name: str) -> ComputedStatement:
    statements = (*RUN_STATEMENTS, *COMPUTED_STATEMENTS)
    return next(statement for statement in statements if statement.name == name)


def _claim(text: str) -> Claim | Statement:
    """Return the statement of the table with this text, or else the parsed claim."""
    return next((statement for statement in STATEMENTS if statement.text == text), None) or parse(
        text
    )


def random_problems(trial: Trial, count: int, *, any_sampling: bool = False) -> Iterator[Problem]:
    """Yield at least `count` problems with small integers: L, 1/p and costs.

    The sampling is nested, or with `any_sampling` of every kind in turn.
    """
    rng = trial.rng
    kinds = itertools.cycle(_SAMPLINGS if any_sampling else ("nested",))
    each = -(-trial.instances(count) // (len(PARTITIONS) * len(MATRIX_KINDS)))
    for sizes in PARTITIONS * each:
        blocks = Blocks(sizes)
        for kind in MATRIX_KINDS:
            L = _matrix(kind, rng, blocks)
            decades = rng.choice([0.0, 3.0, 10.0])
            ratios = np.rint(2.0 ** rng.uniform(0, decades, blocks.count)).astype(int)
            ratios[rng.integers(blocks.count)] = 1
            costs = np.rint(2.0 ** rng.uniform(0, 8, blocks.count))
            p = [Fraction(1, ratio) for ratio in ratios.tolist()]
            yield Problem(L, blocks, costs, _sampling(next(kinds), p, rng))


def _sampling(kind: str, p: list[Fraction], rng: np.random.Generator) -> Sampling:
    """Return a sampling whose probabilities are small fractions, where it can those given."""
    count = len(p)
    if kind == "explicit":
        sets = rng.integers(0, 2, (4, count))
        return ExplicitSampling([*sets, [1] * count], rng.integers(1, 9, 5))
    tau = int(rng.integers(1, count + 1))
    if kind == TauNice.name:
        return TauNice(tau, count)
    if kind not in NAMED_SAMPLINGS:
        return OneOfEachGroup.balanced(rng.integers(1, 9, count), tau)
    if kind == "single":
        p = [q / sum(p) for q in p]
    return sampling_named(kind, np.array(p, dtype=object))


def _matrix(kind: str, rng: np.random.Generator, blocks: Blocks) -> FloatArray:
    """Return F'F for a factor F of integers without zero columns."""
    d = blocks.dimension
    rows = {"rank one": 1, "rank two": 2}.get(kind, d + 1)
    factor = rng.integers(-4, 5, (rows, d))
    if kind == "graded":
        factor *= 2 ** rng.integers(0, 11, d)
    if kind == "nearly rank one":
        factor[0] *= 20
    factor[0, ~factor.any(axis=0)] = 1
    L = factor.T @ factor
    if kind == "block-diagonal":
        L = np.where(blocks.labels[:, None] == blocks.labels, L, 0)
    return L.astype(float)


def solved(trial: Trial, count: int, tol: float = 1e-6) -> Iterator[tuple[Problem, SearchResult]]:
    """Yield random problems with the certified optimum of c(P)."""
    for problem in random_problems(trial, count):
        result = optimal_probabilities(problem.smoothness, problem.blocks, problem.costs, tol=tol)
        if result.status != "optimal" or result.rigor is Rigor.NUMERICAL:
            raise ArithmeticError(f"no certificate for {describe(problem)}")
        yield problem, result


def is_minimum(result: SearchResult, values: Sequence[Bracket], factor: float = 1.0) -> bool:
    """Return whether no value is below the certified minimum, and the last one attains it.

    Points of the search are scaled in floating point, hence the last 1e-9.
    """
    above = all(factor * result.lower <= value.upper for value in values)
    return above and values[-1].lower <= result.upper * (1 + 1e-9)


def problem_at(problem: Problem, p: Sequence[float] | FloatArray) -> Problem:
    """Return the problem with other probabilities."""
    return Problem(problem.smoothness, problem.blocks, problem.costs, probabilities=p)


def marginals(problem: Problem) -> list[Fraction]:
    """Return the probabilities of the blocks as fractions."""
    return [problem.sampling.pair_fraction(k, k) for k in range(problem.blocks.count)]


def describe(problem: Problem) -> str:
    """Return a problem in words."""
    L = [[str(value) for value in row] for row in problem.smoothness.rational() or ()]
    p = [str(value) for value in marginals(problem)]
    c = [str(value) for value in problem.costs.fractions()]
    return f"blocks {problem.blocks.sizes}, L = {L}, p = {p}, c = {c}"
