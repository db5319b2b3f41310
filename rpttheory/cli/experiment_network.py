"""`rpttheory experiment network`: SGD, PT and RPT on a residual network, by the paper's cost and by measured cost."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from .output import emit, remark

if TYPE_CHECKING:
    from ..experiments.network.settings import Settings
    from ..experiments.runner import Event
    from ..experiments.table import Column, Result
    from ..runs.parallel import Task
    from ..runs.store import Store

# The paper's grid of learning rates.
_GRID = "1,0.5,0.1,0.05,0.01,0.001"


@click.command()
@click.option("--data", default="digits", show_default=True, help="digits (of scikit-learn) or cifar10.")
@click.option(
    "--data-dir",
    type=click.Path(),
    default=None,
    help="Folder with CIFAR-10: the original archive or a subset.  [default: $RPTTHEORY_DATA, else download]",
)
@click.option(
    "--model", default="resnet20", show_default=True, help="resnet20 (22 blocks), resnet18 (21) or resnet8 (10)."
)
@click.option("--width", type=int, default=None, help="Channels of the first stage.  [default: 8, or 64 for resnet18]")
@click.option("--budget", type=float, default=150.0, show_default=True, help="Paper cost of a run, in steps of SGD.")
@click.option("--batch", type=int, default=128, show_default=True, help="Images in a step.")
@click.option("--decay", type=float, default=0.9, show_default=True, help="RPT's probabilities: 1, X, X^2, ...")
@click.option("--methods", default=None, help="Such as sgd,rpt-input.  [default: all six]")
@click.option("--learning-rate", type=float, default=None, help="One for all methods.  [default: tuned ones]")
@click.option(
    "--tune",
    is_flag=False,
    flag_value=_GRID,
    default=None,
    help=f"Choose learning rates on validation images with another seed.  [list, or {_GRID}]",
)
@click.option("--seeds", type=int, default=4, show_default=True, help="Runs of each method.")
@click.option("--jobs", type=int, default=None, help="Processes.  [default: one per processor]")
@click.option("--out", required=True, type=click.Path(), help="Folder for results; made if it is not there.")
def network(
    data_dir: str | None,
    methods: str | None,
    tune: str | None,
    seeds: int,
    jobs: int | None,
    out: str,
    **options: Any,
) -> None:
    """SGD, progressive training and RPT on a residual network (the paper's fig:cifar10).

    Every finished run is a JSON file in --out; run the same command again to go on after an interruption.
    """
    from ..errors import InvalidInput
    from ..experiments.network.settings import METHODS, TUNING_SEED, Settings, check_methods, require_extras
    from ..experiments.network.work import network_of
    from ..experiments.table import plain
    from ..machine import usable_processors
    from ..runs.parallel import check_jobs
    from ..runs.store import open_store

    require_extras()
    chosen = check_methods([name.strip() for name in methods.split(",")] if methods else list(METHODS))
    if not 1 <= seeds < TUNING_SEED:
        raise InvalidInput("--seeds must be at least 1", str(seeds), "--seeds 4")
    settings = Settings(folder=data_dir, grid=_rates(tune), **options)
    trained = network_of(settings)
    trained.steps_per_epoch(settings.batch)
    known = settings.to_dict(trained.data.name)
    workers = usable_processors() if jobs is None else check_jobs(jobs)
    plan = Plan(settings, open_store(out, "network", known), chosen, seeds)
    perform(plan, workers)
    rows, notes, written = write_results(plan)
    emit(plain(_columns(rows), rows, notes))
    remark("wrote " + ", ".join(written))


@dataclass(frozen=True)
class Plan:
    """The rows of a store that this command wants."""

    settings: Settings
    store: Store
    methods: Sequence[str]
    seeds: int

    def stages(self) -> Iterator[list[tuple[str, Callable[..., Any], tuple[Any, ...]]]]:
        """Calls by the row they fill; those of a stage depend on the rows of earlier stages alone."""
        from ..experiments.network.settings import TUNING_SEED
        from ..experiments.network.work import find_probabilities, measure_costs

        plain = [method for method in self.methods if method != "rpt-curvature"]
        curved = [method for method in self.methods if method == "rpt-curvature"]
        tuned = [
            (f"tune-{method}-{rate:g}", method, TUNING_SEED, rate)
            for rate in self.settings.grid
            for method in self.methods
        ]
        common = (self.settings, self._compiled)
        first: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [("costs", measure_costs, common)]
        first += [("probabilities", find_probabilities, common)] * len(curved)
        yield first + ([self._run(*call) for call in tuned if call[1] in plain] or self._reported(plain))
        if tuned:
            yield [self._run(*call) for call in tuned if call[1] in curved] + self._reported(plain)
        yield self._reported(curved)

    def _reported(self, methods: Sequence[str]) -> list[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
        return [
            self._run(f"{method}-{seed}", method, seed, self.rate(method))
            for seed in range(self.seeds)
            for method in methods
        ]

    def _run(self, row: str, method: str, seed: int, rate: float) -> tuple[str, Callable[..., Any], tuple[Any, ...]]:
        from ..experiments.network.work import train

        found = self.store.finished("probabilities") if method == "rpt-curvature" else None
        probabilities = None if found is None else tuple(found["probabilities"])
        place = self.checkpoint(row)
        return row, train, (self.settings, method, seed, rate, probabilities, place, self._compiled)

    def rate(self, method: str) -> float:
        """The learning rate of the reported runs: the setting, or the best of the grid on the validation images."""
        if not self.settings.grid:
            return self.settings.rate(method)
        from ..experiments.network.summary import best_rate

        return best_rate(_found(self.store, (f"tune-{method}-{rate:g}" for rate in self.settings.grid)))

    def checkpoint(self, row: str) -> Any:
        """Where a run that is not finished is kept."""
        return self.store.path(f"-checkpoint-{row}.npz")

    @property
    def _compiled(self) -> Any:
        """Where processes share compiled steps, until all is done."""
        return self.store.path("-compiled").absolute()

    def tidy(self) -> None:
        """Remove what only an unfinished experiment needs."""
        shutil.rmtree(self._compiled, ignore_errors=True)


def perform(plan: Plan, workers: int) -> None:
    """Compute the rows that the store does not have."""
    from ..runs.parallel import Task
    from .experiment import _progress

    with _progress("network") as watch:
        for stage in plan.stages():
            missing = [Task(row, call, given) for row, call, given in stage if plan.store.finished(row) is None]
            _finish(plan, missing, workers, watch)
    plan.tidy()


def _finish(plan: Plan, tasks: Sequence[Task], workers: int, watch: Callable[[Event], None]) -> None:
    """Run tasks; a result is saved before its checkpoint goes."""
    from ..experiments.runner import Event
    from ..runs.parallel import run_tasks

    done = 0
    for message in run_tasks(tasks, workers):
        if not message.done:
            watch(Event(message.key, error=message.value, done=done, total=len(tasks)))
            continue
        done += 1
        plan.store.save(message.key, message.value)
        plan.checkpoint(message.key).unlink(missing_ok=True)
        watch(Event(message.key, done=done, total=len(tasks), result=message.value))


def write_results(plan: Plan) -> tuple[list[Result], list[str], list[str]]:
    """Write table and pictures; return the table's rows, its notes, and the paths."""
    from ..experiments.network.curves import draw
    from ..experiments.network.summary import curves, remarks, summary, title
    from ..experiments.table import comma_separated, markdown

    rows = [f"{method}-{seed}" for method in plan.methods for seed in range(plan.seeds)]
    runs = list(_found(plan.store, rows))
    (profile,) = _found(plan.store, ["costs"])
    table = summary(runs, profile)
    known = plan.store.settings
    notes = remarks(known, plan.seeds, table)
    contents: dict[str, str | bytes] = {
        ".csv": comma_separated(_columns(table), table),
        ".md": markdown(_columns(table), table, notes),
        **draw(curves(runs, profile), title=title(known, plan.seeds)),
    }
    return table, notes, [str(plan.store.write(suffix, content)) for suffix, content in contents.items()]


def _found(store: Store, rows: Iterable[str]) -> Iterator[Result]:
    for row in rows:
        result = store.finished(row)
        assert result is not None
        yield result


def _columns(rows: Sequence[Result]) -> list[Column]:
    from ..experiments.table import Column

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


def _rates(text: str | None) -> tuple[float, ...]:
    """A list of learning rates."""
    from ..errors import InvalidInput

    try:
        return () if text is None else tuple(sorted({float(item) for item in text.split(",")}, reverse=True))
    except ValueError:
        raise InvalidInput("--tune takes learning rates", repr(text), f"--tune {_GRID}") from None
