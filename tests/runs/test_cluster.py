"""A real cluster of two workers: results whichever of them dies, and refusals that say what is
wrong.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from click.testing import CliRunner

from rpttheory import Rigour, block_smoothness, optimal_probabilities, row_blocks
from rpttheory.cli.main import commands
from rpttheory.errors import InvalidInput
from rpttheory.experiments.campaign import open_results, read_grid, run_campaign
from rpttheory.provenance import versions
from rpttheory.runs import cluster
from rpttheory.runs.cluster import Cluster
from rpttheory.runs.parallel import Task, run_tasks

pytest.importorskip("distributed", reason="needs the extra cluster")
FOLDER = str(Path(__file__).parent)
sys.path.insert(0, FOLDER)
work = importlib.import_module("parallel_tasks")


class Started(NamedTuple):
    address: str
    scheduler: subprocess.Popen[bytes]


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A scheduler, which is asked before it has workers, and then two of them, which come again
    when killed.
    """
    folder = tmp_path_factory.mktemp("dask")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    log = (folder / "log").open("wb")
    # A worker has the task that it runs and no other, which would be blamed for its end.
    settings = {"ALLOWED_FAILURES": "1", "WORKER_SATURATION": "1.0"}
    environment = {
        **os.environ,
        **{f"DASK_DISTRIBUTED__SCHEDULER__{name}": text for name, text in settings.items()},
    }

    def start(*words: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            f"distributed.cli.dask_{words[0]}",
            *words[1:],
            "--no-dashboard",
        ]
        return subprocess.Popen(
            command, cwd=folder, env={**environment, "PYTHONPATH": FOLDER}, stdout=log, stderr=log
        )

    with ExitStack() as stack:
        stack.callback(log.close)
        scheduler = start("scheduler", "--host", address)
        stack.callback(scheduler.wait)
        stack.callback(scheduler.kill)
        for _ in range(60):
            with pytest.raises(InvalidInput) as refused:
                Cluster(address, timeout=2)
            if "the scheduler has no workers\n  found: none within 2 s" in str(refused.value):
                break
        else:
            pytest.fail("the scheduler does not start")
        for _ in range(2):
            worker = start("worker", address, "--nthreads", "1", "--host", "127.0.0.1")
            stack.callback(worker.wait)
            stack.callback(worker.kill)  # a nanny, with which its worker ends
        yield Started(address, scheduler)


def test_a_killed_worker_costs_nothing_but_time(dask: Started, tmp_path: Path) -> None:
    """One task ends its worker once, one every time: the others have their results, and their
    errors.
    """
    tasks = [
        Task(k, work.die_at_first, (str(tmp_path / str(k)), deaths), "")
        for k, deaths in enumerate((0, 1, 9, 0))
    ]
    with Cluster(dask.address, timeout=60) as executor:
        found = dict(run_tasks(tasks, executor, lost=lambda task, error: error.what))
        assert found.pop(2) == "2: its workers die"
        # What a worker had done and not given away when it died is done again, and counted again.
        assert found.keys() == {0, 1, 3} and found[1] >= 2
        with pytest.raises(InvalidInput, match="no\n  found: this"):
            list(run_tasks([Task("bad", work.refuse, (), "bad")], executor))


def test_a_campaign_goes_on_when_a_worker_is_killed(
    dask: Started, tmp_path: Path, pools: dict[int, Executor]
) -> None:
    """The rows are those of processes on this machine, bit for bit."""
    (tmp_path / "grid.toml").write_text(
        'blocks = [2]\nmatrices = [{kind = "wishart", dimension = 4, count = 40}]'
    )
    grid = read_grid(tmp_path / "grid.toml")
    rows = []
    with Cluster(dask.address, timeout=60) as executor:
        victims = list(executor.client.run(os.getpid).values())[:1]
        for name, chosen in (("cluster", executor), ("here", pools[2])):
            with open_results(tmp_path / name, grid.content) as results:
                run_campaign(
                    grid,
                    results,
                    executor=chosen,
                    watch=lambda _: victims and os.kill(victims.pop(), 9),
                )
                rows.append([(row["task"], row["result"]) for row in results.rows()])
    assert rows[0] == rows[1] and len(rows[0]) == 40


