"""Residual networks with GroupNorm, in the blocks that progressive training adds one by one.

GroupNorm in place of BatchNorm: a running mean over batches would change in blocks that are not
active.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import flax.linen as nn
import flax.traverse_util
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...networks.blocks import Labels, label_blocks
from .data import ImageData

# Parameters by path, such as "stem/conv/kernel".
Flat = Mapping[str, Any]
# Groups of a normalization; fewer where the channels do not divide.
_GROUPS = 4
# Stages of progressive training, as in ProgFed; fewer where there are fewer pairs.
_STAGES = 4
# Both data sets have ten classes.
_CLASSES = 10


@dataclass(frozen=True, eq=False)
class Network:
    """A residual network and the small images it is trained on: a stem, stages of pairs of
    convolutions, and a dense layer.

    Parameters
    ----------
    pairs : tuple of int
        Pairs of convolutions in each stage; every stage but the first halves the image and doubles
        the channels.
    width : int
        Channels of the first stage.
    data : ImageData

    Notes
    -----
    Methods with the argument `stages` are about the network that is truncated after so many stages
    of progressive training and has a head of its own; None stands for the whole network.
    """

    pairs: tuple[int, ...]
    width: int
    data: ImageData

    @property
    def block_names(self) -> tuple[str, ...]:
        """The blocks from input to output: every convolution with its normalization, and the dense
        layer.
        """
        names = ["stem"]
        for stage, pair in _places(self.pairs):
            names += [f"{_name(stage, pair)}_first", f"{_name(stage, pair)}_second"]
            if stage and not pair:
                names.append(f"{_name(stage, pair)}_projection")
        return (*names, "dense")

    @property
    def stage_ends(self) -> tuple[int, ...]:
        """Number of pairs in the first 1, 2, ... stages of progressive training, which are of equal
        length, or nearly.
        """
        count = sum(self.pairs)
        lengths = [len(part) for part in np.array_split(np.arange(count), min(_STAGES, count))]
        return tuple(np.cumsum(lengths).tolist())

    @property
    def stages(self) -> int:
        """Number of stages of progressive training."""
        return len(self.stage_ends)

    def module(self, stages: int | None = None) -> ResNet:
        """Return the network as a flax module."""
        return ResNet(self.pairs, self.width, self.stage_ends, stages)

    def initial(self, seed: int, stages: int | None = None) -> dict[str, Any]:
        """Return initial parameters by path."""
        params: dict[str, Any] = _initial(self, stages)(jax.random.key(seed))
        return params

    def everything(self, seed: int) -> dict[str, NDArray[Any]]:
        """Return the initial parameters, with those of the heads of truncated networks."""
        arrays: dict[str, Any] = {}
        for stages in (*range(1, self.stages), None):
            arrays |= self.initial(seed, stages)
        return {path: np.asarray(leaf) for path, leaf in arrays.items()}

    def _shapes(self, stages: int | None = None) -> dict[str, Any]:
        shapes: dict[str, Any] = jax.eval_shape(_initial(self, stages), jax.random.key(0))
        return shapes

    def members(self, stages: int | None = None) -> tuple[str, ...]:
        """Return the paths of the parameters."""
        return tuple(self._shapes(stages))

    def labels(self) -> Labels:
        """Return the blocks of the whole network."""
        names = self.block_names
        return label_blocks(self._shapes(), lambda path: path.split("/")[0], names=names)

    def logits(self, params: Flat, images: Any, stages: int | None = None) -> Any:
        """Return the logits of a batch of images."""
        unflatten: Any = flax.traverse_util.unflatten_dict
        tree = unflatten(dict(params), sep="/")
        return self.module(stages).apply({"params": tree}, images)

    def steps_per_epoch(self, batch: int) -> int:
        """Number of whole batches in the training images; raise InvalidInput if there is none."""
        count = len(self.data.train[0])
        if batch > count:
            raise InvalidInput(
                "must not exceed the number of training images",
                f"{batch} of {count}",
                "128",
                argument="batch",
            )
        return count // batch


def cross_entropy(logits: Any, batch: tuple[Any, Any]) -> Any:
    """Mean cross-entropy of the logits for a batch (images, classes)."""
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch[1]).mean()


@cache
def _initial(network: Network, stages: int | None) -> Any:
    """Return a compiled function from keys to parameters by path; operation by operation it takes
    ten times as long.
    """
    images = jnp.zeros((1, *network.data.shape), jnp.float32)

    def initial(key: jax.Array) -> Any:
        params = network.module(stages).init(key, images)["params"]
        return flax.traverse_util.flatten_dict(params, sep="/")  # type: ignore[no-untyped-call]

    return jax.jit(initial)


def _places(pairs: tuple[int, ...]) -> list[tuple[int, int]]:
    """The stage and the number in it of each pair of convolutions, from 0."""
    return [(stage, pair) for stage, count in enumerate(pairs) for pair in range(count)]


def _name(stage: int, pair: int) -> str:
    return f"stage{stage + 1}_pair{pair + 1}"


class ConvNorm(nn.Module):
    """A convolution without bias and the normalization that follows it: one block."""

    channels: int
    size: int = 3
    stride: int = 1

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        size = (self.size, self.size)
        strides = (self.stride, self.stride)
        y = nn.Conv(self.channels, size, strides, use_bias=False, name="conv")(x)
        groups = math.gcd(_GROUPS, self.channels)
        normalized: jax.Array = nn.GroupNorm(num_groups=groups, name="norm")(y)
        return normalized


class ResNet(nn.Module):
    """The flax module of a `Network`; returns logits."""

    pairs: tuple[int, ...]
    width: int
    stage_ends: tuple[int, ...]
    stages: int | None

    @nn.compact
    def __call__(self, x: jax.Array) -> Any:
        end = self.stage_ends[-1 if self.stages is None else self.stages - 1]
        x = nn.relu(ConvNorm(self.width, name="stem")(x))
        for stage, pair in _places(self.pairs)[:end]:
            channels = self.width * 2**stage
            name = _name(stage, pair)
            smaller = stage > 0 and pair == 0
            stride = 2 if smaller else 1
            first = ConvNorm(channels, stride=stride, name=f"{name}_first")
            y = ConvNorm(channels, name=f"{name}_second")(nn.relu(first(x)))
            if smaller:
                x = ConvNorm(channels, size=1, stride=stride, name=f"{name}_projection")(x)
            x = nn.relu(x + y)
        head = "dense" if self.stages is None else f"head{self.stages}"
        return nn.Dense(_CLASSES, name=head)(x.mean(axis=(1, 2)))
