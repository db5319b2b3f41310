"""Tasks on an executor: ours by default, processes of one BLAS thread each that report back as they
go.

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

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
# A task that has ended as many workers ends every worker; dask gives up at the same number.
DEATHS = 4

Report = Callable[[str], None]


class WorkerLost(RptTheoryError, RuntimeError):
    """A task whose workers die: its own doing, most likely, so the others can go on without it."""


@dataclass(frozen=True)
class Task:
    """A call `function(*arguments, report)` in a worker; `report(text)` says meanwhile how far it
    is.

    `key` names the task to the caller, `name` to a person. All must be picklable, the function thus
    at module level.
    """

    key: Any
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    name: str


def check_jobs(jobs: int | None) -> int:
    """A number of processes that makes sense; by default one for each processor."""
    if jobs is not None and jobs < 1:
        raise InvalidInput(
            "must be at least 1", str(jobs), argument="jobs", suggest={"jobs": usable_processors()}
        )
    return jobs or usable_processors()


def _give_up(_task: Task, error: WorkerLost) -> NoReturn:
    raise error


def run_tasks(
    tasks: Sequence[Task],
    executor: Executor | None = None,
    progress: ProgressCallback = no_progress,
    lost: Callable[[Task, WorkerLost], Any] = _give_up,
) -> Iterator[tuple[Any, Any]]:
    """Run all tasks and give (key, result) as they come; `progress` sees reports and results.

    Tasks start in the order given; results come in any order. If the caller stops iterating, or a
    task raises, what has not begun is cancelled. The result of a task that ends its workers is what
    `lost` makes of it.

    Parameters
    ----------
    executor : Executor, optional
        Processes of our own by default, one for each processor, which end with the last task.
    """
    if executor is None:
        with Processes(min(usable_processors(), max(len(tasks), 1))) as own:
            yield from run_tasks(tasks, own, progress, lost)
        return
    # What reports and results are put into by the threads of the executor: the caller's own thread
    # shows them.
    heard: queue.SimpleQueue[tuple[Task, str | Future[Any]]] = queue.SimpleQueue()
    pending = []
    try:
        for task in tasks:
            call = (versions(), task.key, task.function, task.arguments)
            told = partial(_tell, heard, task)
            if isinstance(executor, Processes):
                future = executor.submit_told(told, _call, *call)
            else:
                future = executor.submit(_call, *call)
            pending.append(future)
            future.add_done_callback(told)
        done = 0
        while done < len(tasks):
            try:
                task, found = heard.get(
                    timeout=1.0
                )  # without a limit Windows would not hear Ctrl-C
            except queue.Empty:
                continue
            if isinstance(found, str):
                progress(Event(f"{task.name}, {found}", done, len(tasks)))
                continue
            done += 1
            yield task.key, _result(task, found, lost)
            progress(Event(task.name, done, len(tasks)))
    finally:
        for future in pending:
            if not future.cancel() and isinstance(future, _Call):
                future.stop()


def _tell(heard: queue.SimpleQueue[Any], task: Task, found: str | Future[Any]) -> None:
    heard.put((task, found))


def _result(task: Task, future: Future[Any], lost: Callable[[Task, WorkerLost], Any]) -> Any:
    try:
        return future.result()
    except CancelledError:
        remedy = "the same command once the scheduler is there again"
        raise InvalidInput(
            "the executor gave the run up", f"{task.key} was cancelled", remedy
        ) from None
    except Exception as error:
        if (
            not isinstance(error, WorkerLost) and type(error).__name__ != "KilledWorker"
        ):  # the latter is dask's
            raise
        remedy = (
            "more memory, a smaller task, or if __name__ == '__main__': in the script that runs"
            " this"
        )
        return lost(
            task, WorkerLost(f"{task.key}: its workers die", " ".join(str(error).split()), remedy)
        )


def _call(
    expected: Mapping[str, str], key: Any, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    """What an executor is sent: errors that are not ours become text, which can be sent back from
    everywhere.
    """
    require_versions(expected)
    try:
        return function(*arguments, _report)
    except (RptTheoryError, BrokenPipeError):
        raise
    except Exception as error:
        found = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
        raise RuntimeError(f"{key}: {found}") from None


def require_versions(expected: Mapping[str, str]) -> None:
    """Raise where this process has other versions than the one that sends the work: numbers might
    differ.
    """
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
    """What is to be called in a process, and whom to tell what it reports."""

    def __init__(self, told: Callable[[str], None], call: tuple[Any, ...]) -> None:
        super().__init__()
        self.told = told
        self.call = call
        self.process: Any = None
        self.stopped = False
        self.lock = threading.Lock()

    def stop(self) -> None:
        """End the process that is busy with it, and none that is busy with the next call."""
        self.stopped = True  # before the process is looked at: it is set before this is
        with self.lock:
            if self.process is not None:
                self.process.terminate()

    def leave(self) -> None:
        """The process has answered, and is not to be ended on account of this call."""
        with self.lock:
            self.process = None


class Processes(Executor):
    """Processes of one BLAS thread each; where one dies its task is tried again, `DEATHS` times in
    all.

    Parameters
    ----------
    jobs : int, optional
        How many; by default one for each processor. They start when there is work for them.

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
        return self.submit_told(lambda _: None, fn, *args, **kwargs)

    def submit_told(
        self, told: Callable[[str], None], fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        """The same; `told` is called with what the function reports, in a thread of the pool."""
        if self._closed:
            raise RuntimeError("no work is taken after shutdown")
        call = _Call(told, (fn, args, kwargs))
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
        """One thread for each process: sends it one call after another, and starts the next process
        when it dies.
        """
        call: _Call | None = None
        try:
            process, pipe = _started()
            while (call := self._calls.get()) is not None:
                process, pipe = self._served(call, process, pipe)
            pipe.close()
            process.join()
        except (
            Exception
        ) as error:  # no process starts, as where importing the script runs all of it
            if call is not None and not call.done():
                call.set_exception(error)
            while (call := self._calls.get()) is not None:
                if call.set_running_or_notify_cancel():
                    call.set_exception(error)

    def _served(self, call: _Call, process: Any, pipe: Connection) -> tuple[Any, Connection]:
        """Perform one call, and give the process that is there for the next."""
        if call.set_running_or_notify_cancel():
            for death in range(1, DEATHS + 1):
                call.process = process
                if not call.stopped and _performed(call, pipe) and not call.stopped:
                    break
                pipe.close()
                process.terminate()
                process.join()
                if call.done():
                    pass  # it was stopped when it had answered, perhaps with this process
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
    """Whether the worker at the other end lived to answer."""
    try:
        pipe.send(call.call)
        kind, value = pipe.recv()
        while kind == "report":
            call.told(value)
            kind, value = pipe.recv()
    except (EOFError, OSError):
        return False
    except Exception as error:  # what cannot be pickled
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
    """A process that waits for calls, and the pipe to it. BLAS reads its environment once, when it
    is loaded.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs,), daemon=True)
    with _starting, _one_thread_each():
        process.start()
    theirs.close()
    return process, ours


@contextmanager
def _one_thread_each() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)  # another thread may have been there before
            else:
                os.environ[name] = value


# In a worker, where its reports go.
_parent: Connection | None = None


def _report(text: str) -> None:
    if _parent is not None:
        _parent.send(("report", text))


def _work(pipe: Connection) -> None:
    global _parent
    _parent = pipe
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches the whole group; the parent decides
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
                pipe.send(("error", RuntimeError(f"what came out cannot be sent: {error}")))
        except (EOFError, BrokenPipeError):
            return
