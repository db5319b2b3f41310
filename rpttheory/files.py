"""Writing files whole or not at all: a killed run leaves the old file or the new one, never half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the target, then rename."""
    with _beside(path, content) as name:
        os.replace(name, path)


def create_whole(path: Path, content: bytes) -> None:
    """The same for a file that must not be there yet, even if several programs try at once.

    Raises
    ------
    FileExistsError
        If it is there already; it is left as it is.
    """
    with _beside(path, content) as name:
        try:
            os.link(name, path)
        except FileExistsError:
            raise
        except OSError:
            # A file system without hard links: the name is taken first, and filled at once.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            os.replace(name, path)


@contextmanager
def _beside(path: Path, content: bytes) -> Iterator[str]:
    """A file in the target's folder with all of the content on the disk, gone afterwards unless renamed."""
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
