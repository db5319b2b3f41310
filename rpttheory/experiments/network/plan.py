"""The rows of the network experiment: what fills each of them, in which order, and the table and pictures of all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from ...runs.parallel import Task, run_tasks
from ...runs.progress import Event, Watch, unwatched
from ...runs.store import Store, open_store
from ..runner import write_tables
from ..table import Column, Result
from .curves import draw
from .settings import METHODS, TUNING_SEED, Settings, check_methods, require_extras
from .summary import best_rate, curves, remarks, summary, title
from .work import find_probabilities, measure_costs, network_of, train


def make_plan(
    settings: Settings, out: str | os.PathLike[str], methods: Sequence[str] = tuple(METHODS), seeds: int = 4
) -> Plan:
    """The plan of an experiment whose rows are kept in the folder `out`; refused before anything is computed."""
    require_extras()
    chosen = check_methods(methods)
    if not 1 <= seeds < TUNING_SEED:
        raise InvalidInput("seeds must be at least 1", str(seeds), "seeds=4")
    trained = network_of(settings)
    trained.steps_per_epoch(settings.batch)
    return Plan(settings, open_store(out, "network", settings.to_dict(trained.data.name)), chosen, seeds)


@dataclass(frozen=True)
class Plan:
    """The rows of a store that are wanted: `seeds` runs of each method, and what these need."""

    settings: Settings
    store: Store
    methods: Sequence[str]
    seeds: int

    def stages(self) -> Iterator[list[Task]]:
        """Tasks by the row they fill; those of a stage depend on the rows of earlier stages alone."""
        plain = [method for method in self.methods if method != "rpt-curvature"]
        curved = [method for method in self.methods if method == "rpt-curvature"]
        common = (self.settings, self._compiled)
        first = [_task("costs", measure_costs, common)]
        first += [_task("probabilities", find_probabilities, common)] * len(curved)
        if not self.settings.grid:
            yield first + self._reported(plain)
        else:
            yield first + self._tuned(plain)
            yield self._tuned(curved) + self._reported(plain)
        yield self._reported(curved)

    def _tuned(self, methods: Sequence[str]) -> list[Task]:
        return [
            self._run(_tuning(method, rate), method, TUNING_SEED, rate)
            for rate in self.settings.grid
            for method in methods
        ]

    def _reported(self, methods: Sequence[str]) -> list[Task]:
        return [
            self._run(f"{method}-{seed}", method, seed, self.rate(method))
            for seed in range(self.seeds)
            for method in methods
        ]

    def _run(self, row: str, method: str, seed: int, rate: float) -> Task:
        found = self.store.finished("probabilities") if method == "rpt-curvature" else None
        probabilities = None if found is None else tuple(found["probabilities"])
        place = self.checkpoint(row)
        return _task(row, train, (self.settings, method, seed, rate, probabilities, place, self._compiled))

    def rate(self, method: str) -> float:
        """The learning rate of the reported runs: the setting, or the best of the grid on the validation images."""
        if not self.settings.grid:
            return self.settings.rate(method)
        return best_rate(self.found(_tuning(method, rate) for rate in self.settings.grid))

    def checkpoint(self, row: str) -> Path:
        """Where a run that is not finished is kept."""
        return self.store.path(f"-checkpoint-{row}.npz")

    @property
    def _compiled(self) -> Path:
        """Where processes share compiled steps, until all is done."""
        return self.store.path("-compiled").absolute()

    def found(self, rows: Iterable[str]) -> Iterator[Result]:
        """Rows that are there."""
        for row in rows:
            result = self.store.finished(row)
            assert result is not None
            yield result

    def perform(self, executor: Executor | None = None, watch: Watch = unwatched) -> None:
        """Compute the rows that the store does not have; a result is saved before its checkpoint goes."""
        for stage in self.stages():
            missing = [task for task in stage if self.store.finished(task.key) is None]
            for done, (row, result) in enumerate(run_tasks(missing, executor, watch), start=1):
                self.store.save(row, result)
                self.checkpoint(row).unlink(missing_ok=True)
                watch(Event(f"row {row} done", done, len(missing), milestone=True))
        shutil.rmtree(self._compiled, ignore_errors=True)


def _task(row: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Task:
    return Task(row, function, arguments, f"row {row}")


def _tuning(method: str, rate: float) -> str:
    return f"tune-{method}-{rate:g}"


def write_results(plan: Plan) -> tuple[list[Result], list[str], list[str]]:
    """Write table and pictures; return the table's rows, its notes, and the paths."""
    runs = list(plan.found(f"{method}-{seed}" for method in plan.methods for seed in range(plan.seeds)))
    (profile,) = plan.found(["costs"])
    table = summary(runs, profile)
    known = plan.store.settings
    notes = remarks(known, plan.seeds, table)
    pictures = draw(curves(runs, profile), title=title(known, plan.seeds))
    return table, notes, write_tables(plan.store, columns(table), table, notes, pictures)


def columns(rows: Sequence[Result]) -> list[Column]:
    """The table, whose titles name the measured cost that all have reached."""
    common = f"{rows[0]['common_cost']:.0f}" if rows else ""

    def entry(name: str, title: str, digits: int = 3, terminal: bool = True) -> Column:
        return Column(name, title, lambda row: row.get(name), digits, terminal)

    return [
        entry("method", "method"),
        entry("learning_rate", "learning rate", 2),
        entry("steps", "steps", 4),
        entry("epoch", "epochs", 3, terminal=False),
        entry("cost", "paper cost", 4, terminal=False),
        entry("measured", "measured cost", 4),
        entry("loss", "training loss at the end"),
        entry("accuracy", "test accuracy at the end", 4),
        entry("loss_measured", f"training loss at measured cost {common}"),
        entry("accuracy_measured", f"test accuracy at measured cost {common}", 4),
        entry("diverged", "runs diverged", 2, terminal=False),
        entry("cpu_seconds", "processor seconds per run", 3, terminal=False),
    ]
