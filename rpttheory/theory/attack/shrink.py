"""From a point in floats to the simplest problem in integers and fractions on which the ratio is
still large.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from .space import Layout, Points, at
from .target import Attacked

_LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 31, 50, 100, 200, 1000)
# What each array of integers may not fall below.
_LEAST = {"rows": 0, "weights": 0, "p": 1, "costs": 1, "size": 1, "below": 1}
_ROUNDS = 200
_TRIES = 3
_DRAWN = 500


def simplest(
    target: Attacked, layout: Layout, point: Points, wanted: float
) -> tuple[Layout, Points] | None:
    """The point in integers, as coarse as keeps the ratio, and then made simpler step by step; the
    best of a few.
    """
    found: list[tuple[Layout, Points]] = []
    for level in _LEVELS:
        good = _good(target, layout, _rounded(point, level), wanted)
        found += [_shrunk(target, layout, good[0], wanted)] if good else []
        if len(found) == _TRIES:
            break
    if found:
        # Small numbers drawn afresh for the same blocks: what is far away may be simpler still.
        to, start = found[-1]
        rng = np.random.default_rng(0)
        for bound in (1, 2, 3):
            good = _good(target, to, _drawn(start, rng, bound), wanted)
            found += [_shrunk(target, to, good[0], wanted)] if good else []
    return min(
        found,
        key=lambda one: (one[0].blocks.dimension, target.space.exact(*one).length),
        default=None,
    )


def _good(target: Attacked, layout: Layout, points: list[Points], wanted: float) -> list[Points]:
    """Those with the ratio wanted, the shortest first."""
    if not points:
        return []
    stacked = {name: np.concatenate([one[name] for one in points]) for name in points[0]}
    found = target.ratios(target.space.stack(layout, stacked))
    kept = [one for one, ratio in zip(points, found.tolist(), strict=True) if ratio >= wanted]
    return sorted(kept, key=lambda one: target.space.exact(layout, one).length)


def _rounded(point: Points, level: int) -> list[Points]:
    """Every group of numbers to integers of at most `level`; with L and p as large as they are, and
    stretched.
    """
    largest = float(np.abs(point["rows"]).max()) or 1.0
    base = {"rows": np.rint(point["rows"] * (level / largest))}
    for name in point.keys() & {"costs", "weights"}:
        base[name] = np.maximum(
            _LEAST[name], np.rint(point[name] * (level / max(float(point[name].max()), 1e-300)))
        )
    unit = Fraction(float(point["size"][0]) * (largest / level) ** 2).limit_denominator(level)
    sizes = [(1, 1)] + [(unit.numerator, unit.denominator)] * (unit > 0)
    found: list[Points] = []
    for size, below in sizes:
        whole = {**base, "size": np.array([float(size)]), "below": np.array([float(below)])}
        if "p" not in point:
            found.append(whole)
            continue
        for scale in (1.0, float(point["p"].max())):
            p = np.maximum(1.0, np.rint(point["p"] * (level / scale)))
            over = float(level) if scale == 1.0 else float(p.max())
            found.append({**whole, "p": np.minimum(p, over), "over": np.array([over])})
    return found


def _drawn(point: Points, rng: np.random.Generator, bound: int) -> list[Points]:
    """Points with integers of at most `bound`."""
    fresh = {name: np.ones((_DRAWN, *point[name].shape[1:])) for name in point}
    for name in point.keys() & {"p", "costs", "weights"}:
        fresh[name] = rng.integers(_LEAST[name], bound + 1, fresh[name].shape).astype(float)
    shape = fresh["rows"].shape
    fresh["rows"] = np.where(
        rng.random(shape) < 0.5, rng.integers(-bound, bound + 1, shape), 0
    ).astype(float)
    if "over" in point:
        fresh["over"] = np.full(_DRAWN, float(bound))
    return [at(fresh, index) for index in range(_DRAWN)]


def _shrunk(
    target: Attacked, layout: Layout, point: Points, wanted: float
) -> tuple[Layout, Points]:
    for _ in range(_ROUNDS):
        smaller = _without(target, layout, point)
        fewer = next(((to, one) for to, one in smaller if _good(target, to, [one], wanted)), None)
        if fewer is not None:
            layout, point = fewer
            continue
        length = target.space.exact(layout, point).length
        good = _good(target, layout, list(_simpler(point)), wanted)
        if not good or target.space.exact(layout, good[0]).length >= length:
            break
        point = good[0]
    return layout, point


def _simpler(point: Points) -> Iterator[Points]:
    """One number smaller, or a whole group."""
    for name, least in _LEAST.items():
        if name not in point:
            continue
        values = point[name]
        halved = np.trunc(values / 2)
        yield {**point, name: np.maximum(halved, least) if least else halved}
        yield {**point, name: 0 * values + least}
        if name == "rows":
            for row in range(values.shape[1]):
                yield {**point, name: values * (np.arange(values.shape[1]) != row)[None, :, None]}
        for index, value in np.ndenumerate(values):
            for new in {float(least), float(halved[index]), value - np.sign(value), abs(value)} - {
                value
            }:
                if new >= least or name == "rows":
                    changed = values.copy()
                    changed[index] = new
                    yield {**point, name: changed}
    if "over" in point:
        # Certain updates are the simplest.
        certain = np.broadcast_to(point["over"][:, None], point["p"].shape)
        yield {**point, "p": certain}
        for k in range(point["p"].shape[1]):
            yield {**point, "p": np.where(np.arange(point["p"].shape[1]) == k, certain, point["p"])}
        most = float(point["p"].max())
        for over in {most, point["over"][0] - 1} - {point["over"][0]}:
            if over >= most:
                yield {**point, "over": np.array([over])}


def _without(target: Attacked, layout: Layout, point: Points) -> Iterator[tuple[Layout, Points]]:
    """One coordinate fewer, and with the last of a block one block fewer, where the partition is
    allowed.
    """
    blocks = layout.blocks
    for gone in range(blocks.dimension):
        columns = [[i for i in range(rows.start, rows.stop) if i != gone] for rows in blocks.slices]
        order = sorted(
            (k for k in range(blocks.count) if columns[k]), key=lambda k: -len(columns[k])
        )
        sizes = tuple(len(columns[k]) for k in order)
        wanted = (sizes, layout.sampling)
        to = next(
            (one for one in target.space.layouts if (one.blocks.sizes, one.sampling) == wanted),
            None,
        )
        if to is None:
            continue
        found = {**point, "rows": point["rows"][:, :, [i for k in order for i in columns[k]]]}
        for name in point.keys() & {"p", "costs"}:
            if point[name].shape[1] == blocks.count:
                found[name] = point[name][:, order]
        if "weights" in point:
            kept = point["weights"].reshape((2,) * blocks.count)
            empty = tuple(k for k in range(blocks.count) if not columns[k])
            remaining = [k for k in range(blocks.count) if columns[k]]
            found["weights"] = (
                kept.sum(axis=empty).transpose([remaining.index(k) for k in order]).reshape(1, -1)
            )
        yield to, found
