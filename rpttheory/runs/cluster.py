"""A dask cluster as an executor; tasks survive the death of a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from functools import cache
from typing import Any

from ..errors import InvalidInput, MissingExtra, RptTheoryError, one_line
from ..machine import install
from ..numbers.exact_array import FloatArray
from ..problem.smoothness.chunks import in_order, total
from ..provenance import versions
from .parallel import require_versions

# Seconds until a scheduler must have answered, and its first worker.
TIMEOUT = 20.0


class Cluster(Executor):
    """The workers of a dask scheduler; raises if their versions differ from ours.

    BLAS uses one thread in every worker from then on, so that sums round as in `Processes`.

    Parameters
    ----------
    address : str
        ``tcp://host:8786``, or ``tls://host:8786`` with certificates from dask's configuration.
        Anyone who reaches an open scheduler can run code on it: use TLS outside trusted networks.
    timeout : float, optional
        Seconds to wait for the scheduler, and for its first worker.
    """

    def __init__(self, address: str, timeout: float = TIMEOUT) -> None:
        if not address.startswith(("tcp://", "tls://")):
            raise InvalidInput(
                "must be an address",
                repr(address),
                argument="scheduler",
                suggest={"scheduler": "tcp://localhost:8786"},
            )
        try:
            import distributed
        except ImportError:
            what = "a cluster needs dask.distributed"
            raise MissingExtra(what, "no module 'distributed'", install("cluster")) from None
        try:
            make: Any = distributed.Client
            self.client = make(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError, RuntimeError) as error:
            raise InvalidInput(
                f"{address}: no scheduler answers",
                one_line(error),
                "`scheduler` with the address that dask scheduler printed, or none",
            ) from None
        try:
            self._require_workers(address, timeout)
        except BaseException:
            self.client.close()
            raise
        self._futures: list[Future[Any]] = []

    def _require_workers(self, address: str, timeout: float) -> None:
        try:
            self.client.wait_for_workers(1, timeout=timeout)
        except TimeoutError:
            raise InvalidInput(
                f"{address}: the scheduler has no workers",
                f"none within {timeout:g} s",
                f"dask worker {address}",
            ) from None
        answers: dict[str, Any] = self.client.run(_prepare, versions(), on_error="return")
        wrong = {worker: error for worker, error in answers.items() if error is not None}
        if wrong:
            error = wrong[min(wrong)]
            differs = isinstance(error, InvalidInput)
            what = "have other versions" if differs else "cannot be used"
            detail = error.found if differs else one_line(error)
            raise InvalidInput(
                f"{address}: {len(wrong)} of {len(answers)} workers {what}",
                f"{', '.join(sorted(wrong))}: {detail}",
                "the same versions on all machines, as constraints.txt has them",
            )

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `concurrent.futures.Executor`."""
        remote = self.client.submit(_prepared, versions(), fn, *args, **kwargs, pure=False)
        future: Future[Any] = Future()
        self._futures.append(future)
        future.add_done_callback(lambda done: remote.cancel() if done.cancelled() else None)
        remote.add_done_callback(lambda done: _copy_outcome(done, future))
        return future

    def keep(self, load: Callable[..., Any], sources: Sequence[tuple[Any, ...]]) -> KeptChunks:
        """Load chunks of data, `load(*source)` each, on the workers, which keep them in memory.

        The chunks of a worker that dies are read again. A source may be lazy, such as a block of a
        dask array.
        """
        from dask.delayed import delayed

        tasks: Any = [
            delayed(_prepared, pure=False)(versions(), load, *source) for source in sources
        ]
        return KeptChunks(self.client, self.client.compute(tasks))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which keeps running."""
        if cancel_futures or not wait:
            for future in self._futures:
                future.cancel()
        else:
            wait_for(self._futures)
        self.client.close(timeout=TIMEOUT)


class KeptChunks:
    """Chunks in the memory of workers, which also add up sums, in a fixed order.

    Arguments are part of a task: if they were scattered, they would be lost with their worker.
    """

    def __init__(self, client: Any, chunks: Sequence[Any]) -> None:
        self._client = client
        self._chunks = chunks

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """See `problem.smoothness.chunks.Chunks`."""
        return [_result(future) for future in self._sent(function, arguments)]

    def add_up(self, function: Callable[..., FloatArray], *arguments: Any) -> FloatArray:
        """See `problem.smoothness.chunks.Chunks`."""
        leaves = self._sent(function, arguments)

        def add(parts: Iterator[Any]) -> Any:
            return self._client.submit(total, list(parts), pure=False)

        result: FloatArray = _result(in_order(len(leaves), leaves.__getitem__, add))
        return result

    def _sent(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Any]:
        from dask import config

        # A block of d x r numbers is meant to travel, once to each worker.
        with config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            sent = self._client.submit(tuple, arguments, pure=False)
            return [
                self._client.submit(
                    _prepared, versions(), _applied, chunk, function, sent, pure=False
                )
                for chunk in self._chunks
            ]


def _prepare(expected: Mapping[str, str]) -> None:
    """Raise in a worker with other versions; let its BLAS use one thread from now on."""
    require_versions(expected)
    _limit_blas()


@cache
def _limit_blas() -> None:
    import scipy.linalg  # noqa: F401  (its BLAS is its own, and limited once it is loaded)
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, user_api="blas")


def _prepared(
    expected: Mapping[str, str], function: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> Any:
    """Call a function in a worker, which may have joined the cluster only now."""
    _prepare(expected)
    return function(*args, **kwargs)


def _applied(chunk: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(chunk, *arguments)


def _copy_outcome(remote: Any, future: Future[Any]) -> None:
    """Set the outcome of a dask future.

    The executor of dask reads the result first and the status afterwards. It fails if a worker
    dies in between, because the status is then no longer "finished".
    """
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(remote.result())
    except Exception as error:
        future.set_exception(CancelledError() if remote.cancelled() else error)


def _result(future: Any) -> Any:
    """Return the result of a task, or raise InvalidInput if dask gives it up."""
    try:
        return future.result()
    except RptTheoryError:
        raise
    except Exception as error:
        if type(error).__name__ not in ("FutureCancelledError", "CancelledError", "KilledWorker"):
            raise
        remedy = "workers with more memory, or smaller chunks"
        raise InvalidInput("the cluster gave up a product", one_line(error), remedy) from None
