"""A dask cluster as an executor: work goes where a scheduler says, and comes back whatever worker dies."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from ..errors import InvalidInput, MissingExtra
from ..machine import install
from ..provenance import versions
from .parallel import require_versions

# Seconds until a scheduler must have answered, and its first worker.
TIMEOUT = 20.0


class Cluster(Executor):
    """The workers of a dask scheduler; those with other versions than ours are refused, with their names.

    Parameters
    ----------
    address : str
        ``tcp://host:8786``, or ``tls://host:8786`` with certificates from dask's configuration. Whoever reaches an open
        scheduler can have it execute anything: TLS outside of networks that you trust.
    timeout : float, optional
        Seconds to wait for the scheduler, and for its first worker.
    """

    def __init__(self, address: str, timeout: float = TIMEOUT) -> None:
        if not address.startswith(("tcp://", "tls://")):
            raise InvalidInput("scheduler must be an address", repr(address), "scheduler=tcp://localhost:8786")
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
                " ".join(f"{type(error).__name__}: {error}".split())[:200],
                "`scheduler` with the address that dask scheduler printed, or `jobs`",
            ) from None
        try:
            self._require_workers(address, timeout)
        except BaseException:
            self.client.close()
            raise
        self._executor = self.client.get_executor(pure=False)

    def _require_workers(self, address: str, timeout: float) -> None:
        try:
            self.client.wait_for_workers(1, timeout=timeout)
        except TimeoutError:
            raise InvalidInput(
                f"{address}: the scheduler has no workers", f"none within {timeout:g} s", f"dask worker {address}"
            ) from None
        answers: dict[str, Any] = self.client.run(require_versions, versions(), on_error="return")
        wrong = {worker: error for worker, error in answers.items() if error is not None}
        if wrong:
            error = wrong[min(wrong)]
            found = error.found if isinstance(error, InvalidInput) else f"{type(error).__name__}: {error}"
            raise InvalidInput(
                f"{address}: {len(wrong)} of {len(answers)} workers have other versions",
                f"{', '.join(sorted(wrong))}: {found}",
                "the same versions on all machines, as constraints.txt has them",
            )

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `concurrent.futures.Executor`."""
        future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which goes on without us."""
        self._executor.shutdown(wait and not cancel_futures)
        self.client.close(timeout=TIMEOUT)
