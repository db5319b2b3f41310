"""The snippets of docs/howto/own_loop.md and the example on two devices, run as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

pytestmark = pytest.mark.networks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "own_loop.md").read_text(encoding="utf-8")
SNIPPETS = dict(re.findall(r"^## ([^\n]*)\n[^#]*?```python\n(.*?)```", PAGE, re.M | re.S))


@pytest.mark.parametrize("title", [title for title in SNIPPETS if title != "What else a loop has"])
def test_a_loop_trains(title: str) -> None:
    if title == "equinox":
        pytest.importorskip("equinox", reason="needs the extra examples")
    names: dict[str, Any] = {}
    before, loop = SNIPPETS[title].split("\nfor ")
    exec(before, names)
    arguments = (*([names["statistics"]] if "statistics" in names else []), *names["data"][0])
    values = []
    for code in ("pass", "for " + loop):
        exec(code, names)
        value = names["loss"](names["params"], *arguments)
        values.append(float(value[0] if "statistics" in names else value))
    assert values[1] < 0.9 * values[0]
    updates = names["state"].rpt.updates.tolist()
    assert len(updates) == names["labels"].count and max(updates) == 20 > min(updates)


def test_steps_send_active_blocks_only_and_masking_sends_all() -> None:
    """Bytes between two devices, as the compiled programs of a process with two devices have."""
    example = str(ROOT / "examples" / "data_parallel.py")
    command = [sys.executable, example, "--layers", "4", "--width", "16"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    _, *rows, last = done.stdout.splitlines()
    block = 4 * (16 * 16 + 16)
    for row in rows:
        depth, _, predicted, sent, masked = row.split()
        # Beside the gradients the loss, four bytes.
        assert int(predicted) == int(depth) * block == int(sent) - 4 and int(masked) == 4 * block
    printed = [tuple(row.split()[:2]) for row in rows]
    assert printed == [
        (depth, order) for order in ("input-first", "output-first") for depth in "124"
    ]
    assert float(last.split()[-1]) < 1e-5
