"""The paper's network experiment: SGD, PT, RPT and others on one network, up to one budget.

The paper's cost of a step is the share of the parameters in active blocks, so a step of SGD costs
1: it is what workers that share each batch send to each other.
"""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InvalidInput
from ...report.table import Result, Table
from ...runs.parallel import Report, Task, run_tasks
from ...runs.progress import Event, ProgressCallback, no_progress
from ...runs.store import Checkpoint, Store
from .settings import METHODS, TUNING_SEED, Settings, check_methods, require_extras
from .table import (
    PLACES,
    all_columns,
    best_rate,
    columns,
    curves,
    draw_curves,
    remarks,
    summary,
    title,
)

if TYPE_CHECKING:
    from .model import Network
    from .rounds import Trainer

_RECORDS = 16
_TUNING_RECORDS = 3
# Samples of each kind when processor times are measured.
_SAMPLES = 5


def make_plan(
    settings: Settings,
    out: str | os.PathLike[str],
    methods: Sequence[str] = tuple(METHODS),
    repeats: int = 4,
) -> Plan:
    """The plan of an experiment whose rows are stored in the folder `out`; wrong settings are
    refused before anything is computed.
    """
    require_extras()
    names = check_methods(methods)
    if not 1 <= repeats < TUNING_SEED:
        raise InvalidInput("must be at least 1", str(repeats), "4", argument="repeats")
    network = network_of(settings)
    network.steps_per_epoch(settings.batch)
    return Plan(
        settings, Store(out, "network", settings.to_dict(network.data.name)), names, repeats
    )


@dataclass(frozen=True)
class Plan:
    """The rows of a store that are needed: `repeats` runs of each method, and what these need."""

    settings: Settings
    store: Store
    methods: Sequence[str]
    repeats: int

    def stages(self) -> Iterator[list[Task]]:
        """Tasks by the row they fill; those of a stage depend on the rows of earlier stages."""
        yield [self._task(f"costs-{name}", measure_costs, name) for name in self.measured]
        yield [
            self._run(_tuning(method, rate), method, TUNING_SEED, rate)
            for rate in self.settings.learning_rates
            for method in self.methods
        ]
        yield [
            self._run(f"{method}-{seed}", method, seed, self.rate(method))
            for seed in range(self.repeats)
            for method in self.methods
        ]

    @property
    def measured(self) -> tuple[str, ...]:
        """The methods whose steps are measured, for themselves and for those with the same ones."""
        return tuple(dict.fromkeys(METHODS[method].costs_of for method in self.methods))

    def _task(self, row: str, function: Callable[..., Any], *arguments: Any) -> Task:
        return Task(row, function, (self._compiled, self.settings, *arguments), f"row {row}")

    def _run(self, row: str, method: str, seed: int, rate: float) -> Task:
        return self._task(row, train, method, seed, rate, self._state(row))

    def rate(self, method: str) -> float:
        """The learning rate of the reported runs: the setting, or the best of the grid on the
        validation images.
        """
        if not self.settings.learning_rates:
            return self.settings.rate(method)
        return best_rate(self.rows(_tuning(method, rate) for rate in self.settings.learning_rates))

    def _state(self, row: str) -> Path:
        """The path of the checkpoint of an unfinished run."""
        return self.store.directory.absolute() / f"network-checkpoint-{row}"

    @property
    def _compiled(self) -> Path:
        """The folder in which processes share compiled steps, until all is done."""
        return self.store.directory.absolute() / "network-compiled"

    def rows(self, keys: Iterable[str]) -> Iterator[Result]:
        """Rows that are present."""
        for key in keys:
            row = self.store.get(key)
            assert row is not None
            yield row.value

    def perform(
        self, executor: Executor | None = None, progress: ProgressCallback = no_progress
    ) -> None:
        """Compute the missing rows; a result is saved before its checkpoint is removed."""
        for stage in self.stages():
            present = self.store.keys()
            missing = [task for task in stage if task.key not in present]
            for done, (row, result) in enumerate(run_tasks(missing, executor, progress), start=1):
                self.store.put({row: result})
                Checkpoint(self._state(row), {}).remove()
                progress(Event(f"row {row} done", done, len(missing), milestone=True))
        shutil.rmtree(self._compiled, ignore_errors=True)


def _tuning(method: str, rate: float) -> str:
    return f"tune-{method}-{rate:g}"


