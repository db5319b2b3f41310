"""Writing a finished result, all at once."""

from __future__ import annotations

import sys


class ReaderGone(Exception):
    """Whoever read our output has stopped reading.

    Raised in place of BrokenPipeError, which click would turn into exit code 1, our word for REFUTED.
    """


def emit(text: str) -> None:
    """Print a whole result and flush it."""
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None
