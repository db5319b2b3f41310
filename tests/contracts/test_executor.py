"""The contract of executors: processes of our own, threads, and a real cluster of two workers."""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from pickle import PicklingError
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from program import Run
from refusals import refuses

from rpttheory import Rigor, block_L, gram_from_files, optimal_probabilities
from rpttheory.errors import InvalidInput
from rpttheory.experiments.campaign import read_grid, run_campaign
from rpttheory.provenance import versions
from rpttheory.runs import cluster, parallel
from rpttheory.runs.cluster import Cluster
from rpttheory.runs.parallel import DEATHS, Processes, Task, WorkerLost, require_versions, run_tasks
from rpttheory.runs.progress import Event
from rpttheory.runs.store import Store

FOLDER = str(Path(__file__).parent)
# Workers import the functions they are sent by name, from the path of this process.
sys.path.insert(0, FOLDER)
work = importlib.import_module("executor_tasks")


class Started(NamedTuple):
    address: str
    scheduler: subprocess.Popen[bytes]


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A scheduler, which is asked before it has workers, and then two of them, which come again
    when killed.
    """
    pytest.importorskip("distributed", reason="needs the extra cluster")
    folder = tmp_path_factory.mktemp("dask")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    # A worker has the task that it runs and no other, which would be blamed for its end.
    environment = {
        **os.environ,
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
        "DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION": "1.0",
        "PYTHONPATH": os.pathsep.join((FOLDER, os.environ.get("PYTHONPATH", ""))),
    }
    with ExitStack() as stack:
        log = stack.enter_context((folder / "log").open("wb"))

        def start(kind: str, *words: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words, "--no-dashboard"],
                cwd=folder,
                env=environment,
                stdout=log,
                stderr=log,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)  # a nanny, with which its worker ends
            return process

        scheduler = start("scheduler", "--host", address)
        for _ in range(60):
            with pytest.raises(InvalidInput) as refused:
                Cluster(address, timeout=2)
            if refused.value.found == "none within 2 s":
                break
        else:
            pytest.fail("the scheduler does not start")
        for _ in range(2):
            start("worker", address, "--nthreads", "1", "--host", "127.0.0.1")
        yield Started(address, scheduler)


@pytest.fixture(params=["one process", "two processes", "two threads", "cluster"])
def executor(request: pytest.FixtureRequest, pools: dict[int, Executor]) -> Iterator[Executor]:
    if request.param == "cluster":
        with Cluster(request.getfixturevalue("dask").address, timeout=60) as result:
            yield result
    elif request.param == "two threads":
        with ThreadPoolExecutor(2) as threads:
            yield threads
    else:
        yield pools[1 if request.param == "one process" else 2]


def squares(*numbers: int) -> list[Task]:
    return [Task(k, work.square, (k,), f"square {k}") for k in numbers]


def test_every_task_returns_and_is_shown(executor: Executor) -> None:
    events: list[Event] = []
    assert sorted(run_tasks(squares(*range(5)), executor, events.append)) == [
        (k, k * k) for k in range(5)
    ]
    finished = [event for event in events if "," not in event.message]
    assert [(event.done, event.total) for event in finished] == [(done, 5) for done in range(1, 6)]
    if isinstance(executor, Processes):
        for k in range(5):
            named = [event.message for event in events if event.message.startswith(f"square {k}")]
            assert named == [f"square {k}, at {k}", f"square {k}"], "a report before its result"
    assert list(run_tasks([], executor)) == []


def test_errors_arrive_as_what_they_are(executor: Executor) -> None:
    with refuses(found="this"):
        list(run_tasks([Task("bad", work.refuse, (), "bad"), *squares(2)], executor))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        list(run_tasks([Task("bad", work.fail, (), "bad")], executor))


@pytest.mark.parametrize("executor", ["two processes", "cluster"], indirect=True)
def test_a_worker_that_dies_is_replaced_and_its_task_tried_again(
    executor: Executor, tmp_path: Path
) -> None:
    """One task ends a worker once, one every time: all others have their results, and the pool goes
    on.
    """
    deaths = (0, 1, 9, 0)
    tasks = [
        Task(k, work.die_at_first, (str(tmp_path / str(k)), n), "") for k, n in enumerate(deaths)
    ]
    result = dict(run_tasks(tasks, executor, lost=lambda task, error: error))
    lost = result.pop(2)
    assert isinstance(lost, WorkerLost) and lost.found and lost.remedy
    # What a worker of a cluster had done and not given away when it died is done again.
    assert result.keys() == {0, 1, 3} and result[1] >= 2
    assert (tmp_path / "2").stat().st_size == DEATHS or isinstance(executor, Cluster)
    assert list(run_tasks(squares(3), executor)) == [(3, 9)]


def test_a_result_is_given_before_it_is_shown(pools: dict[int, Executor]) -> None:
    """Whoever stops the run while it is shown has it."""

    def interrupt(event: Event) -> None:
        if event.done:
            raise KeyboardInterrupt

    results = {}
    with pytest.raises(KeyboardInterrupt):
        results.update(run_tasks(squares(3, 1), pools[1], interrupt))
    assert results == {3: 9}


def test_two_jobs_run_at_the_same_time(tmp_path: Path, pools: dict[int, Executor]) -> None:
    tasks = [Task(name, work.meet, (str(tmp_path), name), name) for name in "ab"]
    assert [met for _, met in run_tasks(tasks, pools[2])] == [True, True]


def test_one_thread_each_and_the_environment_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    with parallel._starting:  # the pools of other tests may be starting a process meanwhile
        monkeypatch.setenv("OMP_NUM_THREADS", "3")
        monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    ((_, result),) = run_tasks([Task(0, work.environment, (), "")])
    assert set(result.values()) == {"1"}
    with parallel._starting:
        assert os.environ["OMP_NUM_THREADS"] == "3" and "MKL_NUM_THREADS" not in os.environ


def test_the_pool_is_an_executor() -> None:
    """As the standard library has it: any function, its own errors, results that cannot be sent, no
    work at the end.
    """
    with Processes(1) as pool:
        assert list(pool.map(abs, (-1, 2))) == [1, 2]
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
        with pytest.raises(RuntimeError):
            pool.submit(open, os.devnull).result()
        with pytest.raises((AttributeError, TypeError, PicklingError)):
            pool.submit(lambda: 1).result()
        assert pool.submit(abs, -3).result() == 3, "and goes on"
        busy = [pool.submit(time.sleep, 0.2), pool.submit(abs, 1)]
        pool.shutdown(cancel_futures=True)
        assert busy[1].cancelled() and busy[0].done()
        with pytest.raises(RuntimeError):
            pool.submit(abs, 1)


def test_where_no_process_can_be_started_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = [parallel._started]
    monkeypatch.setattr(parallel, "_started", lambda: starts.pop()())
    with Processes(1) as pool:
        for _ in range(2):
            with pytest.raises(IndexError):
                pool.submit(os._exit, 7).result(timeout=300)


def test_other_versions_and_no_jobs_are_refused() -> None:
    require_versions(versions())
    with refuses(found="1.0 here"):
        require_versions(versions() | {"numpy": "1.0"})
    with refuses("jobs", found="0"):
        Processes(0)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> bool:
    for _ in range(600):
        if not alive(pid):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
class TestOrphans:
    def test_the_caller_stops_listening(self, pools: dict[int, Executor]) -> None:
        pids: list[int] = []

        def stop(event: Event) -> None:
            pids.append(int(event.message.split()[-1]))
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            list(run_tasks([Task(0, work.linger, (), "linger")], pools[1], stop))
        assert wait_until_gone(pids[0])

    def test_the_parent_is_killed(self, tmp_path: Path) -> None:
        script = tmp_path / "parent.py"
        script.write_text(
            "import sys\n"
            f"sys.path.insert(0, {FOLDER!r})\n"
            "from rpttheory.runs.parallel import Task, run_tasks\n"
            "import executor_tasks as work\n"
            "if __name__ == '__main__':\n"
            "    task = Task(0, work.linger, (), 'linger')\n"
            "    list(run_tasks([task], None, lambda event: print(event.message, flush=True)))\n"
        )
        parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
        assert parent.stdout is not None
        pid = int(parent.stdout.readline().split()[-1])
        assert alive(pid)
        parent.kill()
        parent.wait()
        parent.stdout.close()
        assert wait_until_gone(pid)


def test_a_campaign_goes_on_when_a_worker_is_killed(
    dask: Started, tmp_path: Path, pools: dict[int, Executor]
) -> None:
    """The rows are those of processes on this machine, bit for bit."""
    (tmp_path / "grid.toml").write_text(
        'blocks = [2]\nmatrices = [{kind = "wishart", dimension = 4, count = 40}]'
    )
    grid = read_grid(tmp_path / "grid.toml")
    rows = []
    with Cluster(dask.address, timeout=60) as remote:
        victims = list(remote.client.run(os.getpid).values())[:1]
        for name, selected in (("cluster", remote), ("here", pools[2])):
            store = Store(tmp_path / name, "campaign", grid.content)
            run_campaign(
                grid,
                store,
                executor=selected,
                progress=lambda _: victims and os.kill(victims.pop(), 9),
            )
            rows.append({key: row.value["result"] for key, row in store.items()})
    assert rows[0] == rows[1] and len(rows[0]) == 40


def test_row_blocks_do_not_mind_a_killed_worker(
    dask: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search by products: one worker ends in the middle of it, and not a bit differs from this
    process alone.
    """
    rows = importlib.import_module("rpttheory.problem.smoothness.rows")
    monkeypatch.setattr(rows, "FORMED_DIMENSION", 0)
    data = sp.csr_array(np.where(np.random.default_rng(0).random((200, 60)) < 0.4, 0.5, 0.0))
    for k in range(20):
        sp.save_npz(tmp_path / f"{k:02}.npz", data[10 * k : 10 * k + 10])
    here = gram_from_files(tmp_path, Fraction(1, 200))
    alone = optimal_probabilities(here, "6x10")
    with Cluster(dask.address, timeout=60) as remote:
        victims = list(remote.client.run(os.getpid).values())[:1]
        form = gram_from_files(tmp_path, Fraction(1, 200), executor=remote)
        result = optimal_probabilities(
            form, "6x10", progress=lambda _: victims and os.kill(victims.pop(), 9)
        )
        assert not victims and result.status == "optimal" and result.rigor is Rigor.VERIFIED
        assert np.array_equal(result.probabilities, alone.probabilities)
        assert np.array_equal(result.dual, alone.dual)
        assert (result.lower, result.upper) == (alone.lower, alone.upper)
        constants, expected = (block_L(L, "6x10") for L in (form, here))
        assert [b.to_dict() for b in constants] == [b.to_dict() for b in expected]
        chunks = importlib.import_module("dask.array").from_array(data.toarray(), (10, 60))
        array = gram_from_files(chunks, executor=remote)
        np.testing.assert_allclose(array.diagonal(), 200 * here.diagonal())
        np.save(tmp_path / "20.npy", np.full((3, 60), np.nan))
        with refuses(found="180"):
            gram_from_files(tmp_path, executor=remote)


