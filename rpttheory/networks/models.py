"""Residual networks with GroupNorm, in the blocks that progressive training adds one by one.

GroupNorm in place of BatchNorm: a running mean over batches would change in blocks that are not
active.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np

from ..errors import InvalidInput
from .pytree import Labels, PyTree, label_blocks

# Groups of a normalisation; fewer where the channels do not divide.
_GROUPS = 4
# Stages of progressive training, as in ProgFed; fewer where there are fewer pairs.
_STAGES = 4


@dataclass(frozen=True)
class Part:
    """A subnetwork, as methods that train less than the whole network take it.

    Parameters
    ----------
    stages : int, optional
        Cut off after so many stages of progressive training, with a head of its own; the whole
        network by default.
    fade : bool
        The logits are mixed with those of the head one stage earlier (Karras et al., ICLR 2018).
    absent : tuple of str
        Pairs of convolutions that are the identity.
    scale : float
        Factor of the pairs that may be absent.
    shrink : int
        Only one in so many of the channels between the two convolutions of a pair is there.
    """

    stages: int | None = None
    fade: bool = False
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
        """Every convolution with its normalisation is a block, and so is the dense layer; from
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
        """The channels between the convolutions of each pair: groups that are normalised together,
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
        raise InvalidInput("unknown model", repr(name), "model=" + " or ".join(_PAIRS))
    channels = WIDTHS[name] if width is None else width
    if channels < 1:
        raise InvalidInput(
            "must be at least 1", str(width), argument="width", suggest={"width": WIDTHS[name]}
        )
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
    """A convolution without bias and the normalisation that follows it: one block."""

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
        normalised: jax.Array = nn.GroupNorm(num_groups=groups, name="norm")(y)
        return normalised


class ResNet(nn.Module):
    """See `Architecture`; returns the logits, of a part mixed with an earlier head's where it says
    so.
    """

    pairs: tuple[int, ...]
    width: int
    classes: int
    stage_ends: tuple[int, ...]
    part: Part = WHOLE

    @nn.compact
    def __call__(self, x: jax.Array, mix: Any = 1.0) -> Any:
        last = self.part.stages or len(self.stage_ends)
        places = [(stage, pair) for stage, count in enumerate(self.pairs) for pair in range(count)]
        faded = None
        x = nn.relu(ConvNorm(self.width, name="stem")(x))
        for number, (stage, pair) in enumerate(places[: self.stage_ends[last - 1]], start=1):
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
            if self.part.fade and number == self.stage_ends[last - 2]:
                faded = self._head(last - 1)(x.mean(axis=(1, 2)))
        logits = self._head(last)(x.mean(axis=(1, 2)))
        return logits if faded is None else (1 - mix) * faded + mix * logits

    def _head(self, stage: int) -> nn.Dense:
        return nn.Dense(
            self.classes, name="dense" if stage == len(self.stage_ends) else f"head{stage}"
        )
