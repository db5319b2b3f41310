"""When a run stops, whatever the method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import InvalidInput
from ..objectives import Objective, as_number
from .checkpoint import Progress


@dataclass(frozen=True)
class Budget:
    """At most so many steps, so much cost, and no further than to the target."""

    steps: int | None
    cost: float
    target: float | None

    @classmethod
    def of(cls, steps: int | None, cost: float | None, target: float | None) -> Budget:
        if steps is not None and (isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 0):
            raise InvalidInput("steps must be a whole number, at least 0", repr(steps), "steps=1000")
        cost = None if cost is None else _positive(cost, "cost_budget")
        return cls(steps, math.inf if cost is None else cost, None if target is None else _positive(target, "target"))

    def require_end(self, length: int | None, objective: Objective) -> None:
        if self.steps is None and self.cost == math.inf and length is None:
            raise InvalidInput(
                "a run needs an end", "neither steps nor cost_budget", "steps=1_000_000 beside the target, if any"
            )
        if self.target is not None and objective.minimum is None:
            raise InvalidInput(
                "a target needs a known minimum", f"{type(objective).__name__} has none", "steps or cost_budget alone"
            )

    def require_room(self, progress: Progress, path: Path) -> None:
        """Raise where a checkpoint has gone further than this run may."""
        if (self.steps is not None and progress.iteration > self.steps) or progress.cost > self.cost * (1 + 1e-9):
            raise InvalidInput(
                f"{path}: the checkpoint is beyond the budget",
                f"{progress.iteration} steps of cost {progress.cost:.6g}",
                "a larger budget, or another checkpoint path",
            )


def _positive(value: float, name: str) -> float:
    number = as_number(value)
    if not (math.isfinite(number) and number > 0):
        raise InvalidInput(f"{name} must be positive and finite", repr(value)[:80], f"{name}=1e-6")
    return number
