"""A run on disk: what was kept comes back, under its own settings alone, and no changed bit
passes.
"""

from pathlib import Path

import numpy as np
import pytest

from rpttheory.errors import InvalidInput
from rpttheory.runs.checkpoint import Checkpoint


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    kept = Checkpoint(tmp_path / "run.npz", {"seed": 3, "shape": (2, 3)})
    assert kept.load() is None
    kept.save(
        {"step": 1, "state": np.arange(2)},
        {"x": np.arange(3.0), "key": np.array([1, 2], dtype=np.uint32)},
    )
    about, arrays = kept.load() or ({}, {})
    assert about == {"step": 1, "state": [0, 1]} and sorted(arrays) == ["key", "x"]
    assert arrays["x"].tolist() == [0.0, 1.0, 2.0] and arrays["key"].dtype == np.uint32
    with pytest.raises(InvalidInput, match="other settings") as caught:
        Checkpoint(kept.path, {"seed": 4, "shape": (2, 3)}).load()
    assert caught.value.found == "seed 3 there, 4 now"


def test_every_changed_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    kept = Checkpoint(path, {"seed": 3})
    kept.save({"step": 1}, {"weights": np.arange(3.0)})
    sound = path.read_bytes()
    for place in range(0, 8 * len(sound), 7):
        damaged = bytearray(sound)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(InvalidInput, match="damaged"):
            kept.load()
