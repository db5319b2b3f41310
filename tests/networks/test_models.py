"""Residual networks: the published numbers of parameters, and blocks in the order of the computation."""

from __future__ import annotations

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

import jax
import numpy as np

from rpttheory.errors import InvalidInput
from rpttheory.networks.models import Architecture, architecture

pytestmark = pytest.mark.networks


@pytest.mark.parametrize(
    ("name", "width", "blocks", "parameters"),
    [
        # With projections; normalisation has two numbers per channel, GroupNorm as BatchNorm.
        ("resnet20", 16, 22, 272_474),
        ("resnet18", None, 21, 11_173_962),
        # By hand: 232 + 1184 + 3680 + 14528 + 330.
        ("resnet8", None, 10, 19_954),
    ],
)
def test_sizes_are_the_published_ones(name: str, width: int | None, blocks: int, parameters: int) -> None:
    chosen = architecture(name, width)
    labels = chosen.labels((32, 32, 3))
    assert labels.count == len(chosen.block_names) == blocks
    assert sum(labels.sizes) == parameters


def test_blocks_come_in_the_order_of_the_computation() -> None:
    """What leaves a block does not depend on the parameters of later blocks."""
    tiny = Architecture("tiny", (1, 2), 2, classes=3)
    params = tiny.initial(0, (4, 4, 1))
    images = np.random.default_rng(0).standard_normal((2, 4, 4, 1)).astype(np.float32)
    outputs = jax.jit(
        lambda p: tiny.module().apply({"params": p}, images, capture_intermediates=True)[1]["intermediates"]
    )
    kept = outputs(params)
    assert tiny.block_names[0] == "stem" and tiny.block_names[-1] == "dense"
    for place, other in enumerate(tiny.block_names):
        after = outputs({**params, other: jax.tree.map(lambda leaf: leaf + 1.0, params[other])})
        for name in tiny.block_names[: place + 1]:
            same = np.array_equal(kept[name]["__call__"][0], after[name]["__call__"][0])
            assert same is (name != other), f"{name} after a change of {other}"


def test_seeds_decide_the_parameters() -> None:
    chosen = Architecture("tiny", (1,), 1)
    first, again, other = (jax.tree.leaves(chosen.initial(seed, (8, 8, 1))) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_every_stage_halves_the_image_and_doubles_the_channels() -> None:
    chosen = architecture("resnet20", 2)
    shapes = jax.eval_shape(
        lambda: chosen.module().apply(
            {"params": chosen.initial(0, (8, 8, 1))}, np.zeros((1, 8, 8, 1), np.float32), capture_intermediates=True
        )
    )[1]["intermediates"]
    for stage, expected in ((1, (1, 8, 8, 2)), (2, (1, 4, 4, 4)), (3, (1, 2, 2, 8))):
        assert shapes[f"stage{stage}_pair3_second"]["__call__"][0].shape == expected


@pytest.mark.parametrize(("name", "width"), [("resnet21", None), ("resnet20", 0), ("resnet18", -1)])
def test_unknown_networks(name: str, width: int | None) -> None:
    with pytest.raises(InvalidInput) as caught:
        architecture(name, width)
    assert caught.value.found and caught.value.remedy
