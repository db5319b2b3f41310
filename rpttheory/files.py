"""Atomic writes.

A killed run leaves the old file or the new one, never half of one.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import InvalidInput

_ROOM = "make room on the disk, or another place that can be written"


def write_whole(path: Path, content: bytes) -> None:
    """Write a temporary file in the same folder, then rename it.

    Raises InvalidInput if the file cannot be written.
    """
    try:
        with _temporary_file(path, content) as name:
            os.replace(name, path)
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: str | os.PathLike[str], error: OSError, remedy: str = _ROOM) -> InvalidInput:
    """Return the error about a full disk or a read-only folder."""
    return InvalidInput(
        f"{os.fspath(path)}: cannot be written", error.strerror or str(error), remedy
    )


def require_writable(path: str | os.PathLike[str], remedy: str) -> None:
    """Raise InvalidInput if the file cannot be written, before any work is done."""
    folder = Path(path).absolute().parent
    try:
        if Path(path).is_dir():
            raise OSError("a folder")
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            raise OSError(f"{folder} is not a writable folder")
    except OSError as error:  # also for a name too long, or a loop of links
        raise unwritable(path, error, remedy) from None


@contextmanager
def _temporary_file(path: Path, content: bytes) -> Iterator[str]:
    """Yield a file in the target's folder with all of the content on the disk.

    It is deleted afterwards unless renamed.
    """
    handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o644)
        yield name
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def require_published(path: Path, digest: str, expected: str) -> None:
    """Raise InvalidInput unless the SHA-256 digest of a data file is that of the published one."""
    if digest != expected:
        raise InvalidInput(
            f"{path.name}: the data file is damaged, or not the published one",
            f"sha256 {digest}, expected {expected}",
            f"a new copy in place of {path}",
        )
