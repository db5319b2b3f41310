"""Certified optima: both ends are proved again, or compared with an optimum known otherwise."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from rpttheory.numbers import Rigor
from rpttheory.search.result import SearchResult

from .laws import pairs
from .notation import exact, exact_vector, token
from .reals import Multiple, Real, inside, semidefinite
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
        if trial.do(f"comparison = compare(L, blocks, {problem.costs}, objective='c_P')"):
            _judge_comparison(trial, truth)
    result = trial.ask(call) if "(" in call or "comparison" in trial.at else None
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
    mean = overhead + sum((a * b for a, b in zip(p, truth.costs, strict=True)), Fraction(0))
    nested = Truth(truth.matrix, truth.sizes, pairs("nested", p), truth.costs)
    attained = Multiple(nested.L_M if nonconvex else nested.L_P, mean)
    if math.isfinite(result.upper) and attained.sign(Fraction(result.upper)) > 0:
        trial.find(
            f"{call}.upper",
            repr(result.upper),
            f"the cost at its probabilities is {shown(attained)}",
        )
    lower = Fraction(result.lower)
    for known in _reachable(
        trial, truth, attained, p, overhead, nonconvex=nonconvex, forced=forced
    ):
        if inside(-math.inf, lower, known) and not inside(lower, lower, known):
            trial.find(
                f"{call}.lower", repr(result.lower), f"the optimum is at most {shown(known)}"
            )
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
        dual = dual_value(truth, result, overhead, forced)
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


def _reachable(
    trial: Trial,
    truth: Truth,
    attained: Real,
    found: Sequence[Fraction],
    overhead: Fraction,
    *,
    nonconvex: bool,
    forced: Sequence[int] | None,
) -> Iterator[Real]:
    """Costs of probabilities that anyone may choose: no lower bound may exceed one of them."""
    rng = trial.rng
    whole = overhead + sum(truth.costs, Fraction(0))
    yield attained
    yield Multiple(truth.lmax, whole)
    if not semidefinite(truth.matrix):
        return
    tries = [truth.p]
    if (
        nonconvex
    ):  # where no dual point proves anything: near what was found, and along other orders
        tries += [[q * Fraction(rng.randint(8, 12), 10) for q in found] for _ in range(3)]
        tries += [rng.sample(found, len(found)) for _ in range(3)]
    for one in tries:
        p = [min(q / max(one), Fraction(1)) for q in one]
        if forced is not None:
            p = [sorted(p, reverse=True)[list(forced).index(k)] for k in range(len(p))]
        mean = overhead + sum((a * b for a, b in zip(p, truth.costs, strict=True)), Fraction(0))
        law = Truth(truth.matrix, truth.sizes, pairs("nested", p), truth.costs)
        yield Multiple(law.L_M if nonconvex else law.L_P, mean)


def dual_value(
    truth: Truth, result: SearchResult, overhead: Fraction, forced: Sequence[int] | None
) -> Fraction:
    """<V, L V> over the least factor by which V V' must shrink to be dual feasible, in
    fractions.
    """
    V = [exact_vector(row) for row in result.dual]
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
