"""Tasks on an executor, by default processes of one BLAS thread each that report their progress.

Every long run takes any `concurrent.futures.Executor` and sends it functions by name, with data.
Even one job runs in a process of its own: sums by several BLAS threads are rounded differently, so
only then do one job and many give the same numbers. A worker ends when its pipe closes, so that no
orphan survives a killed run.

`concurrent.futures.ProcessPoolExecutor` cannot take the place of `Processes`: when one of its
workers is killed, every task under way fails with BrokenProcessPool and the pool is lost, whereas
here the other workers go on and the task of the dead one is tried again; it cannot end a task that
runs (Ctrl-C would wait for it); and its workers outlive a killed parent for as long as their task
takes. All three were tried with Python 3.11 and spawned processes.
"""

from __future__ import annotations

import os
import platform
import queue
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pickle import PicklingError
from typing import Any, NoReturn

from ..errors import InvalidInput, RptTheoryError
from ..machine import usable_processors
from ..provenance import versions
from .progress import Event, ProgressCallback, no_progress

__all__ = ["Processes", "Task", "WorkerLost", "run_tasks"]

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
# A task that has ended this many workers is given up; dask has the same limit.
DEATHS = 4

Report = Callable[[str], None]


class WorkerLost(RptTheoryError, RuntimeError):
    """A task ended all of its workers; other tasks are not affected."""


@dataclass(frozen=True)
class Task:
    """A call `function(*arguments, report)` in a worker.

    `report(text)` says how far the task is. `key` names the task to the caller, `name` to a person.
    All must be picklable, so the function is at module level.
    """

    key: Any
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    name: str


def check_jobs(jobs: int | None) -> int:
    """Return the number of processes, by default one for each processor; raise if it is below 1."""
    if jobs is not None and jobs < 1:
        raise InvalidInput(
            "must be at least 1", str(jobs), argument="jobs", suggest={"jobs": usable_processors()}
        )
    return jobs or usable_processors()


def _raise(_task: Task, error: WorkerLost) -> NoReturn:
    raise error


def run_tasks(
    tasks: Sequence[Task],
    executor: Executor | None = None,
    progress: ProgressCallback = no_progress,
    lost: Callable[[Task, WorkerLost], Any] = _raise,
) -> Iterator[tuple[Any, Any]]:
    """Run all tasks and yield (key, result) as they finish.

    Tasks start in the order given; results come in any order. If the caller stops iterating, or a
    task raises, tasks that have not begun are canceled.

    Parameters
    ----------
    tasks : sequence of Task
    executor : Executor, optional
        By default processes of our own, one for each processor, which end with the last task.
    progress : callable, optional
        Called with reports and finished tasks.
    lost : callable, optional
        Returns the result of a task that ended its workers; raises the error by default.

    Returns
    -------
    iterator of tuples
    """
    if executor is None:
        with Processes(min(usable_processors(), max(len(tasks), 1))) as processes:
            yield from run_tasks(tasks, processes, progress, lost)
        return
    # Threads of the executor put reports and results here; the caller's thread handles them.
    messages: queue.SimpleQueue[tuple[Task, str | Future[Any]]] = queue.SimpleQueue()
    pending = []
    try:
        for task in tasks:
            call = (versions(), task.key, task.function, task.arguments)
            send = partial(_send, messages, task)
            if isinstance(executor, Processes):
                future = executor.submit_with_reports(send, _call, *call)
            else:
                future = executor.submit(_call, *call)
            pending.append(future)
            future.add_done_callback(send)
        done = 0
        while done < len(tasks):
            try:
                # Without a timeout Windows would not notice Ctrl-C.
                task, message = messages.get(timeout=1.0)
            except queue.Empty:
                continue
            if isinstance(message, str):
                progress(Event(f"{task.name}, {message}", done, len(tasks)))
                continue
            done += 1
            yield task.key, _result(task, message, lost)
            progress(Event(task.name, done, len(tasks)))
    finally:
        for future in pending:
            if not future.cancel() and isinstance(future, _Call):
                future.stop()


def _send(messages: queue.SimpleQueue[Any], task: Task, message: str | Future[Any]) -> None:
    messages.put((task, message))


def _result(task: Task, future: Future[Any], lost: Callable[[Task, WorkerLost], Any]) -> Any:
    try:
        return future.result()
    except CancelledError:
        raise InvalidInput(
            "the executor ended the run",
            f"{task.key} was canceled",
            "the same command once the scheduler is back",
        ) from None
    except Exception as error:
        # KilledWorker is the error of dask.
        if not isinstance(error, WorkerLost) and type(error).__name__ != "KilledWorker":
            raise
        worker_lost = WorkerLost(
            f"{task.key}: its workers die",
            " ".join(str(error).split()),
            "more memory, a smaller task, or `if __name__ == '__main__':` in the script",
        )
        return lost(task, worker_lost)


