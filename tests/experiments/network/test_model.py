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
from flax.traverse_util import flatten_dict, unflatten_dict

from rpttheory.experiments.network.model import WHOLE, Architecture, Part, architecture
from tests.refusals import refuses

pytestmark = pytest.mark.networks


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
    chosen = architecture(name, width)
    labels = chosen.labels((32, 32, 3))
    assert labels.count == len(chosen.block_names) == blocks
    assert sum(labels.sizes) == parameters


def test_blocks_come_in_the_order_of_the_computation() -> None:
    """What leaves a block does not depend on the parameters of later blocks."""
    tiny = Architecture("tiny", (1, 1), 1, classes=2)
    params = tiny.initial(0, (2, 2, 1))
    images = np.random.default_rng(0).standard_normal((2, 2, 2, 1)).astype(np.float32)
    outputs = jax.jit(
        lambda p: tiny.module().apply({"params": p}, images, capture_intermediates=True)[1][
            "intermediates"
        ]
    )
    before = outputs(params)
    assert tiny.block_names[0] == "stem" and tiny.block_names[-1] == "dense"
    for place, other in enumerate(tiny.block_names):
        after = outputs({**params, other: jax.tree.map(lambda leaf: leaf + 1.0, params[other])})
        for name in tiny.block_names[: place + 1]:
            same = np.array_equal(before[name]["__call__"][0], after[name]["__call__"][0])
            assert same is (name != other), f"{name} after a change of {other}"


def test_seeds_decide_the_parameters() -> None:
    chosen = Architecture("tiny", (1,), 1)
    first, again, other = (jax.tree.leaves(chosen.initial(seed, (8, 8, 1))) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_every_stage_halves_the_image_and_doubles_the_channels() -> None:
    chosen = architecture("resnet8", 2)
    shapes = jax.eval_shape(
        lambda: chosen.module().apply(
            {"params": chosen.initial(0, (8, 8, 1))},
            np.zeros((1, 8, 8, 1), np.float32),
            capture_intermediates=True,
        )
    )[1]["intermediates"]
    for stage, expected in ((1, (1, 8, 8, 2)), (2, (1, 4, 4, 4)), (3, (1, 2, 2, 8))):
        assert shapes[f"stage{stage}_pair1_second"]["__call__"][0].shape == expected


@pytest.mark.parametrize(("name", "width"), [("resnet21", None), ("resnet20", 0), ("resnet18", -1)])
def test_unknown_networks(name: str, width: int | None) -> None:
    with refuses("model" if name == "resnet21" else "width"):
        architecture(name, width)


SMALL = Architecture("small", (1, 2), 4, classes=3)
SHAPE = (4, 4, 1)


def answers(params: Any, part: Part, chosen: Architecture = SMALL) -> Any:
    images = np.random.default_rng(0).standard_normal((5, *SHAPE)).astype(np.float32)
    return np.asarray(jax.jit(chosen.module(part).apply)({"params": params}, images))


def test_a_truncated_network_is_a_shorter_one_with_its_own_head() -> None:
    assert SMALL.stage_ends == (1, 2, 3)
    first = SMALL.initial(1, SHAPE, Part(stages=1))
    shorter = Architecture("shorter", (1,), 4, classes=3)
    renamed = {"dense" if name == "head1" else name: leaf for name, leaf in first.items()}
    expected = answers(renamed, WHOLE, shorter)
    assert answers(first, Part(stages=1)) == pytest.approx(expected, abs=1e-6)


def test_absent_pairs_are_the_identity_and_scaled_ones_are_scaled() -> None:
    assert SMALL.optional == ("stage2_pair2",) and len(architecture("resnet20").optional) == 4
    params = SMALL.initial(1, SHAPE)
    norm = params["stage2_pair2_second"]["norm"]
    without = {name: leaf for name, leaf in params.items() if not name.startswith("stage2_pair2")}
    for scale, part in ((0.0, Part(absent=SMALL.optional)), (0.5, Part(scale=0.5))):
        scaled = jax.tree.map(lambda leaf, factor=scale: factor * leaf, norm)
        expected = answers(
            params | {"stage2_pair2_second": params["stage2_pair2_second"] | {"norm": scaled}},
            WHOLE,
        )
        assert answers(params if scale else without, part) == pytest.approx(expected, abs=1e-5)


def test_a_network_with_fewer_hidden_channels_is_the_whole_one_without_the_others() -> None:
    """Channels that are normalized together stay together, so that the rest do not notice."""
    params = flatten_dict(SMALL.initial(1, SHAPE), sep="/")
    hidden = SMALL.hidden()
    rng = np.random.default_rng(2)
    assert hidden == {"stage1_pair1": (4, 1), "stage2_pair1": (4, 2), "stage2_pair2": (4, 2)}
    kept = {
        place: (np.sort(rng.permutation(n)[:2])[:, None] * size + np.arange(size)).ravel()
        for place, (n, size) in hidden.items()
    }
    small = dict(params)
    silent = dict(params)
    for path, cuts in SMALL.cuts().items():
        ((axis, place),) = cuts
        small[path] = params[path].take(kept[place], axis)
        if path.endswith("second/conv/kernel"):
            mask = np.isin(np.arange(params[path].shape[axis]), kept[place])
            silent[path] = params[path] * mask[:, None]
    found = answers(unflatten_dict(small, sep="/"), Part(shrink=2))
    assert found == pytest.approx(answers(unflatten_dict(silent, sep="/"), WHOLE), abs=1e-5)
