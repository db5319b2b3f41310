"""Run a campaign: send batches of missing tasks to an executor and store each as it arrives."""

import time
from collections import Counter
from concurrent.futures import Executor
from datetime import timedelta

from ...runs.parallel import Task, WorkerLost, run_tasks
from ...runs.progress import Event, ProgressCallback, no_progress
from ...runs.store import Store
from .grid import Grid, Setting
from .work import FAILED, failed_row, perform

# Tasks that are sent together: dask takes 5 ms of processor time for whatever it is sent, a small
# task 20.
BATCH = 16


def run_campaign(
    grid: Grid,
    store: Store,
    *,
    executor: Executor | None = None,
    progress: ProgressCallback = no_progress,
) -> None:
    """Compute the rows that the store does not have yet; tasks that failed are tried again.

    Parameters
    ----------
    grid : Grid
    store : Store
        Receives the rows, and may have some already.
    executor : Executor, optional
        Processes of our own by default. The rows are the same on all of them, to the last bit.
    progress : callable, optional
        Called with reports and finished tasks.
    """
    settings = grid.settings()
    finished = {key for key, row in store.items() if row.value["status"] != FAILED}
    missing = [setting for setting in settings if setting.name not in finished]
    done = before = len(settings) - len(missing)
    began = time.monotonic()
    counts = Counter[str]()
    size = max(1, min(BATCH, len(missing) // 64))
    while missing:
        batches = [missing[i : i + size] for i in range(0, len(missing), size)]
        tasks = [
            Task(i, perform, (batch, grid.content), batch[0].name)
            for i, batch in enumerate(batches)
        ]
        retries: list[Setting] = []
        for i, rows in run_tasks(tasks, executor, lost=lambda _, error: error):
            if isinstance(rows, WorkerLost):
                if size > 1:
                    retries += batches[i]
                    continue
                rows = {batches[i][0].name: failed_row(batches[i][0], rows)}, {}
            values, computed = rows
            store.put(values, computed=computed)
            counts.update(row["status"] for row in values.values())
            tenth = done * 10 // len(settings)
            done = done + len(values)
            remaining = timedelta(
                seconds=round((time.monotonic() - began) / (done - before) * (len(settings) - done))
            )
            message = ", ".join(
                f"{counts[status]} {status.lower()}"
                for status in ("REFUTED", "UNDECIDED", "FAILED")
            )
            progress(
                Event(
                    f"{message}, {remaining} left",
                    done,
                    len(settings),
                    milestone=done * 10 // len(settings) > tenth,
                )
            )
        # One task of a batch has ended its workers: alone, the others have answers.
        missing = retries
        size = 1
