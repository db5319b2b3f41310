"""Climbing to where left / right is largest: from the best of a population, by random steps."""

import time
from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np

from ..runs.progress import Event, ProgressCallback, no_progress
from .space import Layout, Points, at, moved
from .target import Target

# Problems tried in a step, and steps without success after which the moves are small enough to
# stop. Chosen by hand; half or twice as much changed the ratios reached on six statements by less
# than 1e-4.
_POPULATION = 64
_PATIENCE = 14
# Families of problems from which a climb chooses its beginning, for each block. Of 1, 2 and 4, 2
# found the counterexamples on four blocks within the default budget most often.
_FAMILIES_PER_BLOCK = 2


@dataclass
class Budget:
    """The limits of a search; only the number of evaluations makes a run repeatable."""

    evaluations: int
    time_limit: float | None = None
    progress: ProgressCallback = no_progress
    highest: float = -np.inf
    evaluated: int = 0
    interrupted: bool = False
    out_of_time: bool = False
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> bool:
        """True if no limit has been reached."""
        if self.interrupted or self.evaluated >= self.evaluations:
            return False
        self.out_of_time = (
            self.time_limit is not None and time.monotonic() - self.began >= self.time_limit
        )
        return not self.out_of_time

    def note(self, ratio: float) -> None:
        """Report the largest ratio so far."""
        self.highest = max(self.highest, ratio)
        message = f"{self.evaluated} problems, largest left / right {self.highest:.10g}"
        self.progress(Event(message, self.evaluated))


class Climb:
    """A point, the ratio there, and the length of the next steps.

    The climb begins at the best of a population. It is over when many steps in a row have gained
    nothing.
    """

    def __init__(
        self, target: Target, layout: Layout, rng: np.random.Generator, budget: Budget
    ) -> None:
        self._target = target
        self._rng = rng
        self._budget = budget
        self._fields = target.space.fields(layout)
        self.layout = layout
        self.point, self.ratio = self._draw()
        for _ in range(_FAMILIES_PER_BLOCK * layout.blocks.count - 1):
            if budget.left:
                best = (self.point, self.ratio)
                self.point, self.ratio = max(best, self._draw(), key=itemgetter(1))
        self.outlook = self.ratio
        # The ratio at which a counterexample was last looked for.
        self.examined = 0.0
        self._size = 0.5
        self._failures = 0

    @property
    def over(self) -> bool:
        """True if the climb has come to its end."""
        return self._failures >= _PATIENCE

    def advance(self, evaluations: float, enough: float) -> None:
        """Climb for a number of evaluations, or until the ratio is enough or the climb is over."""
        last = self._budget.evaluated + evaluations
        before = self.ratio
        while (
            not self.over
            and self.ratio < enough
            and self._budget.evaluated < last
            and self._budget.left
        ):
            neighbors = moved(self.point, self._fields, self._rng, self._size, _POPULATION)
            point, ratio = self._best_of(neighbors)
            gain = ratio - self.ratio
            if gain > 0:
                self.point = point
                self.ratio = ratio
            # From -inf everything is a gain, and nothing is a multiple of it.
            large = gain > 1e-6 * min(abs(self.ratio), 1e300)
            self._failures = 0 if large else self._failures + 1
            self._size = min(1.5 * self._size, 0.5) if gain > 0 else self._size / 2
            self._budget.note(self.ratio)
        # In the next stage, which is twice as long, a climb may gain as much again.
        self.outlook = self.ratio + max(self.ratio - before, 0.0)

    def _draw(self) -> tuple[Points, float]:
        return self._best_of(self._target.space.starts(self.layout, self._rng, _POPULATION))

    def _best_of(self, points: Points) -> tuple[Points, float]:
        ratios = self._target.ratios(self._target.space.batch(self.layout, points))
        self._budget.evaluated += len(ratios)
        index = int(np.argmax(ratios))
        return at(points, index), float(ratios[index])
