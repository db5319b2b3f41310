"""The problems that an attack searches: positive semidefinite L, partitions, samplings and costs,
and where a statement speaks of them a point, a function and a stepsize.

A point of the space is a few arrays of floats: L = size A'A + mu I, p and the stepsize as a share
of the largest one, weights of sets of blocks, and costs, which are divided by their sum. In the
problem that is shown in the end, each float stands for the fraction of small denominator next to
it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..eigen.exact import simplest_between
from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from ..problem.sampling import OneOfEachGroup, TauNice
from ..problem.sampling.named import BUDGETED
from ..statements.batch import Batch, block_constants, closed_form, subsets
from ..statements.piecewise import Piecewise, Shape
from ..statements.table import ComputedStatement, StepLimit
from . import starts
from .instance import Function, Instance

# Arrays by name: the first axis counts points.
Points = Mapping[str, FloatArray]

# The least probability, cost and mu of a strongly convex function. The numbers here were chosen by
# hand: they keep floats far from underflow and fractions short.
_LEAST = 2.0**-6
# From here on a threshold is infinite.
_NO_THRESHOLD = 4.0
# The most blocks with weights for all of their sets.
_LARGEST_SET = 5
# No fraction of a problem that is shown has a larger denominator.
_LARGEST_DENOMINATOR = 10**6
# Relative distances from the largest stepsize at which a fraction is sought; the first interval
# contains the largest stepsize itself.
_STEPS = ((-1e-9, 1e-9), (-1e-6, -1e-9), (-1e-3, -1e-6))


@dataclass(frozen=True)
class Layout:
    """The choices that stay fixed during a climb."""

    blocks: Blocks
    sampling: str = "nested"
    steps: int = 0
    function: Shape = "huber"


@dataclass(frozen=True)
class Field:
    """An array of numbers between two bounds, which a search does not leave.

    Attributes
    ----------
    scale : bool
        True if numbers are moved by factors, False if by amounts.
    most : float
        The largest number outside the search; where it is infinite, so is a number at `high`.
    """

    name: str
    shape: tuple[int, ...]
    low: float
    high: float
    scale: bool = False
    most: float | None = None

    def clip(self, values: FloatArray) -> FloatArray:
        """Return the numbers within the bounds of the search."""
        clipped = np.clip(values, self.low, self.high)
        return np.where(clipped >= self.high, np.inf, clipped) if self.most == np.inf else clipped

    def allows(self, values: Any) -> bool:
        """Return True if a problem may have these numbers: their signs fit, and none is too
        large.
        """
        fits = np.isfinite(values) if self.most is None else np.less_equal(values, self.most)
        if self.low >= 0:
            fits &= np.greater(values, 0) if self.low > 0 else np.greater_equal(values, 0)
        if self.low == self.high:
            fits &= np.equal(values, self.low)
        return bool(np.all(fits))


@dataclass(frozen=True)
class ProblemSpace:
    """The problems that meet the conditions which are built in rather than tried.

    Attributes
    ----------
    layouts : tuple of Layout
        Partitions with a sampling; "explicit" stands for any distribution, and the blocks are
        dealt in turn to the groups of "groups:2".
    shape : {"", "diagonal", "block-diagonal"}
        Of L.
    p : {"", "closed", "equal"}
    costs : {"", "equal", "sizes"}
        They add up to 1.
    point : bool
        True if the statement speaks of a point x.
    statement : ComputedStatement, optional
        The statement about functions, with the class of functions and the stepsizes.
    """

    layouts: tuple[Layout, ...]
    shape: str = ""
    p: str = ""
    costs: str = ""
    point: bool = False
    statement: ComputedStatement | None = None

    @property
    def least_mu(self) -> float | None:
        """The least mu, or None where there are no functions."""
        if self.statement is None or not self.statement.functions:
            return None
        return _LEAST if self.statement.functions == "strongly convex" else 0.0

    @property
    def limit(self) -> StepLimit | None:
        """The condition on stepsizes, where there is one."""
        return None if self.statement is None else self.statement.limit

    def fields(self, layout: Layout) -> tuple[Field, ...]:
        """Return the arrays that vary."""
        d = layout.blocks.dimension
        B = layout.blocks.count
        fields = [Field("rows", (d + 1, d), -4.0, 4.0)]
        if layout.sampling == "explicit":
            fields.append(Field("weights", (2**B,), 0.0, 1.0))
        elif self.p != "closed" and not layout.sampling.startswith(TauNice.name):
            count = 1 if self.p == "equal" else B
            fields.append(Field("p", (count,), _LEAST, 1.0, scale=True, most=1.0))
        if self.point:
            fields.append(Field("x", (d,), -4.0, 4.0))
        if self.least_mu is None:
            fields.append(Field("size", (), 2.0**-6, 2.0**6, scale=True))
            if not self.costs:
                fields.append(Field("costs", (B,), _LEAST, 1.0, scale=True))
            return tuple(fields)
        fields.append(Field("mu", (), self.least_mu, 1.0))
        fields.append(Field("thresholds", (d + 1,), 0.0, _NO_THRESHOLD, most=np.inf))
        if self.statement is not None and self.limit is not None:
            least = 1.0 if self.statement.largest_step else 0.125
            fields.append(Field("share", (), least, 1.0, most=1.0))
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
        block_L = block_constants(self._matrix(layout, points), blocks)
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
            rows_of_f = points["rows"] * (points["thresholds"] > 0)[:, :, None]
            H = self._matrix(layout, {**points, "rows": rows_of_f})
            family = str(rng.choice(starts.POINTS))
            points["x"] = starts.draw_x(self.batch(layout, points), H, rng, family)
        return {field.name: field.clip(points[field.name]) for field in self.fields(layout)}

    def batch(self, layout: Layout, points: Points) -> Batch:
        """Return the problems at these points in floats."""
        L = self._matrix(layout, points)
        costs = self._costs(layout, points)
        sampling = self._sampling(layout, points, L, costs)
        x = points.get("x")
        batch = Batch(layout.blocks, L, costs=costs, x=x, steps=layout.steps, **sampling)
        if self.least_mu is None:
            return batch
        f = Piecewise(points["rows"], points["thresholds"], points["mu"], layout.function)
        stepsize = None
        if self.limit is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                stepsize = points["share"] * self.limit.largest(batch)
            # The matrix 0 allows every stepsize, and a step of any length goes nowhere.
            stepsize = np.where(np.isfinite(stepsize), stepsize, 1.0)
        return replace(batch, f=f, stepsize=stepsize)

    def _sampling(
        self, layout: Layout, points: Points, L: FloatArray, costs: FloatArray
    ) -> dict[str, Any]:
        """Return p, and p_kl / (p_k p_l) unless the sampling is nested, as fields of a batch."""
        count = layout.blocks.count
        n = len(L)
        kind, _, tau = layout.sampling.partition(":")
        apart: Any = 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            if kind == "explicit":
                weights = points["weights"]
                weights = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
                sets = np.array(subsets(count), dtype=float)
                joint = np.einsum("ns,sk,sl->nkl", weights, sets, sets)
                p = np.einsum("nkk->nk", joint)
                return {
                    "p": p,
                    "pairs": joint / (p[:, :, None] * p[:, None, :]),
                    "max_blocks": ((weights > 0) * sets.sum(axis=1)).max(axis=1),
                    "weights": weights,
                }
            if kind == TauNice.name:
                unit = points["rows"][0, 0, 0] * 0 + 1
                p = np.full((n, count), unit * int(tau) / count)
                apart = (int(tau) - 1) * count / (int(tau) * max(count - 1, 1))
            elif self.p == "closed":
                p = closed_form(block_constants(L, layout.blocks), costs)
            else:
                p = np.broadcast_to(points["p"], (n, count))
            if kind == "nested":
                return {"p": p}
            if kind in ("single", OneOfEachGroup.name):
                labels = np.arange(count) % int(tau or 1)
                same_group = labels[:, None] == labels[None, :]
                p = p / (p @ same_group.astype(int))
                apart = np.where(same_group, 0.0, 1.0)
            return {
                "p": p,
                "pairs": np.where(np.eye(count, dtype=bool), 1 / p[:, :, None], apart),
                "max_blocks": np.full(n, count if kind == "independent" else float(tau or 1)),
            }

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
        return np.asarray(points["size"][:, None, None] * L)

    def _mask(self, blocks: Blocks) -> NDArray[np.int_]:
        """Return the mask of the entries of A'A that stay.

        By Schur's theorem the product with it is positive semidefinite, too.
        """
        labels = np.arange(blocks.dimension) if self.shape == "diagonal" else blocks.labels
        if not self.shape:
            return np.ones((labels.size, labels.size), dtype=int)
        return np.asarray((labels[:, None] == labels[None, :]).astype(int))

    def lengths(self, layout: Layout, points: Points) -> FloatArray:
        """Return how much there is to read at each point: the sum of all numerators and
        denominators, and a little for each sign.
        """
        numbers = [self._matrix(layout, points), self._costs(layout, points)]
        if "weights" in points:
            total = points["weights"].sum(axis=1, keepdims=True)
            numbers.append(points["weights"] / np.maximum(total, 1e-300))
        numbers += [points[name] for name in points.keys() - {"rows", "size", "costs", "weights"}]
        n = len(points["rows"])
        every = np.concatenate([values.reshape(n, -1) for values in numbers], axis=1)
        return np.asarray(_lengths(every).sum(axis=1), dtype=float)

    def exact(self, layout: Layout, point: Points) -> Instance | None:
        """Return the problem at one point, in fractions.

        None where a block is never updated, or no simple stepsize is proved to meet the limit.
        """
        blocks = layout.blocks
        if layout.sampling == "explicit":
            positive = np.array(subsets(blocks.count))[point["weights"][0] > 0]
            if not positive.any(axis=0).all():
                return None
        fractions = {name: _as_fractions(values) for name, values in point.items()}
        instance = Instance(
            blocks.sizes,
            tuple(map(tuple, self._matrix(layout, fractions)[0].tolist())),
            tuple(self._costs(layout, fractions)[0].tolist()),
            layout.sampling,
            self._distribution(layout, fractions),
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
        if self.limit is None:
            return instance
        (stepsize,) = self.batch(layout, point).step.tolist()
        for low, high in _STEPS:
            ends = (Fraction(stepsize * (1 + low)), Fraction(stepsize * (1 + high)))
            candidate = replace(instance, stepsize=simplest_between(*ends))
            if self.limit.allows(candidate.exact):
                return candidate
        return None

    def _distribution(self, layout: Layout, point: Points) -> tuple[Fraction, ...] | None:
        if layout.sampling == "explicit":
            return tuple(point["weights"][0].tolist())
        if self.p == "closed":
            return None
        sampling = self._sampling(layout, point, point["rows"], point["rows"])
        return tuple(sampling["p"][0].tolist())


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
    for field in fields:
        shape = (count, *field.shape)
        axes = (slice(None), *[None] * len(field.shape))
        step = rng.standard_normal(shape) * distances[axes] * (rng.random(shape) < density[axes])
        step *= (rng.random(count) < 0.6)[axes]
        start = np.minimum(points[field.name][:1], field.high)
        neighbors[field.name] = field.clip(start * np.exp(step) if field.scale else start + step)
    return neighbors


def at(points: Points, index: int) -> Points:
    """Return one point, as a stack of one."""
    return {name: values[index : index + 1] for name, values in points.items()}


def layouts(samplings: tuple[str, ...], largest: int) -> list[Layout]:
    """Return every way to split up to `largest` coordinates, the small ones first."""
    sizes = [parts for d in range(1, largest + 1) for parts in _partitions(d, d)]
    sizes.sort(key=lambda parts: (sum(parts), len(parts)))
    return [
        Layout(Blocks(parts), name)
        for parts in sizes
        for sampling in samplings
        if sampling == "nested"
        or 1 < len(parts) <= (_LARGEST_SET if sampling == "explicit" else len(parts))
        for name in _with_tau(sampling, len(parts), alone=len(samplings) == 1)
    ]


def _with_tau(sampling: str, count: int, *, alone: bool) -> list[str]:
    """Return a sampling with every number of blocks in a step, if it needs one.

    One block and all of them are left to the other samplings, unless it is alone.
    """
    if sampling not in BUDGETED:
        return [sampling]
    numbers = range(1, count + 1) if alone else range(2, count)
    return [f"{sampling}:{tau}" for tau in numbers]


def space_of(statement: ComputedStatement) -> ProblemSpace:
    """Return the problems on which a statement without a formula is attacked."""
    shapes: tuple[Shape, ...] = ("huber", "tent") if statement.functions == "any" else ("huber",)
    samplings = ("nested", "explicit") if statement.functions else ("nested",)
    every = tuple(
        Layout(Blocks(sizes), sampling, T, shape)
        for shape in shapes
        for sizes in statement.partitions
        for T in statement.steps
        for sampling in samplings
        if sampling == "nested" or len(sizes) > 1
    )
    return ProblemSpace(every, point=True, statement=statement)


def _partitions(total: int, most: int) -> list[tuple[int, ...]]:
    if total == 0:
        return [()]
    return [
        (first, *smaller)
        for first in range(min(total, most), 0, -1)
        for smaller in _partitions(total - first, first)
    ]


@lru_cache(maxsize=2**16)
def as_fraction(value: float) -> Any:
    """Return the fraction of small denominator that a float stands for; infinity stays."""
    return value if value == np.inf else Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)


def _length(value: float) -> float:
    if not math.isfinite(value):
        return 0.0
    fraction: Fraction = as_fraction(value)
    return 2.0 * (abs(fraction.numerator) + fraction.denominator - 1) + (value < 0)


_as_fractions = np.frompyfunc(as_fraction, 1, 1)
_lengths = np.frompyfunc(_length, 1, 1)