def test_a_folder_and_a_scheduler_on_the_command_line(dask: Started, run: Run) -> None:
    Path("rows").mkdir()
    for k in range(3):
        np.save(f"rows/{k}.npy", np.random.default_rng(k).random((9, 6)))
    words = "verify rows --data --blocks 3x2 --ridge 0.1 --json"
    alone = run(words)
    remote = run(f"{words} --scheduler {dask.address}")
    assert alone.code == remote.code == 0
    assert json.loads(alone.out)["claims"] == json.loads(remote.out)["claims"]


def test_workers_with_other_versions_are_refused(
    dask: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "versions", lambda: versions() | {"numpy": "1.0"})
    with refuses(found="1.0 here"):
        Cluster(dask.address, timeout=60)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "here"])
@pytest.mark.usefixtures("dask")
def test_no_scheduler(address: str) -> None:
    with refuses():
        Cluster(address, timeout=0.5)


def test_a_scheduler_that_goes_away_ends_the_run(dask: Started) -> None:
    with Cluster(dask.address, timeout=60) as remote:
        stream = run_tasks([Task(0, work.process, (), ""), Task(1, work.linger, (), "")], remote)
        next(stream)
        dask.scheduler.send_signal(signal.SIGKILL)
        with refuses():
            next(stream)


def test_blas_of_a_worker_uses_one_thread() -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl", reason="needs the extra cluster")
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        cluster._limit_blas.cache_clear()
        cluster._prepared(versions(), int)
        threads = {
            library["num_threads"]
            for library in threadpoolctl.threadpool_info()
            if library["user_api"] == "blas"
        }
    assert threads == {1}


def test_a_worker_that_dies_with_a_result_does_not_lose_the_run() -> None:
    """The status of a finished dask future changes if the worker that holds its result dies."""

    class Lost:
        status = "lost"

        def result(self) -> int:
            return 7

        def cancelled(self) -> bool:
            return False

    future: Future[int] = Future()
    cluster._copy_outcome(Lost(), future)
    assert future.result(0) == 7
