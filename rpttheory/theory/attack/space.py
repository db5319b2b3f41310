"""Where a search looks: named fields of bounded numbers, drawn at random, moved a little, rounded
to simple ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ...numbers.exact_array import FloatArray
from ...problem.blocks import Blocks

# Stacked values by field: the first axis counts points.
Points = Mapping[str, FloatArray]


@dataclass(frozen=True)
class Layout:
    """What is fixed during one ascent."""

    blocks: Blocks
    sampling: str = field(default="nested", kw_only=True)


@dataclass(frozen=True)
class Field:
    """An array of numbers between two bounds; `scale` says whether they are moved by factors or by
    amounts.
    """

    name: str
    shape: tuple[int, ...]
    low: float
    high: float
    scale: bool = False


class Space(Protocol):
    """A family of instances."""

    @property
    def layouts(self) -> tuple[Any, ...]:
        """The choices of what is fixed."""

    def fields(self, layout: Any) -> tuple[Field, ...]:
        """What varies."""

    def starts(self, layout: Any, rng: np.random.Generator, count: int) -> Points:
        """Points to begin with, structured and random ones."""

    def stack(self, layout: Any, points: Points) -> Any:
        """The problems at these points, as an inequality's `sides` wants them."""


def moved(
    points: Points, fields: tuple[Field, ...], rng: np.random.Generator, size: float, count: int
) -> Points:
    """`count` neighbours of the first point, at distances from `size` down to a thousandth of it.

    Each neighbour moves some of the fields, and some of their entries, so that single numbers are
    tried as well.
    """
    distances = size * 2.0 ** -rng.uniform(0, 10, count)
    density = rng.choice([0.2, 1.0], count)
    found = {}
    for one in fields:
        shape = (count, *one.shape)
        axes = (slice(None), *[None] * len(one.shape))
        step = rng.standard_normal(shape) * distances[axes] * (rng.random(shape) < density[axes])
        step *= (rng.random(count) < 0.6)[axes]
        start = points[one.name][:1]
        value = start * np.exp(step) if one.scale else start + step
        found[one.name] = np.clip(value, one.low, one.high)
    return found


def rounded(points: Points, fields: tuple[Field, ...], bits: int) -> Points:
    """Every number to the nearest multiple of 2^-bits within its bounds; of an eighth of that where
    scale matters.
    """
    found = {}
    for one in fields:
        unit = 2.0 ** (bits + 3 if one.scale else bits)
        found[one.name] = np.clip(np.rint(points[one.name] * unit) / unit + 0.0, one.low, one.high)
    return found


def at(points: Points, index: int) -> Points:
    """One point, as a stack of one."""
    return {name: values[index : index + 1] for name, values in points.items()}
