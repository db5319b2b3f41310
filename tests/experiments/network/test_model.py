"""Residual networks: the published numbers of parameters, and blocks in the order of the
computation.
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

import jax
import numpy as np
from flax.traverse_util import unflatten_dict

from rpttheory.experiments.network.data import ImageData
from rpttheory.experiments.network.model import Network
from rpttheory.experiments.network.settings import Settings

pytestmark = pytest.mark.networks


def make_network(pairs: tuple[int, ...], width: int, shape: tuple[int, ...]) -> Network:
    images = np.zeros((1, *shape), np.float32), np.zeros(1, np.int32)
    return Network(pairs, width, ImageData("none", images, images, images, False))


@pytest.mark.parametrize(
    ("name", "width", "blocks", "parameters"),
    [
        # With projections; normalization has two numbers per channel, GroupNorm as BatchNorm.
        ("resnet20", 16, 22, 272_474),
        ("resnet18", None, 21, 11_173_962),
        # By hand: 232 + 1184 + 3680 + 14528 + 330.
        ("resnet8", None, 10, 19_954),
    ],
)
def test_sizes_are_the_published_ones(
    name: str, width: int | None, blocks: int, parameters: int
) -> None:
    settings = Settings(model=name, width=width)
    labels = make_network(settings.pairs, settings.channels, (32, 32, 3)).labels()
    assert labels.count == blocks and sum(labels.sizes) == parameters


def test_blocks_come_in_the_order_of_the_computation() -> None:
    """The output of a block does not depend on the parameters of later blocks; the second stage
    halves the image and doubles the channels.
    """
    tiny = make_network((1, 1), 1, (2, 2, 1))
    params = tiny.initial(0)
    images = np.random.default_rng(0).standard_normal((2, 2, 2, 1)).astype(np.float32)
    outputs = jax.jit(
        lambda p: tiny.module().apply(
            {"params": unflatten_dict(p, sep="/")}, images, capture_intermediates=True
        )[1]["intermediates"]
    )
    before = outputs(params)
    assert tiny.block_names[0] == "stem" and tiny.block_names[-1] == "dense"
    assert before["stage2_pair1_second"]["__call__"][0].shape == (2, 1, 1, 2)
    for place, changed in enumerate(tiny.block_names):
        after = outputs(
            {
                path: leaf + 1.0 if path.startswith(f"{changed}/") else leaf
                for path, leaf in params.items()
            }
        )
        for name in tiny.block_names[: place + 1]:
            same = np.array_equal(before[name]["__call__"][0], after[name]["__call__"][0])
            assert same is (name != changed), f"{name} after a change of {changed}"


SHAPE = (4, 4, 1)
SMALL = make_network((1, 2), 4, SHAPE)


def logits(params: Any, stages: int | None, network: Network = SMALL) -> Any:
    images = np.random.default_rng(0).standard_normal((5, *SHAPE)).astype(np.float32)
    return np.asarray(jax.jit(network.logits, static_argnums=2)(params, images, stages))


def test_seeds_decide_the_parameters() -> None:
    first, again, changed = (SMALL.initial(seed)["dense/kernel"] for seed in (1, 1, 2))
    assert np.array_equal(first, again) and not np.array_equal(first, changed)


def test_a_truncated_network_is_a_shorter_one_with_its_own_head() -> None:
    assert SMALL.stage_ends == (1, 2, 3)
    assert make_network((3, 3, 3), 1, SHAPE).stage_ends == (3, 5, 7, 9)
    first = SMALL.initial(1, 1)
    renamed = {path.replace("head1", "dense"): leaf for path, leaf in first.items()}
    expected = logits(renamed, None, make_network((1,), 4, SHAPE))
    assert logits(first, 1) == pytest.approx(expected, abs=1e-6)
