"""Lines on standard error where no terminal shows progress."""

import threading
import time

import pytest

from rpttheory.cli import progress
from rpttheory.runs.progress import Event


def test_slow_work_prints_what_is_under_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 1e-3)
    printed = ""
    with progress.search_progress() as show:
        show(Event("optimum of c(P)"))
        show(Event("", bracket=(1.0, 2.0)))
        for _ in range(10_000):
            printed += capsys.readouterr().err
            if "optimum of c(P): in [1, 2]" in printed:
                break
            time.sleep(1e-3)
    assert "searching: optimum of c(P): in [1, 2], gap 0.5" in printed


def test_quick_work_prints_milestones_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 3600)
    with progress.search_progress() as show:
        show(Event("optimum of c(P): 2", milestone=True))
    assert capsys.readouterr().err == ""
    for quiet in (False, True):
        with progress.progress("campaign", quiet=quiet) as show:
            show(Event("drawing"))
            show(Event("drawn", milestone=True))
        assert capsys.readouterr().err == ("" if quiet else "campaign: drawn\n")


def test_a_failure_ends_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 3600)
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt), progress.search_progress():
        raise KeyboardInterrupt
    assert threading.active_count() == threads
