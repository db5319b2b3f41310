"""Residual networks with GroupNorm, in the blocks that progressive training adds one by one.

GroupNorm in place of BatchNorm: a running mean over batches would change in blocks that are not active.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp

from ..errors import InvalidInput
from .pytree import Labels, PyTree, label_blocks

# Groups of a normalisation; fewer where the channels do not divide.
_GROUPS = 4


@dataclass(frozen=True)
class Architecture:
    """A residual network for small images: a stem, stages of pairs of convolutions, and a dense layer.

    Parameters
    ----------
    name : str
    pairs : tuple of int
        Pairs of convolutions in each stage; every stage but the first halves the image and doubles the channels.
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
        """Every convolution with its normalisation is a block, and so is the dense layer; from input to output."""
        names = ["stem"]
        for stage, count in enumerate(self.pairs):
            for pair in range(count):
                place = f"stage{stage + 1}_pair{pair + 1}"
                names += [f"{place}_first", f"{place}_second"]
                if stage and not pair:
                    names.append(f"{place}_projection")
        return (*names, "dense")

    def module(self) -> ResNet:
        """The network as a flax module."""
        return ResNet(self.pairs, self.width, self.classes)

    def initial(self, seed: int, shape: tuple[int, int, int]) -> PyTree:
        """Parameters drawn for images of this shape."""
        params: PyTree = _initial(self, shape)(jax.random.key(seed))
        return params

    def labels(self, shape: tuple[int, int, int]) -> Labels:
        """The blocks of such parameters; none are drawn."""
        params = jax.eval_shape(_initial(self, shape), jax.random.key(0))
        return label_blocks(params, lambda path: path.split("/")[0], names=self.block_names)


# He et al., Deep Residual Learning for Image Recognition (CVPR 2016): their networks for CIFAR-10 with three stages of
# n pairs, 6n + 2 layers (with projections, 22 blocks for n = 3 and 10 for n = 1, which is for trying things out),
# and their ResNet-18 with four stages of two pairs (21 blocks).
_PAIRS = {"resnet20": (3, 3, 3), "resnet18": (2, 2, 2, 2), "resnet8": (1, 1, 1)}
WIDTHS = {"resnet20": 8, "resnet18": 64, "resnet8": 8}


def architecture(name: str, width: int | None = None) -> Architecture:
    """A network by name, with as many channels in its first stage as asked for.

    Examples
    --------
    >>> len(architecture("resnet20").block_names)
    22
    """
    if name not in _PAIRS:
        raise InvalidInput("unknown model", repr(name), "model=" + " or ".join(_PAIRS))
    channels = WIDTHS[name] if width is None else width
    if channels < 1:
        raise InvalidInput("width must be at least 1", str(width), f"width={WIDTHS[name]}")
    return Architecture(name, _PAIRS[name], channels)


@cache
def _initial(chosen: Architecture, shape: tuple[int, int, int]) -> Any:
    """A compiled function from keys to parameters: operation by operation it takes ten times as long."""
    images = jnp.zeros((1, *shape), jnp.float32)
    return jax.jit(lambda key: chosen.module().init(key, images)["params"])


class ConvNorm(nn.Module):
    """A convolution without bias and the normalisation that follows it: one block."""

    channels: int
    size: int = 3
    stride: int = 1

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        strides = (self.stride, self.stride)
        y = nn.Conv(self.channels, (self.size, self.size), strides, use_bias=False, name="conv")(x)
        normalised: jax.Array = nn.GroupNorm(num_groups=math.gcd(_GROUPS, self.channels), name="norm")(y)
        return normalised


class ResNet(nn.Module):
    """See `Architecture`; returns the logits."""

    pairs: tuple[int, ...]
    width: int
    classes: int

    @nn.compact
    def __call__(self, x: jax.Array) -> Any:
        x = nn.relu(ConvNorm(self.width, name="stem")(x))
        for stage, count in enumerate(self.pairs):
            channels = self.width * 2**stage
            for pair in range(count):
                place = f"stage{stage + 1}_pair{pair + 1}"
                smaller = stage > 0 and pair == 0
                stride = 2 if smaller else 1
                y = nn.relu(ConvNorm(channels, stride=stride, name=f"{place}_first")(x))
                y = ConvNorm(channels, name=f"{place}_second")(y)
                if smaller:
                    x = ConvNorm(channels, size=1, stride=stride, name=f"{place}_projection")(x)
                x = nn.relu(x + y)
        return nn.Dense(self.classes, name="dense")(x.mean(axis=(1, 2)))
