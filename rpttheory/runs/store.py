"""Results on disk: one SQLite file of rows under one set of settings, each row with a checksum.

A file belongs to the settings of its first run. A row that is present is not computed again, so a
killed run resumes; other settings are refused, so one experiment never overwrites another. Each
call commits all of its rows or none.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..files import write_whole
from ..provenance import provenance

_FORMAT = 2
_TABLES = (
    "create table about (schema text, settings text)",
    "create table provenance (id integer primary key, content text unique)",
    "create table rows (key text primary key, value text, blob blob, checksum text,"
    " provenance integer references provenance)",
)
_REMEDY = "another `out`, or the settings of the first run, or remove these files"
# What helps against each kind of error of SQLite; the same command resumes in all cases.
_REMEDIES = {
    sqlite3.SQLITE_FULL: "make room on the disk, or another `out`",
    sqlite3.SQLITE_IOERR: "make room on the disk, or another `out`",
    sqlite3.SQLITE_READONLY: "another `out`, which can be written",
    sqlite3.SQLITE_CANTOPEN: "another `out`, which can be written",
    sqlite3.SQLITE_PERM: "another `out`, which can be written",
    sqlite3.SQLITE_BUSY: "the same command once the other process has ended",
    sqlite3.SQLITE_LOCKED: "the same command once the other process has ended",
}


@dataclass(frozen=True)
class Row:
    """A row of a store: JSON-safe values, bytes, and the provenance it was computed with."""

    value: Any
    blob: bytes = b""
    provenance: Mapping[str, Any] | None = None


class Store:
    """The rows of one experiment in the file `name`.sqlite of a folder, which is created.

    Parameters
    ----------
    out : path
        The folder.
    name : str
        Of the experiment; the names of all its files begin with it.
    settings : mapping, optional
        JSON-safe: everything that the results depend on. Without settings the file must exist.

    Raises
    ------
    InvalidInput
        If the folder cannot be written, holds results of other settings or other files that the run
        would overwrite. Its rows are not changed then.
    """

    def __init__(
        self, out: str | os.PathLike[str], name: str, settings: Mapping[str, Any] | None = None
    ) -> None:
        if not os.fspath(out):
            raise InvalidInput("must name a folder", "an empty name", "results", argument="out")
        self.directory = Path(out)
        self.name = name
        self.path = self.directory / f"{name}.sqlite"
        # Through JSON and back, so that settings compare equal with those of a file.
        self.settings: dict[str, Any] = json.loads(json.dumps(dict(settings or {})))
        if not self.path.is_file():
            self._require_room(settings is not None)
        with self._connection() as connection:
            self._require_ours(connection, settings is not None)

    def _require_room(self, may_create: bool) -> None:
        """Create the folder of a new store; refuse files that the run would overwrite."""
        try:
            present = sorted(path.name for path in self.directory.glob(f"{self.name}[.-]*"))
            if present or not may_create:
                raise InvalidInput(
                    f"has no {self.path.name}",
                    f"{self.directory} with {', '.join(present[:5]) or 'no such file'}",
                    "another folder; results of earlier versions cannot be resumed",
                    argument="out",
                )
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(
                "must be a folder that can be written",
                f"{self.directory}: {error.strerror or error}",
                "another folder",
                argument="out",
            ) from None

    def _require_ours(self, connection: sqlite3.Connection, compare: bool) -> None:
        """Mark an empty file with the settings, or raise unless it is marked with them."""
        schema = f"rpttheory/{self.name}/{_FORMAT}"
        connection.execute("begin immediate")
        tables = {name for (name,) in connection.execute("select name from sqlite_schema")}
        if not tables:
            for table in _TABLES:
                connection.execute(table)
            marker = (schema, json.dumps(self.settings))
            connection.execute("insert into about values (?, ?)", marker)
            return
        about = None
        if {"about", "provenance", "rows"} <= tables:
            about = connection.execute("select schema, settings from about").fetchone()
        if about is None:
            raise InvalidInput(
                f"has a {self.path.name} that is not ours",
                f"{self.path} with the tables {', '.join(sorted(tables))}"[:200],
                "another folder",
                argument="out",
            )
        theirs = json.loads(about[1])
        ours = self.settings if compare else theirs
        differences = [f"schema {about[0]}, not {schema}"] * (about[0] != schema)
        differences += [
            f"{key} {json.dumps(theirs.get(key))} there, {json.dumps(ours.get(key))} now"
            for key in {**theirs, **ours}
            if theirs.get(key) != ours.get(key)
        ]
        self.settings = ours
        if differences:
            raise InvalidInput(
                "holds results of other settings",
                f"{self.directory}: {'; '.join(differences)}"[:200],
                _REMEDY,
                argument="out",
            )

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Return a connection for one transaction; errors of SQLite become InvalidInput."""
        try:
            with closing(sqlite3.connect(self.path, timeout=60)) as connection, connection:
                yield connection
        except InvalidInput:
            raise
        except (sqlite3.Error, TypeError, ValueError) as error:
            # The low byte is the kind of error; the others are details.
            code = getattr(error, "sqlite_errorcode", -1) & 0xFF
            remedy = _REMEDIES.get(code, "remove the file, which is damaged, or another `out`")
            raise InvalidInput(f"{self.path}: cannot be used", str(error), remedy) from None

    def keys(self) -> list[str]:
        """Return the keys of all rows, in the order in which they were written."""
        with self._connection() as connection:
            return [key for (key,) in connection.execute("select key from rows order by rowid")]

    def get(self, key: str) -> Row | None:
        """Return a row, or None.

        Raises
        ------
        InvalidInput
            If a single bit of it is not as it was written.
        """
        return next((row for _, row in self._select("where key = ?", key)), None)

    def items(self) -> Iterator[tuple[str, Row]]:
        """Return all rows, sorted by key."""
        return self._select("order by key")

    def _select(self, condition: str, *arguments: str) -> Iterator[tuple[str, Row]]:
        query = "select key, value, blob, checksum, content from rows join provenance p on p.id"
        with self._connection() as connection:
            lines = connection.execute(f"{query} = rows.provenance {condition}", arguments)
            for key, text, blob, checksum, content in lines.fetchall():
                if _checksum(key, text, blob, content) != checksum:
                    raise InvalidInput(
                        f"{self.path}: row {key} is damaged",
                        "another checksum than that of its content",
                        "remove the file; the same command computes it anew",
                    )
                yield key, Row(json.loads(text), blob, json.loads(content))

    def put(
        self,
        rows: Mapping[str, Any],
        *,
        blob: bytes = b"",
        computed: Mapping[str, Any] | None = None,
    ) -> None:
        """Write rows, all or none of them, over older ones.

        `computed` is their provenance, by default that of this process.
        """
        content = json.dumps(provenance() if computed is None else dict(computed), sort_keys=True)
        texts = {key: json.dumps(value, allow_nan=False) for key, value in rows.items()}
        with self._connection() as connection:
            connection.execute("insert or ignore into provenance (content) values (?)", (content,))
            for key, text in texts.items():
                connection.execute(
                    "insert or replace into rows select ?, ?, ?, ?, id from provenance where"
                    " content = ?",
                    (key, text, blob, _checksum(key, text, blob, content), content),
                )

    def provenances(self) -> list[dict[str, Any]]:
        """Return the provenance of the rows: one entry per machine or version that took part."""
        with self._connection() as connection:
            lines = connection.execute("select content from provenance").fetchall()
        return [json.loads(content) for (content,) in lines]

    def write(self, suffix: str, content: str | bytes) -> Path:
        """Write a table or a picture beside the rows."""
        path = self.directory / f"{self.name}{suffix}"
        write_whole(path, content.encode() if isinstance(content, str) else content)
        return path


