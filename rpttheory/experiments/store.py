"""Results on disk: one JSON file per row, written whole or not at all, under settings that cannot mix.

A directory belongs to the settings of its first run. A row that is there is not computed again, which
is how a killed run goes on where it was; other settings are refused, so nothing is ever overwritten
by a different experiment.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..files import write_whole as write_whole

SCHEMA = "rpttheory/experiment/1"


@dataclass(frozen=True)
class Store:
    """The files of one experiment in one directory, all of whose names begin with its name."""

    directory: Path
    experiment: str
    settings: dict[str, Any]

    def path(self, suffix: str) -> Path:
        """The file with this suffix, such as ``.csv`` or ``-row-03.json``."""
        return self.directory / f"{self.experiment}{suffix}"

    def row_path(self, key: str) -> Path:
        """Where the finished row called `key` is or will be."""
        return self.path(f"-row-{key}.json")

    def finished(self, key: str) -> dict[str, Any] | None:
        """A finished row, or None."""
        path = self.row_path(key)
        if not path.exists():
            return None
        content = _read(path)
        if content.get("schema") != SCHEMA or content.get("settings") != self.settings or content.get("row") != key:
            raise InvalidInput(f"{path}: not a result of these settings", _difference(content, self.settings), _OTHER)
        result: dict[str, Any] = content["result"]
        return result

    def save(self, key: str, result: dict[str, Any]) -> None:
        """Write a finished row."""
        self._write_json(self.row_path(key), {"row": key, "result": result})

    def write(self, suffix: str, content: str | bytes) -> Path:
        """Write a table or a picture."""
        path = self.path(suffix)
        write_whole(path, content.encode() if isinstance(content, str) else content)
        return path

    def _write_json(self, path: Path, content: dict[str, Any]) -> None:
        whole = {"schema": SCHEMA, "experiment": self.experiment, "settings": self.settings, **content}
        write_whole(path, (json.dumps(whole, indent=1, allow_nan=False) + "\n").encode())


_OTHER = "another --out, or the settings of the first run, or remove these files"


def open_store(directory: str | os.PathLike[str], experiment: str, settings: dict[str, Any]) -> Store:
    """The store of an experiment in a directory, which is made if it is not there.

    Raises
    ------
    InvalidInput
        If the directory cannot be written, or holds results of other settings; nothing is changed then.
    """
    # Through JSON and back, so that settings compare equal with what a file gives (tuples, float and int).
    store = Store(Path(directory), experiment, json.loads(json.dumps(settings)))
    marker = store.path(".json")
    try:
        if marker.exists():
            content = _read(marker)
            if content.get("schema") != SCHEMA or content.get("settings") != store.settings:
                raise InvalidInput(
                    f"{directory}: holds results of other settings", _difference(content, store.settings), _OTHER
                )
            with tempfile.TemporaryFile(dir=store.directory):
                return store
        present = sorted(path.name for path in store.directory.glob(f"{experiment}[.-]*"))
        if present:
            raise InvalidInput(
                f"{directory}: holds files that this run would overwrite", ", ".join(present[:5]), "another --out"
            )
        store.directory.mkdir(parents=True, exist_ok=True)
        store._write_json(marker, {})
    except OSError as error:
        raise InvalidInput(
            f"{directory}: cannot write results here", error.strerror or str(error), "--out with a writable folder"
        ) from None
    return store


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise InvalidInput(
            f"{path}: not a result of an experiment", str(error), "another --out, or remove it"
        ) from None
    if not isinstance(content, dict):
        raise InvalidInput(f"{path}: not a result of an experiment", f"a JSON {type(content).__name__}", "remove it")
    return content


def _difference(content: dict[str, Any], settings: dict[str, Any]) -> str:
    """The first settings that differ, theirs and ours."""
    theirs = content.get("settings")
    if not isinstance(theirs, dict):
        return "no settings in the file"
    keys = [key for key in {**theirs, **settings} if theirs.get(key) != settings.get(key)]
    shown = [f"{key} {json.dumps(theirs.get(key))} there, {json.dumps(settings.get(key))} now" for key in keys[:3]]
    return "; ".join(shown) or f"schema {content.get('schema')!r}, row {content.get('row')!r}"
