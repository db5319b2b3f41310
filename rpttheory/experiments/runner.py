"""Running an experiment: tasks of the rows that are missing, each row saved as soon as it is
whole.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeAlias

from ..errors import InvalidInput
from ..report.table import Column, Result, Table
from ..runs.parallel import Report, Task, run_tasks
from ..runs.progress import Event, Watch, unwatched
from ..runs.store import Store

# What the tasks of a row returned, by what was asked for and seed.
Parts: TypeAlias = dict[tuple[str, int], Any]


@dataclass(frozen=True)
class Experiment(ABC):
    """A table of the paper: rows made of independent tasks.

    Parameters
    ----------
    repeats : int
        Runs of each random method.
    target : float
        A run ends when f - f* <= target (f(x0) - f*).
    stepsize_factor : float
        A multiple, at most 1, of the stepsize that theory allows gradient descent and RPT.
    """

    repeats: int = 5
    target: float = 1e-8
    stepsize_factor: float = 1.0

    name: ClassVar[str]
    deterministic: ClassVar[tuple[str, ...]]
    randomized: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise InvalidInput(
                "must be at least 1", str(self.repeats), argument="repeats", suggest={"repeats": 5}
            )
        if not 0 < self.target < 1:
            raise InvalidInput(
                "must lie strictly between 0 and 1",
                f"{self.target:g}",
                argument="target",
                suggest={"target": 1e-8},
            )
        if not 0 < self.stepsize_factor <= 1:
            raise InvalidInput(
                "must lie in (0, 1]: it is a multiple of what theory allows",
                f"{self.stepsize_factor:g}",
                argument="stepsize_factor",
                suggest={"stepsize_factor": 1},
            )

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that the results depend on, apart from the choice of rows."""
        return asdict(self)

    @property
    @abstractmethod
    def rows(self) -> tuple[str, ...]:
        """The keys of all rows of the paper's table, in its order."""

    @abstractmethod
    def compute(self, row: str, part: str, seed: int, report: Report) -> Any:
        """One task of a row, in a worker."""

    @abstractmethod
    def assemble(self, row: str, parts: Parts) -> Result:
        """The finished row, from what its tasks returned."""

    @property
    @abstractmethod
    def columns(self) -> Sequence[Column]:
        """The table."""

    @abstractmethod
    def notes(self, results: Sequence[Result]) -> list[str]:
        """What a reader of the table must know: stopping rule, start, seeds, and what does not
        recompute.
        """

    def figure(self, results: Sequence[Result]) -> dict[str, bytes]:
        """The figure by suffix; none by default."""
        return {}

    def parts(self) -> list[tuple[str, int]]:
        """The tasks of a row: what does not depend on a seed once, the rest once for every seed."""
        return [(part, 0) for part in self.deterministic] + [
            (part, seed) for seed in range(self.repeats) for part in self.randomized
        ]


def run_experiment(
    experiment: Experiment,
    store: Store,
    rows: Sequence[str],
    *,
    executor: Executor | None = None,
    watch: Watch = unwatched,
) -> list[Result]:
    """Compute the rows that the store does not have, and return all that it has then, in the
    table's order.
    """
    present = store.keys()
    missing = [row for row in rows if row not in present]
    tasks = [
        Task(
            (row, part, seed),
            experiment.compute,
            (row, part, seed),
            f"row {row}  {part}, seed {seed}",
        )
        for row in missing
        for part, seed in experiment.parts()
    ]
    collected: dict[str, Parts] = {row: {} for row in missing}
    for done, ((row, part, seed), value) in enumerate(run_tasks(tasks, executor, watch), start=1):
        collected[row][part, seed] = value
        if len(collected[row]) == len(experiment.parts()):
            result = experiment.assemble(row, collected.pop(row))
            store.put({row: result})
            watch(Event(f"row {row} done", done, len(tasks), milestone=True))
    finished = (store.get(row) for row in experiment.rows)
    return [row.value for row in finished if row is not None]


def write_outputs(experiment: Experiment, store: Store, results: Sequence[Result]) -> list[str]:
    """Write CSV, Markdown and pictures; return their paths."""
    table = Table.from_columns(experiment.columns, results)
    return write_tables(store, table, experiment.notes(results), experiment.figure(results))


def write_tables(
    store: Store, table: Table, notes: Sequence[str], pictures: dict[str, bytes]
) -> list[str]:
    """Write a table as CSV and Markdown, and pictures by suffix; return the paths."""
    contents: dict[str, str | bytes] = {
        ".csv": table.to_csv(),
        ".md": "\n".join([table.to_markdown(), *(f"{note}\n" for note in notes)]),
    }
    return [str(store.write(suffix, content)) for suffix, content in (contents | pictures).items()]
