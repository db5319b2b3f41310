"""Where a search looks: named fields of bounded numbers, drawn at random, moved a little, rounded to simple ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rpttheory import Blocks
from rpttheory.reals import FloatArray

from .ridge import Shape

# Stacked values by field: the first axis counts points.
Points = Mapping[str, FloatArray]


@dataclass(frozen=True)
class Layout:
    """What is fixed during one ascent."""

    blocks: Blocks
    steps: int = 0
    shape: Shape = "huber"


@dataclass(frozen=True)
class Field:
    """An array of numbers between two bounds; `scale` says whether they are moved by factors or by amounts."""

    name: str
    shape: tuple[int, ...]
    low: float
    high: float
    scale: bool = False


class Space(Protocol):
    """A family of instances."""

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The choices of what is fixed."""
        ...

    def fields(self, layout: Layout) -> tuple[Field, ...]:
        """What varies."""
        ...

    def starts(self, layout: Layout, rng: np.random.Generator, count: int) -> Points:
        """Points to begin with, structured and random ones."""
        ...

    def stack(self, layout: Layout, points: Points) -> Any:
        """The problems at these points, as an inequality's `sides` wants them."""
        ...

    def case(self, layout: Layout, point: Points, bits: int) -> Any | None:
        """The instance at one rounded point, or None where it is not exact in floats."""
        ...

    def read(self, found: dict[str, Any]) -> Any:
        """An instance from its JSON-safe values."""
        ...


def moved(points: Points, fields: tuple[Field, ...], rng: np.random.Generator, size: float, count: int) -> Points:
    """`count` neighbours of the first point, at distances from `size` down to a thousandth of it.

    Each neighbour moves some of the fields, and some of their entries, so that single numbers are tried as well.
    """
    distances = size * 2.0 ** -rng.uniform(0, 10, count)
    density = rng.choice([0.2, 1.0], count)
    found = {}
    for field in fields:
        shape = (count, *field.shape)
        axes = (slice(None), *[None] * len(field.shape))
        step = rng.standard_normal(shape) * distances[axes] * (rng.random(shape) < density[axes])
        step *= (rng.random(count) < 0.6)[axes]
        start = points[field.name][:1]
        value = start * np.exp(step) if field.scale else start + step
        found[field.name] = np.clip(value, field.low, field.high)
    return found


def rounded(points: Points, fields: tuple[Field, ...], bits: int) -> Points:
    """Every number to the nearest multiple of 2^-bits within its bounds; of an eighth of that where scale matters."""
    found = {}
    for field in fields:
        unit = 2.0 ** (bits + 3 if field.scale else bits)
        found[field.name] = np.clip(np.rint(points[field.name] * unit) / unit + 0.0, field.low, field.high)
    return found


def at(points: Points, index: int) -> Points:
    """One point, as a stack of one."""
    return {name: values[index : index + 1] for name, values in points.items()}
