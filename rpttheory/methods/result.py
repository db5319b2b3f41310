"""How a run ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ..reals import FloatArray
from .trace import Trace

Status: TypeAlias = Literal["converged", "budget", "diverged"]


@dataclass(frozen=True, eq=False)
class RunResult:
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
        head = f"{self.method}: {self.status}, {self.message}"
        return f"{head}\n{self.theory}\n{self.trace!r}"
