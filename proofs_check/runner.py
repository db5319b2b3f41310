"""Run the checks on all processors, with a time limit each."""

import hashlib
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from types import FrameType

import numpy as np

from rpttheory.runs.parallel import Report, Task, WorkerLost, run_tasks
from rpttheory.runs.progress import Event, ProgressCallback, no_progress

from .engine.entry import Check, Entry, Finding, Trial, unanswered
from .engine.status import Outcome


def run_checks(
    claims: Sequence[Entry],
    *,
    rng: int = 0,
    depth: int = 1,
    time_limit: float = 30.0,
    executor: Executor | None = None,
    progress: ProgressCallback = no_progress,
) -> dict[str, list[Outcome]]:
    """Return the outcomes of all checks, by label.

    Parameters
    ----------
    claims : sequence of Entry
        The entries to check.
    rng : int
        The seed. The same seed gives the same outcomes, whatever the number of workers.
    depth : int
        Multiplies the number of random instances, and the time limit.
    time_limit : float
        Seconds that a check may take; beyond, it is UNDECIDED.
    executor : Executor, optional
        Runs the checks; by default they run in this process.
    progress : callable, optional
        Called with an `Event` after every check.
    """
    checks = {
        (claim.label, number): check
        for claim in claims
        for number, check in enumerate(claim.all_checks)
    }

    def lost(task: Task, error: WorkerLost) -> Outcome:
        return Outcome(checks[task.key].evidence, Finding(None, "", error=error.found))

    outcomes: dict[tuple[str, int], Outcome] = {}
    if executor is None:
        for key, check in checks.items():
            outcomes[key] = _run(check, key, rng, depth, time_limit)
            progress(Event(key[0], len(outcomes), len(checks)))
    else:
        tasks = [
            Task(key, _run_in_worker, (check, key, rng, depth, time_limit), key[0])
            for key, check in checks.items()
        ]
        outcomes.update(run_tasks(tasks, executor, progress, lost))
    return {
        claim.label: [outcomes[claim.label, number] for number in range(len(claim.all_checks))]
        for claim in claims
    }


def _run_in_worker(
    check: Check, key: tuple[str, int], rng: int, depth: int, time_limit: float, report: Report
) -> Outcome:
    return _run(check, key, rng, depth, time_limit)


def _run(check: Check, key: tuple[str, int], rng: int, depth: int, time_limit: float) -> Outcome:
    digest = hashlib.sha256(f"{rng}/{key[0]}/{key[1]}".encode()).digest()
    generator = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    seconds = time_limit * depth
    try:
        with _limited(seconds):
            finding = check.run(Trial(generator, depth))
    except _OutOfTime:
        finding = unanswered(f"no answer within the time limit of {seconds:g} seconds")
    except Exception as error:
        finding = Finding(None, "", error=f"{type(error).__name__}: {error}")
    return Outcome(check.evidence, finding)


class _OutOfTime(BaseException):
    """Not an Exception, so that no check can catch it."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    # On Windows, and in a thread of a cluster's worker, there is no timer: the time is compared
    # when the check is over.
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        began = time.monotonic()
        yield
        if time.monotonic() - began > seconds:
            raise _OutOfTime
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise _OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
