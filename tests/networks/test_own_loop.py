"""The snippets of docs/howto/own_loop.md, run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

pytestmark = pytest.mark.networks

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "own_loop.md").read_text(encoding="utf-8")
SNIPPETS = dict(re.findall(r"^## ([^\n]*)\n[^#]*?```python\n(.*?)```", PAGE, re.M | re.S))


@pytest.mark.parametrize("title", ["flax nnx", "flax linen", "equinox", "Batch normalisation"])
def test_a_loop_trains(title: str) -> None:
    if title == "equinox":
        pytest.importorskip("equinox", reason="needs the extra examples")
    names: dict[str, Any] = {}
    before, loop = SNIPPETS[title].split("\nfor ")
    exec(before, names)
    given = (*([names["statistics"]] if "statistics" in names else []), *names["data"][0])
    values = []
    for code in ("pass", "for " + loop):
        exec(code, names)
        value = names["loss"](names["params"], *given)
        values.append(float(value[0] if "statistics" in names else value))
    assert values[1] < 0.9 * values[0]
    updates = names["state"].rpt.updates.tolist()
    assert len(updates) == names["labels"].count and max(updates) == 20 > min(updates)
