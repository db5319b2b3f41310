"""Run the checks on all processors, with a time limit each; save those of an interrupted run."""

import hashlib
import json
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import rpttheory
from rpttheory.errors import InvalidInput
from rpttheory.runs.parallel import Report, Task, WorkerLost, run_tasks
from rpttheory.runs.progress import Event, ProgressCallback, no_progress
from rpttheory.runs.store import Store

from .engine.entry import Check, Entry, Evidence, Finding, Trial, Weight, unanswered
from .engine.status import Outcome

_STORE = "interrupted_proofs"
# By label and the number of the check.
Outcomes = dict[tuple[str, int], Outcome]


def run_checks(
    claims: Sequence[Entry],
    *,
    rng: int = 0,
    depth: int = 1,
    time_limit: float = 30.0,
    executor: Executor | None = None,
    progress: ProgressCallback = no_progress,
    outcomes: Outcomes | None = None,
) -> dict[str, list[Outcome]]:
    """Return the outcomes of all checks, by label; after Ctrl-C without unfinished labels.

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
    outcomes : dict, optional
        Outcomes that are not computed again; new ones are added to it.
    """
    outcomes = {} if outcomes is None else outcomes
    checks = {
        (claim.label, number): check
        for claim in claims
        for number, check in enumerate(claim.all_checks)
    }
    pending = {key: check for key, check in checks.items() if key not in outcomes}

    def lost(task: Task, error: WorkerLost) -> Outcome:
        return Outcome(pending[task.key].evidence, Finding(None, "", error=error.found))

    with suppress(KeyboardInterrupt):
        if executor is None:
            for key, check in pending.items():
                outcomes[key] = _run(check, key, rng, depth, time_limit)
                progress(Event(key[0], len(outcomes), len(checks)))
        else:
            tasks = [
                Task(key, _run_in_worker, (check, key, rng, depth, time_limit), key[0])
                for key, check in pending.items()
            ]
            outcomes.update(run_tasks(tasks, executor, progress, lost))
    keys: dict[str, list[tuple[str, int]]] = {claim.label: [] for claim in claims}
    for key in checks:
        keys[key[0]].append(key)
    return {
        label: [outcomes[key] for key in own]
        for label, own in keys.items()
        if all(key in outcomes for key in own)
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


def save_outcomes(folder: Path, outcomes: Outcomes, settings: Mapping[str, Any]) -> None:
    """Write the outcomes of an interrupted run, in place of those of an earlier one."""
    (folder / f"{_STORE}.sqlite").unlink(missing_ok=True)
    store = Store(folder, _STORE, _origin(settings))
    store.put(
        {
            json.dumps(key): {"evidence": outcome.evidence, **vars(outcome.finding)}
            for key, outcome in outcomes.items()
        }
    )


def load_outcomes(folder: Path, settings: Mapping[str, Any]) -> Outcomes:
    """Return the saved outcomes; raise InvalidInput if there are none of these settings and this
    version of the program.
    """
    if not (folder / f"{_STORE}.sqlite").is_file():
        raise InvalidInput(
            "no interrupted run to resume", f"no {_STORE}.sqlite in {folder}", "without --resume"
        )
    rows = Store(folder, _STORE, _origin(settings)).items()
    return {tuple(json.loads(key)): _outcome(**row.value) for key, row in rows}


def _outcome(evidence: int, weight: str | None, formulas: list[str], **fields: Any) -> Outcome:
    known_weight = None if weight is None else Weight(weight)
    finding = Finding(weight=known_weight, formulas=tuple(formulas), **fields)
    return Outcome(Evidence(evidence), finding)


def _origin(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings and a digest of all code that a check may run."""
    folders = (Path(rpttheory.__file__).parent, Path(__file__).parent)
    sources = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    code = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    return {**settings, "version": rpttheory.__version__, "code": code}
