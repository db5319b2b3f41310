"""A few forged certificates; `benchmarks/forge_certificates.py` makes any number of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rpttheory.certificates import checker
from rpttheory.certificates.checker import Value

from .forging import attack


def test_no_forged_certificate_is_accepted_with_a_false_claim(tmp_path: Path) -> None:
    counts, false = attack("suite", 400, tmp_path)
    assert not false, json.dumps(false[0])
    assert counts["accepted"] > 50 and counts["not proved"] > 50 and counts["claims judged"] > 150


def collapsed(make: Callable[..., None]) -> Callable[..., None]:
    def forgetting(self: Value, low: Any, high: Any = None, terms: Any = None) -> None:
        make(self, low, low if terms is None else high, terms)

    return forgetting


def test_a_wrong_checker_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Value, "__init__", collapsed(Value.__init__))
    assert attack("suite", 400, tmp_path)[1]
    monkeypatch.undo()
    monkeypatch.setattr(checker, "root_bounds", lambda x: (x, x))
    assert attack("suite", 400, tmp_path)[1]
