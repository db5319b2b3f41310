"""Certified optima: both ends are proved again, or compared with an optimum known otherwise."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from rpttheory.numbers import Rigor

from .notation import exact, exact_vector, token
from .printed import StatedTruth
from .reals import inside, semidefinite
from .trial import Trial, check_untouched, drawn, shown
from .truth import Truth


def optima(trial: Trial) -> None:
    """The certified optimum of one problem: both ends are proved again, or compared with a known
    optimum.
    """
    problem = drawn(trial, definite=True)
    if problem is None:
        return
    rng = trial.rng
    truth = problem.truth
    count = len(truth.sizes)
    overhead = Fraction(0)
    forced = None
    options = ""
    if rng.random() < 0.2:
        trial.write(
            "overhead ="
            f" {token(rng, Fraction(rng.randint(1, 30), 10), rng.choice(('float', 'fraction')))}"
        )
        overhead = exact(trial.at["overhead"])
        options = options + ", overhead=overhead"
    if rng.random() < 0.2:
        forced = rng.sample(range(count), count)
        options += f", order=BlockOrder({forced})"
    nonconvex = rng.random() < 0.3 and count <= 4
    options += ", objective='c_M'" if nonconvex else ""
    call = f"optimal_probabilities(L, blocks, {problem.costs}{options})"
    if not options and rng.random() < 0.2:
        call = "comparison.optimal"
        if not trial.do("comparison", f"compare(L, blocks, {problem.costs}, objective='c_P')"):
            return
        _judge_comparison(trial, truth)
    result = trial.ask(call)
    if result is None:
        return
    if result.rigor is Rigor.NUMERICAL:
        trial.count("optima, NUMERICAL")
        return
    trial.count("optima")
    p = exact_vector(result.probabilities)
    if max(p) != 1 or min(p) <= 0:
        trial.find(f"{call}.probabilities", str(result.probabilities), "positive, the largest 1")
        return
    if forced is not None and sorted(p, reverse=True) != [p[k] for k in forced]:
        trial.find(f"{call}.probabilities", str(result.probabilities), f"falling along {forced}")
    stated = StatedTruth(truth.matrix, truth.sizes, truth.pairs, truth.costs)
    stated.overhead = overhead
    cost_at = stated.nested_complexity if nonconvex else stated.complexity
    attained = cost_at(p)
    if math.isfinite(result.upper) and attained.sign(Fraction(result.upper)) > 0:
        trial.find(
            f"{call}.upper",
            repr(result.upper),
            f"the cost at its probabilities is {shown(attained)}",
        )
    lower = Fraction(result.lower)
    for q in _other_probabilities(trial, truth, p, nonconvex=nonconvex, forced=forced):
        if cost_at(q).sign(lower) < 0:
            trial.find(f"{call}.lower", repr(result.lower), f"{shown(cost_at(q))} is attained")
    known_optimum = None if overhead or forced else truth.least(nonconvex=nonconvex)
    if known_optimum is not None:
        trial.count("optima known otherwise")
        verdict = inside(
            lower,
            Fraction(result.upper) if math.isfinite(result.upper) else math.inf,
            known_optimum,
        )
        if verdict is False:
            trial.find(f"{call}", f"[{result.lower!r}, {result.upper!r}]", shown(known_optimum))
    elif not nonconvex and lower > 0:
        dual = dual_value(truth, result.dual, overhead, forced)
        trial.count("optima with a dual certificate", int(dual >= lower))
        if dual < lower:
            trial.find(
                f"{call}.dual",
                repr(result.lower),
                f"its dual point proves {dual} = {float(dual)!r}",
            )
    check_untouched(trial, problem.before)


def _judge_comparison(trial: Trial, truth: Truth) -> None:
    given = trial.at["comparison"].problem
    truth.chosen = exact_vector(given.closed_form.probabilities)
    trial.judge(
        "comparison.problem.gradient_descent", given.gradient_descent, truth.gradient_descent
    )
    trial.judge("comparison.problem.closed_form.bound", given.closed_form.bound, truth.closed)
    trial.judge("comparison.problem.c_rounded", given.c_rounded, truth.c_rounded)
    for k, bracket in enumerate(given.block_L):
        trial.judge(f"comparison.problem.block_L[{k}]", bracket, truth.block_L[k])


def _other_probabilities(
    trial: Trial,
    truth: Truth,
    best: Sequence[Fraction],
    *,
    nonconvex: bool,
    forced: Sequence[int] | None,
) -> Iterator[list[Fraction]]:
    """Probabilities that anyone may use: no lower bound may exceed their cost."""
    rng = trial.rng
    yield list(best)
    yield [Fraction(1)] * len(best)
    if not semidefinite(truth.matrix):
        return
    candidates = [truth.p]
    if nonconvex:  # where no dual point proves anything: near the best, and along other orders
        candidates += [[q * Fraction(rng.randint(8, 12), 10) for q in best] for _ in range(3)]
        candidates += [rng.sample(best, len(best)) for _ in range(3)]
    for candidate in candidates:
        p = [q / max(candidate) for q in candidate]
        if forced is not None:
            p = [sorted(p, reverse=True)[list(forced).index(k)] for k in range(len(p))]
        yield p


def dual_value(
    truth: Truth, dual: Any, overhead: Fraction, forced: Sequence[int] | None
) -> Fraction:
    """<V, L V> over the least factor by which V V' must shrink to be dual feasible, in
    fractions.
    """
    V = [exact_vector(row) for row in dual]
    columns = list(zip(*V, strict=True))
    value = sum(
        (
            x[i] * x[j] * entry * (1 if i == j else 2)
            for x in columns
            for i, row in enumerate(truth.matrix)
            for j, entry in enumerate(row[: i + 1])
            if entry and x[i] and x[j]
        ),
        Fraction(0),
    )
    traces = [Fraction(0)] * len(truth.sizes)
    for k, row in zip(truth.label, V, strict=True):
        traces[k] += sum((x * x for x in row), Fraction(0))
    # Along a forced order partial sums are bounded; otherwise the blocks that exceed their costs
    # most come first.
    sequence = forced or sorted(
        range(len(traces)), key=lambda k: traces[k] / truth.costs[k], reverse=True
    )
    paid = overhead
    mass = Fraction(0)
    factor = Fraction(0)
    for k in sequence:
        paid = paid + truth.costs[k]
        mass = mass + traces[k]
        factor = max(factor, mass / paid)
    return value / factor if factor else Fraction(0)
