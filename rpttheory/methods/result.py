"""The result of a run, and its trace: a few numbers at a few iterations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact_array import FloatArray
from ..report import BRIEF, Detail, Document, Report, Table, heading, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Status: TypeAlias = Literal["converged", "budget", "diverged"]

# Rows of the trace that are printed.
_PRINTED = 12


@dataclass(frozen=True)
class Record:
    """One row of a trace.

    Attributes
    ----------
    iteration : int
        The number of steps so far.
    cost : float
        Their cost under the cost model: the sum over steps of the costs of the blocks updated.
    seconds : float
        The time spent on drawing and stepping, without that spent on records.
    gap : float
        f(x) - f*, nan if f* is unknown.
    distance2 : float
        |x - x*|^2, nan if no minimizer is known.
    gradient2 : float
        |f'(x)|^2.
    """

    iteration: int
    cost: float
    seconds: float
    gap: float
    distance2: float
    gradient2: float


COLUMNS = tuple(field.name for field in fields(Record))


@dataclass(frozen=True, eq=False)
class Trace:
    """The records of a run as read-only columns; see `Record` for their meaning."""

    iteration: NDArray[np.int64]
    cost: FloatArray
    seconds: FloatArray
    gap: FloatArray
    distance2: FloatArray
    gradient2: FloatArray

    @classmethod
    def of(cls, records: Sequence[Record]) -> Trace:
        """The trace with these rows."""
        columns = [np.array([getattr(record, name) for record in records]) for name in COLUMNS]
        for column in columns:
            column.flags.writeable = False
        return cls(*columns)

    def records(self) -> list[Record]:
        """The rows."""
        columns = [getattr(self, name).tolist() for name in COLUMNS]
        return [Record(*row) for row in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return int(self.iteration.size)

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists; nan and infinities become None, so that the result is valid JSON."""
        columns = {}
        for name in COLUMNS:
            values = getattr(self, name).tolist()
            columns[name] = [value if np.isfinite(value) else None for value in values]
        return columns


@dataclass(frozen=True, eq=False, repr=False)
class RunResult(Report):
    """The result of a run.

    Attributes
    ----------
    method : str
        The name of the method.
    status : {"converged", "budget", "diverged"}
        tol was met, the budget (or the method's own schedule) ran out, or the iterates blew
        up.
    message : str
        The same in words, with the numbers.
    theory : str
        The stepsize and the statement behind it.
    steps, cost : int, float
        The number of steps and their cost.
    trace : Trace
    x : array
        The last iterate.
    """

    method: str
    status: Status
    message: str
    theory: str
    steps: int
    cost: float
    trace: Trace
    x: FloatArray

    def to_dict(self) -> dict[str, Any]:
        """Everything but the iterate, ready for JSON."""
        names = ("method", "status", "message", "theory", "steps", "cost")
        return {name: getattr(self, name) for name in names} | {"trace": self.trace.to_dict()}

    def __repr__(self) -> str:
        return f"<RunResult of {self.method}: {self.status}, {self.message}>"

    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """The outcome, the stepsize, and records from the first to the last."""
        outcome = f"{self.method}: {self.status}, {self.message}"
        lines = heading(title, outcome, notes)
        records = self.trace.records()
        printed = np.unique(np.linspace(0, len(records) - 1, _PRINTED).round().astype(int))
        rows = [[f"{value:.6g}" for value in asdict(records[i]).values()] for i in printed]
        numeric = frozenset(range(len(COLUMNS)))
        return [*lines, f"  {self.theory}", "", Table(COLUMNS, rows, numeric)]

    def records(self) -> list[dict[str, Any]]:
        """One row per record of the trace."""
        return [asdict(record) for record in self.trace.records()]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw f(x) - f* against cost on the current axes, or on `ax`; return the axes."""
        axes = new_axes(6.5) if ax is None else ax
        axes.semilogy(self.trace.cost, self.trace.gap, label=self.method)
        axes.set_xlabel("cost")
        axes.set_ylabel("f(x) - f*")
        axes.spines[["top", "right"]].set_visible(False)
        return axes
