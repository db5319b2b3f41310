"""How a run ended."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from ..reals import FloatArray
from ..report import Document, Shown, Table, new_axes
from .trace import COLUMNS, Trace

Status: TypeAlias = Literal["converged", "budget", "diverged"]


@dataclass(frozen=True, eq=False, repr=False)
class RunResult(Shown):
    """How a run ended.

    Attributes
    ----------
    method : str
        The name of the method.
    status : {"converged", "budget", "diverged"}
        Whether the target was met, the budget (or the method's own schedule) ran out, or the iterates blew up.
    message : str
        The same in words, with the numbers.
    theory : str
        The stepsize and the statement behind it.
    steps, cost : int, float
        Steps made and their cost.
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

    def document(self, title: str = "", notes: Sequence[str] = ()) -> Document:
        """How it ended, the stepsize, and the first and last records."""
        head = f"{self.method}: {self.status}, {self.message}"
        lines = [f"{title}: {head}" if title else head, *(f"  note: {note}" for note in notes), f"  {self.theory}"]
        rows = [[f"{value:.6g}" for value in asdict(record).values()] for record in self.trace.spread()]
        return [*lines, "", Table(COLUMNS, rows, frozenset(range(len(COLUMNS))))]

    def records(self) -> list[dict[str, Any]]:
        """One row per record of the trace."""
        return [asdict(record) for record in self.trace.records()]

    def plot(self, ax: Any = None) -> Any:
        """Draw f(x) - f* against cost on matplotlib axes, new ones by default, and return the axes."""
        axes = new_axes(6.5) if ax is None else ax
        axes.semilogy(self.trace.cost, self.trace.gap, label=self.method)
        axes.set_xlabel("cost")
        axes.set_ylabel("f(x) - f*")
        axes.spines[["top", "right"]].set_visible(False)
        return axes
