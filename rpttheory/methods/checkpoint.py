"""Where a run stands, and how it is kept on disk."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..reals import FloatArray
from ..runs.checkpoint import Checkpoint
from .trace import COLUMNS, Record


@dataclass(frozen=True, eq=False)
class Progress:
    """Where a run stands.

    Attributes
    ----------
    iteration, cost, seconds : int, float, float
        As in `Record`.
    chunk_cost : float
        The cost where the present chunk of random draws began.
    rng_state : dict
        The state of the generator before that chunk was drawn.
    due : int
        The iteration of the next record.
    records : list of Record
    """

    iteration: int
    cost: float
    seconds: float
    chunk_cost: float
    rng_state: dict[str, Any]
    due: int
    records: list[Record]


def save(place: Checkpoint, progress: Progress, state: Mapping[str, FloatArray]) -> None:
    """Write all of it."""
    rows = np.array([[float(getattr(record, name)) for name in COLUMNS] for record in progress.records])
    arrays = {f"state_{name}": values for name, values in state.items()}
    about = {name: value for name, value in vars(progress).items() if name != "records"}
    place.save(about, {"records": rows, **arrays})


def load(place: Checkpoint, state: Mapping[str, FloatArray]) -> Progress | None:
    """Read a checkpoint of this very configuration and fill `state` in place; None if there is no file."""
    stored = place.load()
    if stored is None:
        return None
    about, arrays = stored
    for name, buffer in state.items():
        np.copyto(buffer, arrays[f"state_{name}"])
    records = [Record(int(row[0]), *row[1:]) for row in arrays["records"].tolist()]
    return Progress(**about, records=records)
