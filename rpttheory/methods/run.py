"""Run any method on any objective."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..numbers.checks import read_only
from ..numbers.exact_array import FloatArray
from ..objectives.objective import Objective, as_nonnegative, check_point, is_whole
from ..problem.arguments import as_blocks, as_costs
from ..problem.blocks import BlocksLike
from .iterate import Step, cache_size
from .method import Method, Setting
from .result import Record, RunResult, Status, Trace

# Cached products are computed anew, and steps compiled, once per chunk of steps.
_CHUNK = 1024
# A squared gradient that has grown by this factor, or is not finite, means divergence.
_EXPLOSION = 1e20
# A sum of costs may exceed the budget by this factor: a rounding error.
_SLACK = 1 + 1e-12


def run(
    method: Method,
    objective: Objective,
    blocks: BlocksLike,
    *,
    x0: ArrayLike,
    costs: ArrayLike | None = None,
    steps: int | None = None,
    cost_budget: float | None = None,
    tol: float | None = None,
    record: float | None = None,
    rng: int | np.random.Generator = 0,
    callback: Callable[[Record], object] | None = None,
) -> RunResult:
    """Run a method until the tolerance is met or the budget is spent.

    Parameters
    ----------
    method : Method
    objective : Objective
    blocks : Blocks, sequence of int or str
    x0 : array
        The starting point.
    costs : array, optional
        One per block, not normalized; by default block sizes over d.
    steps : int, optional
        The largest number of steps.
    cost_budget : float, optional
        No step is made that would bring the cost above this.
    tol : float, optional
        Stop at the first record with f(x) - f* <= tol (f(x0) - f*).
    record : int or float, optional
        An int k for a record every k steps, a float r for one whenever the number of steps has
        grown by the fraction r; by default 0.02, which makes 545 records in 10^6 steps. Targets
        and divergence are checked at records only. A record costs about two full gradients.
    rng : int or Generator
        A generator advances somewhat further than the steps need.
    callback : function, optional
        Called with each `Record` as it is made.

    Returns
    -------
    RunResult

    Examples
    --------
    >>> from rpttheory import diagonal
    >>> from rpttheory.methods import RPT, run
    >>> from rpttheory.objectives import Quadratic
    >>> f = Quadratic(diagonal([9.0, 4.0, 4.0, 1.0, 1.0, 1.0]))
    >>> run(RPT(), f, [1, 2, 3], x0=[1.0] * 6, steps=10_000, tol=1e-6).status
    'converged'
    """
    _check_types(method, objective)
    setting = _setting(objective, blocks, costs)
    limits = _limits(method, objective, steps, cost_budget, tol)
    start = check_point(x0, objective.dimension)
    next_record = _record_rule(0.02 if record is None else record)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return _Run(method, setting, start, limits, next_record, _generator(rng), callback).finish()


@dataclass(frozen=True)
class _Limits:
    """The largest number of steps and cost, and the relative gap at which to stop."""

    steps: int | None
    cost: float
    tol: float | None


class _Run:
    """A run and its current state."""

    def __init__(
        self,
        method: Method,
        setting: Setting,
        x0: FloatArray,
        limits: _Limits,
        next_record: Callable[[int], int],
        rng: np.random.Generator,
        callback: Callable[[Record], object] | None,
    ) -> None:
        steps = method.steps(setting, rng)
        first = next(steps)
        self._method = method
        self._objective = setting.objective
        self._steps = chain((first,), steps)
        self._theory = first.theory
        self._iterate = method.iterate(setting, x0)
        self._limits = limits
        self._next_record = next_record
        self._callback = callback
        self._gradient = np.empty_like(x0)
        self._difference = np.empty_like(x0)
        self._records: list[Record] = []
        self._iteration = 0
        self._cost = 0.0
        self._seconds = 0.0

        @lru_cache(cache_size(setting.blocks.count))
        def step_cost(step: Step) -> float:
            return setting.cost(step.active)

        self._step_cost = step_cost

    def finish(self) -> RunResult:
        """Make steps until the run ends."""
        status = self._record()
        initial = self._records[0].gradient2
        if not math.isfinite(initial):
            remedy = "L scaled down, or an x0 nearer to 0"
            raise InvalidInput("the squared gradient at x0 must be finite", repr(initial), remedy)
        while status is None:
            status = self._chunk()
        if self._records[-1].iteration != self._iteration:
            status = self._record() or status
        return RunResult(
            self._method.name,
            status,
            self._message(status),
            self._theory,
            self._iteration,
            self._cost,
            Trace.of(self._records),
            read_only(self._iterate.point()),
        )

    def _chunk(self) -> Status | None:
        """Make the next steps, with their records; return the status if the run ends."""
        began = time.perf_counter()
        first = self._iteration
        limit = _CHUNK if self._limits.steps is None else min(_CHUNK, self._limits.steps - first)
        steps = list(islice(self._steps, limit))
        self._iterate.refresh()
        actions = list(map(self._iterate.action, steps))
        costs = np.fromiter(map(self._step_cost, steps), np.float64, len(steps))
        cumulative = self._cost + np.cumsum(costs)
        end = int(np.searchsorted(cumulative, self._limits.cost * _SLACK, side="right"))
        self._seconds += time.perf_counter() - began
        done = 0
        while done < end:
            due = self._next_record(self._records[-1].iteration) - first
            stop = min(due, end)
            began = time.perf_counter()
            for action in actions[done:stop]:
                action()
            self._seconds += time.perf_counter() - began
            done = stop
            self._iteration = first + stop
            self._cost = float(cumulative[stop - 1])
            if stop == due:
                status = self._record()
                if status is not None:
                    return status
        return None if end == _CHUNK else "budget"

    def _record(self) -> Status | None:
        """Record the current iterate; return the status if the run ends."""
        x = self._iterate.point()
        g = self._objective.gradient(x, self._gradient)
        gap = math.nan
        distance2 = math.nan
        if self._objective.minimizer is not None:
            difference = np.subtract(x, self._objective.minimizer, self._difference)
            gap = self._objective.gap(x, g, difference)
            distance2 = float(difference @ difference)
        gradient2 = float(g @ g)
        record = Record(self._iteration, self._cost, self._seconds, gap, distance2, gradient2)
        self._records.append(record)
        if self._callback is not None:
            self._callback(record)
        first = self._records[0]
        grown = gradient2 > _EXPLOSION * first.gradient2 > 0
        if not math.isfinite(gradient2) or math.isinf(gap) or grown:
            return "diverged"
        if self._limits.tol is not None and gap <= self._limits.tol * first.gap:
            return "converged"
        return None

    def _message(self, status: Status) -> str:
        effort = f"{self._iteration} steps of cost {self._cost:.6g}"
        first = self._records[0]
        last = self._records[-1]
        if status == "diverged":
            growth = f"from {first.gradient2:.3g} to {last.gradient2:.3g} within {effort}"
            return f"the squared gradient went {growth}; {self._theory}: try a smaller one"
        if status == "budget":
            limit = "schedule" if self._method.length == self._iteration else "budget"
            return f"{limit} spent after {effort}"
        return f"f - f* fell from {first.gap:.3g} to {last.gap:.3g} within {effort}"


def _check_types(method: object, objective: object) -> None:
    for name, value, kind, remedy in (
        ("method", method, Method, "GD() or RPT()"),
        ("objective", objective, Objective, "Quadratic(L, b)"),
    ):
        if not isinstance(value, kind):
            rule = f"must be an instance of {kind.__name__}"
            raise InvalidInput(rule, repr(value)[:80], remedy, argument=name)


def _setting(objective: Objective, blocks: BlocksLike, costs: ArrayLike | None) -> Setting:
    partition = as_blocks(blocks, objective.dimension)
    exact_costs = as_costs(costs, partition)
    try:
        total = float(sum(exact_costs.fractions(), Fraction(0)))
    except OverflowError:
        rule = "must have a sum within the range of floats"
        raise InvalidInput(rule, "a larger sum", "costs scaled down", argument="costs") from None
    return Setting(objective, partition, read_only(exact_costs.float64), total)


def _limits(
    method: Method,
    objective: Objective,
    steps: int | None,
    cost_budget: float | None,
    tol: float | None,
) -> _Limits:
    """The limits of a run, which must end and whose tolerance must be checkable."""
    if steps is not None and not is_whole(steps, 0):
        rule = "must be a whole number, at least 0"
        raise InvalidInput(rule, repr(steps), argument="steps", suggest={"steps": 1000})
    if steps is None and cost_budget is None and method.length is None:
        remedy = "steps=1_000_000 beside tol, if any"
        raise InvalidInput("a run needs an end", "neither steps nor cost_budget", remedy)
    if cost_budget is not None:
        cost_budget = as_nonnegative(cost_budget, "cost_budget", 100.0, positive=True)
    if tol is not None:
        tol = as_nonnegative(tol, "tol", 1e-6, positive=True)
        if objective.minimum is None:
            kind = f"{type(objective).__name__} has none"
            raise InvalidInput("tol needs a known minimum", kind, "a number of steps alone")
    return _Limits(steps, math.inf if cost_budget is None else cost_budget, tol)


def _record_rule(record: float) -> Callable[[int], int]:
    """Return a function from the iteration of a record to that of the next."""
    if is_whole(record, 1):
        return lambda iteration: iteration + int(record)
    if isinstance(record, float) and 0 < record < math.inf:
        return lambda iteration: iteration + max(1, math.ceil(record * iteration))
    raise InvalidInput(
        "must be a positive number of steps, or a positive growth as a float",
        repr(record)[:80],
        "or record=0.02",
        argument="record",
        suggest={"record": 100},
    )


def _generator(rng: int | np.random.Generator) -> np.random.Generator:
    if isinstance(rng, np.random.Generator) or is_whole(rng, 0):
        return np.random.default_rng(rng)
    rule = "must be a seed (a whole number, at least 0) or a Generator"
    raise InvalidInput(rule, repr(rng)[:80], argument="rng", suggest={"rng": 0})
