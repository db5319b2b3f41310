"""The refusal of what would not fit in memory."""

from ..errors import InvalidInput
from ..machine import available_bytes

COPIES = 4
"""What a computation holds at once, in copies of its matrix: the matrix, a scaled one, a factor and
workspace.
"""


FREE_BYTES = 2**26
MOST_PER_BYTE = 100
"""What packed numbers may unpack to: so much in any case, or so many times the bytes that they take
in the file.
"""


def require_room(stored_bytes: int, name: str, size: str, *, copies: int = COPIES) -> None:
    """Raise unless several copies of `stored_bytes` fit in memory.

    Parameters
    ----------
    stored_bytes : int
        Size of the matrix once loaded.
    name : str
        What the matrix is called in messages.
    size : str
        Its size in words, such as ``40000 x 40000``.
    copies : int
        As many as a computation needs of a matrix; one, for the content of a file before it is
        decoded.
    """
    required = copies * stored_bytes
    available = available_bytes()
    if required > available:
        raise InvalidInput(
            "must fit in memory",
            f"{size} needs about {in_words(required)}; {in_words(available)} available",
            "a sparse .mtx file if most entries are zero, or a machine with more memory",
            argument=name,
        )


def require_content(announced: int, stored: int) -> None:
    """Raise where the bytes in the file are too few for what they announce: such numbers are all
    but equal.
    """
    if announced > max(FREE_BYTES, MOST_PER_BYTE * stored):
        raise InvalidInput(
            "must not unpack to far more than the file holds",
            f"{in_words(announced)} of numbers packed in {in_words(stored)}",
            "a sparse file if most entries are zero, or a file without compression",
        )


def in_words(count: int) -> str:
    """Return a number of bytes for a person to read.

    Examples
    --------
    >>> in_words(999), in_words(51_200_000_000)
    ('999 bytes', '51.2 GB')
    """
    if count < 1000:
        return f"{count} bytes"
    for power, unit in enumerate(("kB", "MB", "GB", "TB", "PB"), start=1):
        if count < 1000 ** (power + 1):
            return f"{count / 1000**power:.1f} {unit}"
    return f"{count // 1000**5:.3g} PB" if count < 10**300 else "more than any machine has"
