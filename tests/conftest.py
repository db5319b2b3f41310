"""Hypothesis profiles (`HYPOTHESIS_PROFILE=deep` for a long search), and values from an oracle of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("dev", max_examples=60, deadline=None)
settings.register_profile(
    "ci", max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(scope="session")
def vectors() -> list[dict[str, Any]]:
    """Forty instances with their quantities; `about` in the file says how they were made."""
    found = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))["instances"]
    assert isinstance(found, list) and len(found) == 40
    return found
