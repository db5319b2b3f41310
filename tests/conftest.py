"""Hypothesis profiles (`HYPOTHESIS_PROFILE=deep` for a long search), and values from an oracle of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# The matrices are small: threads of BLAS only wait for one another, for minutes where the processors are busy. Set it
# to another number to test with threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

settings.register_profile("dev", max_examples=60, deadline=None)
settings.register_profile(
    "ci", max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


TESTS = Path(__file__).parent
# Folders and files whose tests are not `quick`; nor is any search by hypothesis.
LONG = frozenset({"experiments", "methods", "networks", "proofs", "properties", "search", "test_never_false.py"})


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="the files in random order, and the tests of each")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m quick` does not even import the others."""
    return True if config.getoption("markexpr") == "quick" and collection_path.name in LONG else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        searched = getattr(getattr(item, "function", None), "is_hypothesis_test", False)
        if not searched and LONG.isdisjoint(item.path.relative_to(TESTS).parts):
            item.add_marker("quick")
    seed = config.getoption("shuffle")
    if seed is not None:
        random, place = Random(seed), dict[Path, float]()
        items.sort(key=lambda item: (place.setdefault(item.path, random.random()), random.random()))


@pytest.fixture(scope="session")
def vectors() -> list[dict[str, Any]]:
    """Forty instances with their quantities; `about` in the file says how they were made."""
    found = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))["instances"]
    assert isinstance(found, list) and len(found) == 40
    return found
