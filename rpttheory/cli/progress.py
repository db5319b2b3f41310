"""Progress of a long run on standard error: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..runs.progress import Event, ProgressCallback, no_progress
from .output import remark


@contextmanager
def progress(name: str, *, quiet: bool = False) -> Iterator[ProgressCallback]:
    """Return a callback that shows events for the duration of the block.

    Without a terminal it prints milestones alone; if `quiet`, nothing.
    """
    start = time.perf_counter()

    def print_milestone(event: Event) -> None:
        if event.milestone:
            seconds = time.perf_counter() - start
            counts = f", {event.done} of {event.total} runs, {seconds:.1f} s" if event.total else ""
            remark(f"{name}: {event.message}{counts}")

    if quiet or not sys.stderr.isatty():
        yield no_progress if quiet else print_milestone
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(bar_width=30),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        waiting = f"{name} ..."
        task = bar.add_task(waiting, total=None)

        def update(event: Event) -> None:
            counts = f"{event.done}/{event.total}  " if event.total else ""
            text = f"{name}: {counts}{event.message}"
            # The bar draws itself several times a second; these are drawn at once.
            immediate = event.milestone or bar.tasks[0].description == waiting
            bar.update(
                task,
                completed=event.done,
                total=event.total or None,
                description=text,
                refresh=immediate,
            )
            if event.milestone:  # stays above the bar
                seconds = time.perf_counter() - start
                bar.console.print(f"{text}, after {seconds:.1f} s", markup=False, highlight=False)

        yield update


@contextmanager
def search_progress(quiet: bool) -> Iterator[ProgressCallback]:
    """Return the callback of a search, for the duration of the block.

    A terminal shows each phase with its time and bracket; nothing is shown elsewhere.
    """
    with progress("searching", quiet=quiet or not sys.stderr.isatty()) as show_progress:
        start = time.perf_counter()
        phase = ""

        def show(event: Event) -> None:
            nonlocal phase, start
            if event.bracket is None:
                if not event.milestone:
                    phase = event.message
                    start = time.perf_counter()
                show_progress(event)
            elif math.isfinite(event.bracket[1]) and event.bracket[1] > 0:
                seconds = time.perf_counter() - start
                show_progress(Event(f"{phase}, {seconds:.0f} s: {bracket_shown(*event.bracket)}"))

        yield show


def bracket_shown(lower: float, upper: float) -> str:
    """Return the bracket of an optimum as text, rounded outward."""
    from ..numbers.decimals import decimal_ceiling, decimal_floor

    gap = decimal_ceiling((upper - lower) / upper, 2)
    ends = f"[{decimal_floor(lower, 8)}, {decimal_ceiling(upper, 8)}]"
    return f"in {ends}, gap {gap}  (Ctrl-C stops here)"
