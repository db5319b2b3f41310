"""Running checks: budgets, crashes, seeds, and the same answer from one process and from
several.
"""

import pickle
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from types import SimpleNamespace
from typing import Any

import pytest

from proofs_check import runner
from proofs_check.engine.entry import Check, Entry, Evidence, Finding, Kind, Status, Trial, held
from proofs_check.engine.status import Outcome
from proofs_check.ledger import entries
from proofs_check.runner import run_checks
from rpttheory.runs.parallel import Task, WorkerLost
from rpttheory.runs.progress import Event, ProgressCallback


def claim(label: str, *runs: object) -> Entry:
    checks = tuple(Check(Evidence.EXACT, run) for run in runs)  # type: ignore[arg-type]
    return Entry(label, "", "", "x", Status.TESTED, Status.NONE, checks=checks, sort=Kind.LEMMA)


def draw(trial: Trial) -> Finding:
    return held(str(trial.rng.integers(10**12)))


def scopes(outcomes: dict[str, list[Outcome]]) -> list[str]:
    return [o.finding.scope for outcomes in outcomes.values() for o in outcomes]


def test_the_seed_decides_and_the_number_of_workers_does_not(pools: dict[int, Executor]) -> None:
    ledger = entries(["lem:twoBounds"])
    assert run_checks(ledger, rng=3, executor=pools[2]) == run_checks(ledger, rng=3)
    claims = [claim("a", draw, draw), claim("b", draw)]
    serial = run_checks(claims, rng=3)
    assert len(set(scopes(serial))) == 3
    assert set(scopes(run_checks(claims, rng=4))).isdisjoint(scopes(serial))
    # A check keeps its random numbers when other entries are left out.
    assert run_checks(claims[1:], rng=3)["b"] == serial["b"]


def test_several_workers_are_other_processes(
    monkeypatch: pytest.MonkeyPatch, pools: dict[int, Executor]
) -> None:
    calls: list[Any] = []

    def run_tasks(
        tasks: Sequence[Task], executor: Executor, _watch: ProgressCallback, lost: Any
    ) -> Iterator[tuple[Any, Any]]:
        calls.append((executor, lost(tasks[0], WorkerLost("x", "died")).finding.error))
        return ((task.key, task.function(*task.arguments, print)) for task in tasks)

    monkeypatch.setattr(runner, "run_tasks", run_tasks)
    ledger = entries(["as:convex", "lem:twoBounds"])
    assert run_checks(ledger) == run_checks(ledger, executor=pools[2])
    assert calls == [(pools[2], "died")], "a check that ends its workers is an error like any other"


def test_without_a_timer_the_budget_is_looked_at_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]  # a clock of its own, for a processor that is busy may take any time
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def slow(trial: Trial) -> Finding:
        now[0] += 0.3
        return draw(trial)

    outcomes = run_checks([claim("a", draw, slow)], time_limit=0.2)["a"]
    assert [outcome.status for outcome in outcomes] == [Status.TESTED, Status.UNDECIDED]


@pytest.mark.skipif(sys.platform == "win32", reason="nothing ends a check on Windows")
def test_a_check_beyond_its_budget_is_undecided_and_says_so() -> None:
    def sleeps(_: Trial) -> Finding:
        try:
            time.sleep(30)
        except Exception:
            return held("swallowed")
        return held("done")

    (outcome,) = run_checks([claim("a", sleeps)], time_limit=0.05)["a"]
    assert outcome.status is Status.UNDECIDED
    assert "0.05 seconds" in outcome.finding.scope


def test_a_crash_is_an_error_and_the_others_go_on() -> None:
    def crashes(_: Trial) -> Finding:
        raise ZeroDivisionError("by zero")

    outcomes = run_checks([claim("a", crashes, draw), claim("b", draw)])
    assert [o.status for o in outcomes["a"]] == [Status.ERROR, Status.TESTED]
    assert outcomes["a"][0].finding.error == "ZeroDivisionError: by zero"
    assert outcomes["b"][0].status is Status.TESTED


def test_every_check_of_the_ledger_can_be_sent_to_a_worker() -> None:
    for entry in entries():
        for check in entry.all_checks:
            assert pickle.loads(pickle.dumps(check)) == check or check.arguments


def test_depth_multiplies_instances() -> None:
    def count(trial: Trial) -> Finding:
        return held(str(trial.instances(7)))

    assert scopes(run_checks([claim("a", count)], depth=100)) == ["700"]


def test_progress_counts_every_check() -> None:
    events: list[Event] = []
    run_checks([claim("a", draw, draw)], progress=events.append)
    assert events == [Event("a", 1, 2), Event("a", 2, 2)]
