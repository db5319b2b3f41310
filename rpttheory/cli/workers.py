"""`--jobs` and `--scheduler`: where a long run computes."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from ..errors import InvalidInput


@dataclass(frozen=True)
class Workers:
    """What the command line says of workers; refused when it is read, so that a mistake costs
    nothing.
    """

    jobs: int | None = None
    scheduler: str | None = None

    def __post_init__(self) -> None:
        from ..runs.parallel import check_jobs

        check_jobs(self.jobs)
        if self.jobs is not None and self.scheduler is not None:
            raise InvalidInput(
                "a run is on this machine or on a cluster",
                f"--jobs {self.jobs} beside --scheduler {self.scheduler}",
                "one of the two",
            )

    @contextmanager
    def open(self) -> Iterator[Executor]:
        """The executor while the block runs."""
        from ..runs.parallel import Processes

        if self.scheduler is None:
            with Processes(self.jobs) as processes:
                yield processes
            return
        from ..runs.cluster import Cluster

        cluster = Cluster(self.scheduler)
        try:
            yield cluster
        finally:
            cluster.shutdown(wait=False)


def worker_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The two options, which the command receives as `workers`."""

    @wraps(command)
    def with_workers(
        *arguments: Any, jobs: int | None, scheduler: str | None, **options: Any
    ) -> Any:
        return command(*arguments, workers=Workers(jobs, scheduler), **options)

    jobs_option = click.option(
        "--jobs", type=int, default=None, help="Processes.  [default: one per processor]"
    )
    scheduler_option = click.option(
        "--scheduler",
        default=None,
        metavar="ADDRESS",
        help="Compute on a dask cluster instead: tcp://... or tls://...",
    )
    return jobs_option(scheduler_option(with_workers))
