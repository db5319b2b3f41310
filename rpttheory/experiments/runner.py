"""The paper's tables: rows made of independent tasks, each row saved as soon as it is complete."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar, TypeAlias

from ..errors import InvalidInput
from ..methods import CBCD, GD, NUACDM, RPT, Method
from ..numbers.exact_array import FloatArray
from ..objectives import Objective
from ..problem.blocks import Blocks
from ..report.table import Cell, Column, Result, Table, mean_and_deviation
from ..runs.parallel import Report, Task, run_tasks
from ..runs.progress import Event, ProgressCallback, no_progress
from ..runs.store import Store
from .figure import draw
from .measure import measure
from .theory import middle, speedups

# The values that the tasks of a row returned, by the name of the task and its seed.
Parts: TypeAlias = dict[tuple[str, int], Any]

_THEORY = "theory"
_METHODS: dict[str, Callable[[], Method]] = {"GD": GD, "CBCD": CBCD, "accelerated": NUACDM}
_DETERMINISTIC = (_THEORY, "GD", "CBCD")
EXACT_AND_OPTIMUM = (
    Column("exact", "exact at those p", lambda r: middle(r["theory"]["exact"]), 4),
    Column("optimum", "best possible, certified", lambda r: middle(r["theory"]["optimum"]), 4),
)


@dataclass(frozen=True, eq=False)
class Instance:
    """The problem of a row: what is minimized, from where, and facts to store with its theory."""

    objective: Objective
    blocks: Blocks
    x0: FloatArray
    facts: dict[str, Any]


@dataclass(frozen=True)
class Experiment(ABC):
    """A table of the paper that compares methods with gradient descent.

    Parameters
    ----------
    repeats : int
        Runs of each random method.
    tol : float
        A run ends when f - f* <= tol (f(x0) - f*).
    """

    repeats: int = 5
    tol: float = 1e-8

    name: ClassVar[str]
    rows: ClassVar[tuple[str, ...]]  # the keys of all rows, in the order of the paper
    methods: ClassVar[tuple[str, ...]]  # in addition to GD
    first_seed: ClassVar[int]  # of the first row; the next ones follow
    figure_title: ClassVar[str]
    figure_columns: ClassVar[int]

    def __post_init__(self) -> None:
        require(self.repeats >= 1, "repeats", self.repeats, "must be at least 1", 5)
        in_range = 0 < self.tol < 1
        require(in_range, "tol", self.tol, "must lie strictly between 0 and 1", 1e-8)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that the results depend on, apart from the choice of rows."""
        return asdict(self)

    @abstractmethod
    def instance(self, row: str) -> Instance:
        """The problem of a row."""

    @abstractmethod
    def describe(self, row: str) -> Result:
        """The first entries of a finished row: its name and the printed numbers."""

    @property
    @abstractmethod
    def columns(self) -> Sequence[Column]:
        """The columns of the table."""

    @abstractmethod
    def notes(self, results: Sequence[Result]) -> list[str]:
        """Return notes on how the numbers were computed and which printed ones they reproduce."""

    @abstractmethod
    def panel_title(self, result: Result) -> str:
        """The title of the panel of a finished row."""

    def parts(self) -> list[tuple[str, int]]:
        """The tasks of a row: theory and methods that are not random once, others per seed."""
        return [
            (name, seed)
            for name in (_THEORY, "GD", *self.methods)
            for seed in range(1 if name in _DETERMINISTIC else self.repeats)
        ]

    def compute(self, row: str, part: str, seed: int, report: Report) -> Any:
        """Compute the theory of a row, or run one method on it, in a worker."""
        instance, theory = _prepare(self, row)
        if part == _THEORY:
            return {**theory, **instance.facts}
        p = theory["probabilities"].get(part)
        return measure(
            _METHODS[part]() if p is None else RPT(p),
            instance.objective,
            instance.blocks,
            x0=instance.x0,
            tol=self.tol,
            seed=[
                self.first_seed + self.rows.index(row),
                ("GD", *self.methods).index(part),
                seed,
            ],
            report=report,
        )

    def assemble(self, row: str, parts: Parts) -> Result:
        """The finished row; the times of the runs, which do not repeat, are stored apart."""
        runs: dict[str, list[dict[str, Any]]] = {}
        times: dict[str, list[float | None]] = {}
        for name, seed in sorted(parts):
            if name != _THEORY:
                measured = dict(parts[name, seed])
                times.setdefault(name, []).append(measured.pop("seconds"))
                runs.setdefault(name, []).append(measured)
        theory = parts[_THEORY, 0]
        return {**self.describe(row), "theory": theory, "runs": runs, "wall_clock": times}

    def figure(self, results: Sequence[Result]) -> dict[str, bytes]:
        """Error against cost, one panel per row, as pictures by suffix."""
        panels = {self.panel_title(result): result["runs"] for result in results}
        return draw(panels, self.figure_columns, title=self.figure_title)

    def speedup_columns(
        self, title: str, suffix: str = "", *, by_clock: bool = False
    ) -> list[Column]:
        """Speed-ups of the methods over gradient descent by cost or by time."""

        def speedup(result: Result, method: str) -> Cell:
            quotients = ratios(result, method, by_clock=by_clock)
            return mean_and_deviation(quotients) if quotients else None

        return [
            Column(
                method.replace("-", "_") + suffix,
                f"{method} {title}",
                partial(speedup, method=method),
            )
            for method in self.methods
        ]


@lru_cache(maxsize=16)
def _prepare(experiment: Experiment, row: str) -> tuple[Instance, dict[str, Any]]:
    """The problem of a row and its theory, computed once in a process for all runs of the row."""
    instance = experiment.instance(row)
    return instance, speedups(instance.objective.smoothness, instance.blocks)


def require(valid: bool, argument: str, value: object, rule: str, default: object) -> None:
    """Raise InvalidInput about an argument unless its value is valid."""
    if not valid:
        raise InvalidInput(rule, str(value), argument=argument, suggest={argument: default})


def ratios(result: Result, method: str, *, by_clock: bool = False) -> list[float]:
    """GD's cost (or time) over the method's, seed by seed; empty if a run missed its tolerance."""

    def values(name: str) -> list[float | None]:
        times: list[float | None] = result["wall_clock"][name]
        return times if by_clock else [run["cost"] for run in result["runs"][name]]

    (reference,) = values("GD")
    quotients = [
        reference / value for value in values(method) if reference is not None and value is not None
    ]
    return quotients if len(quotients) == len(values(method)) else []


def run_experiment(
    experiment: Experiment,
    store: Store,
    rows: Sequence[str],
    *,
    executor: Executor | None = None,
    progress: ProgressCallback = no_progress,
) -> list[Result]:
    """Compute the missing rows and return all rows of the store, in the order of the table."""
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
    for done, ((row, part, seed), value) in enumerate(
        run_tasks(tasks, executor, progress), start=1
    ):
        collected[row][part, seed] = value
        if len(collected[row]) == len(experiment.parts()):
            store.put({row: experiment.assemble(row, collected.pop(row))})
            progress(Event(f"row {row} done", done, len(tasks), milestone=True))
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
