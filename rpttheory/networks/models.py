"""Residual networks with GroupNorm, in the blocks that progressive training adds one by one.

GroupNorm in place of BatchNorm: a running mean over batches would change in blocks that are not active.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
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
        images = jnp.zeros((1, *shape), jnp.float32)
        params: PyTree = self.module().init(jax.random.key(seed), images)["params"]
        return params

    def labels(self, params: PyTree) -> Labels:
        """The blocks of such parameters."""
        return label_blocks(params, lambda path: path.split("/")[0], names=self.block_names)


# He et al., Deep Residual Learning for Image Recognition (CVPR 2016): their network for CIFAR-10 with three stages
# of three pairs (and projections: 22 blocks), and their ResNet-18 with four stages of two (21 blocks).
_PAIRS = {"resnet20": (3, 3, 3), "resnet18": (2, 2, 2, 2)}
WIDTHS = {"resnet20": 8, "resnet18": 64}


def architecture(name: str, width: int | None = None) -> Architecture:
    """A network by name, with as many channels in its first stage as asked for.

    Examples
    --------
    >>> len(architecture("resnet20").block_names)
    22
    """
    if name not in _PAIRS:
        raise InvalidInput("unknown model", repr(name), "--model " + " or ".join(_PAIRS))
    channels = WIDTHS[name] if width is None else width
    if channels < 1:
        raise InvalidInput("--width must be at least 1", str(width), f"--width {WIDTHS[name]}")
    return Architecture(name, _PAIRS[name], channels)


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
