"""What a run leaves behind: a few numbers at a few iterations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..reals import FloatArray

_SHOWN = 12


@dataclass(frozen=True)
class Record:
    """One row of a trace.

    Attributes
    ----------
    iteration : int
        Steps made so far.
    cost : float
        Their cost under the cost model: the sum over steps of the costs of the blocks updated.
    seconds : float
        Time spent drawing and stepping, without that spent on records and checkpoints.
    gap : float
        f(x) - f*, nan where f* is unknown.
    distance2 : float
        |x - x*|^2, nan where no minimiser is known.
    gradient2 : float
        |f'(x)|^2.
    """

    iteration: int
    cost: float
    seconds: float
    gap: float
    distance2: float
    gradient2: float


COLUMNS = tuple(Record.__dataclass_fields__)


@dataclass(frozen=True, eq=False, repr=False)
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
        def column(name: str, kind: type) -> Any:
            values: NDArray[Any] = np.array([getattr(record, name) for record in records], dtype=kind)
            values.flags.writeable = False
            return values

        return cls(column("iteration", np.int64), *(column(name, np.float64) for name in COLUMNS[1:]))

    def records(self) -> list[Record]:
        """The rows."""
        return [Record(*row) for row in zip(*(getattr(self, name).tolist() for name in COLUMNS), strict=True)]

    def __len__(self) -> int:
        return int(self.iteration.size)

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists; nan and infinities become None, so that any JSON reader can take it."""
        return {
            name: [value if np.isfinite(value) else None for value in getattr(self, name).tolist()] for name in COLUMNS
        }

    def spread(self) -> list[Record]:
        """A dozen rows from the first to the last."""
        rows = self.records()
        return [rows[i] for i in sorted(set(np.linspace(0, len(rows) - 1, _SHOWN).round().astype(int).tolist()))]

    def __repr__(self) -> str:
        """An aligned table of a dozen rows spread over the trace."""
        return "\n".join(["".join(f"{name:>12s}" for name in COLUMNS), *map(_line, self.spread())])


def _line(row: Record) -> str:
    return f"{row.iteration:12d}" + "".join(f"{getattr(row, name):12.4g}" for name in COLUMNS[1:])
