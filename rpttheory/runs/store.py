"""Results on disk: one JSON file per row, written whole or not at all, under settings that cannot
mix.

A directory belongs to the settings of its first run. A row that is there is not computed again,
which is how a killed run goes on where it was; other settings are refused, so nothing is ever
overwritten by a different experiment.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..files import UNSEALED, create_whole, read_sealed, sealed, write_whole
from ..provenance import provenance

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
        content = _read(path, _ANEW)
        if content is None:
            return None
        if (
            content.get("schema") != SCHEMA
            or content.get("settings") != self.settings
            or content.get("row") != key
        ):
            raise InvalidInput(
                f"{path}: not a result of these settings", self._unlike(content), _OTHER
            )
        result = content.get("result")
        if not isinstance(result, dict) or not result:
            raise InvalidInput(
                f"{path}: damaged, without a result", f"result {json.dumps(result)[:60]}", _ANEW
            )
        return result

    def save(self, key: str, result: dict[str, Any]) -> None:
        """Write a finished row."""
        self._write(self.row_path(key), self._json({"row": key, "result": result}))

    def write(self, suffix: str, content: str | bytes) -> Path:
        """Write a table or a picture."""
        path = self.path(suffix)
        self._write(path, content.encode() if isinstance(content, str) else content)
        return path

    def claim(self) -> None:
        """Mark the directory with these settings, unless it is marked; of several who try at once,
        one does.

        Raises OSError where nothing can be written, marked or not.
        """
        with suppress(FileExistsError):
            create_whole(self.path(".json"), self._json({}))

    def require_ours(self) -> None:
        """Raise unless the directory is marked with these settings."""
        marker = self.path(".json")
        content = _read(marker, _OTHER)
        if content is None:
            raise InvalidInput(
                f"{marker}: the settings of this run have gone", "no such file", "another `out`"
            )
        if content.get("schema") != SCHEMA or content.get("settings") != self.settings:
            raise InvalidInput(
                f"{self.directory}: holds results of other settings", self._unlike(content), _OTHER
            )

    def _unlike(self, content: dict[str, Any]) -> str:
        found = difference(content.get("settings"), self.settings)
        return found or f"schema {content.get('schema')!r}, row {content.get('row')!r}"

    def _json(self, content: dict[str, Any]) -> bytes:
        # No part of the settings: a run may go on elsewhere, and each row says what it was computed
        # with.
        computed = {**provenance(), "workers": "processes of one BLAS thread each"}
        whole = {
            "schema": SCHEMA,
            "experiment": self.experiment,
            "settings": self.settings,
            "provenance": computed,
            **content,
            "checksum": UNSEALED,
        }
        return sealed((json.dumps(whole, indent=1, allow_nan=False) + "\n").encode())

    def _write(self, path: Path, content: bytes) -> None:
        self.require_ours()
        write_whole(path, content, _MEND)


_OTHER = "another `out`, or the settings of the first run, or remove these files"
_ANEW = "delete this file; the same command then computes it anew"
_MEND = "make room for it, and the same command goes on where it stopped"


def open_store(out: str | os.PathLike[str], experiment: str, settings: dict[str, Any]) -> Store:
    """The store of an experiment in the folder `out`, which is made if it is not there.

    Raises
    ------
    InvalidInput
        If the directory cannot be written, or holds results of other settings; nothing is changed
        then.
    """
    if not os.fspath(out):
        raise InvalidInput(
            "must name a folder", "an empty name", argument="out", suggest={"out": "results"}
        )
    # Through JSON and back, so that settings compare equal with what a file gives (tuples, float
    # and int).
    store = Store(Path(out), experiment, json.loads(json.dumps(settings)))
    marker = store.path(".json")
    try:
        present = sorted(path.name for path in store.directory.glob(f"{experiment}[.-]*"))
        if present and not marker.exists():
            raise InvalidInput(
                f"{out}: holds files that this run would overwrite",
                ", ".join(present[:5]),
                "another `out`",
            )
        store.directory.mkdir(parents=True, exist_ok=True)
        store.claim()
        store.require_ours()
    except OSError as error:
        raise InvalidInput(
            f"{out}: cannot write results here",
            error.strerror or str(error),
            "`out` with a writable folder",
        ) from None
    return store


def _read(path: Path, remedy: str) -> dict[str, Any] | None:
    """The content of a file of ours, None if there is no such file."""
    text = read_sealed(path, remedy)
    try:
        content = None if text is None else json.loads(text)
    except ValueError as error:  # sealed by us, but of another kind
        raise InvalidInput(f"{path}: not a result of an experiment", str(error), remedy) from None
    return content


def difference(theirs: Any, ours: dict[str, Any]) -> str:
    """The first settings that differ between what a file says and what is wanted now; empty if none
    does.
    """
    if not isinstance(theirs, dict):
        return "no settings in the file"
    keys = [key for key in {**theirs, **ours} if theirs.get(key) != ours.get(key)]
    shown = [
        f"{key} {json.dumps(theirs.get(key))} there, {json.dumps(ours.get(key))} now"
        for key in keys[:3]
    ]
    return "; ".join(shown)[:200]
