"""Climbing to where left / right is largest: from the best of a population, by random steps."""

import time
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ...numbers.exact_array import FloatArray
from ...runs.progress import Event, Watch, unwatched
from .space import Layout, Points, Space, at, moved

_POPULATION = 64
_PATIENCE = 14


class Target(Protocol):
    """What is attacked: a space of instances, and left / right on many of them."""

    @property
    def space(self) -> Space:
        """Where to look."""

    def ratios(self, stack: Any) -> FloatArray:
        """left / right for each problem; -inf where a side is not a number."""


@dataclass
class Budget:
    """The limits of a search; only `evaluations` makes a run repeatable. Ctrl-C ends it and keeps
    the worst point.
    """

    seconds: float | None
    evaluations: int | None
    watch: Watch = unwatched
    highest: float = -np.inf
    spent: int = 0
    interrupted: bool = False
    out_of_time: bool = False
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> bool:
        """Whether no limit has been reached."""
        if self.interrupted or (self.evaluations is not None and self.spent >= self.evaluations):
            return False
        self.out_of_time = (
            self.seconds is not None and time.monotonic() - self.began >= self.seconds
        )
        return not self.out_of_time

    def note(self, ratio: float) -> None:
        """Tell the largest ratio so far."""
        self.highest = max(self.highest, ratio)
        self.watch(
            Event(f"{self.spent} problems, largest left / right {self.highest:.10g}", self.spent)
        )


@dataclass(frozen=True, eq=False)
class Climbed:
    """A point and the ratio there."""

    layout: Layout
    point: Points
    ratio: float


def ascend(
    target: Target,
    layout: Layout,
    rng: np.random.Generator,
    budget: Budget,
    *,
    enough: float = np.inf,
    longest: float = np.inf,
) -> Climbed:
    """Climb by random steps, shorter where they fail, until they fail for long or the ratio is
    enough.

    Parameters
    ----------
    enough : float
        The ratio at which to stop.
    longest : float
        Number of evaluations after which to stop.
    """
    space = target.space
    fields = target.space.fields(layout)

    def best_of(points: Points) -> Climbed:
        ratios = target.ratios(space.stack(layout, points))
        budget.spent += len(ratios)
        index = int(np.argmax(ratios))
        return Climbed(layout, at(points, index), float(ratios[index]))

    last = budget.spent + longest
    current = best_of(space.starts(layout, rng, _POPULATION))
    size = 0.5
    failures = 0
    try:
        while (
            failures < _PATIENCE and current.ratio < enough and budget.spent < last and budget.left
        ):
            trial = best_of(moved(current.point, fields, rng, size, _POPULATION))
            gain = trial.ratio - current.ratio
            if gain > 0:
                current = trial
            # From -inf everything is a gain, and nothing is a multiple of it.
            failures = 0 if gain > 1e-6 * min(abs(current.ratio), 1e300) else failures + 1
            size = min(1.5 * size, 0.5) if gain > 0 else size / 2
            budget.note(current.ratio)
    except KeyboardInterrupt:
        budget.interrupted = True
    return current
