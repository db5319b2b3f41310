"""Several processes: same results, errors as they were raised, no orphans."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from pickle import PicklingError

import pytest

from rpttheory.errors import InvalidInput
from rpttheory.provenance import versions
from rpttheory.runs import parallel
from rpttheory.runs.parallel import DEATHS, Processes, Task, WorkerLost, require_versions, run_tasks
from rpttheory.runs.progress import Event

FOLDER = str(Path(__file__).parent)
# Workers import the functions they are sent by name, from the path of this process.
sys.path.insert(0, FOLDER)
work = importlib.import_module("parallel_tasks")


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_task_reports_and_returns(jobs: int, pools: dict[int, Executor]) -> None:
    events: list[Event] = []
    results = run_tasks(
        [Task(k, work.square, (k,), f"square {k}") for k in range(5)], pools[jobs], events.append
    )
    assert sorted(results) == [(k, k * k) for k in range(5)]
    finished = [event for event in events if "," not in event.doing]
    assert [(event.done, event.total) for event in finished] == [(done, 5) for done in range(1, 6)]
    for k in range(5):
        own = [event.doing for event in events if event.doing.startswith(f"square {k}")]
        assert own == [f"square {k}, at {k}", f"square {k}"], "a report comes before its result"


def test_one_job_keeps_the_order(pools: dict[int, Executor]) -> None:
    assert [
        key for key, _ in run_tasks([Task(k, work.square, (k,), "") for k in (3, 1, 2)], pools[1])
    ] == [3, 1, 2]


def test_a_result_is_given_before_it_is_shown(pools: dict[int, Executor]) -> None:
    """Whoever stops the run while it is shown has it."""

    def interrupt(event: Event) -> None:
        if event.done:
            raise KeyboardInterrupt

    kept = {}
    with pytest.raises(KeyboardInterrupt):
        kept.update(
            run_tasks([Task(k, work.square, (k,), "") for k in (3, 1)], pools[1], interrupt)
        )
    assert kept == {3: 9}


def test_nothing_to_do(pools: dict[int, Executor]) -> None:
    assert list(run_tasks([], pools[2])) == []


def test_two_jobs_run_at_the_same_time(tmp_path: Path, pools: dict[int, Executor]) -> None:
    tasks = [Task(name, work.meet, (str(tmp_path), name), name) for name in "ab"]
    assert [met for _, met in run_tasks(tasks, pools[2])] == [True, True]


def test_one_thread_each_and_the_environment_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    with parallel._starting:  # the pools of other tests may be starting a process meanwhile
        monkeypatch.setenv("OMP_NUM_THREADS", "3")
        monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    ((_, found),) = run_tasks([Task(0, work.environment, (), "")])
    assert set(found.values()) == {"1"}
    with parallel._starting:
        assert os.environ["OMP_NUM_THREADS"] == "3" and "MKL_NUM_THREADS" not in os.environ


def test_errors_arrive_as_what_they_are(pools: dict[int, Executor]) -> None:
    with pytest.raises(InvalidInput, match="no\n  found: this\n  try:   that"):
        list(
            run_tasks(
                [Task("bad", work.refuse, (), "bad"), Task("good", work.square, (2,), "good")],
                pools[2],
            )
        )
    with pytest.raises(RuntimeError, match=r"bad: ZeroDivisionError: oops"):
        list(run_tasks([Task("bad", work.fail, (), "bad")], pools[1]))
    told = rf"^bad: its workers die\n  found: {DEATHS} workers .* with code 7\n.* if __name__ == "
    with pytest.raises(WorkerLost, match=told):
        list(run_tasks([Task("bad", work.die, (), "bad")], pools[1]))


def test_a_worker_that_dies_is_replaced_and_its_task_tried_again(
    tmp_path: Path, pools: dict[int, Executor]
) -> None:
    """One task dies once less than is forgiven, one every time: all others have their results, and
    the pool goes on.
    """
    tasks = [
        Task(k, work.die_at_first, (str(tmp_path / str(k)), deaths), "")
        for k, deaths in enumerate((0, 3, 9, 0))
    ]
    found = dict(run_tasks(tasks, pools[2], lost=lambda task, error: f"lost {task.key}"))
    assert found == {0: 1, 1: 4, 2: "lost 2", 3: 1}
    assert (tmp_path / "2").stat().st_size == DEATHS
    assert pools[2].submit(divmod, 7, 2).result() == (3, 1)


def test_the_pool_is_an_executor() -> None:
    """As the standard library has it: any function, its own errors, results that cannot be sent, no
    work at the end.
    """
    with Processes(1) as pool:
        assert list(pool.map(abs, (-1, 2))) == [1, 2]
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
        with pytest.raises(RuntimeError, match="cannot be sent"):
            pool.submit(open, os.devnull).result()
        with pytest.raises((AttributeError, TypeError, PicklingError)):
            pool.submit(lambda: 1).result()
        assert pool.submit(abs, -3).result() == 3, "and goes on"
        busy = [pool.submit(time.sleep, 0.2), pool.submit(abs, 1)]
        pool.shutdown(cancel_futures=True)
        assert busy[1].cancelled() and busy[0].done()
        with pytest.raises(RuntimeError, match="shutdown"):
            pool.submit(abs, 1)


def test_where_no_process_can_be_started_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = [parallel._started]
    monkeypatch.setattr(parallel, "_started", lambda: starts.pop()())
    with Processes(1) as pool:
        for _ in range(2):
            with pytest.raises(IndexError):
                pool.submit(os._exit, 7).result(timeout=300)


def test_a_change_of_the_environment_meanwhile_is_none_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with parallel._starting:
        monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
        with parallel._one_thread_each():
            del os.environ["MKL_NUM_THREADS"]
        assert "MKL_NUM_THREADS" not in os.environ


def test_any_executor_will_do() -> None:
    with ThreadPoolExecutor(2) as threads:
        assert sorted(run_tasks([Task(k, work.square, (k,), "") for k in (2, 3)], threads)) == [
            (2, 4),
            (3, 9),
        ]


def test_other_versions_are_refused() -> None:
    require_versions(versions())
    with pytest.raises(
        InvalidInput, match=r"a worker on .* has other versions\n  found: numpy .* there, 1\.0 here"
    ):
        require_versions(versions() | {"numpy": "1.0"})


def test_at_least_one_job() -> None:
    with pytest.raises(InvalidInput, match=r"^jobs must be at least 1\n  found: 0\n  try:   jobs="):
        list(run_tasks([Task(0, work.square, (1,), "")], Processes(0)))


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


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
            pids.append(int(event.doing.split()[-1]))
            assert alive(pids[0])
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            list(run_tasks([Task(0, work.linger, (), "linger")], pools[1], stop))
        assert wait_until_gone(pids[0])

    def test_the_caller_stops_listening_between_results(self, pools: dict[int, Executor]) -> None:
        stream = run_tasks([Task(0, work.process, (), ""), Task(1, work.linger, (), "")], pools[1])
        _, pid = next(stream)
        assert alive(pid)
        stream.close()  # type: ignore[attr-defined]
        assert wait_until_gone(pid)

    def test_the_parent_is_killed(self, tmp_path: Path) -> None:
        script = tmp_path / "parent.py"
        script.write_text(
            "import sys\n"
            f"sys.path.insert(0, {FOLDER!r})\n"
            "from rpttheory.runs.parallel import Task, run_tasks\n"
            "import parallel_tasks as work\n"
            "if __name__ == '__main__':\n"
            "    task = Task(0, work.linger, (), 'linger')\n"
            "    list(run_tasks([task], None, lambda event: print(event.doing, flush=True)))\n"
        )
        parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
        assert parent.stdout is not None
        pid = int(parent.stdout.readline().split()[-1])
        assert alive(pid)
        parent.kill()
        parent.wait()
        parent.stdout.close()
        assert wait_until_gone(pid)
