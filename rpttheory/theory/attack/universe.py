"""Everything that a claim speaks of: positive semidefinite L, partitions, laws of sets of blocks,
and costs.

A point of the space is a few arrays of numbers, the same for the search, where they are floats, and
for the instance that is shown in the end, where they are integers: L = size / below A'A, p over a
denominator or weights of sets of blocks, and costs over their sum.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...numbers.exact_array import FloatArray
from ...problem.blocks import Blocks
from ...statements.batch import Batch, closed_form
from . import starts
from .instance import Instance
from .space import Field, Layout, Points

_LEAST = 2.0**-6
_LARGEST_SET = 5


@dataclass(frozen=True)
class Universe:
    """The problems that meet the conditions which are built in rather than tried.

    Attributes
    ----------
    layouts : tuple of Layout
        Partitions with a sampling; "explicit" stands for any law whatever.
    shape : {"", "diagonal", "block-diagonal"}
        Of L.
    p : {"", "closed", "equal"}
    costs : {"", "equal", "sizes"}
        They add up to 1.
    """

    layouts: tuple[Layout, ...]
    shape: str = ""
    p: str = ""
    costs: str = ""

    def fields(self, layout: Layout) -> tuple[Field, ...]:
        """What varies: rows of A, the size of L, the law, the costs."""
        d = layout.blocks.dimension
        B = layout.blocks.count
        found = [
            Field("rows", (d + 1, d), -4.0, 4.0),
            Field("size", (), 2.0**-6, 2.0**6, scale=True),
        ]
        if layout.sampling == "explicit":
            found.append(Field("weights", (2**B,), 0.0, 1.0))
        elif self.p != "closed":
            found.append(Field("p", (1 if self.p == "equal" else B,), _LEAST, 1.0, scale=True))
        if not self.costs:
            found.append(Field("costs", (B,), _LEAST, 1.0, scale=True))
        return tuple(found)

    def starts(self, layout: Layout, rng: np.random.Generator, count: int) -> Points:
        """One family of matrices with one of probabilities and one of costs, drawn by lot."""
        B = layout.blocks.count
        costs = 2.0 ** -rng.uniform(0, 4, (count, B)) if rng.random() < 0.7 else np.ones((count, B))
        rows = starts.draw_rows(layout, rng, count, str(rng.choice(starts.ROWS)))
        found = {"rows": rows, "size": 2.0 ** rng.uniform(-3, 3, count), "costs": costs}
        family = str(rng.choice(starts.PROBABILITIES))
        L = self._matrix(layout, found)
        found["p"] = starts.draw_probabilities(
            starts.block_constants(L, layout), costs, rng, family
        )
        if self.p == "equal":
            found["p"] = found["p"][:, :1]
        found["weights"] = rng.random((count, 2**B)) * (
            rng.random((count, 2**B)) < rng.choice([0.3, 1.0])
        )
        # Every block is in some set.
        found["weights"][:, -1] += 0.01
        return {
            field.name: np.clip(found[field.name], field.low, field.high)
            for field in self.fields(layout)
        }

    def stack(self, layout: Layout, points: Points) -> Batch:
        """The problems in floats."""
        blocks = layout.blocks
        n = len(points["rows"])
        L = self._matrix(layout, points)
        if self.costs:
            costs = np.tile(
                np.array(blocks.sizes if self.costs == "sizes" else [1.0] * blocks.count), (n, 1)
            )
        else:
            costs = points["costs"]
        costs = costs / costs.sum(axis=1, keepdims=True)
        if layout.sampling == "explicit":
            weights = points["weights"] / np.maximum(
                points["weights"].sum(axis=1, keepdims=True), 1e-300
            )
            sets = np.array(subsets(blocks.count), dtype=float)
            joint = np.einsum("ns,sk,sl->nkl", weights, sets, sets)
            p = np.einsum("nkk->nk", joint)
            with np.errstate(divide="ignore", invalid="ignore"):
                return Batch(blocks, L, p, costs, pairs=joint / (p[:, :, None] * p[:, None, :]))
        if self.p == "closed":
            with np.errstate(divide="ignore", invalid="ignore"):
                p = closed_form(starts.block_constants(L, layout), costs)
        else:
            p = np.broadcast_to(
                points["p"] / points.get("over", np.ones(n))[:, None], (n, blocks.count)
            )
        if layout.sampling == "nested":
            return Batch(blocks, L, p, costs)
        if layout.sampling == "single":
            p = p / p.sum(axis=1, keepdims=True)
        apart = 1.0 if layout.sampling == "independent" else 0.0
        with np.errstate(divide="ignore"):
            pairs = np.where(np.eye(blocks.count, dtype=bool), 1 / p[:, :, None], apart)
        return Batch(blocks, L, p, costs, pairs=pairs)

    def _matrix(self, layout: Layout, points: Points) -> FloatArray:
        rows = points["rows"]
        size = points["size"] / points.get("below", np.ones(len(points["rows"])))
        return np.asarray(size[:, None, None] * (rows.swapaxes(1, 2) @ rows) * self._mask(layout))

    def _mask(self, layout: Layout) -> FloatArray:
        """What of A'A is kept: by Schur's theorem the product with the mask is positive
        semidefinite, too.
        """
        labels = (
            np.arange(layout.blocks.dimension) if self.shape == "diagonal" else layout.blocks.labels
        )
        return (
            np.ones((labels.size, labels.size))
            if not self.shape
            else (labels[:, None] == labels[None, :]) * 1.0
        )

    def exact(self, layout: Layout, point: Points) -> Instance:
        """The problem at one point of integers, in fractions."""
        rows = [[int(value) for value in row] for row in point["rows"][0].tolist()]
        unit = Fraction(int(point["size"][0]), int(point["below"][0]))
        mask = self._mask(layout)
        d = layout.blocks.dimension
        L = [
            [unit * int(mask[i, j]) * sum(row[i] * row[j] for row in rows) for j in range(d)]
            for i in range(d)
        ]
        B = layout.blocks.count
        costs = {"sizes": layout.blocks.sizes, "equal": (1,) * B}.get(self.costs) or _integers(
            point["costs"]
        )
        shares = tuple(Fraction(c, sum(costs)) for c in costs)
        law: tuple[Fraction, ...] | None = None
        if layout.sampling == "explicit":
            law = tuple(map(Fraction, _integers(point["weights"])))
        elif self.p != "closed":
            p = _integers(point["p"]) * (B if self.p == "equal" else 1)
            over = sum(p) if layout.sampling == "single" else int(point["over"][0])
            law = tuple(Fraction(value, over) for value in p)
        return Instance(layout.blocks.sizes, tuple(map(tuple, L)), shares, layout.sampling, law)

    def admits(self, instance: Instance) -> bool:
        """Whether an instance from elsewhere is one of these problems."""
        sizes = tuple(sorted(instance.sizes, reverse=True))
        if sum(instance.costs) != 1 or (instance.law is None) != (self.p == "closed"):
            return False
        given = {"equal": [1] * len(sizes), "sizes": instance.sizes}.get(self.costs, instance.costs)
        shaped = self._mask(Layout(Blocks(instance.sizes)))
        return (
            any(
                (one.blocks.sizes, one.sampling) == (sizes, instance.sampling)
                for one in self.layouts
            )
            and all(c * sum(given) == share for c, share in zip(instance.costs, given, strict=True))
            and (self.p != "equal" or len(set(instance.law or ())) == 1)
            and not any(
                x and not shaped[i, j]
                for i, row in enumerate(instance.L)
                for j, x in enumerate(row)
            )
        )


def subsets(count: int) -> list[tuple[bool, ...]]:
    """All sets of blocks, the empty one first and the whole one last."""
    return list(itertools.product((False, True), repeat=count))


def layouts(samplings: tuple[str, ...], largest: int) -> list[Layout]:
    """Every way to split up to `largest` coordinates, the small ones first."""
    sizes = [parts for d in range(1, largest + 1) for parts in _partitions(d, d)]
    sizes.sort(key=lambda parts: (sum(parts), len(parts)))
    return [
        Layout(Blocks(parts), sampling=sampling)
        for parts in sizes
        for sampling in samplings
        if sampling == "nested"
        or 1 < len(parts) <= (_LARGEST_SET if sampling == "explicit" else len(parts))
    ]


def _partitions(total: int, most: int) -> list[tuple[int, ...]]:
    if total == 0:
        return [()]
    return [
        (first, *rest)
        for first in range(min(total, most), 0, -1)
        for rest in _partitions(total - first, first)
    ]


def _integers(values: FloatArray) -> tuple[int, ...]:
    return tuple(int(value) for value in values[0].tolist())