def test_row_blocks_do_not_mind_a_killed_worker(
    dask: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search by products: one worker ends in the middle of it, and not a bit differs from this
    process alone.
    """
    monkeypatch.setattr(
        importlib.import_module("rpttheory.problem.smoothness.rows"), "FORMED_DIMENSION", 0
    )
    data = sp.csr_array(np.where(np.random.default_rng(0).random((200, 60)) < 0.4, 0.5, 0.0))
    for k in range(20):
        sp.save_npz(tmp_path / f"{k:02}.npz", data[10 * k : 10 * k + 10])
    here = row_blocks(tmp_path, Fraction(1, 200))
    alone = optimal_probabilities(here, "6x10")
    with Cluster(dask.address, timeout=60) as executor:
        victims = list(executor.client.run(os.getpid).values())[:1]
        form = row_blocks(tmp_path, Fraction(1, 200), executor=executor)
        found = optimal_probabilities(
            form, "6x10", callback=lambda *_: victims and os.kill(victims.pop(), 9)
        )
        assert (
            not victims
            and found.status == "optimal"
            and found.rigour is Rigour.ROUNDED
            and found.gap <= 1e-6
        )
        assert np.array_equal(found.probabilities, alone.probabilities) and np.array_equal(
            found.dual, alone.dual
        )
        assert (found.lower, found.upper) == (alone.lower, alone.upper)
        assert block_smoothness(form, "6x10") == block_smoothness(here, "6x10")
        array = row_blocks(
            importlib.import_module("dask.array").from_array(data.toarray(), (10, 60)),
            executor=executor,
        )
        np.testing.assert_allclose(array.diagonal(), 200 * here.diagonal())
        np.save(tmp_path / "20.npy", np.full((3, 60), np.nan))
        with pytest.raises(InvalidInput, match=r"20\.npy: A must be finite\n  found: 180"):
            row_blocks(tmp_path, executor=executor)


def test_a_folder_and_a_scheduler_on_the_command_line(dask: Started, tmp_path: Path) -> None:
    for k in range(3):
        np.save(tmp_path / f"{k}.npy", np.random.default_rng(k).random((9, 6)))
    words = ["verify", str(tmp_path), "--data", "--blocks", "3x2", "--ridge", "0.1", "--json"]
    alone, found = (
        CliRunner().invoke(commands, [*words, *more], standalone_mode=False)
        for more in ([], ["--scheduler", dask.address])
    )
    assert alone.return_value == found.return_value == 0
    assert json.loads(alone.stdout)["claims"] == json.loads(found.stdout)["claims"]


def test_other_versions_are_named_and_refused(
    dask: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "versions", lambda: versions() | {"numpy": "1.0"})
    with pytest.raises(
        InvalidInput, match=r"[12] of [12] workers .*\n  found: tcp://.*: numpy .* there, 1\.0 here"
    ):
        Cluster(dask.address, timeout=60)


@pytest.mark.parametrize(
    ("address", "what"), [("tcp://127.0.0.1:9", "no scheduler answers"), ("here", "an address")]
)
def test_no_scheduler(address: str, what: str) -> None:
    with pytest.raises(InvalidInput, match=what):
        Cluster(address, timeout=0.5)


def test_a_scheduler_that_goes_away_ends_the_run(dask: Started) -> None:
    with Cluster(dask.address, timeout=60) as executor:
        stream = run_tasks([Task(0, work.process, (), ""), Task(1, work.linger, (), "")], executor)
        next(stream)
        dask.scheduler.send_signal(signal.SIGKILL)
        with pytest.raises(InvalidInput, match="gave the run up"):
            next(stream)
