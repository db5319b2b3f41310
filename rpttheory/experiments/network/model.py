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
from ...networks.blocks import Labels, PyTree, label_blocks
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
        Cut off after so many stages of progressive training, with a head of its own; the whole
        network by default.
    absent : tuple of str
        Pairs of convolutions that are the identity.
    scale : float
        Factor of the pairs that may be absent.
    shrink : int
        Only one in so many of the channels between the two convolutions of a pair is there.
    """

    stages: int | None = None
    absent: tuple[str, ...] = ()
    scale: float = 1.0
    shrink: int = 1


WHOLE = Part()


@dataclass(frozen=True)
class Architecture:
    """A residual network for small images: a stem, stages of pairs of convolutions, and a dense
    layer.

    Parameters
    ----------
    name : str
    pairs : tuple of int
        Pairs of convolutions in each stage; every stage but the first halves the image and doubles
        the channels.
    width : int
        Channels of the first stage.
    classes : int
    """

    name: str
    pairs: tuple[int, ...]
    width: int
    classes: int = 10

    @property
    def block_names(self) -> tuple[str, ...]:
        """Every convolution with its normalization is a block, and so is the dense layer; from
        input to output.
        """
        names = ["stem"]
        for stage, count in enumerate(self.pairs):
            for pair in range(count):
                place = _place(stage, pair)
                names += [f"{place}_first", f"{place}_second"]
                if stage and not pair:
                    names.append(f"{place}_projection")
        return (*names, "dense")

    @property
    def stage_ends(self) -> tuple[int, ...]:
        """How many pairs the first 1, 2, ... stages of progressive training hold: all stages alike,
        or nearly.

        Examples
        --------
        >>> architecture("resnet18").stage_ends, architecture("resnet20").stage_ends
        ((2, 4, 6, 8), (3, 5, 7, 9))
        """
        count = sum(self.pairs)
        lengths = [len(part) for part in np.array_split(np.arange(count), min(_STAGES, count))]
        return tuple(np.cumsum(lengths).tolist())

    @property
    def optional(self) -> tuple[str, ...]:
        """Pairs that may be absent: those of the later stages that do not change the shape."""
        return tuple(
            _place(stage, pair)
            for stage, count in enumerate(self.pairs)
            if stage
            for pair in range(1, count)
        )

    def hidden(self) -> dict[str, tuple[int, int]]:
        """The channels between the convolutions of each pair: groups that are normalized together,
        and their size.
        """
        found: dict[str, tuple[int, int]] = {}
        for stage, count in enumerate(self.pairs):
            channels = self.width * 2**stage
            groups = math.gcd(_GROUPS, channels)
            found |= {_place(stage, pair): (groups, channels // groups) for pair in range(count)}
        return found

    def cuts(self) -> dict[str, tuple[tuple[int, str], ...]]:
        """Arrays that lose channels where a pair of convolutions does: axis and pair, by path."""
        ends = (
            ("first/conv/kernel", 3),
            ("first/norm/scale", 0),
            ("first/norm/bias", 0),
            ("second/conv/kernel", 2),
        )
        return {f"{place}_{end}": ((axis, place),) for place in self.hidden() for end, axis in ends}

    def module(self, part: Part = WHOLE) -> ResNet:
        """The network, or a part of it, as a flax module."""
        return ResNet(self.pairs, self.width, self.classes, self.stage_ends, part)

    def initial(self, seed: int, shape: tuple[int, int, int], part: Part = WHOLE) -> PyTree:
        """Parameters drawn for images of this shape."""
        params: PyTree = _initial(self, shape, part)(jax.random.key(seed))
        return params

    def labels(self, shape: tuple[int, int, int]) -> Labels:
        """The blocks of such parameters; none are drawn."""
        params = jax.eval_shape(_initial(self, shape, WHOLE), jax.random.key(0))
        return label_blocks(params, lambda path: path.split("/")[0], names=self.block_names)


# He et al., Deep Residual Learning for Image Recognition (CVPR 2016): their networks for CIFAR-10
# with three stages of n pairs, 6n + 2 layers (with projections, 22 blocks for n = 3; 16 and 10 for
# n = 2 and 1, which train sooner), and their ResNet-18 with four stages of two pairs (21 blocks).
_PAIRS = {
    "resnet20": (3, 3, 3),
    "resnet18": (2, 2, 2, 2),
    "resnet14": (2, 2, 2),
    "resnet8": (1, 1, 1),
}
WIDTHS = {"resnet20": 8, "resnet18": 64, "resnet14": 8, "resnet8": 8}


def architecture(name: str, width: int | None = None) -> Architecture:
    """A network by name, with as many channels in its first stage as asked for.

    Examples
    --------
    >>> len(architecture("resnet20").block_names)
    22
    """
    if name not in _PAIRS:
        raise InvalidInput("is unknown", repr(name), " or ".join(_PAIRS), argument="model")
    channels = WIDTHS[name] if width is None else width
    if channels < 1:
        raise InvalidInput("must be at least 1", str(width), str(WIDTHS[name]), argument="width")
    return Architecture(name, _PAIRS[name], channels)


@cache
def _initial(chosen: Architecture, shape: tuple[int, int, int], part: Part) -> Any:
    """A compiled function from keys to parameters: operation by operation it takes ten times as
    long.
    """
    images = jnp.zeros((1, *shape), jnp.float32)
    return jax.jit(lambda key: chosen.module(part).init(key, images)["params"])


def _place(stage: int, pair: int) -> str:
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
    """See `Architecture`; returns the logits of a part."""

    pairs: tuple[int, ...]
    width: int
    classes: int
    stage_ends: tuple[int, ...]
    part: Part = WHOLE

    @nn.compact
    def __call__(self, x: jax.Array) -> Any:
        last = self.part.stages or len(self.stage_ends)
        places = [(stage, pair) for stage, count in enumerate(self.pairs) for pair in range(count)]
        x = nn.relu(ConvNorm(self.width, name="stem")(x))
        for stage, pair in places[: self.stage_ends[last - 1]]:
            channels = self.width * 2**stage
            place = _place(stage, pair)
            smaller = stage > 0 and pair == 0
            if place not in self.part.absent:
                stride = 2 if smaller else 1
                first = ConvNorm(
                    channels, stride=stride, shrink=self.part.shrink, name=f"{place}_first"
                )
                y = ConvNorm(channels, name=f"{place}_second")(nn.relu(first(x)))
                if smaller:
                    x = ConvNorm(channels, size=1, stride=stride, name=f"{place}_projection")(x)
                elif stage > 0 and self.part.scale != 1.0:
                    y = y * self.part.scale
                x = nn.relu(x + y)
        name = "dense" if last == len(self.stage_ends) else f"head{last}"
        return nn.Dense(self.classes, name=name)(x.mean(axis=(1, 2)))


@dataclass(frozen=True, eq=False)
class Network:
    """A network and the images it is trained on."""

    architecture: Architecture
    data: ImageData

    def initial(self, seed: int) -> PyTree:
        """The parameters before the first step."""
        return self.architecture.initial(seed, self.data.shape)

    def labels(self) -> Labels:
        """The blocks."""
        return self.architecture.labels(self.data.shape)

    def steps_per_epoch(self, batch: int) -> int:
        """Whole batches in the training images; an error unless there is one."""
        count = len(self.data.train[0])
        if batch > count:
            raise InvalidInput(
                "must not exceed the number of training images",
                f"{batch} of {count}",
                "128",
                argument="batch",
            )
        return count // batch

    def model(self, params: PyTree, batch: tuple[Any, Any]) -> Any:
        """The logits."""
        return self.architecture.module().apply({"params": params}, batch[0])

    @staticmethod
    def criterion(logits: Any, batch: tuple[Any, Any]) -> Any:
        """The mean cross-entropy."""
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch[1]).mean()

    def loss(self, params: PyTree, batch: tuple[Any, Any]) -> Any:
        """The criterion of the model."""
        return self.criterion(self.model(params, batch), batch)

    @property
    def stages(self) -> int:
        return len(self.architecture.stage_ends)

    @property
    def optional(self) -> tuple[str, ...]:
        return self.architecture.optional

    @cached_property
    def hidden(self) -> Mapping[str, tuple[int, int]]:
        return self.architecture.hidden()

    @cached_property
    def cuts(self) -> Mapping[str, tuple[tuple[int, str], ...]]:
        return self.architecture.cuts()

    def everything(self, seed: int) -> dict[str, NDArray[Any]]:
        """The initial parameters by path, with those of the heads of truncated networks."""
        arrays: dict[str, NDArray[Any]] = {}
        for part in (*(Part(stages=stage) for stage in range(1, self.stages)), WHOLE):
            drawn = _flatten(self.architecture.initial(seed, self.data.shape, part))
            arrays |= {path: np.asarray(leaf) for path, leaf in drawn.items()}
        return arrays

    def members(self, part: Part) -> tuple[str, ...]:
        """The parameters of a part."""
        drawn = jax.eval_shape(lambda: self.architecture.initial(0, self.data.shape, part))
        return tuple(_flatten(drawn))

    def logits(self, params: Flat, images: Any, part: Part) -> Any:
        """The logits of a part."""
        tree = flax.traverse_util.unflatten_dict(dict(params), sep="/")  # type: ignore[no-untyped-call]
        return self.architecture.module(part).apply({"params": tree}, images)


def _flatten(tree: PyTree) -> dict[str, Any]:
    flat: dict[str, Any] = flax.traverse_util.flatten_dict(tree, sep="/")  # type: ignore[no-untyped-call]
    return flat
