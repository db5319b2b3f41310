"""Events of a long run on standard error: a bar on a terminal, gone when done, and lines
elsewhere.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..runs.progress import Event, Watch, unwatched
from .output import remark

Callback = Callable[[float, float], None]


@contextmanager
def progress(name: str, *, quiet: bool = False) -> Iterator[Watch]:
    """What shows events while the block runs; without a terminal milestones alone, and nothing
    where it is quiet.
    """
    began = time.perf_counter()

    def line(event: Event) -> None:
        if event.milestone:
            counts = (
                f", {event.done} of {event.total} runs, {time.perf_counter() - began:.1f} s"
                if event.total
                else ""
            )
            remark(f"{name}: {event.doing}{counts}")

    if quiet or not sys.stderr.isatty():
        yield unwatched if quiet else line
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

        def show(event: Event) -> None:
            counts = f"{event.done}/{event.total}  " if event.total else ""
            text = f"{name}: {counts}{event.doing}"
            at_once = (
                event.milestone or bar.tasks[0].description == waiting
            )  # the others several times a second
            bar.update(
                task,
                completed=event.done,
                total=event.total or None,
                description=text,
                refresh=at_once,
            )
            if event.milestone:  # stays above the bar
                bar.console.print(
                    f"{text}, after {time.perf_counter() - began:.1f} s",
                    markup=False,
                    highlight=False,
                )

        yield show


@contextmanager
def watched(quiet: bool) -> Iterator[tuple[Callback, Watch]]:
    """The callback of a search and the watch of its phases, shown on a terminal alone while the
    block runs.

    Each phase has its name and its time.
    """
    with progress("searching", quiet=quiet or not sys.stderr.isatty()) as watch:
        since = time.perf_counter()
        phase = ""

        def begin(event: Event) -> None:
            nonlocal phase, since
            if not event.milestone:
                phase = event.doing
                since = time.perf_counter()
            watch(event)

        def show(lower: float, upper: float) -> None:
            now = time.perf_counter()
            bracket_shown(
                lambda event: watch(Event(f"{phase}, {now - since:.0f} s: {event.doing}"))
            )(lower, upper)

        yield show, begin


def bracket_shown(watch: Watch) -> Callback:
    """A callback that makes an event of every bracket (lower, upper) of an optimum, rounded
    outwards.
    """
    from ..numbers.decimals import decimal_ceiling, decimal_floor

    def show(lower: float, upper: float) -> None:
        if math.isfinite(upper) and upper > 0:
            gap = (upper - lower) / upper
            ends = f"[{decimal_floor(lower, 8)}, {decimal_ceiling(upper, 8)}]"
            watch(Event(f"in {ends}, gap {decimal_ceiling(gap, 2)}  (Ctrl-C stops here)"))

    return show
