"""Methods of the form x_k <- x_k - s_k f'_k(x) for k in a set of blocks: which set comes when, and the engine."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..problem.blocks import Blocks
from ..reals import FloatArray
from .method import Action, Chunk, Engine, IndexArray, Setting

BoolArray = NDArray[np.bool_]

# Compiled updates kept at once; samplings with more sets than this forget and compile again.
_KEPT = 4096
# Vectors of stepsizes kept at once: one for most methods, one per stage for progressive training.
_KEPT_SCALES = 16


@dataclass(frozen=True, eq=False)
class Update:
    """What an outcome stands for.

    Attributes
    ----------
    active : array of bool
        The blocks that the step visits and pays for.
    stepsizes : array
        One per block; a visited block with stepsize 0 stays where it is, and those of other blocks are not looked at.
    """

    active: BoolArray
    stepsizes: FloatArray

    @property
    def moving(self) -> BoolArray:
        """The blocks whose gradient is needed."""
        return self.active & (self.stepsizes > 0)


class Schedule(ABC):
    """Which set of blocks is updated at which step, by number, and with which stepsizes."""

    chunk_size: int = 1024
    length: int | None = None

    @abstractmethod
    def draw(self, first: int, rng: np.random.Generator) -> IndexArray:
        """The outcomes of steps first, ..., first + chunk_size - 1."""

    @abstractmethod
    def update(self, outcome: int) -> Update:
        """The blocks that an outcome visits, and their stepsizes."""

    def forget(self) -> None:
        """Called when compiled updates are dropped: outcomes may be numbered anew from here on."""
        return


class OneBlock(Schedule):
    """Outcome k: block k alone. What remains to be said is which block comes when."""

    def __init__(self, stepsizes: FloatArray) -> None:
        self._stepsizes = stepsizes

    def update(self, outcome: int) -> Update:
        return Update(np.arange(self._stepsizes.size) == outcome, self._stepsizes)


class BlockEngine(Engine):
    """Runs a schedule: each outcome is compiled once into numpy calls on contiguous slices.

    A step computes the gradient of its active blocks only, all at the same point, and touches nothing else. It
    allocates nothing where the objective's tracker does not: that holds for diagonal and dense quadratics, ridge and
    logistic regression, while the trackers of `Robust`, of sparse quadratics and of those known by their products
    allocate a few vectors per step.
    """

    def __init__(self, setting: Setting, x0: FloatArray, schedule: Schedule, theory: str) -> None:
        self.theory = theory
        self.chunk_size, self.length = schedule.chunk_size, schedule.length
        self._setting = setting
        self._schedule = schedule
        self._x = x0
        self._step = np.empty_like(x0)
        self._tracker = setting.objective.tracker(x0)
        self._actions: dict[int, Action] = {}
        self._costs: dict[int, float] = {}
        self._scales: list[_Scales] = []

    @property
    def state(self) -> dict[str, FloatArray]:
        return {"x": self._x, **self._tracker.state}

    def point(self) -> FloatArray:
        return self._x

    def refresh(self) -> None:
        self._tracker.refresh()

    def chunk(self, first: int, rng: np.random.Generator) -> Chunk:
        if len(self._actions) > _KEPT or len(self._scales) > _KEPT_SCALES:
            self._actions.clear()
            self._costs.clear()
            self._scales.clear()
            self._tracker.forget()
            self._schedule.forget()
        outcomes = self._schedule.draw(first, rng).tolist()
        for outcome in set(outcomes) - self._actions.keys():
            update = self._schedule.update(outcome)
            self._actions[outcome] = self._compile(update)
            whole = bool(update.active.all())
            paid = self._setting.whole if whole else float(self._setting.costs[update.active].sum())
            self._costs[outcome] = paid
        actions, costs = self._actions, self._costs
        return Chunk([actions[outcome] for outcome in outcomes], np.array([costs[outcome] for outcome in outcomes]))

    def _compile(self, update: Update) -> Action:
        """One outcome as a function without arguments."""
        runs = active_runs(self._setting.blocks, update.moving)
        scales = self._scales_with(update)
        steps: list[Action] = []
        updates: list[tuple[FloatArray, FloatArray]] = []
        notices: list[Action] = []
        for start, stop in runs:
            x, step = self._x[start:stop], self._step[start:stop]
            steps.append(self._tracker.step(start, stop, scales, step))
            updates.append((x, step))
            notice = self._tracker.moved(start, stop, step)
            if notice is not None:
                notices.append(notice)
        if len(runs) == 1 and not notices:
            return _single(steps[0], *updates[0])
        return _several(steps, updates, notices)

    def _scales_with(self, update: Update) -> FloatArray:
        """A vector with these stepsizes on the moving blocks, shared by all outcomes that agree where they meet."""
        moving, stepsizes = update.moving, update.stepsizes
        for scales in self._scales:
            known = scales.per_block[moving]
            if ((known == stepsizes[moving]) | np.isnan(known)).all():
                break
        else:
            count, dimension = self._setting.blocks.count, self._setting.blocks.dimension
            scales = _Scales(np.full(count, np.nan), np.full(dimension, np.nan))
            self._scales.append(scales)
        for block in np.flatnonzero(moving & np.isnan(scales.per_block)).tolist():
            scales.per_block[block] = stepsizes[block]
            scales.per_coordinate[self._setting.blocks.slices[block]] = stepsizes[block]
        return scales.per_coordinate


@dataclass(frozen=True, eq=False)
class _Scales:
    """Stepsizes as far as outcomes have told them, nan elsewhere."""

    per_block: FloatArray
    per_coordinate: FloatArray


def active_runs(blocks: Blocks, active: BoolArray) -> list[tuple[int, int]]:
    """The active blocks as contiguous runs of coordinates, neighbours merged."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], active, [False])).astype(np.int8)))
    bounds = np.append(blocks.starts, blocks.dimension)
    return [(int(bounds[a]), int(bounds[b])) for a, b in edges.reshape(-1, 2)]


def _single(advance: Action, x: FloatArray, step: FloatArray) -> Action:
    subtract = np.subtract

    def action() -> None:
        advance()
        subtract(x, step, x)

    return action


def _several(advances: list[Action], updates: list[tuple[FloatArray, FloatArray]], notices: list[Action]) -> Action:
    """All steps at the old point first, then all updates."""
    subtract = np.subtract

    def action() -> None:
        for advance in advances:
            advance()
        for x, step in updates:
            subtract(x, step, x)
        for notice in notices:
            notice()

    return action
