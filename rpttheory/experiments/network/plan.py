"""The rows of the network experiment: what fills each of them, in which order, and the table and
pictures of all.
"""

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
from ..table import Column, Result, markdown
from .curves import draw
from .settings import COSTS_OF, METHODS, TUNING_SEED, Settings, check_methods, require_extras
from .summary import AXES, PLACES, best_rate, curves, remarks, summary, title
from .work import dealer_of, find_probabilities, measure_costs, network_of, train


def make_plan(
    settings: Settings,
    out: str | os.PathLike[str],
    methods: Sequence[str] = tuple(METHODS),
    seeds: int = 4,
) -> Plan:
    """The plan of an experiment whose rows are kept in the folder `out`; refused before anything is
    computed.
    """
    require_extras()
    chosen = check_methods(methods)
    if not 1 <= seeds < TUNING_SEED:
        raise InvalidInput("must be at least 1", str(seeds), argument="seeds", suggest={"seeds": 4})
    trained = network_of(settings)
    trained.steps_per_epoch(settings.batch)
    for method in chosen:
        if method in ("ist", "resist"):  # which not every network can be divided for
            dealer_of(settings, method, trained)
    return Plan(
        settings, open_store(out, "network", settings.to_dict(trained.data.name)), chosen, seeds
    )


@dataclass(frozen=True)
class Plan:
    """The rows of a store that are wanted: `seeds` runs of each method, and what these need."""

    settings: Settings
    store: Store
    methods: Sequence[str]
    seeds: int

    def stages(self) -> Iterator[list[Task]]:
        """Tasks by the row they fill; those of a stage depend on the rows of earlier stages
        alone.
        """
        plain = [method for method in self.methods if method != "rpt-curvature"]
        curved = [method for method in self.methods if method == "rpt-curvature"]
        common = (self.settings, self._compiled)
        first = [
            _task(_costs(name), measure_costs, (self.settings, name, self._compiled))
            for name in self.measured
        ]
        first += [_task("probabilities", find_probabilities, common)] * len(curved)
        if not self.settings.grid:
            yield first + self._reported(plain)
        else:
            yield first + self._tuned(plain)
            yield self._tuned(curved) + self._reported(plain)
        yield self._reported(curved)

    @property
    def measured(self) -> tuple[str, ...]:
        """The methods whose steps are measured, for themselves and for those that make the same
        ones.
        """
        return tuple(dict.fromkeys(COSTS_OF.get(method, method) for method in self.methods))

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
        return _task(
            row, train, (self.settings, method, seed, rate, probabilities, place, self._compiled)
        )

    def rate(self, method: str) -> float:
        """The learning rate of the reported runs: the setting, or the best of the grid on the
        validation images.
        """
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
        """Compute the rows that the store does not have; a result is saved before its checkpoint
        goes.
        """
        for stage in self.stages():
            missing = [task for task in stage if self.store.finished(task.key) is None]
            for done, (row, result) in enumerate(run_tasks(missing, executor, watch), start=1):
                self.store.save(row, result)
                self.checkpoint(row).unlink(missing_ok=True)
                watch(Event(f"row {row} done", done, len(missing), milestone=True))
        shutil.rmtree(self._compiled, ignore_errors=True)


def _task(row: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Task:
    return Task(row, function, arguments, f"row {row}")


def _costs(method: str) -> str:
    return f"costs-{method}"


def _tuning(method: str, rate: float) -> str:
    return f"tune-{method}-{rate:g}"


def write_results(plan: Plan) -> tuple[list[Result], list[str], list[str]]:
    """Write tables and pictures; return the rows of both tables, their notes, and the paths."""
    runs = list(
        plan.found(f"{method}-{seed}" for method in plan.methods for seed in range(plan.seeds))
    )
    costs = dict(zip(plan.measured, plan.found(map(_costs, plan.measured)), strict=True))
    known = curves(runs, costs)
    rows = summary(runs, known)
    notes = remarks(plan.store.settings, plan.seeds, rows)
    pictures = draw(known, title=title(plan.store.settings, plan.seeds))
    paths = write_tables(plan.store, all_columns(rows), rows, notes, pictures)
    page = (
        "\n".join(markdown(columns(rows, place), rows) for place in PLACES)
        + "\n"
        + "\n\n".join(notes)
        + "\n"
    )
    plan.store.write(".md", page)
    return rows, notes, paths


def _entry(name: str, title: str, digits: int = 3) -> Column:
    return Column(name, title, lambda row: row.get(name), digits)


def columns(rows: Sequence[Result], place: str) -> list[Column]:
    """The table at equal bytes or at equal time, whose titles name what all have reached."""
    reached = f"{rows[0][f'common_{place}']:.3g}" if rows else ""
    found = [_entry("method", "method"), _entry("learning_rate", "learning rate", 2)]
    found.append(_entry(f"loss_{place}", f"training loss at {place} {reached}"))
    found.append(_entry(f"accuracy_{place}", f"test accuracy at {place} {reached}", 4))
    found += [_entry(f"{axis}_{place}", axis) for axis in (*PLACES, "operations") if axis != place]
    return [*found, _entry(f"memory_{place}", "memory, MB")]


def all_columns(rows: Sequence[Result]) -> list[Column]:
    """Both tables and the ends of the runs, for the CSV file."""
    found = [_entry(name, name) for name in ("method", "learning_rate", "steps", "epoch", *AXES)]
    found += [
        _entry("megabytes", "megabytes"),
        _entry("loss", "loss"),
        _entry("accuracy", "accuracy"),
    ]
    found += [column for place in PLACES for column in columns(rows, place)[2:]]
    return [*found, _entry("diverged", "diverged"), _entry("cpu_seconds", "cpu_seconds")]
