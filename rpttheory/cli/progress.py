"""Progress of a long run on standard error: a bar on a terminal, a few lines elsewhere."""

from __future__ import annotations

import _thread
import math
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from ..errors import OutOfTime
from ..runs.progress import Event, ProgressCallback, no_progress
from .output import remark

# Seconds without a line before the first one, elsewhere than on a terminal; each silence may be
# twice as long as the one before, up to a minute.
PATIENCE = 2.0
_LONGEST_SILENCE = 60.0


@contextmanager
def progress(name: str, *, quiet: bool = False) -> Iterator[ProgressCallback]:
    """Return a callback that shows events for the duration of the block.

    Without a terminal it prints milestones, and where the work is slow now and then a line on what
    is under way. If `quiet`, it shows nothing.
    """
    if quiet or not sys.stderr.isatty():
        lines = nullcontext(no_progress) if quiet else _lines(name, milestones=True)
        with lines as show_event:
            yield show_event
        return
    start = time.perf_counter()
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
def _lines(name: str, *, milestones: bool) -> Iterator[ProgressCallback]:
    """Return a callback; print the latest event when nothing was printed for a while."""
    start = time.perf_counter()
    latest = "started"
    finished = threading.Event()

    def show_event(event: Event) -> None:
        nonlocal latest
        latest = event.message
        if milestones and event.milestone:
            seconds = time.perf_counter() - start
            counts = f", {event.done} of {event.total} runs, {seconds:.1f} s" if event.total else ""
            remark(f"{name}: {event.message}{counts}")

    def print_now_and_then() -> None:
        silence = PATIENCE
        while not finished.wait(silence):
            remark(f"{name}: {latest}, {time.perf_counter() - start:.0f} s so far")
            silence = min(2 * silence, _LONGEST_SILENCE)

    printer = threading.Thread(target=print_now_and_then, daemon=True)
    printer.start()
    try:
        yield show_event
    finally:
        finished.set()
        printer.join()


@contextmanager
def interrupted_after(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after so many seconds, as Ctrl-C does."""
    if seconds is None:
        yield
        return
    previous = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, previous)


@contextmanager
def search_progress(time_limit: float | None = None) -> Iterator[ProgressCallback]:
    """Return the callback of a search, for the duration of the block.

    A terminal shows each phase with its time and bracket; elsewhere slow work prints a line now
    and then. After the time limit, in seconds, the callback ends the search as Ctrl-C does.
    """
    end = math.inf if time_limit is None else time.perf_counter() + time_limit
    terminal = sys.stderr.isatty()
    display = progress("searching") if terminal else _lines("searching", milestones=False)
    with display as show_progress:
        start = time.perf_counter()
        phase = ""

        def show(event: Event) -> None:
            nonlocal phase, start
            if event.bracket is not None and time.perf_counter() > end:
                raise OutOfTime
            if event.bracket is None:
                if not event.milestone:
                    phase = event.message
                    start = time.perf_counter()
                show_progress(event)
            elif math.isfinite(event.bracket[1]) and event.bracket[1] > 0:
                seconds = f", {time.perf_counter() - start:.0f} s" * terminal
                show_progress(Event(f"{phase}{seconds}: {bracket_shown(*event.bracket)}"))

        yield show


def bracket_shown(lower: float, upper: float) -> str:
    """Return the bracket of an optimum as text, rounded outward."""
    from ..numbers.decimals import decimal_ceiling, decimal_floor

    gap = decimal_ceiling((upper - lower) / upper, 2)
    ends = f"[{decimal_floor(lower, 8)}, {decimal_ceiling(upper, 8)}]"
    return f"in {ends}, gap {gap}  (Ctrl-C stops here)"
