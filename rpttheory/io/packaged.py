"""The data sets that come with the package, each known by its checksum; `datasets/manifest.json`
lists them.
"""

import difflib
import gzip
import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import InvalidInput
from ..files import require_published
from .request import brief, printable

PREFIX = "dataset:"
STANDARD_INPUT = "-"
FOLDER = Path(__file__).parents[1] / "datasets"


# How files of each kind begin; text begins with anything else.
_STARTS = {
    b"\x93NUMPY": ".npy",
    b"PK": ".npz",
    b"%%MatrixMarket": ".mtx",
    b"MATLAB": ".mat",
    b"\x89HDF": ".mat",
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The entry of a data set in the manifest.

    Attributes
    ----------
    name, title : str
        What a person types, and what it is.
    kind : {"matrix", "table"}
        A smoothness matrix L, or a data matrix A with a target.
    rows, columns : int
        The size of L or A.
    source, license : str
        The citation, and the terms as far as they are known.
    file, sha256 : str
        The file in the package, perhaps compressed, and the checksum of its content.
    optimum : float, optional
        The published least sum(q) with Diag(q) - L positive semidefinite: d times the optimum of
        c(P) for one block per coordinate and equal costs.
    """

    name: str
    title: str
    kind: str
    rows: int
    columns: int
    source: str
    license: str
    file: str
    sha256: str
    optimum: float | None = None

    @property
    def plain_file(self) -> str:
        """The name of the file once it is unpacked."""
        return self.file.removesuffix(".gz")


@cache
def manifest() -> dict[str, Entry]:
    """Return all data sets of the package by name."""
    entries = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    return {name: Entry(name=name, **fields) for name, fields in entries.items()}


def about(name: str) -> Entry:
    """Return the entry of a data set; the error for an unknown name suggests the nearest one.

    Parameters
    ----------
    name : str
        As `names` lists it.

    Returns
    -------
    Entry

    Examples
    --------
    >>> about("bcsstk01").kind
    'matrix'
    """
    entries = manifest()
    if name not in entries:
        lower = {entry.lower(): entry for entry in entries}
        matches = difflib.get_close_matches(name.lower(), lower, n=1)
        remedy = f"{PREFIX}{lower[matches[0]]}, or " if matches else ""
        raise InvalidInput(
            "no such data set", repr(printable(name)), f"{remedy}rpttheory datasets for the list"
        )
    return entries[name]


@contextmanager
def located(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path itself; for ``dataset:NAME`` and for ``-`` a temporary file with that content.

    What was checked is what is read: the file is a copy, unpacked if need be. Standard input is of
    the kind that its first bytes tell.
    """
    text = os.fspath(path)
    if text == STANDARD_INPUT:
        content, name = _standard_input()
    elif text.startswith(PREFIX):
        entry = about(text.removeprefix(PREFIX))
        content = checked_content(entry, FOLDER / entry.file)
        name = entry.plain_file
    else:
        yield Path(path)
        return
    with ExitStack() as stack:
        try:
            copy = Path(stack.enter_context(TemporaryDirectory(prefix="rpttheory-"))) / name
            copy.write_bytes(content)
        except OSError as error:
            raise InvalidInput(
                "cannot be unpacked", brief(error), "room for temporary files, see TMPDIR"
            ) from None
        yield copy


def _standard_input() -> tuple[bytes, str]:
    """Return the content of standard input, and a file name with the extension of its kind."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InvalidInput(
            "standard input must hold a matrix", "a terminal, or nothing", "rpttheory ... - < FILE"
        )
    content = sys.stdin.buffer.read()
    kind = next((kind for start, kind in _STARTS.items() if content.startswith(start)), ".txt")
    return content, f"input{kind}"


def checked_content(entry: Entry, path: Path) -> bytes:
    """Return the unpacked content of a data set's file; raise if it is not the published one."""
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(
            f"{path.name}: the data file must be readable",
            brief(error),
            f"a new copy in place of {path}",
        ) from None
    require_published(path, hashlib.sha256(content).hexdigest(), entry.sha256)
    return content
