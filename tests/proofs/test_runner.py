"""Running checks: budgets, crashes, seeds, and the same answer from one process and from several."""

from __future__ import annotations

import time

import pytest

from proofs_check.claim import Check, Claim, Evidence, Finding, Kind, Status, Trial, held
from proofs_check.judgement import Outcome
from proofs_check.runner import run_checks

# Workers are forked on purpose, and use nothing that has threads; jax, where a test has loaded it, and Python from 3.12
# on warn of forks as such.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork")


def claim(label: str, *runs: object) -> Claim:
    checks = tuple(Check(Evidence.EXACT, run) for run in runs)  # type: ignore[arg-type]
    return Claim(label, Kind.LEMMA, "", "x", "", Status.SUPPORTED, Status.NONE, checks=checks)


def draw(trial: Trial) -> Finding:
    return held(str(trial.rng.integers(10**12)))


def scopes(found: dict[str, list[Outcome]]) -> list[str]:
    return [o.finding.scope for outcomes in found.values() for o in outcomes if o.finding is not None]


def test_the_seed_decides_and_the_number_of_workers_does_not() -> None:
    claims = [claim("a", draw, draw), claim("b", draw)]
    serial = run_checks(claims, seed=3, workers=1)
    assert run_checks(claims, seed=3, workers=2) == serial
    assert len(set(scopes(serial))) == 3
    assert set(scopes(run_checks(claims, seed=4, workers=1))).isdisjoint(scopes(serial))
    # A check keeps its random numbers when other entries are left out.
    assert run_checks(claims[1:], seed=3, workers=1)["b"] == serial["b"]


def test_a_check_beyond_its_budget_is_undecided_and_says_so() -> None:
    def sleeps(_: Trial) -> Finding:
        try:
            time.sleep(30)
        except Exception:
            return held("swallowed")
        return held("done")

    (outcome,) = run_checks([claim("a", sleeps)], budget=0.05, workers=1)["a"]
    assert outcome.status is Status.UNDECIDED
    assert outcome.finding is not None and "0.05 seconds" in outcome.finding.scope


def test_a_crash_is_an_error_and_the_others_go_on() -> None:
    def crashes(_: Trial) -> Finding:
        raise ZeroDivisionError("by zero")

    for workers in (1, 2):
        found = run_checks([claim("a", crashes, draw), claim("b", draw)], workers=workers)
        assert [o.status for o in found["a"]] == [Status.ERROR, Status.SUPPORTED]
        assert found["a"][0].error == "ZeroDivisionError: by zero"
        assert found["b"][0].status is Status.SUPPORTED


def test_depth_multiplies_instances() -> None:
    def count(trial: Trial) -> Finding:
        return held(str(trial.instances(7)))

    assert scopes(run_checks([claim("a", count)], depth=100, workers=1)) == ["700"]


def test_progress_counts_every_check() -> None:
    seen: list[tuple[str, int, int]] = []
    run_checks([claim("a", draw, draw)], workers=1, progress=lambda *args: seen.append(args))
    assert seen == [("a", 1, 2), ("a", 2, 2)]