def _call(
    expected: Mapping[str, str], key: Any, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    """Run a task in a worker; errors of other packages become text, which can always be sent."""
    require_versions(expected)
    try:
        return function(*arguments, _report)
    except (RptTheoryError, BrokenPipeError):
        raise
    except Exception as error:
        details = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
        raise RuntimeError(f"{key}: {details}") from None


def require_versions(expected: Mapping[str, str]) -> None:
    """Raise if this process has other versions than its caller, because numbers might differ."""
    ours = versions()
    differing = [
        f"{name} {ours[name]} there, {text} here"
        for name, text in expected.items()
        if ours[name] != text
    ]
    if differing:
        raise InvalidInput(
            f"a worker on {platform.node()} has other versions",
            "; ".join(differing),
            "the same versions on all machines, as constraints.txt has them",
        )


class _Call(Future[Any]):
    """A call in a process, and the function that receives its reports."""

    def __init__(self, on_report: Callable[[str], None], call: tuple[Any, ...]) -> None:
        super().__init__()
        self.on_report = on_report
        self.call = call
        self.process: Any = None
        self.stopped = False
        self.lock = threading.Lock()

    def stop(self) -> None:
        """End the process that runs this call, unless it has gone on to the next one."""
        self.stopped = True  # set first: `_served` looks at it after it has set the process
        with self.lock:
            if self.process is not None:
                self.process.terminate()

    def leave(self) -> None:
        """Protect the process, which has answered, from `stop`."""
        with self.lock:
            self.process = None


class Processes(Executor):
    """Processes of one BLAS thread each; a task whose process dies is tried `DEATHS` times in all.

    Parameters
    ----------
    jobs : int, optional
        Number of processes, by default one for each processor. They start with the first tasks.

    Examples
    --------
    >>> with Processes(1) as pool:
    ...     pool.submit(divmod, 7, 2).result()
    (3, 1)
    """

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = check_jobs(jobs)
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._closed = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `concurrent.futures.Executor`."""
        return self.submit_with_reports(lambda _: None, fn, *args, **kwargs)

    def submit_with_reports(
        self,
        on_report: Callable[[str], None],
        fn: Callable[..., Any],
        /,
        *args: Any,
        **kwargs: Any,
    ) -> Future[Any]:
        """Submit a call; `on_report` receives its reports in a thread of the pool."""
        if self._closed:
            raise RuntimeError("cannot submit after shutdown")
        call = _Call(on_report, (fn, args, kwargs))
        self._calls.put(call)
        if len(self._threads) < self._jobs:
            self._threads.append(threading.Thread(target=self._serve, daemon=True))
            self._threads[-1].start()
        return call

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """See `concurrent.futures.Executor`."""
        self._closed = True
        while cancel_futures and not self._calls.empty():
            call = self._calls.get()
            if call is not None:
                call.cancel()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def _serve(self) -> None:
        """Send one call after another to a process, and start a new one when it dies."""
        call: _Call | None = None
        try:
            process, pipe = _started()
            while (call := self._calls.get()) is not None:
                process, pipe = self._served(call, process, pipe)
            pipe.close()
            process.join()
        except Exception as error:  # no process starts: the script may lack a __main__ guard
            if call is not None and not call.done():
                call.set_exception(error)
            while (call := self._calls.get()) is not None:
                if call.set_running_or_notify_cancel():
                    call.set_exception(error)

    def _served(self, call: _Call, process: Any, pipe: Connection) -> tuple[Any, Connection]:
        """Perform one call; return the process for the next one."""
        if call.set_running_or_notify_cancel():
            for death in range(1, DEATHS + 1):
                call.process = process
                if not call.stopped and _performed(call, pipe) and not call.stopped:
                    break
                pipe.close()
                process.terminate()
                process.join()
                if call.done():
                    pass  # it was stopped after it had answered
                elif call.stopped:
                    call.set_exception(CancelledError())
                elif death == DEATHS:
                    text = (
                        f"{DEATHS} workers ended during it, the last with code {process.exitcode}"
                    )
                    call.set_exception(WorkerLost(text))
                process, pipe = _started()
                if call.done():
                    break
        return process, pipe


def _performed(call: _Call, pipe: Connection) -> bool:
    """Return whether the worker at the other end lived to answer."""
    try:
        pipe.send(call.call)
        kind, value = pipe.recv()
        while kind == "report":
            call.on_report(value)
            kind, value = pipe.recv()
    except (EOFError, OSError):
        return False
    except Exception as error:  # the call cannot be pickled
        kind = "error"
        value = error
    call.leave()
    if kind == "error":
        call.set_exception(value)
    else:
        call.set_result(value)
    return True


_starting = threading.Lock()


def _started() -> tuple[Any, Any]:
    """Start a process that waits for calls; return it with the pipe to it."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs,), daemon=True)
    with _starting, _one_thread_each():
        process.start()
    theirs.close()
    return process, ours


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Set the environment that BLAS reads when it is loaded."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)  # another thread may have removed it
            else:
                os.environ[name] = value


# The pipe for reports, in a worker.
_parent: Connection | None = None


def _report(text: str) -> None:
    if _parent is not None:
        _parent.send(("report", text))


def _work(pipe: Connection) -> None:
    global _parent
    _parent = pipe
    # Ctrl-C reaches the whole group of processes; the parent decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            function, arguments, named = pipe.recv()
            try:
                answer = ("result", function(*arguments, **named))
            except BrokenPipeError:
                raise
            except Exception as error:
                answer = ("error", error)
            try:
                pipe.send(answer)
            except (AttributeError, TypeError, ValueError, PicklingError) as error:
                pipe.send(("error", RuntimeError(f"the result cannot be sent: {error}")))
        except (EOFError, BrokenPipeError):
            return
