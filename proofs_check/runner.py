"""Running the checks: on all processors, with a time budget each, and random numbers that repeat
with the seed.
"""

import hashlib
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from types import FrameType

import numpy as np

from rpttheory.runs.parallel import Report, Task, WorkerLost, run_tasks
from rpttheory.runs.progress import Event, ProgressCallback, no_progress

from .engine.entry import Check, Entry, Finding, Trial, unanswered
from .engine.judgement import Outcome, checks_of

# Seconds one check may take at the default depth.
BUDGET = 30.0


def run_checks(
    claims: Sequence[Entry],
    *,
    seed: int = 0,
    depth: int = 1,
    budget: float = BUDGET,
    executor: Executor | None = None,
    progress: ProgressCallback = no_progress,
    found: dict[tuple[str, int], Outcome] | None = None,
) -> dict[str, list[Outcome]]:
    """What every check of the claims found, by label; after Ctrl-C without the labels that were not
    finished.

    Parameters
    ----------
    seed : int
        The same seed gives the same outcomes, whatever the number of workers.
    depth : int
        Multiplies the number of random instances, and the budget.
    budget : float
        Seconds a check may take; beyond, it is UNDECIDED.
    executor : Executor, optional
        Where the checks run; by default in this process.
    progress : callable, optional
        Called with an `Event` after every check.
    found : dict, optional
        By label and number what is known already, and is not checked again; whatever is found is
        added to it.
    """
    found = {} if found is None else found
    numbered = {
        (claim.label, number): check
        for claim in claims
        for number, check in enumerate(checks_of(claim))
    }
    pending = {key: check for key, check in numbered.items() if key not in found}

    def lost(task: Task, error: WorkerLost) -> Outcome:
        return Outcome(pending[task.key].evidence, None, error.found)

    with suppress(KeyboardInterrupt):
        if executor is None:
            for key, check in pending.items():
                found[key] = _run(check, key, seed, depth, budget)
                progress(Event(key[0], len(found), len(numbered)))
        else:
            calls = [
                Task(key, _run_in_worker, (check, key, seed, depth, budget), key[0])
                for key, check in pending.items()
            ]
            found.update(run_tasks(calls, executor, progress, lost))
    finished = [claim for claim in claims if all(key in found for key in _keys(claim))]
    return {claim.label: [found[key] for key in _keys(claim)] for claim in finished}


def _keys(claim: Entry) -> list[tuple[str, int]]:
    return [(claim.label, number) for number in range(len(checks_of(claim)))]


def _run_in_worker(
    check: Check, key: tuple[str, int], seed: int, depth: int, budget: float, report: Report
) -> Outcome:
    return _run(check, key, seed, depth, budget)


def _run(check: Check, key: tuple[str, int], seed: int, depth: int, budget: float) -> Outcome:
    digest = hashlib.sha256(f"{seed}/{key[0]}/{key[1]}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    seconds = budget * depth
    try:
        with _limited(seconds):
            finding: Finding | None = check.run(Trial(rng, depth))
    except _OutOfTime:
        return Outcome(
            check.evidence, unanswered(f"no answer within the budget of {seconds:g} seconds")
        )
    except Exception as error:
        return Outcome(check.evidence, None, f"{type(error).__name__}: {error}")
    return Outcome(check.evidence, finding)


class _OutOfTime(BaseException):
    """Not an Exception, so that no check can swallow it."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    # On Windows, and in a thread of a cluster's worker, nothing ends a check: it is judged when it
    # is over.
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
