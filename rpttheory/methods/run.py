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
from ..objectives import Objective, as_number, check_point, is_whole
from ..problem.arguments import as_blocks, as_costs
from ..problem.blocks import BlocksLike
from .iterate import Step, steps_kept
from .method import Method, Setting
from .result import Record, RunResult, Status, Trace

# Cached products are computed anew, and steps compiled, once per so many steps.
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
    target: float | None = None,
    record: float | None = None,
    rng: int | np.random.Generator = 0,
    callback: Callable[[Record], object] | None = None,
) -> RunResult:
    """Run a method until the target is met or the budget is spent.

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
    target : float, optional
        Stop at the first record with f(x) - f* <= target (f(x0) - f*).
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
    >>> run(RPT(), f, [1, 2, 3], x0=[1.0] * 6, steps=10_000, target=1e-6).status
    'converged'
    """
    _check_types(method, objective)
    setting = _setting(objective, blocks, costs)
    limits = _limits(method, objective, steps, cost_budget, target)
    start = check_point(x0, objective.dimension)
    next_record = _record_rule(record)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return _Run(method, setting, start, limits, next_record, _generator(rng), callback).finish()


@dataclass(frozen=True)
class _Limits:
    """The largest number of steps and cost, and the relative gap at which to stop."""

    steps: int | None
    cost: float | None
    target: float | None


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

        @lru_cache(steps_kept(setting.blocks.count))
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
            self._records.append(self._measure())
            status = self._status() or status
        return self._result(status)

    def _chunk(self) -> Status | None:
        """Make the next steps, with their records; return the status if the run ends."""
        began = time.perf_counter()
        first = self._iteration
        limit = _CHUNK if self._limits.steps is None else min(_CHUNK, self._limits.steps - first)
        steps = list(islice(self._steps, limit))
        self._iterate.refresh()
        actions = self._iterate.actions(steps)
        costs = np.fromiter(map(self._step_cost, steps), np.float64, len(steps))
        cumulative = self._cost + np.cumsum(costs)
        end = len(steps)
        if self._limits.cost is not None:
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
        row = self._measure()
        self._records.append(row)
        if self._callback is not None:
            self._callback(row)
        return self._status()

    def _measure(self) -> Record:
        x = self._iterate.point()
        g = self._objective.gradient(x, self._gradient)
        gap = math.nan
        distance2 = math.nan
        if self._objective.minimizer is not None:
            difference = np.subtract(x, self._objective.minimizer, self._difference)
            gap = self._objective.gap(x, g, difference)
            distance2 = float(difference @ difference)
        gradient2 = float(g @ g)
        return Record(self._iteration, self._cost, self._seconds, gap, distance2, gradient2)

    def _status(self) -> Status | None:
        first = self._records[0]
        last = self._records[-1]
        grown = last.gradient2 > _EXPLOSION * first.gradient2 > 0
        if not math.isfinite(last.gradient2) or math.isinf(last.gap) or grown:
            return "diverged"
        if self._limits.target is not None and last.gap <= self._limits.target * first.gap:
            return "converged"
        return None

    def _result(self, status: Status) -> RunResult:
        spent = f"{self._iteration} steps of cost {self._cost:.6g}"
        first = self._records[0]
        last = self._records[-1]
        if status == "diverged":
            growth = f"from {first.gradient2:.3g} to {last.gradient2:.3g} within {spent}"
            message = f"the squared gradient went {growth}; {self._theory}: try a smaller one"
        elif status == "budget":
            limit = "schedule" if self._method.length == self._iteration else "budget"
            message = f"{limit} spent after {spent}"
        elif first.gap <= 0:
            message = f"x0 is a minimizer: f - f* = {first.gap:.3g} there"
        else:
            message = f"f - f* fell to {self._limits.target:g} of {first.gap:.3g} within {spent}"
        return RunResult(
            self._method.name,
            status,
            message,
            self._theory,
            self._iteration,
            self._cost,
            Trace.of(self._records),
            read_only(self._iterate.point()),
        )


def _check_types(method: object, objective: object) -> None:
    if not isinstance(method, Method):
        raise InvalidInput(
            "must be a Method", repr(method)[:80], "GD() or RPT()", argument="method"
        )
    if not isinstance(objective, Objective):
        found = repr(objective)[:80]
        raise InvalidInput("must be an Objective", found, "Quadratic(L, b)", argument="objective")


def _setting(objective: Objective, blocks: BlocksLike, costs: ArrayLike | None) -> Setting:
    partition = as_blocks(blocks, objective.dimension)
    exact_costs = as_costs(costs, partition)
    try:
        total = float(sum(exact_costs.fractions(), Fraction(0)))
    except OverflowError:
        found = f"costs to {exact_costs.float64.max():.3g}"
        raise InvalidInput(
            "must add up to a double", found, "costs of like sizes", argument="costs"
        ) from None
    return Setting(objective, partition, read_only(exact_costs.float64), total)


def _limits(
    method: Method,
    objective: Objective,
    steps: int | None,
    cost_budget: float | None,
    target: float | None,
) -> _Limits:
    """The limits of a run, which must end and whose target must be checkable."""
    if steps is not None and not is_whole(steps, 0):
        raise InvalidInput(
            "must be a whole number, at least 0",
            repr(steps),
            argument="steps",
            suggest={"steps": 1000},
        )
    limits = _Limits(steps, _positive(cost_budget, "cost_budget"), _positive(target, "target"))
    if steps is None and limits.cost is None and method.length is None:
        remedy = "steps=1_000_000 beside the target, if any"
        raise InvalidInput("a run needs an end", "neither steps nor cost_budget", remedy)
    if target is not None and objective.minimum is None:
        found = f"{type(objective).__name__} has none"
        raise InvalidInput("a target needs a known minimum", found, "a number of steps alone")
    return limits


def _positive(value: float | None, name: str) -> float | None:
    if value is None:
        return None
    number = as_number(value)
    if not (math.isfinite(number) and number > 0):
        raise InvalidInput(
            "must be positive and finite", repr(value)[:80], argument=name, suggest={name: 1e-6}
        )
    return number


def _record_rule(record: float | None) -> Callable[[int], int]:
    """Return a function from the iteration of a record to that of the next."""
    value = 0.02 if record is None else record
    if not is_whole(value, 1) and not (isinstance(value, float) and 0 < value < math.inf):
        raise InvalidInput(
            "must be a positive number of steps, or a positive growth as a float",
            repr(record)[:80],
            "or record=0.02",
            argument="record",
            suggest={"record": 100},
        )
    if isinstance(value, float):
        return lambda iteration: iteration + max(1, math.ceil(value * iteration))
    return lambda iteration: iteration + int(value)


def _generator(rng: int | np.random.Generator) -> np.random.Generator:
    if isinstance(rng, np.random.Generator):
        return rng
    if not is_whole(rng, 0):
        raise InvalidInput(
            "must be a seed (a whole number, at least 0) or a Generator",
            repr(rng)[:80],
            argument="rng",
            suggest={"rng": 0},
        )
    return np.random.default_rng(rng)
