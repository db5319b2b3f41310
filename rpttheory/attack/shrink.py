"""From a point in floats to simple problems in fractions on which the ratio is still large."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from .space import Field, Layout, Points, as_fraction, at
from .target import Target

# Denominators tried, coarse ones first, and the most simplifications. Chosen by hand: they change
# only how simple the problem is that a result shows.
_LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 31, 50, 100, 200, 1000, 10**4, 10**5)
_ROUNDS = 150
# Levels of rounding of which the results are compared, and fresh problems drawn for each level.
_TRIES = 3
_DRAWN = 100

Candidate = tuple[Layout, Points]


def simplest(target: Target, layout: Layout, point: Points, ratio: float) -> list[Candidate]:
    """Return points in small fractions with at least this ratio, the simplest first.

    Each is rounded as coarsely as keeps the ratio, and then made simpler step by step.
    """
    fields = target.space.fields(layout)
    candidates: list[Candidate] = []
    for level in _LEVELS:
        good = _good(target, layout, rounded(fields, point, level), ratio)
        candidates += [_shrunk(target, layout, good[0], ratio)] if good else []
        if len(candidates) == _TRIES:
            break
    if candidates:
        # Fresh problems with small numbers for the same blocks: what is far away may be simpler.
        layout, _ = candidates[-1]
        fields = target.space.fields(layout)
        rng = np.random.default_rng(0)
        for level in (1, 2, 3):
            fresh = [at(target.space.starts(layout, rng, 1), 0) for _ in range(_DRAWN)]
            points = [rounded(fields, point, level)[0] for point in fresh]
            good = _good(target, layout, points, ratio)
            candidates += [_shrunk(target, layout, good[0], ratio)] if good else []
    return sorted(
        candidates,
        key=lambda candidate: (candidate[0].blocks.dimension, _length(target, *candidate)),
    )


def _length(target: Target, layout: Layout, point: Points) -> float:
    return float(target.space.lengths(layout, point)[0])


def _good(target: Target, layout: Layout, points: list[Points], ratio: float) -> list[Points]:
    """Return the points with at least this ratio, the shortest first."""
    if not points:
        return []
    stacked = {name: np.concatenate([point[name] for point in points]) for name in points[0]}
    enough = target.ratios(target.space.batch(layout, stacked)) >= ratio
    if not enough.any():
        return []
    order = np.argsort(target.space.lengths(layout, stacked), kind="stable")
    return [points[index] for index in order.tolist() if enough[index]]


def rounded(fields: tuple[Field, ...], point: Points, level: int) -> list[Points]:
    """Round to integers of at most `level`, and what is at most 1 to multiples of 1 / `level`.

    Multiplying the rows and x by numbers a and b, the thresholds by a b and mu by a^2 multiplies
    both sides of a statement about functions alike.
    """
    a, b = (level / (float(np.abs(point.get(name, 0.0)).max()) or 1.0) for name in ("rows", "x"))
    scales = {"rows": a, "x": b, "thresholds": a * b, "mu": a * a}
    choices: list[list[FloatArray]] = []
    for field in fields:
        values = point[field.name]
        largest = max(float(values.max()), 1e-300)
        if field.name == "size":
            size = Fraction(float(values[0]) / a**2).limit_denominator(level)
            choices.append([np.ones(1), np.array([float(size)])] if size else [np.ones(1)])
        elif field.most == 1:
            # As large as they are, and stretched until the largest is 1.
            numerators = [np.rint(values * level), np.rint(values / largest * level)]
            choices.append([field.clip(np.maximum(n, 1.0) / level) for n in numerators])
        else:
            integers = np.rint(values * scales.get(field.name, level / largest))
            choices.append([np.maximum(integers, 1.0) if field.low > 0 else integers])
    names = [field.name for field in fields]
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*choices)]


def _shrunk(target: Target, layout: Layout, point: Points, ratio: float) -> Candidate:
    """Leave out coordinates, make numbers simpler until none can be, and begin again."""
    shorter: Points | None = None
    for _ in range(_ROUNDS):
        if shorter is None:
            smaller = _without(target, layout, point)
            fewer = next((c for c in smaller if _good(target, c[0], [c[1]], ratio)), None)
            if fewer is not None:
                layout, point = fewer
                continue
        simpler = list(_simpler(target.space.fields(layout), point))
        good = _good(target, layout, simpler, ratio)
        if good and _length(target, layout, good[0]) < _length(target, layout, point):
            point = shorter = good[0]
        elif shorter is None:
            break
        else:
            shorter = None
    return layout, point


def _simpler(fields: tuple[Field, ...], point: Points) -> Iterator[Points]:
    """Make one number simpler, or a whole array."""
    for field in fields:
        values = point[field.name]
        arrays = [np.trunc(values / 2), *(np.full_like(values, end) for end in (0.0, 1.0, np.inf))]
        if field.name == "rows":
            every_row = np.arange(values.shape[1])[:, None]
            arrays += [values * (every_row != row) for row in every_row.ravel()]
        for index, value in np.ndenumerate(values):
            for number in sorted(_simpler_numbers(float(value)) - {value}):
                arrays.append(values.copy())
                arrays[-1][index] = number
        yield from ({**point, field.name: array} for array in arrays if field.allows(array))


def _simpler_numbers(value: float) -> set[float]:
    if value == np.inf:
        return {0.0}
    fraction = as_fraction(value)
    denominators = {fraction.denominator // 2, fraction.denominator - 1} - {0}
    nearby = {float(fraction.limit_denominator(largest)) for largest in denominators}
    smaller = {float(np.trunc(value / 2)), value - float(np.sign(value)), abs(value)}
    return {0.0, 1.0, np.inf} | nearby | smaller


def _without(target: Target, layout: Layout, point: Points) -> Iterator[Candidate]:
    """Leave out one coordinate, and with the last of a block the block, if the partition is
    allowed.
    """
    blocks = layout.blocks
    if blocks.dimension == 1:
        return
    for gone in range(blocks.dimension):
        columns = [[i for i in range(rows.start, rows.stop) if i != gone] for rows in blocks.slices]
        remaining = [k for k in range(blocks.count) if columns[k]]
        order = sorted(remaining, key=lambda k: -len(columns[k]))
        sizes = tuple(len(columns[k]) for k in order)
        smaller_layout = replace(layout, blocks=Blocks(sizes))
        if smaller_layout not in target.space.layouts:
            continue
        coordinates = [i for k in order for i in columns[k]]
        smaller = {**point, "rows": point["rows"][:, :, coordinates]}
        if "x" in point:
            smaller["x"] = point["x"][:, coordinates]
        for name in point.keys() & {"p", "costs"}:
            if point[name].shape[1] == blocks.count:
                smaller[name] = point[name][:, order]
        if "weights" in point:
            weights = point["weights"].reshape((2,) * blocks.count)
            empty = tuple(k for k in range(blocks.count) if not columns[k])
            axes = [remaining.index(k) for k in order]
            smaller["weights"] = weights.sum(axis=empty).transpose(axes).reshape(1, -1)
        yield smaller_layout, smaller
