"""Methods of the form x_k <- x_k - s_k f'_k(x) for k in a set of blocks: which set comes when, and the engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ..blocks import Blocks
from .method import Action, Chunk, Engine, FloatArray, IndexArray, Problem

# Compiled updates kept at once; samplings with more sets than this forget and compile again.
_KEPT = 4096
# Vectors of stepsizes kept at once: one for most methods, one per stage for progressive training.
_KEPT_SCALES = 16


class Schedule(ABC):
    """Which set of blocks is updated at which step, by number, and with which stepsizes."""

    chunk_size: int = 1024
    length: int | None = None

    @abstractmethod
    def draw(self, first: int, rng: np.random.Generator) -> IndexArray:
        """The outcomes of steps first, ..., first + chunk_size - 1."""

    @abstractmethod
    def stepsizes(self, outcome: int) -> FloatArray:
        """The stepsize of every block under an outcome, 0 for those that it leaves alone."""

    def forget(self) -> None:
        """Called when compiled updates are dropped: outcomes may be numbered anew from here on."""
        return


class OneBlock(Schedule):
    """Outcome k: block k alone. What remains to be said is which block comes when."""

    def __init__(self, stepsizes: FloatArray) -> None:
        self._stepsizes = stepsizes

    def stepsizes(self, outcome: int) -> FloatArray:
        return np.where(np.arange(self._stepsizes.size) == outcome, self._stepsizes, 0.0)


class BlockEngine(Engine):
    """Runs a schedule: each outcome is compiled once into numpy calls on contiguous slices.

    A step computes the gradient of its active blocks only, all at the same point, and touches nothing else; it
    allocates nothing.
    """

    def __init__(self, problem: Problem, x0: FloatArray, schedule: Schedule, theory: str) -> None:
        self.theory = theory
        self.chunk_size, self.length = schedule.chunk_size, schedule.length
        self._problem = problem
        self._schedule = schedule
        self._x = x0
        self._step = np.empty_like(x0)
        self._tracker = problem.objective.tracker(x0)
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
            stepsizes = self._schedule.stepsizes(outcome)
            self._actions[outcome] = self._compile(stepsizes)
            self._costs[outcome] = float(self._problem.costs[stepsizes > 0].sum()) if not stepsizes.all() else 1.0
        actions, costs = self._actions, self._costs
        return Chunk([actions[outcome] for outcome in outcomes], np.array([costs[outcome] for outcome in outcomes]))

    def _compile(self, stepsizes: FloatArray) -> Action:
        """One outcome as a function without arguments."""
        runs = active_runs(self._problem.blocks, stepsizes > 0)
        scales = self._scales_with(stepsizes)
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

    def _scales_with(self, stepsizes: FloatArray) -> FloatArray:
        """A vector with these stepsizes on the active blocks, shared by all outcomes that agree where they meet."""
        active = stepsizes > 0
        for scales in self._scales:
            known = scales.per_block[active]
            if ((known == stepsizes[active]) | np.isnan(known)).all():
                break
        else:
            count, dimension = self._problem.blocks.count, self._problem.blocks.dimension
            scales = _Scales(np.full(count, np.nan), np.full(dimension, np.nan))
            self._scales.append(scales)
        for block in np.flatnonzero(active & np.isnan(scales.per_block)).tolist():
            scales.per_block[block] = stepsizes[block]
            scales.per_coordinate[self._problem.blocks.slices[block]] = stepsizes[block]
        return scales.per_coordinate


@dataclass(frozen=True, eq=False)
class _Scales:
    """Stepsizes as far as outcomes have told them, nan elsewhere."""

    per_block: FloatArray
    per_coordinate: FloatArray


def active_runs(blocks: Blocks, active: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
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
