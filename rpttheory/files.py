"""Our own files: written whole or not at all, and read with a checksum that tells of any changed
bit.

A killed run leaves the old file or the new one, never half of one.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import InvalidInput

_MARK = b"sha256:"
_DIGITS = 64
UNSEALED = _MARK.decode() + "0" * _DIGITS
"""Where `sealed` puts the checksum; nothing of the kind may come after it."""
_ROOM = "make room on the disk, or another place that can be written"


def write_whole(path: Path, content: bytes, remedy: str = _ROOM) -> None:
    """Write beside the target, then rename; InvalidInput with the remedy where that cannot be
    done.
    """
    try:
        with _beside(path, content) as name:
            os.replace(name, path)
    except OSError as error:
        raise unwritable(path, error, remedy) from None


def unwritable(path: str | os.PathLike[str], error: OSError, remedy: str = _ROOM) -> InvalidInput:
    """What a person is told about a full disk or a folder that is read-only."""
    return InvalidInput(
        f"{os.fspath(path)}: cannot be written", error.strerror or str(error), remedy
    )


def require_writable(path: str | os.PathLike[str], remedy: str) -> None:
    """Raise before any work is done where the file could not be written in the end."""
    folder = Path(path).absolute().parent
    try:
        found = "a folder" if Path(path).is_dir() else ""
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            found = f"{folder} is no folder we can write to"
    except OSError as error:  # a name too long, a loop of links
        raise unwritable(path, error, remedy) from None
    if found:
        raise InvalidInput(f"{os.fspath(path)}: cannot be written", found, remedy)


@contextmanager
def _beside(path: Path, content: bytes) -> Iterator[str]:
    """A file in the target's folder with all of the content on the disk, gone afterwards unless
    renamed.
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


def require_published(path: Path, found: str, expected: str) -> None:
    """Raise unless the SHA-256 digest found of a data file is that of the published one."""
    if found != expected:
        raise InvalidInput(
            f"{path.name}: the data file is damaged, or not the published one",
            f"sha256 {found}, expected {expected}",
            f"a new copy in place of {path}",
        )


def sealed(content: bytes) -> bytes:
    """The content with the checksum of all of it in the digits that follow the last `sha256:` in
    it.
    """
    head, mark, tail = content.rpartition(_MARK)
    rest = tail[_DIGITS:]
    return head + mark + hashlib.sha256(head + mark + rest).hexdigest().encode() + rest


def read_sealed(path: str | os.PathLike[str], remedy: str) -> bytes | None:
    """The content of a sealed file, None if there is no such file.

    Raises
    ------
    InvalidInput
        If it cannot be read, has no checksum, or a single bit of it is not as it was written.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidInput(
            f"{os.fspath(path)}: cannot be read", error.strerror or str(error), remedy
        ) from None
    if _MARK not in content:
        raise InvalidInput(
            f"{os.fspath(path)}: damaged, or of an earlier version",
            f"no checksum in {len(content)} bytes",
            remedy,
        )
    if sealed(content) != content:
        raise InvalidInput(
            f"{os.fspath(path)}: damaged",
            f"another checksum than that of its {len(content)} bytes",
            remedy,
        )
    return content
