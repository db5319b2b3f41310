"""From a point in floats to simple problems in integers and fractions on which the ratio is still
large.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from .space import DENOMINATORS, Layout, Points, at, thresholds_of
from .target import Target

_LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 31, 50, 100, 200, 1000, 10**4, 10**5)
# The least value of each array of integers; rows and x may be negative.
_LEAST = {"rows": 0, "x": 0, "thresholds": 0, "weights": 0, "mu": 0}
_LEAST |= {"p": 1, "costs": 1, "share": 1, "size": 1, "below": 1}
_SIGNED = ("rows", "x")
_ROUNDS = 150
# Levels of rounding of which the results are compared, and fresh problems drawn for each bound.
_TRIES = 3
_DRAWN = 500

Candidate = tuple[Layout, Points]


def simplest(target: Target, layout: Layout, point: Points, wanted: float) -> list[Candidate]:
    """Return points in integers that keep the ratio wanted, the simplest first.

    Each is rounded as coarsely as keeps the ratio, and then made simpler step by step.
    """
    candidates: list[Candidate] = []
    for level in _LEVELS:
        good = _good(target, layout, rounded(target, point, level), wanted)
        candidates += [_shrunk(target, layout, good[0], wanted)] if good else []
        if len(candidates) == _TRIES:
            break
    if candidates:
        # Small numbers drawn afresh for the same blocks: what is far away may be simpler still.
        to, start = candidates[-1]
        rng = np.random.default_rng(0)
        for bound in (1, 2, 3):
            good = _good(target, to, _drawn(start, rng, bound), wanted)
            candidates += [_shrunk(target, to, good[0], wanted)] if good else []
    return sorted(candidates, key=lambda one: (one[0].blocks.dimension, _length(target, *one)))


def _length(target: Target, layout: Layout, point: Points) -> float:
    return float(target.space.lengths(layout, point)[0])


def _good(target: Target, layout: Layout, points: list[Points], wanted: float) -> list[Points]:
    """Return those with the ratio wanted, the shortest first."""
    if not points:
        return []
    stacked = {name: np.concatenate([one[name] for one in points]) for name in points[0]}
    enough = target.ratios(target.space.batch(layout, stacked)) >= wanted
    if not enough.any():
        return []
    order = np.argsort(target.space.lengths(layout, stacked), kind="stable")
    return [points[index] for index in order.tolist() if enough[index]]


def rounded(target: Target, point: Points, level: int) -> list[Points]:
    """Round every group of numbers to integers of at most `level`, in a few ways.

    Multiplying the rows and x by numbers a and b, the thresholds by a b and mu by a^2 multiplies
    both sides of a statement about functions alike.
    """
    row_scale = level / (float(np.abs(point["rows"]).max()) or 1.0)
    base = {"rows": np.rint(point["rows"] * row_scale)}
    if "x" in point:
        x_scale = level / (float(np.abs(point["x"]).max()) or 1.0)
        base["x"] = np.rint(point["x"] * x_scale)
    if "thresholds" in point:
        base["thresholds"] = np.rint(thresholds_of(point) * row_scale * x_scale)
        base["mu"] = np.maximum(np.rint(point["mu"] * row_scale**2), bool(target.space.least_mu))
    if "share" in point:
        base["share"] = np.maximum(np.rint(point["share"] * level), 1.0)
        base["parts"] = np.array([float(level)])
    for name in ("costs", "weights"):
        if name not in point:
            continue
        scale = level / max(float(point[name].max()), 1e-300)
        base[name] = np.maximum(_LEAST[name], np.rint(point[name] * scale))
    variants: list[Points] = [base]
    if "size" in point:
        unit = Fraction(float(point["size"][0]) / row_scale**2).limit_denominator(level)
        sizes = [(1, 1)] + [(unit.numerator, unit.denominator)] * (unit > 0)
        variants = [
            {**base, "size": np.array([float(size)]), "below": np.array([float(below)])}
            for size, below in sizes
        ]
    if "p" not in point:
        return variants
    with_p: list[Points] = []
    for variant in variants:
        # p as large as it is, and stretched until the largest is 1.
        for scale in (1.0, float(point["p"].max())):
            p = np.maximum(1.0, np.rint(point["p"] * (level / scale)))
            over = float(level) if scale == 1.0 else float(p.max())
            with_p.append({**variant, "p": np.minimum(p, over), "over": np.array([over])})
    return with_p


def _drawn(point: Points, rng: np.random.Generator, bound: int) -> list[Points]:
    """Draw points with integers of at most `bound`."""
    fresh = {name: np.ones((_DRAWN, *point[name].shape[1:])) for name in point}
    for name, values in fresh.items():
        chosen = rng.random(values.shape) < 0.5
        if name in _SIGNED:
            integers = rng.integers(-bound, bound + 1, values.shape)
            fresh[name] = np.where(chosen, integers, 0).astype(float)
        elif name == "thresholds":
            fresh[name] = np.where(chosen, np.inf, rng.integers(0, bound + 1, values.shape))
        elif name in ("p", "costs", "weights"):
            fresh[name] = rng.integers(_LEAST[name], bound + 1, values.shape).astype(float)
    if "over" in point:
        fresh["over"] = np.full(_DRAWN, float(bound))
    return [at(fresh, index) for index in range(_DRAWN)]


def _shrunk(target: Target, layout: Layout, point: Points, wanted: float) -> Candidate:
    """Leave out coordinates, make numbers smaller until none can be, and begin again."""
    shorter: Points | None = None
    for _ in range(_ROUNDS):
        if shorter is None:
            smaller = _without(target, layout, point)
            fewer = next((one for one in smaller if _good(target, one[0], [one[1]], wanted)), None)
            if fewer is not None:
                layout, point = fewer
                continue
        good = _good(target, layout, list(_simpler(target, point)), wanted)
        length = _length(target, layout, point)
        if good and _length(target, layout, good[0]) < length:
            point = shorter = good[0]
        elif shorter is None:
            break
        else:
            shorter = None
    return layout, point


def _simpler(target: Target, point: Points) -> Iterator[Points]:
    """Make one number smaller, or a whole group."""
    for name in _LEAST:
        if name not in point:
            continue
        least = 1 if name == "mu" and target.space.least_mu else _LEAST[name]
        values = point[name]
        halved = np.trunc(values / 2)
        yield {**point, name: np.maximum(halved, least) if least else halved}
        yield {**point, name: np.full_like(values, least)}
        if name == "rows":
            for row in range(values.shape[1]):
                yield {**point, name: values * (np.arange(values.shape[1]) != row)[None, :, None]}
        if name == "thresholds":
            yield {**point, name: np.full_like(values, np.inf)}
        for index, value in np.ndenumerate(values):
            options = {float(least), float(halved[index]), value - np.sign(value), abs(value)}
            options |= {np.inf} if name == "thresholds" else set()
            for new in sorted(options - {value}):
                if new >= least or name in _SIGNED:
                    changed = values.copy()
                    changed[index] = new
                    yield {**point, name: changed}
    for name, below in DENOMINATORS.items():
        if name == "size" or name not in point:
            continue
        # Certain updates, and the largest stepsize, are the simplest.
        values = point[name]
        whole = np.broadcast_to(point[below].reshape(-1, *[1] * (values.ndim - 1)), values.shape)
        yield {**point, name: whole}
        for index in np.ndindex(values.shape):
            changed = values.copy()
            changed[index] = whole[index]
            yield {**point, name: changed}
        most = float(values.max())
        for denominator in sorted({most, point[below][0] - 1} - {point[below][0]}):
            if denominator >= most:
                yield {**point, below: np.array([denominator])}


def _without(target: Target, layout: Layout, point: Points) -> Iterator[Candidate]:
    """Leave out one coordinate, and with the last of a block the block, if the partition is
    allowed.
    """
    blocks = layout.blocks
    for gone in range(blocks.dimension):
        columns = [[i for i in range(rows.start, rows.stop) if i != gone] for rows in blocks.slices]
        order = sorted(
            (k for k in range(blocks.count) if columns[k]), key=lambda k: -len(columns[k])
        )
        sizes = tuple(len(columns[k]) for k in order)
        to = next((one for one in target.space.layouts if _matches(one, sizes, layout)), None)
        if to is None:
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
            remaining = [k for k in range(blocks.count) if columns[k]]
            axes = [remaining.index(k) for k in order]
            smaller["weights"] = weights.sum(axis=empty).transpose(axes).reshape(1, -1)
        yield to, smaller


def _matches(one: Layout, sizes: tuple[int, ...], layout: Layout) -> bool:
    fixed = (layout.sampling, layout.steps, layout.function)
    return one.blocks.sizes == sizes and (one.sampling, one.steps, one.function) == fixed
