"""A run on disk: everything that the next step depends on, written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput
from .method import FloatArray
from .trace import COLUMNS, Record

_FORMAT = 2


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
    """Write to a temporary file beside `path` and move it there, so that a kill leaves the old one intact."""
    about = {
        "format": _FORMAT,
        "parts": dict(parts),
        "iteration": progress.iteration,
        "cost": progress.cost,
        "seconds": progress.seconds,
        "chunk_cost": progress.chunk_cost,
        "rng_state": progress.rng_state,
        "due": progress.due,
    }
    rows = np.array([[float(getattr(record, name)) for name in COLUMNS] for record in progress.records])
    arrays: dict[str, Any] = {f"state_{name}": values for name, values in state.items()}
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InvalidInput(
            f"{path}: the checkpoint cannot be written", str(error), "a path in a folder that can be written"
        ) from None
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(
                file,
                about=np.array(json.dumps(about, default=lambda array: array.tolist())),
                records=rows,
                **arrays,
            )
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(path: Path, parts: Mapping[str, str], state: Mapping[str, FloatArray]) -> Progress:
    """Read a checkpoint of this very configuration and fill `state` in place."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            about = json.loads(str(stored["about"]))
            arrays = {name: stored[name] for name in stored.files}
        found, version = dict(about["parts"]), about["format"]
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidInput(
            f"{path}: not a checkpoint of a run", f"{type(error).__name__}: {error}"[:120], "another path"
        ) from None
    different = sorted(name for name in parts.keys() | found.keys() if parts.get(name) != found.get(name))
    if version != _FORMAT:
        different = ["format"]
    if different:
        raise InvalidInput(
            f"{path}: the checkpoint is from another configuration",
            f"a different {', '.join(different)}",
            "the settings of that run, or another checkpoint path",
        )
    for name, buffer in state.items():
        np.copyto(buffer, arrays[f"state_{name}"])
    records = [Record(int(row[0]), *row[1:]) for row in arrays["records"].tolist()]
    names = ("iteration", "cost", "seconds", "chunk_cost", "rng_state", "due")
    return Progress(**{name: about[name] for name in names}, records=records)
