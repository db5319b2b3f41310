"""Hypothesis profiles (`HYPOTHESIS_PROFILE=deep` for a long search) and the shared data, where present."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="the files in random order, and the tests of each")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seed = config.getoption("shuffle")
    if seed is not None:
        random, place = Random(seed), dict[Path, float]()
        items.sort(key=lambda item: (place.setdefault(item.path, random.random()), random.random()))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real matrices and data sets; tests that need it are skipped without it."""
    folder = Path(os.environ.get("RPTTHEORY_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the shared data folder is absent (set RPTTHEORY_DATA)")
    return folder
