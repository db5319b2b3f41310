"""Residual networks with GroupNorm, in the blocks that progressive training adds one by one.

GroupNorm in place of BatchNorm: a running mean over batches would change in blocks that are not
active.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
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


@dataclass(frozen=True)
class Part:
    """A subnetwork, for methods that train less than the whole network.

    Parameters
    ----------
    stages : int, optional
        Number of stages of progressive training before a head of its own; all by default.
    absent : tuple of str
        Pairs of convolutions that are the identity.
    scale : float
        Factor of the pairs that may be absent.
    shrink : int
        One in so many of the channels between the two convolutions of a pair is present.
    """

    stages: int | None = None
    absent: tuple[str, ...] = ()
    scale: float = 1.0
    shrink: int = 1


WHOLE = Part()


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
    classes : int
    """

    pairs: tuple[int, ...]
    width: int
    data: ImageData
    classes: int = 10

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

    @property
    def optional(self) -> tuple[str, ...]:
        """Pairs that may be absent: those of the later stages that do not change the shape."""
        return tuple(_name(stage, pair) for stage, pair in _places(self.pairs) if stage and pair)

    @cached_property
    def hidden(self) -> Mapping[str, NDArray[np.intp]]:
        """The channels between the convolutions of each pair, one row per group that is normalized
        together.
        """
        return {
            _name(stage, pair): np.arange(channels).reshape(math.gcd(_GROUPS, channels), -1)
            for stage, pair in _places(self.pairs)
            for channels in [self.width * 2**stage]
        }

    @cached_property
    def cuts(self) -> Mapping[str, tuple[int, str]]:
        """Arrays that lose channels when a pair of convolutions does: axis and pair, by path."""
        axes = {
            "first/conv/kernel": 3,
            "first/norm/scale": 0,
            "first/norm/bias": 0,
            "second/conv/kernel": 2,
        }
        return {f"{pair}_{end}": (axis, pair) for pair in self.hidden for end, axis in axes.items()}

    def module(self, part: Part = WHOLE) -> ResNet:
        """The network, or a part of it, as a flax module."""
        return ResNet(self.pairs, self.width, self.classes, self.stage_ends, part)

    def initial(self, seed: int, part: Part = WHOLE) -> dict[str, Any]:
        """Initial parameters of the network, or of a part of it, by path."""
        params: dict[str, Any] = _initial(self, part)(jax.random.key(seed))
        return params

    def everything(self, seed: int) -> dict[str, NDArray[Any]]:
        """The initial parameters, with those of the heads of truncated networks."""
        arrays: dict[str, Any] = {}
        for part in (*(Part(stages=stage) for stage in range(1, self.stages)), WHOLE):
            arrays |= self.initial(seed, part)
        return {path: np.asarray(leaf) for path, leaf in arrays.items()}

    def _shapes(self, part: Part) -> dict[str, Any]:
        shapes: dict[str, Any] = jax.eval_shape(_initial(self, part), jax.random.key(0))
        return shapes

    def members(self, part: Part) -> tuple[str, ...]:
        """The paths of the parameters of a part."""
        return tuple(self._shapes(part))

    def labels(self) -> Labels:
        """The blocks."""
        names = self.block_names
        return label_blocks(self._shapes(WHOLE), lambda path: path.split("/")[0], names=names)

    def logits(self, params: Flat, images: Any, part: Part = WHOLE) -> Any:
        """The logits of a part."""
        tree = flax.traverse_util.unflatten_dict(dict(params), sep="/")  # type: ignore[no-untyped-call]
        return self.module(part).apply({"params": tree}, images)

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
def _initial(network: Network, part: Part) -> Any:
    """Return a compiled function from keys to parameters by path; operation by operation it takes
    ten times as long.
    """
    images = jnp.zeros((1, *network.data.shape), jnp.float32)

    def initial(key: jax.Array) -> Any:
        params = network.module(part).init(key, images)["params"]
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
    shrink: int = 1

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        strides = (self.stride, self.stride)
        channels = self.channels // self.shrink
        groups = math.gcd(_GROUPS, self.channels) // self.shrink
        y = nn.Conv(channels, (self.size, self.size), strides, use_bias=False, name="conv")(x)
        normalized: jax.Array = nn.GroupNorm(num_groups=groups, name="norm")(y)
        return normalized


class ResNet(nn.Module):
    """See `Network`; returns the logits of a part."""

    pairs: tuple[int, ...]
    width: int
    classes: int
    stage_ends: tuple[int, ...]
    part: Part = WHOLE

    @nn.compact
    def __call__(self, x: jax.Array) -> Any:
        last = self.part.stages or len(self.stage_ends)
        x = nn.relu(ConvNorm(self.width, name="stem")(x))
        for stage, pair in _places(self.pairs)[: self.stage_ends[last - 1]]:
            channels = self.width * 2**stage
            name = _name(stage, pair)
            smaller = stage > 0 and pair == 0
            if name not in self.part.absent:
                stride = 2 if smaller else 1
                first = ConvNorm(
                    channels, stride=stride, shrink=self.part.shrink, name=f"{name}_first"
                )
                y = ConvNorm(channels, name=f"{name}_second")(nn.relu(first(x)))
                if smaller:
                    x = ConvNorm(channels, size=1, stride=stride, name=f"{name}_projection")(x)
                elif stage > 0 and self.part.scale != 1.0:
                    y = y * self.part.scale
                x = nn.relu(x + y)
        head = "dense" if last == len(self.stage_ends) else f"head{last}"
        return nn.Dense(self.classes, name=head)(x.mean(axis=(1, 2)))
