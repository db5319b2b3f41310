"""The snippets of docs/howto/own_loop.md, run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

import jax.numpy as jnp

pytestmark = pytest.mark.networks

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "own_loop.md"
SNIPPETS = dict(re.findall(r"^## ([^\n]*)\n[^#]*?```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.M | re.S))


@pytest.mark.parametrize("title", ["flax nnx", "flax linen", "equinox", "Batch normalisation"])
def test_a_loop_trains(title: str) -> None:
    if title == "equinox":
        pytest.importorskip("equinox", reason="needs the extra examples")
    names: dict[str, Any] = {}
    before, loop = SNIPPETS[title].split("\nfor ")
    exec(before, names)
    start = names["params"]
    exec("for " + loop, names)
    x, y = names["data"][0]
    if title == "Batch normalisation":
        first, last = (names["loss"](at, names["statistics"], x, y)[0] for at in (start, names["params"]))
        assert float(jnp.abs(names["statistics"]["norm"]["mean"]).max()) > 0
    else:
        first, last = (names["loss"](at, x, y) for at in (start, names["params"]))
    assert float(last) < float(first)
    updates = names["state"].rpt.updates.tolist()
    assert len(updates) == names["labels"].count and max(updates) == 20 > min(updates)
    if title in ("flax nnx", "equinox"):
        logits = names["model"](x) if title == "flax nnx" else names["jax"].vmap(names["model"])(x)
        assert float(jnp.mean((logits - y) ** 2)) == pytest.approx(float(last), rel=1e-5)
