"""Bytes between two devices, as the compiled programs have them; in a process of its own, which has
two devices.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="needs the extra jax")

pytestmark = pytest.mark.networks

EXAMPLE = Path(__file__).parents[2] / "examples" / "data_parallel.py"


def test_steps_send_active_blocks_only_and_masking_sends_all() -> None:
    command = [sys.executable, str(EXAMPLE), "--layers", "4", "--width", "16"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    _, *rows, last = done.stdout.splitlines()
    block = 4 * (16 * 16 + 16)
    for row in rows:
        depth, _, said, sent, masked = row.split()
        # Beside the gradients the loss, four bytes.
        assert int(said) == int(depth) * block == int(sent) - 4 and int(masked) == 4 * block
    seen = [tuple(row.split()[:2]) for row in rows]
    assert seen == [(depth, order) for order in ("input-first", "output-first") for depth in "124"]
    assert float(last.split()[-1]) < 1e-5 and "difference from one device" in last
