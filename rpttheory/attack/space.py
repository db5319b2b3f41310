"""The problems that an attack searches: positive semidefinite L, partitions, samplings and costs,
and where a statement speaks of them a point, a function and a stepsize.

A point of the space is a few arrays of numbers. They are floats during the search, and integers in
the problem that is shown in the end: L = size / below A'A + mu I, p and the share of the largest
stepsize over denominators, weights of sets of blocks, and costs over their sum.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from ..statements.batch import Batch, closed_form
from ..statements.piecewise import Numbers, Piecewise, Shape
from ..statements.table import SidesStatement
from . import starts
from .instance import Function, Instance

# Arrays by name: the first axis counts points.
Points = Mapping[str, FloatArray]

# The least probability, cost and mu of a strongly convex function.
_LEAST = 2.0**-6
# A threshold at this bound stands for none.
_NO_THRESHOLD = 4.0
_LARGEST_SET = 5
# What is a numerator in the final problem, with its denominator.
DENOMINATORS = {"size": "below", "p": "over", "share": "parts"}
# Relative distances from the largest stepsize at which a fraction is sought; the first interval
# contains the largest stepsize itself.
_STEPS = ((-1e-9, 1e-9), (-1e-6, -1e-9), (-1e-3, -1e-6))


@dataclass(frozen=True)
class Layout:
    """The choices that are fixed while a climb goes on."""

    blocks: Blocks
    sampling: str = "nested"
    steps: int = 0
    function: Shape = "huber"


@dataclass(frozen=True)
class Field:
    """An array of numbers between two bounds, moved by factors if `scale` and else by amounts."""

    name: str
    shape: tuple[int, ...]
    low: float
    high: float
    scale: bool = False


@dataclass(frozen=True)
class ProblemSpace:
    """The problems that meet the conditions which are built in rather than tried.

    Attributes
    ----------
    layouts : tuple of Layout
        Partitions with a sampling; "explicit" stands for any distribution.
    shape : {"", "diagonal", "block-diagonal"}
        Of L.
    p : {"", "closed", "equal"}
    costs : {"", "equal", "sizes"}
        They add up to 1.
    point : bool
        True if the statement speaks of a point x.
    statement : SidesStatement, optional
        The statement about functions, with the class of functions and the stepsizes.
    """

    layouts: tuple[Layout, ...]
    shape: str = ""
    p: str = ""
    costs: str = ""
    point: bool = False
    statement: SidesStatement | None = None

    @property
    def least_mu(self) -> float | None:
        """The least mu, or None where there are no functions."""
        if self.statement is None or not self.statement.functions:
            return None
        return _LEAST if self.statement.functions == "strongly convex" else 0.0

    def fields(self, layout: Layout) -> tuple[Field, ...]:
        """Return the arrays that vary."""
        d = layout.blocks.dimension
        B = layout.blocks.count
        fields = [Field("rows", (d + 1, d), -4.0, 4.0)]
        if layout.sampling == "explicit":
            fields.append(Field("weights", (2**B,), 0.0, 1.0))
        elif self.p != "closed":
            fields.append(Field("p", (1 if self.p == "equal" else B,), _LEAST, 1.0, scale=True))
        if self.point:
            fields.append(Field("x", (d,), -4.0, 4.0))
        if self.least_mu is None:
            fields.append(Field("size", (), 2.0**-6, 2.0**6, scale=True))
            if not self.costs:
                fields.append(Field("costs", (B,), _LEAST, 1.0, scale=True))
            return tuple(fields)
        fields.append(Field("mu", (), self.least_mu, 1.0))
        fields.append(Field("thresholds", (d + 1,), 0.0, _NO_THRESHOLD))
        if self.statement is not None and self.statement.limit is not None:
            fields.append(Field("share", (), 1.0 if self.statement.largest_step else 0.125, 1.0))
        return tuple(fields)

    def starts(self, layout: Layout, rng: np.random.Generator, count: int) -> Points:
        """Draw one family of matrices with one of probabilities, one of costs and one of points."""
        blocks = layout.blocks
        B = blocks.count
        d = blocks.dimension
        equal = rng.random() < 0.5
        costs = np.ones((count, B)) if equal else 2.0 ** -rng.uniform(0, 4, (count, B))
        points = {
            "rows": starts.draw_rows(blocks, rng, count, str(rng.choice(starts.ROWS))),
            "size": 2.0 ** rng.uniform(-3, 3, count),
            "costs": costs,
            "mu": rng.random(count) * rng.choice([0.25, 1.0]),
            "thresholds": starts.draw_thresholds((count, d + 1), rng, _NO_THRESHOLD),
            "share": np.ones(count) if rng.random() < 0.5 else rng.uniform(0.125, 1.0, count),
        }
        points["mu"] = np.maximum(points["mu"], self.least_mu or 0.0)
        block_L = starts.block_constants(self._matrix(layout, points), blocks)
        family = str(rng.choice(starts.PROBABILITIES))
        p = np.clip(starts.draw_probabilities(block_L, costs, rng, family), _LEAST, 1.0)
        points["p"] = p[:, :1] if self.p == "equal" else p
        points["weights"] = starts.draw_weights((count, 2**B), rng)
        if self.least_mu is not None and rng.random() < 0.3:
            mu = np.minimum(points["mu"], p.min(axis=1) * rng.random(count))
            points["mu"] = np.maximum(mu, self.least_mu)
            points["rows"] = starts.rotated_rows(p[:, blocks.labels], points["mu"], rng)
            points["thresholds"] = rng.choice([0.0, _NO_THRESHOLD], (count, d + 1))
        if self.point:
            kept = points["rows"] * (points["thresholds"] > 0)[:, :, None]
            H = self._matrix(layout, {**points, "rows": kept})
            family = str(rng.choice(starts.POINTS))
            points["x"] = starts.draw_x(self.batch(layout, points), H, rng, family)
        return {
            one.name: np.clip(points[one.name], one.low, one.high) for one in self.fields(layout)
        }

    def batch(self, layout: Layout, points: Points) -> Batch:
        """Return the problems at these points in floats."""
        blocks = layout.blocks
        n = len(points["rows"])
        L = self._matrix(layout, points)
        costs = self._costs(layout, points)
        p, pairs = self._sampling(layout, points, L, costs)
        x = points.get("x")
        if self.least_mu is None:
            return Batch(blocks, L, p, costs, x, pairs=pairs)
        f = Piecewise(points["rows"], thresholds_of(points), points["mu"], layout.function)
        stepsize = None
        if self.statement is not None and self.statement.limit is not None:
            plain = Batch(blocks, L, p, costs, steps=layout.steps)
            share = points["share"] / points.get("parts", np.ones(n))
            with np.errstate(divide="ignore"):
                stepsize = share * self.statement.limit.largest(plain)
            # The matrix 0 allows every stepsize, and a step of any length goes nowhere.
            stepsize = np.where(np.isfinite(stepsize), stepsize, 1.0)
        return Batch(blocks, L, p, costs, x, f=f, stepsize=stepsize, steps=layout.steps)

    def _sampling(
        self, layout: Layout, points: Points, L: FloatArray, costs: FloatArray
    ) -> tuple[FloatArray, FloatArray | None]:
        """Return p, and p_kl / (p_k p_l) unless the sampling is nested."""
        count = layout.blocks.count
        n = len(L)
        with np.errstate(divide="ignore", invalid="ignore"):
            if layout.sampling == "explicit":
                weights = points["weights"]
                weights = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
                sets = np.array(subsets(count), dtype=float)
                joint = np.einsum("ns,sk,sl->nkl", weights, sets, sets)
                p = np.einsum("nkk->nk", joint)
                return p, joint / (p[:, :, None] * p[:, None, :])
            if self.p == "closed":
                p = closed_form(starts.block_constants(L, layout.blocks), costs)
            else:
                over = points.get("over", np.ones(n))
                p = np.broadcast_to(points["p"] / over[:, None], (n, count))
            if layout.sampling == "nested":
                return p, None
            if layout.sampling == "single":
                p = p / p.sum(axis=1, keepdims=True)
            apart = 1.0 if layout.sampling == "independent" else 0.0
            return p, np.where(np.eye(count, dtype=bool), 1 / p[:, :, None], apart)

    def _costs(self, layout: Layout, points: Points) -> FloatArray:
        costs = points.get("costs")
        if self.costs or costs is None:
            sizes = layout.blocks.sizes if self.costs == "sizes" else (1,) * layout.blocks.count
            # Ones of the type of the numbers, floats or fractions.
            costs = (points["rows"][:, 0, :1] * 0 + 1) * np.array(sizes)
        return np.asarray(costs / costs.sum(axis=1, keepdims=True))

    def _matrix(self, layout: Layout, points: Points) -> FloatArray:
        rows = points["rows"]
        L = (rows.swapaxes(1, 2) @ rows) * self._mask(layout.blocks)
        if self.least_mu is not None:
            return np.asarray(L + points["mu"][:, None, None] * np.eye(rows.shape[2], dtype=int))
        size = points["size"] / points.get("below", np.ones(len(rows)))
        return np.asarray(size[:, None, None] * L)

    def _mask(self, blocks: Blocks) -> NDArray[np.int_]:
        """Return the mask of the entries of A'A that stay.

        By Schur's theorem the product with it is positive semidefinite, too.
        """
        labels = np.arange(blocks.dimension) if self.shape == "diagonal" else blocks.labels
        if not self.shape:
            return np.ones((labels.size, labels.size), dtype=int)
        return np.asarray((labels[:, None] == labels[None, :]).astype(int))

    def lengths(self, layout: Layout, points: Points) -> FloatArray:
        """Return how much there is to read at points of integers.

        That is the sum of all numerators and denominators, and a little for each sign.
        """
        n = len(points["rows"])
        ones = np.ones(n)
        L = self._matrix(layout, {**points, "below": ones}).reshape(n, -1)
        total = _length(L, points.get("below", ones))
        for name in ("p", "share"):
            if name in points:
                total = total + _length(points[name], points[DENOMINATORS[name]])
        for name in ("costs", "weights"):
            if name in points:
                total = total + _length(points[name], points[name].sum(axis=1))
        for name in ("x", "thresholds", "mu"):
            if name in points:
                total = total + _length(points[name], ones)
        return total

    def exact(self, layout: Layout, point: Points) -> Instance | None:
        """Return the problem at one point of integers, in fractions.

        None where no simple stepsize is proved to meet the limit.
        """
        blocks = layout.blocks
        fractions = {name: as_fractions(values) for name, values in point.items()}
        instance = Instance(
            blocks.sizes,
            tuple(map(tuple, self._matrix(layout, fractions)[0].tolist())),
            tuple(self._costs(layout, fractions)[0].tolist()),
            layout.sampling,
            self._law(layout, fractions),
            x=tuple(fractions["x"][0].tolist()) if "x" in point else None,
        )
        if self.least_mu is None:
            return instance
        rows = fractions["rows"][0].tolist()
        limits = fractions["thresholds"][0].tolist()
        used = [j for j, row in enumerate(rows) if any(row)] or [0]
        function = Function(
            tuple(tuple(rows[j]) for j in used),
            tuple(None if limits[j] == np.inf else limits[j] for j in used),
            fractions["mu"][0],
            layout.function,
        )
        instance = replace(instance, function=function, steps=layout.steps)
        if self.statement is None or self.statement.limit is None:
            return instance
        (stepsize,) = self.batch(layout, point).step.tolist()
        for low, high in _STEPS:
            ends = (Fraction(stepsize * (1 + low)), Fraction(stepsize * (1 + high)))
            candidate = replace(instance, stepsize=simplest_between(*ends))
            if self.statement.limit.allows(candidate.exact):
                return candidate
        return None

    def _law(self, layout: Layout, point: Points) -> tuple[Fraction, ...] | None:
        if layout.sampling == "explicit":
            return tuple(point["weights"][0].tolist())
        if self.p == "closed":
            return None
        p, _ = self._sampling(layout, point, point["rows"], point["rows"])
        return tuple(p[0].tolist())

    def admits(self, instance: Instance) -> bool:
        """Return True if an instance from elsewhere is one of these problems."""
        sizes = tuple(sorted(instance.sizes, reverse=True))
        f = instance.function
        chosen = (sizes, instance.sampling, instance.steps, "huber" if f is None else f.shape)
        if chosen not in {
            (one.blocks.sizes, one.sampling, one.steps, one.function) for one in self.layouts
        }:
            return False
        if (f is None) != (self.least_mu is None) or (instance.x is None) == self.point:
            return False
        if sum(instance.costs) != 1 or (instance.law is None) != (self.p == "closed"):
            return False
        costs = {"equal": [1] * len(sizes), "sizes": instance.sizes}.get(self.costs, instance.costs)
        mask = self._mask(Blocks(instance.sizes))
        return (
            all(c * sum(costs) == share for c, share in zip(instance.costs, costs, strict=True))
            and (self.p != "equal" or len(set(instance.law or ())) == 1)
            and not any(
                entry and not mask[i, j]
                for i, row in enumerate(instance.L)
                for j, entry in enumerate(row)
            )
            and (f is None or self._admits_function(instance, f))
        )

    def _admits_function(self, instance: Instance, f: Function) -> bool:
        assert self.statement is not None
        if f.mu < 0 or (self.least_mu and not f.mu) or not instance.is_smooth:
            return False
        limit = self.statement.limit
        return limit is None or (instance.stepsize is not None and limit.allows(instance.exact))


def moved(
    points: Points, fields: tuple[Field, ...], rng: np.random.Generator, size: float, count: int
) -> Points:
    """Return `count` neighbors of the first point, at distances from `size` to a thousandth of it.

    Each neighbor moves some of the fields, and some of their entries, so that single numbers are
    tried as well.
    """
    distances = size * 2.0 ** -rng.uniform(0, 10, count)
    density = rng.choice([0.2, 1.0], count)
    neighbors = {}
    for one in fields:
        shape = (count, *one.shape)
        axes = (slice(None), *[None] * len(one.shape))
        step = rng.standard_normal(shape) * distances[axes] * (rng.random(shape) < density[axes])
        step *= (rng.random(count) < 0.6)[axes]
        start = points[one.name][:1]
        value = start * np.exp(step) if one.scale else start + step
        neighbors[one.name] = np.clip(value, one.low, one.high)
    return neighbors


def thresholds_of(points: Points) -> FloatArray:
    """Return the thresholds, infinite for none."""
    values = points["thresholds"]
    if "over" in points:  # integers, which have no bound
        return values
    return np.where(values >= _NO_THRESHOLD, np.inf, values)


def at(points: Points, index: int) -> Points:
    """Return one point, as a stack of one."""
    return {name: values[index : index + 1] for name, values in points.items()}


def subsets(count: int) -> list[tuple[bool, ...]]:
    """Return all sets of blocks, the empty one first and the whole one last."""
    return list(itertools.product((False, True), repeat=count))


def layouts(samplings: tuple[str, ...], largest: int) -> list[Layout]:
    """Return every way to split up to `largest` coordinates, the small ones first."""
    sizes = [parts for d in range(1, largest + 1) for parts in _partitions(d, d)]
    sizes.sort(key=lambda parts: (sum(parts), len(parts)))
    return [
        Layout(Blocks(parts), sampling)
        for parts in sizes
        for sampling in samplings
        if sampling == "nested"
        or 1 < len(parts) <= (_LARGEST_SET if sampling == "explicit" else len(parts))
    ]


def space_of(statement: SidesStatement) -> ProblemSpace:
    """Return the problems on which a statement without a formula is attacked."""
    shapes: tuple[Shape, ...] = ("huber", "tent") if statement.functions == "any" else ("huber",)
    every = tuple(
        Layout(Blocks(sizes), "nested", T, shape)
        for shape in shapes
        for sizes in statement.partitions
        for T in statement.steps
    )
    return ProblemSpace(every, point=True, statement=statement)


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the least denominator in [low, high], for 0 < low < high."""
    whole = -(-low // 1)
    if whole <= high:
        return Fraction(whole)
    return whole - 1 + 1 / simplest_between(1 / (high - whole + 1), 1 / (low - whole + 1))


def _partitions(total: int, most: int) -> list[tuple[int, ...]]:
    if total == 0:
        return [()]
    return [
        (first, *smaller)
        for first in range(min(total, most), 0, -1)
        for smaller in _partitions(total - first, first)
    ]


def _length(numerators: FloatArray, denominators: FloatArray) -> FloatArray:
    """Return the length of reduced fractions, summed over all but the first axis."""
    finite = np.where(np.isfinite(numerators), np.minimum(np.abs(numerators), 2.0**62), 0.0)
    sizes = finite.reshape(len(finite), -1).astype(np.int64)
    below = denominators.astype(np.int64)[:, None]
    divisors = np.maximum(np.gcd(sizes, below), 1)
    lengths = 2.0 * (sizes // divisors) + 2.0 * (below // divisors) - 2.0
    signs = (numerators < 0).reshape(len(finite), -1)
    return np.asarray((lengths + signs).sum(axis=1))


def as_fractions(values: FloatArray) -> Numbers:
    """Return integers as fractions; infinity stays."""
    exact = [value if value == np.inf else Fraction(value) for value in values.ravel().tolist()]
    return np.array(exact, dtype=object).reshape(values.shape)
