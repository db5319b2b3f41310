"""Progress of a search on a terminal: the current bracket, on standard error, gone when done."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def watched(quiet: bool) -> Iterator[Callable[[float, float], None] | None]:
    """A callback that shows (lower, upper) while the block runs; None where nobody is looking."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("searching ...  (Ctrl-C stops with the best bracket so far)") as status:

        def show(lower: float, upper: float) -> None:
            if math.isfinite(upper) and upper > 0:
                gap = (upper - lower) / upper
                status.update(f"optimum in \\[{lower:.8g}, {upper:.8g}], gap {gap:.1g}  (Ctrl-C stops here)")

        yield show
