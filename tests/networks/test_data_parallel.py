"""Bytes between two devices, as the compiled programs have them; in a process of its own, which has two devices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="needs the extra jax")

pytestmark = pytest.mark.networks

EXAMPLE = Path(__file__).parents[2] / "examples" / "data_parallel.py"
LAYERS, WIDTH = 4, 16


def test_steps_send_active_blocks_only_and_masking_sends_all() -> None:
    command = [sys.executable, str(EXAMPLE), "--layers", str(LAYERS), "--width", str(WIDTH)]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    _, *rows, last = done.stdout.splitlines()
    block, seen = 4 * (WIDTH * WIDTH + WIDTH), []
    for row in rows:
        depth, order, said, sent, masked = row.split()
        # Beside the gradients the loss, four bytes.
        assert int(said) == int(depth) * block == int(sent) - 4 and int(masked) == LAYERS * block
        seen.append((order, int(depth)))
    assert seen == [(order, depth) for order in ("input-first", "output-first") for depth in (1, 2, 4)]
    assert float(last.split()[-1]) < 1e-5 and "difference from one device" in last
