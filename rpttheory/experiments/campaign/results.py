"""The rows of a campaign in one SQLite file, written by the process that the person started and by
no other.

Rows are committed batch by batch: whatever is killed when, they are there, and the same command
goes on.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from ...runs.store import difference
from .work import FAILED, Row

SCHEMA = "rpttheory/campaign/1"
_FILE = "campaign.sqlite"
_TABLES = """
create table if not exists about (schema text, grid text);
create table if not exists provenance (id integer primary key, content text unique);
create table if not exists rows (task text primary key, kind text, status text, result text, seconds
real,
    products integer, provenance integer references provenance);
"""


@dataclass(frozen=True)
class Results:
    """An open file of rows."""

    path: Path
    connection: sqlite3.Connection

    def add(self, rows: Sequence[Row]) -> None:
        """Keep rows, all or none of them; a task that had failed before is replaced."""
        with _told(self.path), self.connection as at:
            for row in rows:
                at.execute(
                    "insert or ignore into provenance (content) values (?)", (row.provenance,)
                )
                at.execute(
                    "insert or replace into rows select ?, ?, ?, ?, ?, ?, id from provenance where"
                    " content = ?",
                    row,
                )

    def finished(self) -> set[str]:
        """Names of the tasks that have an answer; those that failed are tried again."""
        return {
            task
            for (task,) in self.connection.execute(
                "select task from rows where status != ?", (FAILED,)
            )
        }

    def rows(self) -> list[dict[str, Any]]:
        """All rows by name, with their results read."""
        query = "select task, kind, status, result, seconds, products from rows order by task"
        names = ("task", "kind", "status", "result", "seconds", "products")
        found = (dict(zip(names, row, strict=True)) for row in self.connection.execute(query))
        return [{**row, "result": json.loads(row["result"])} for row in found]

    def computed(self) -> list[dict[str, Any]]:
        """What the rows were computed with: one entry for each machine, or version, that took
        part.
        """
        return [
            json.loads(text)
            for (text,) in self.connection.execute(
                "select content from provenance where content != ''"
            )
        ]


@contextmanager
def open_results(
    out: str | os.PathLike[str], grid: dict[str, Any] | None = None
) -> Iterator[Results]:
    """The results in a folder, which is made for a grid; without one they must be there.

    Raises
    ------
    InvalidInput
        If the folder holds another campaign, or cannot be written.
    """
    path = Path(out) / _FILE
    if grid is None and not path.is_file():
        raise InvalidInput(
            f"{os.fspath(out)}: no campaign is here", f"no {_FILE}", "the folder that was its `out`"
        )
    with _told(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(
                f"{os.fspath(out)}: cannot write results here", str(error), "another `out`"
            ) from None
        connection = sqlite3.connect(path, timeout=60)
    try:
        with _told(path):
            connection.executescript(_TABLES)
            _claim(connection, path, grid)
        yield Results(path, connection)
    finally:
        connection.close()


def _claim(connection: sqlite3.Connection, path: Path, grid: dict[str, Any] | None) -> None:
    with connection:
        connection.execute("begin immediate")
        found = connection.execute("select schema, grid from about").fetchone()
        if found is None:
            if grid is not None:
                connection.execute("insert into about values (?, ?)", (SCHEMA, json.dumps(grid)))
            return
    schema, text = found
    theirs = json.loads(text)
    if schema != SCHEMA or (grid is not None and theirs != json.loads(json.dumps(grid))):
        raise InvalidInput(
            f"{path.parent}: holds another campaign",
            difference(theirs, grid or {}) if schema == SCHEMA else f"schema {schema}",
            "another `out`, or the grid of the first run",
        )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What SQLite says of files that it cannot use, in three lines."""
    try:
        yield
    except sqlite3.Error as error:
        remedy = "make room for it, and the same command goes on where it stopped; or another `out`"
        raise InvalidInput(f"{path}: cannot be used", str(error), remedy) from None
