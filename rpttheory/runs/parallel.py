"""Tasks on several processes, each with one BLAS thread, reporting back as they go.

Even one job runs in a process of its own: sums by several BLAS threads are rounded differently, so only
then do one job and many give the same numbers. A worker ends when its pipe closes, so that no orphan
survives a killed run.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, cast

from ..errors import InvalidInput, RptTheoryError
from ..machine import usable_processors
from .progress import Event, Watch, unwatched

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

Report = Callable[[str], None]


@dataclass(frozen=True)
class Task:
    """A call `function(*arguments, report)` in a worker; `report(text)` says meanwhile how far it is.

    `key` names the task to the caller, `name` to a person. All must be picklable, the function thus at module level.
    """

    key: Any
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    name: str


def check_jobs(jobs: int | None) -> int:
    """A number of processes that makes sense; by default one for each processor."""
    if jobs is not None and jobs < 1:
        raise InvalidInput("jobs must be at least 1", str(jobs), f"jobs={usable_processors()}")
    return jobs or usable_processors()


def run_tasks(tasks: Sequence[Task], jobs: int | None, watch: Watch = unwatched) -> Iterator[tuple[Any, Any]]:
    """Run all tasks on `jobs` processes and give (key, result) as they come; `watch` sees reports and results.

    Tasks start in the order given; results come in any order. If the caller stops iterating, or a
    task raises, all workers are ended.
    """
    done = 0
    waiting = list(reversed(tasks))
    context = get_context("spawn")
    workers: dict[Connection, tuple[Any, Task]] = {}
    try:
        with _one_thread_each():
            for _ in range(min(check_jobs(jobs), len(tasks))):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs,), daemon=True)
                process.start()
                theirs.close()
                task = waiting.pop()
                workers[ours] = process, task
                ours.send(task)
        while workers:
            for pipe in wait(list(workers)):
                pipe = cast(Connection, pipe)  # on Windows of another class with the same methods
                process, task = workers[pipe]
                try:
                    kind, value = pipe.recv()
                except (EOFError, ConnectionError):
                    process.join()
                    raise RuntimeError(f"a worker ended with code {process.exitcode} during {task.key}") from None
                if kind == "error":
                    raise value
                if kind == "report":
                    watch(Event(f"{task.name}, {value}", done, len(tasks)))
                    continue
                if waiting:
                    following = waiting.pop()
                    workers[pipe] = process, following
                    pipe.send(following)
                else:
                    del workers[pipe]
                    pipe.close()
                    process.join()
                done += 1
                yield task.key, value
                watch(Event(task.name, done, len(tasks)))
    finally:
        for pipe, (process, _) in workers.items():
            process.terminate()
            pipe.close()
            process.join()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """The environment in which workers start; BLAS reads it once, when it is loaded."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _work(pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    while True:
        try:
            task: Task = pipe.recv()
        except EOFError:
            return
        try:
            try:
                answer: tuple[str, Any] = ("result", task.function(*task.arguments, lambda x: pipe.send(("report", x))))
            except RptTheoryError as error:
                answer = ("error", error)
            except BrokenPipeError:
                raise
            except Exception as error:
                found = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
                answer = ("error", RuntimeError(f"{task.key}: {found}"))
            pipe.send(answer)
        except BrokenPipeError:
            return
