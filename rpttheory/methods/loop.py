"""The one run loop that all methods share: chunks of draws, records on a grid, checkpoints."""

import math
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..errors import InvalidInput
from ..reals import FloatArray
from ..runs.checkpoint import Checkpoint
from ..validation import read_only
from . import checkpoint as disk
from .budget import Budget
from .checkpoint import Progress
from .grid import Grid
from .method import Method, Setting
from .result import RunResult, Status
from .trace import Record, Trace

# A squared gradient that has grown by this factor, or is not finite, means divergence.
_EXPLOSION = 1e20


class Loop:
    """The loop and where it stands."""

    def __init__(
        self,
        method: Method,
        setting: Setting,
        start: FloatArray,
        grid: Grid,
        budget: Budget,
        rng: np.random.Generator,
        callback: Callable[[Record], object] | None,
    ) -> None:
        engine = method.start(setting, start.copy())
        budget.require_end(engine.length, setting.objective)
        self._method, self._setting, self._engine = method, setting, engine
        self._grid, self._budget, self._rng, self._callback = grid, budget, rng, callback
        self._gradient, self._away = np.empty((2, setting.objective.dimension))
        self._limit = min(
            (end for end in (budget.steps, engine.length) if end is not None), default=np.iinfo(np.int64).max
        )
        self._place: Checkpoint | None = None
        self._pause, self._saved = 0.0, time.perf_counter()

    def run(self, place: Checkpoint | None, pause: float) -> RunResult:
        """From the checkpoint, or from the start, to the end."""
        self._open(place, pause)
        return self._finish()

    def _open(self, place: Checkpoint | None, pause: float) -> None:
        """Continue from the checkpoint if there is one, else begin with the record of the starting point."""
        self._place, self._pause = place, pause
        kept = None if place is None else disk.load(place, self._engine.state)
        if place is not None and kept is not None:
            self._now = kept
            self._budget.require_room(kept, place.path)
            self._rng.bit_generator.state = kept.rng_state
            return
        state = self._rng.bit_generator.state
        self._now = Progress(0, 0.0, 0.0, 0.0, dict(state), 0, [])
        self._look()
        squared = self._now.records[0].gradient2
        if not math.isfinite(squared):
            raise InvalidInput(
                "the squared gradient at x0 must be finite", f"{squared!r}", "L scaled down, or an x0 nearer to 0"
            )

    def _finish(self) -> RunResult:
        """Make steps until something ends the run."""
        status = self._status()
        while status is None and self._now.iteration < self._limit:
            status = self._chunk()
            if status == "budget":
                break
        on_grid = self._now
        if on_grid.records[-1].iteration != on_grid.iteration:
            # Off the grid: for the reader, and not for the run that continues.
            self._now = replace(on_grid, records=[*on_grid.records, self._measure()])
            status = self._status()
        result = self._result(status or "budget")
        if status != "diverged":
            self._now = on_grid
            self._save()
        return result

    def _chunk(self) -> Status | None:
        """The rest of a chunk of draws, record by record."""
        engine, now = self._engine, self._now
        began = time.perf_counter()
        offset = now.iteration % engine.chunk_size
        first = now.iteration - offset
        if offset == 0:
            now = replace(now, rng_state=dict(self._rng.bit_generator.state), chunk_cost=now.cost)
            engine.refresh()
        chunk = engine.chunk(first, self._rng)
        cumulative = now.chunk_cost + np.cumsum(chunk.costs)
        end = min(engine.chunk_size, self._limit - first)
        affordable = int(np.searchsorted(cumulative, self._budget.cost * (1 + 1e-12), side="right"))
        end, exhausted = min(end, affordable), affordable < end
        now = replace(now, seconds=now.seconds + time.perf_counter() - began)
        while offset < end:
            stop = min(now.due - first, end)
            began = time.perf_counter()
            for action in chunk.actions[offset:stop]:
                action()
            seconds = now.seconds + time.perf_counter() - began
            offset = stop
            now = replace(now, iteration=first + stop, cost=float(cumulative[stop - 1]), seconds=seconds)
            self._now = now
            if now.iteration == now.due:
                self._look()
                now = self._now
                status = self._status()
                if status is not None:
                    return status
                if self._place is not None and time.perf_counter() - self._saved >= self._pause:
                    self._save()
        self._now = now
        return "budget" if exhausted else None

    def _look(self) -> None:
        """Record the present point and set the next threshold."""
        row = self._measure()
        self._now.records.append(row)
        self._now = replace(self._now, due=self._grid.after(row.iteration))
        if self._callback is not None:
            self._callback(row)

    def _measure(self) -> Record:
        objective, x, g, away = self._setting.objective, self._engine.point(), self._gradient, self._away
        objective.gradient(x, g)
        gap = distance2 = math.nan
        if objective.minimiser is not None:
            np.subtract(x, objective.minimiser, away)
            gap, distance2 = objective.gap(x, g, away), float(away @ away)
        now = self._now
        return Record(now.iteration, now.cost, now.seconds, gap, distance2, float(g @ g))

    def _status(self) -> Status | None:
        first, last = self._now.records[0], self._now.records[-1]
        grown = last.gradient2 > _EXPLOSION * first.gradient2 > 0
        if not math.isfinite(last.gradient2) or math.isinf(last.gap) or grown:
            return "diverged"
        if self._budget.target is not None and last.gap <= self._budget.target * first.gap:
            return "converged"
        return None

    def _save(self) -> None:
        if self._place is not None:
            if self._now.iteration % self._engine.chunk_size == 0:
                # The next chunk is yet to be drawn: from where the generator stands, not from where the last began.
                self._now = replace(self._now, rng_state=dict(self._rng.bit_generator.state))
            disk.save(self._place, self._now, self._engine.state)
            self._saved = time.perf_counter()

    def _result(self, status: Status) -> RunResult:
        now, engine = self._now, self._engine
        made = f"{now.iteration} steps of cost {now.cost:.6g}"
        first, last = now.records[0], now.records[-1]
        message = {
            "converged": f"x0 is a minimiser: f - f* = {first.gap:.3g} there"
            if first.gap <= 0
            else f"f - f* fell to {self._budget.target or 0:g} of {first.gap:.3g} within {made}",
            "budget": f"{'schedule' if engine.length == now.iteration else 'budget'} spent after {made}",
            "diverged": f"the squared gradient went from {first.gradient2:.3g} to {last.gradient2:.3g} within {made}; "
            f"{engine.theory}: try a smaller one",
        }[status]
        trace = Trace.of(now.records)
        x = read_only(engine.point())
        return RunResult(self._method.name, status, message, engine.theory, now.iteration, now.cost, trace, x)
