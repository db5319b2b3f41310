"""Several processes: same results, errors as they were raised, no orphans."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rpttheory.errors import InvalidInput
from rpttheory.runs.parallel import Task, run_tasks

FOLDER = str(Path(__file__).parent)
# Workers import the functions they are sent by name, from the path of this process.
sys.path.insert(0, FOLDER)
work = importlib.import_module("parallel_tasks")


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_task_reports_and_returns(jobs: int) -> None:
    messages = list(run_tasks([Task(k, work.square, (k,)) for k in range(5)], jobs))
    assert sorted((m.key, m.value) for m in messages if m.done) == [(k, k * k) for k in range(5)]
    assert sorted((m.key, m.value) for m in messages if not m.done) == [(k, k) for k in range(5)]
    for k in range(5):
        own = [m.done for m in messages if m.key == k]
        assert own == [False, True], "a report comes before its result"


def test_one_job_keeps_the_order() -> None:
    done = [m.key for m in run_tasks([Task(k, work.square, (k,)) for k in (3, 1, 2)], 1) if m.done]
    assert done == [3, 1, 2]


def test_nothing_to_do() -> None:
    assert list(run_tasks([], 2)) == []


def test_two_jobs_run_at_the_same_time(tmp_path: Path) -> None:
    tasks = [Task(name, work.meet, (str(tmp_path), name)) for name in "ab"]
    assert [m.value for m in run_tasks(tasks, 2)] == [True, True]


def test_one_thread_each_and_the_environment_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    (message,) = run_tasks([Task(0, work.environment, ())], 1)
    assert set(message.value.values()) == {"1"}
    assert os.environ["OMP_NUM_THREADS"] == "3" and "MKL_NUM_THREADS" not in os.environ


def test_errors_arrive_as_what_they_are() -> None:
    with pytest.raises(InvalidInput, match="no\n  found: this\n  try:   that"):
        list(run_tasks([Task("bad", work.refuse, ()), Task("good", work.square, (2,))], 2))
    with pytest.raises(RuntimeError, match=r"bad: ZeroDivisionError: oops"):
        list(run_tasks([Task("bad", work.fail, ())], 1))
    with pytest.raises(RuntimeError, match="ended with code 7 during bad"):
        list(run_tasks([Task("bad", work.die, ())], 1))


def test_at_least_one_job() -> None:
    with pytest.raises(InvalidInput, match="--jobs"):
        list(run_tasks([Task(0, work.square, (1,))], 0))


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
    def test_the_caller_stops_listening(self) -> None:
        stream = run_tasks([Task(0, work.linger, ())], 1)
        pid = next(iter(stream)).value
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
            "    for message in run_tasks([Task(0, work.linger, ())], 1):\n"
            "        print(message.value, flush=True)\n"
        )
        parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
        parent.wait()
        parent.stdout.close()
        assert wait_until_gone(pid)
