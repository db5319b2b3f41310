"""What the machine offers, and what is said where the system does not tell."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from rpttheory.machine import available_bytes, usable_processors


def test_available_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert available_bytes() > 2**20

    def fail(*_: object, **__: object) -> str:
        raise OSError

    monkeypatch.setattr(Path, "read_text", fail)
    counts = {"SC_PHYS_PAGES": 5, "SC_PAGE_SIZE": 4096, "SC_AVPHYS_PAGES": 3}
    monkeypatch.setattr(os, "sysconf", counts.__getitem__, raising=False)
    assert available_bytes() == 3 * 4096
    monkeypatch.setattr(os, "sysconf", fail, raising=False)
    assert available_bytes() == sys.maxsize
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "MemTotal: 9 kB\nMemAvailable:   7 kB\n")
    assert available_bytes() == 7 * 1024


def test_usable_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 8}, raising=False)
    assert usable_processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert usable_processors() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_processors() == 1
