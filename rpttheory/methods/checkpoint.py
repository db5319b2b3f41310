"""A run on disk: everything that the next step depends on, written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..files import read_arrays, write_arrays
from .method import FloatArray
from .trace import COLUMNS, Record

_SCHEMA = "rpttheory/run/3"
_NUMBERS = ("iteration", "cost", "seconds", "chunk_cost", "rng_state", "due")


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


def save(path: Path, parts: Mapping[str, str], progress: Progress, state: Mapping[str, FloatArray]) -> None:
    """Write all of it, so that a kill leaves the old file intact."""
    about = {name: getattr(progress, name) for name in _NUMBERS}
    rows = np.array([[float(getattr(record, name)) for name in COLUMNS] for record in progress.records])
    arrays = {f"state_{name}": values for name, values in state.items()}
    write_arrays(path, _SCHEMA, {"parts": dict(parts), **about}, {"records": rows, **arrays})


def load(path: Path, parts: Mapping[str, str], state: Mapping[str, FloatArray]) -> Progress | None:
    """Read a checkpoint of this very configuration and fill `state` in place; None if there is no file."""
    stored = read_arrays(path, _SCHEMA, "another checkpoint path, or delete this file to begin anew")
    if stored is None:
        return None
    about, arrays = stored
    found = about["parts"]
    different = sorted(name for name in parts.keys() | found.keys() if parts.get(name) != found.get(name))
    if different:
        raise InvalidInput(
            f"{path}: the checkpoint is from another configuration",
            f"a different {', '.join(different)}",
            "the settings of that run, or another checkpoint path",
        )
    for name, buffer in state.items():
        np.copyto(buffer, arrays[f"state_{name}"])
    records = [Record(int(row[0]), *row[1:]) for row in arrays["records"].tolist()]
    return Progress(**{name: about[name] for name in _NUMBERS}, records=records)
