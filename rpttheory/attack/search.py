"""Search for a counterexample, that is, a problem on which a statement fails."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from ..errors import InvalidInput
from ..numbers import Verdict
from ..runs.parallel import Report, Task, run_tasks
from ..runs.progress import ProgressCallback, no_progress
from .climb import Budget, Climb
from .instance import Instance
from .result import AttackResult, result_on
from .shrink import simplest
from .target import AnyStatement, Target, targets

# Problems tried by default; each Newton path to an optimum takes as long as several other problems.
# Chosen by hand, for runs of some seconds.
EVALUATIONS = 200_000
EVALUATIONS_WITH_OPTIMUM = 50_000
# The ratio left / right at which a climb stops. Chosen by hand, as are the numbers below.
_CLEAR = 1.01
# Evaluations of each climb in the first stage of a round; they double from stage to stage.
# Half or twice as much changed the ratios reached on six statements by less than 1e-4.
_SHORT_CLIMB = 320
# Evaluations that make a violation larger.
_LONG_CLIMB = 5_000
# The number of climbs whose end points may become the worst problem.
_CANDIDATES = 5
# The share of its ratio that a problem must keep when rounded to small fractions, tried in turn.
_RATIO_SHARES = (0.9995, 0.99, 0.9, 0.5, 0.0)


def find_counterexample(
    statement: str | AnyStatement,
    *,
    where: str | Sequence[str] = (),
    rng: int = 0,
    max_evaluations: int | None = None,
    time_limit: float | None = None,
    searches: int = 1,
    executor: Executor | None = None,
    progress: ProgressCallback = no_progress,
) -> AttackResult:
    """Search for a problem on which a statement fails, or comes nearest to failing.

    The statement is about all positive semidefinite L, all partitions, all samplings, and all costs
    whose sum is 1; some statements are also about all functions and iterates. Problems have up to
    four coordinates, or up to twelve if there are conditions on d or B. Without `time_limit` the
    same `rng` gives the same result. Ctrl-C ends the search, and the worst problem so far is
    returned.

    Parameters
    ----------
    statement : str
        A claim such as "L_P <= 2*lmax", in the words of `rpttheory.statements.language`, or a label
        such as "lem:twoBounds" or "lem:twoBounds/upper". If a label has several parts, they share
        the budget; the part that comes nearest to failing is returned, and `tried` has them all.
    where : str or sequence of str
        Conditions: comparisons of the same language ("B = 2", "min(p) >= 0.1"), and "p = closed",
        "p = equal", "c = equal", "c = sizes", "L diagonal", "L block-diagonal", "sampling =
        independent" (or nested, single, tau-nice, groups, explicit, any). Commas may separate
        several.
    rng : int
        The seed.
    max_evaluations : int, optional
        Number of problems to try: 200,000 by default, and 50,000 where the claim names the optimum.
    time_limit : float, optional
        Seconds. If it ends the search, the result says so and may not be reproducible.
    searches : int
        Independent searches, each with this budget and its own random numbers.
    executor : Executor, optional
        Runs the searches; by default they run one after another in this process.
    progress : callable, optional
        Called with an `Event` that contains the largest ratio so far.

    Returns
    -------
    AttackResult

    Examples
    --------
    >>> result = find_counterexample("L_P <= 2*lmax")
    >>> print(result.verdict, result.instance.sizes)
    REFUTED (1,)
    >>> result = find_counterexample("lem:twoBounds/upper", max_evaluations=3000)
    >>> print(result.ratio > 0.999, result.verdict)
    True PROVED
    """
    for name, limit in (("max_evaluations", max_evaluations), ("searches", searches)):
        if limit is not None and limit < 1:
            raise InvalidInput("must be at least 1", str(limit), f"{name}=1", argument=name)
    if time_limit is not None and not time_limit > 0:
        raise InvalidInput(
            "must be positive", str(time_limit), "time_limit=60", argument="time_limit"
        )
    parts = targets(statement, where)
    if max_evaluations is None:
        optimum = any(part.names_optimum for part in parts)
        max_evaluations = EVALUATIONS_WITH_OPTIMUM if optimum else EVALUATIONS
    share = -(-max_evaluations // len(parts))
    seconds = None if time_limit is None else time_limit / len(parts)
    tasks = [(part, number) for number in range(searches) for part in range(len(parts))]
    results: dict[tuple[int, int], AttackResult] = {}
    stopped = False
    try:
        if executor is None:
            for part, number in tasks:
                budget = Budget(share, seconds, progress)
                results[part, number] = search(parts[part], rng, budget, number)
                if results[part, number].interrupted:
                    break
        else:
            limits = (rng, share, seconds)
            calls = [
                Task(key, _search_in_worker, (statement, where, *key, *limits), parts[key[0]].name)
                for key in tasks
            ]
            results.update(run_tasks(calls, executor, progress))
    except KeyboardInterrupt:
        if not results:
            raise
        stopped = True
    # In the order of the tasks, not of their completion, so that ties have the same winner.
    ordered = [results[key] for key in tasks if key in results]
    worst = max(ordered, key=lambda result: (result.verdict is Verdict.REFUTED, result.ratio))
    highest = {
        name: max(result.ratio for result in ordered if result.name == name)
        for name in dict.fromkeys(result.name for result in ordered)
    }
    return replace(
        worst,
        evaluations=sum(result.evaluations for result in ordered),
        interrupted=stopped or any(result.interrupted for result in ordered),
        out_of_time=any(result.out_of_time for result in ordered),
        tried=highest,
    )


def _search_in_worker(
    statement: str | AnyStatement,
    where: str | Sequence[str],
    part: int,
    number: int,
    rng: int,
    evaluations: int,
    seconds: float | None,
    report: Report,
) -> AttackResult:
    budget = Budget(evaluations, seconds, lambda event: report(event.message))
    return search(targets(statement, where)[part], rng, budget, number)


def search(target: Target, rng: int, budget: Budget, number: int = 0) -> AttackResult:
    """Attack one target until the budget is spent or a counterexample is decided.

    `number` distinguishes searches with the same seed.
    """
    generator = np.random.default_rng([rng, zlib.crc32(target.name.encode()), number])
    climbs: list[Climb] = []
    refuted: Instance | None = None
    try:
        for climb in _rounds(target, generator, budget):
            climbs = _worst_first(climbs, climb)
            refuted = _refuted_at(target, climb)
            if refuted is not None:
                break
    except KeyboardInterrupt:
        if not climbs:
            raise
        budget.interrupted = True
    worst = refuted or _simplified(target, climbs)
    if worst is None:
        raise InvalidInput(
            "no problem was found on which the conditions hold and the statement has a value",
            " and ".join(map(repr, target.where or (target.name,))),
            "other conditions, or more evaluations",
        )
    return result_on(
        target,
        worst,
        evaluations=budget.evaluated,
        rng=rng,
        interrupted=budget.interrupted,
        out_of_time=budget.out_of_time and refuted is None,
    )


def _rounds(target: Target, generator: np.random.Generator, budget: Budget) -> Iterator[Climb]:
    """Yield climbs at their beginning and after each stage, until the budget is spent.

    In a round every layout begins one climb. After each stage the half with the better outlook
    goes on for twice as long, so that a slow climb does not use up the budget of the others.
    """
    first = True
    while first or budget.left:
        climbs: list[Climb] = []
        for layout in target.space.layouts:
            if budget.left or (first and not climbs):
                climbs.append(Climb(target, layout, generator, budget))
                yield climbs[-1]
        first = False
        evaluations = _SHORT_CLIMB
        while climbs:
            for climb in climbs:
                climb.advance(evaluations, _CLEAR)
                yield climb
            going = [climb for climb in climbs if not climb.over and budget.left]
            going.sort(key=lambda climb: -climb.outlook)
            climbs = going[: -(-len(climbs) // 2)]
            evaluations *= 2


def _worst_first(climbs: list[Climb], climb: Climb) -> list[Climb]:
    """Return the climbs with the largest ratios; ties up to rounding keep their order."""
    candidates = [*(c for c in climbs if c is not climb), climb]
    return sorted(candidates, key=lambda c: -round(c.ratio, 9))[:_CANDIDATES]


def _refuted_at(target: Target, climb: Climb) -> Instance | None:
    """Return a simple problem near the end of a climb on which the statement is REFUTED."""
    enough = 1 - 1e-4 if target.strict else 1 + target.rounding
    if climb.ratio < max(enough, climb.examined * (1 + 1e-6)):
        return None
    # The larger the violation, the simpler the problem that shows it.
    climb.advance(_LONG_CLIMB, _CLEAR)
    climb.examined = climb.ratio
    least_ratio = 1 - 1e-12 if target.strict else 1 + min(1e-5, (climb.ratio - 1) / 2)
    instance = _decidable(target, climb, least_ratio)
    if instance is None or target.decide(instance).verdict is not Verdict.REFUTED:
        return None
    return instance


def _simplified(target: Target, climbs: list[Climb]) -> Instance | None:
    """Return the worst climb that small fractions reproduce.

    A ratio that no fractions reproduce may be a rounding error, such as of an optimum at a nearly
    singular L. Then the next climb is tried, and finally a smaller share of the ratio.
    """
    for share in _RATIO_SHARES:
        for climb in climbs:
            if climb.ratio >= 0:
                instance = _decidable(target, climb, share * climb.ratio)
                if instance is not None:
                    return instance
    return None


def _decidable(target: Target, climb: Climb, least_ratio: float) -> Instance | None:
    """Return the simplest problem in fractions that keeps this ratio and on which a verdict is
    reached.

    If none is decided, return the simplest; None if there are none.
    """
    candidates = simplest(target, climb.layout, climb.point, least_ratio)
    instances = [target.space.exact(*candidate) for candidate in candidates]
    exact = [instance for instance in instances if instance is not None]
    for instance in exact:
        if target.decide(instance).verdict is not Verdict.UNDECIDED:
            return instance
    return exact[0] if exact else None
