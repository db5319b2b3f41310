"""Certified optima: both ends are proved again, or compared with an optimum known otherwise."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from rpttheory.numbers import Rigor

from .notation import exact, exact_vector, token
from .reals import inside, semidefinite
from .trial import Trial, check_untouched, digits_of, draw_problem
from .truth import Truth


def optima(trial: Trial) -> None:
    """The certified optimum of one problem."""
    problem = draw_problem(trial, definite=True)
    if problem is None:
        return
    rng = trial.rng
    truth = problem.truth
    count = len(truth.sizes)
    options = ""
    if rng.random() < 0.2:
        trial.write(
            "overhead ="
            f" {token(rng, Fraction(rng.randint(1, 30), 10), rng.choice(('float', 'fraction')))}"
        )
        truth.overhead = exact(trial.at["overhead"])
        options += ", overhead=overhead"
    if rng.random() < 0.2:
        truth.order = rng.sample(range(count), count)
        options += f", order=BlockOrder({truth.order})"
    nonconvex = rng.random() < 0.3 and count <= 4
    options += ", objective='c_M'" if nonconvex else ""
    call = f"optimal_probabilities(L, blocks, {problem.costs}{options})"
    if not options and rng.random() < 0.2:
        call = "comparison.optimal"
        if not trial.do("comparison", f"compare(L, blocks, {problem.costs})"):
            return
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
    if truth.order and sorted(p, reverse=True) != [p[k] for k in truth.order]:
        trial.find(f"{call}.probabilities", str(p), f"falling along {truth.order}")
    cost_at = truth.nested_complexity if nonconvex else truth.complexity
    attained = cost_at(p)
    if math.isfinite(result.upper) and attained.sign(Fraction(result.upper)) > 0:
        trial.find(
            f"{call}.upper",
            repr(result.upper),
            f"the cost at its probabilities is {digits_of(attained)}",
        )
    lower = Fraction(result.lower)
    for q in _admissible_probabilities(trial, truth, p, nonconvex=nonconvex):
        if cost_at(q).sign(lower) < 0:
            trial.find(f"{call}.lower", repr(result.lower), f"{digits_of(cost_at(q))} is attained")
    optimum = truth.least(nonconvex=nonconvex)
    if optimum is not None:
        trial.count("optima known otherwise")
        if inside(lower, result.upper, optimum) is False:
            trial.find(call, f"[{result.lower!r}, {result.upper!r}]", digits_of(optimum))
    elif not nonconvex and lower > 0:
        dual = dual_value(truth, result.dual)
        trial.count("optima with a dual certificate", int(dual >= lower))
        if dual < lower:
            trial.find(
                f"{call}.dual",
                repr(result.lower),
                f"its dual point proves {dual} = {float(dual)!r}",
            )
    check_untouched(trial, problem.before)


def _admissible_probabilities(
    trial: Trial,
    truth: Truth,
    best: Sequence[Fraction],
    *,
    nonconvex: bool,
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
        if truth.order:
            p = [sorted(p, reverse=True)[truth.order.index(k)] for k in range(len(p))]
        yield p


def dual_value(truth: Truth, dual: Any) -> Fraction:
    """<V, L V> over the least factor by which V V' must shrink to be dual feasible."""
    V = [exact_vector(row) for row in dual]
    columns = list(zip(*V, strict=True))
    value = Fraction(0)
    for x in columns:
        value += sum(a * sum(map(mul, row, x)) for a, row in zip(x, truth.matrix, strict=True))
    traces = [Fraction(0)] * len(truth.sizes)
    for k, row in zip(truth.label, V, strict=True):
        traces[k] += sum(map(mul, row, row))
    # Along a forced order partial sums are bounded; otherwise the blocks that exceed their costs
    # most come first.
    sequence = truth.order or sorted(
        range(len(traces)), key=lambda k: traces[k] / truth.costs[k], reverse=True
    )
    paid = truth.overhead
    mass = Fraction(0)
    factor = Fraction(0)
    for k in sequence:
        paid += truth.costs[k]
        mass += traces[k]
        factor = max(factor, mass / paid)
    return value / factor if factor else Fraction(0)