def write_results(plan: Plan) -> tuple[list[Result], list[str], list[str]]:
    """Write tables and pictures; return the rows of both tables, their notes, and the paths."""
    runs = [f"{method}-{seed}" for method in plan.methods for seed in range(plan.repeats)]
    results = list(plan.rows(runs))
    costs = plan.rows(f"costs-{name}" for name in plan.measured)
    run_curves = curves(results, dict(zip(plan.measured, costs, strict=True)))
    rows = summary(results, run_curves)
    notes = remarks(plan.store.settings, plan.repeats, rows)
    tables = (Table.from_columns(columns(rows, place), rows).to_markdown() for place in PLACES)
    contents: dict[str, str | bytes] = {
        ".csv": Table.from_columns(all_columns(rows), rows).to_csv(),
        ".md": "\n".join(tables) + "\n" + "\n\n".join(notes) + "\n",
        **draw_curves(run_curves, title=title(plan.store.settings, plan.repeats)),
    }
    paths = [str(plan.store.write(suffix, content)) for suffix, content in contents.items()]
    return rows, notes, paths


@cache
def network_of(settings: Settings) -> Network:
    """The network and its images, read once in a process."""
    from .data import load_images
    from .model import Network

    data = load_images(settings.dataset, settings.folder)
    data = replace(data, train=(data.train[0][: settings.images], data.train[1][: settings.images]))
    return Network(settings.pairs, settings.channels, data)


@cache
def trainer_of(settings: Settings, method: str) -> Trainer:
    """The trainer of a method, compiled once in a process."""
    from .methods import make_method
    from .rounds import Trainer

    network = network_of(settings)
    return Trainer(network, make_method(settings, method, network))


def train(
    compiled: Path,
    settings: Settings,
    method: str,
    seed: int,
    learning_rate: float,
    path: Path,
    report: Report,
) -> dict[str, Any]:
    """One run of one method; from `TUNING_SEED` on it is evaluated on the validation images."""
    _prepare(compiled)
    from .rounds import Run

    tuning = seed >= TUNING_SEED
    records = _TUNING_RECORDS if tuning else _RECORDS
    run = Run(seed, learning_rate, settings.cost_budget, records, tuning, settings.epochs)
    trainer = trainer_of(settings, method)
    about = {"method": method, "seed": seed, "learning_rate": learning_rate}
    identity = settings.to_dict(trainer.network.data.name) | about
    return about | trainer.run(run, Checkpoint(path, identity), report)


def measure_costs(
    compiled: Path, settings: Settings, method: str, report: Report
) -> dict[str, Any]:
    """The cost of the steps of a method for a worker that has its share of the batch, by kind."""
    _prepare(compiled)
    trainer = trainer_of(settings, method)
    return kind_costs(trainer, settings.batch // settings.nodes, report)


def kind_costs(trainer: Trainer, batch: int, report: Report) -> dict[str, dict[str, float]]:
    """Of each kind of step, and of a step of SGD on the whole network: `time` (over that of this
    one), `flops`, `memory` in bytes.
    """
    import numpy as np

    from ...networks.costs import CompiledStep, processor_ratios
    from .rounds import Kind, local_step

    network = trainer.network
    muon = trainer.method.newton_schulz > 0
    images, classes = network.data.train
    data = images[:batch], classes[:batch]
    params = network.everything(0)
    steps = {}
    counts = {}
    whole = Kind(dict.fromkeys(network.members(), 1.0))
    for name, kind in {**trainer.method.kinds, "whole": whole}.items():
        frozen = {path: params[path] for path in network.members(kind.stages)}
        trained = {path: frozen.pop(path) for path in kind.trained}
        velocity = {}
        step = local_step(network, kind)
        if muon and kind is not whole:
            velocity = {path: np.zeros_like(leaf) for path, leaf in trained.items()}
            step = trainer.method.step(network, kind)
        steps[name] = CompiledStep(step, (trained, velocity, frozen, data, np.float32(1e-3)))
        counts[name] = {resource: steps[name].count(resource) for resource in ("flops", "memory")}
        report(f"{name} counted")
    _, ratios = processor_ratios(steps, "whole", _SAMPLES)
    return {name: {"time": statistics.median(ratios[name]), **counts[name]} for name in steps}


def _prepare(compiled: Path) -> None:
    """One thread per process, and a folder of compiled steps that processes share."""
    flag = "--xla_cpu_multi_thread_eigen=false"
    flags = os.environ.get("XLA_FLAGS", "")
    if flag not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} {flag}".strip()
    import jax

    jax.config.update("jax_compilation_cache_dir", str(compiled))  # type: ignore[no-untyped-call]