def _checksum(key: str, text: Any, blob: Any, content: Any) -> str:
    fields = (key, text, bytes(blob).hex(), content)
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


class Checkpoint:
    """The state of one run in a store of one row, under the settings of the run.

    Parameters
    ----------
    path : Path
        The file without its suffix.
    settings : mapping
        JSON-safe: all that decides the run. A file with other settings is refused.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self._path = path
        self._settings = settings

    def save(self, progress: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write JSON-safe values and arrays; a kill leaves the old state intact."""
        stream = io.BytesIO()
        everything: dict[str, Any] = dict(arrays)
        np.savez(stream, **everything)
        self._store().put({"state": dict(progress)}, blob=stream.getvalue())

    def load(
        self, like: Mapping[str, NDArray[Any]]
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
        """Return the saved values and arrays, which must be like those given; None if there are
        none.
        """
        if not self._path.with_name(f"{self._path.name}.sqlite").exists():
            return None
        row = self._store().get("state")
        if row is None:
            return None
        with np.load(io.BytesIO(row.blob), allow_pickle=False) as stored:
            arrays = dict(stored)
        if _shapes(arrays) != _shapes(like):
            raise InvalidInput(
                f"{self._path}: holds other arrays", f"{len(arrays)} of them", "remove the file"
            )
        return row.value, arrays

    def _store(self) -> Store:
        return Store(self._path.parent, self._path.name, self._settings)

    def remove(self) -> None:
        """Delete the file, if there is one."""
        self._path.with_name(f"{self._path.name}.sqlite").unlink(missing_ok=True)


def _shapes(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    return {name: (array.shape, array.dtype) for name, array in arrays.items()}
