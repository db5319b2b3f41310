"""The space of problems: a Gram matrix L, probabilities, costs, and where wanted a point, a
function, a stepsize.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rpttheory import Blocks
from rpttheory.errors import InvalidInput
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.theory.attack import starts
from rpttheory.theory.attack.space import Field, Points, rounded

from ..checks.exact import diag, plus, times
from .case import Case, read_case
from .ridge import Ridges
from .space import Layout
from .stack import Stack
from .stepsize import Limit

# A threshold at this bound stands for none.
NO_THRESHOLD = 4.0
_LEAST = 2.0**-6

PARTITIONS = ((1, 1), (1,), (2, 1), (1, 1, 1), (2, 2), (1, 2, 1), (1, 1, 1, 1))


def layouts(
    *steps: int, partitions: tuple[tuple[int, ...], ...] = PARTITIONS, tent: bool = False
) -> tuple[Layout, ...]:
    """Every partition with every number of steps, and with functions that are not convex where
    `tent`.
    """
    found = [Layout(Blocks(sizes), T) for sizes in partitions for T in steps or (0,)]
    if tent:
        found += [Layout(layout.blocks, layout.steps, "tent") for layout in found]
    return tuple(found)


@dataclass(frozen=True)
class Problems:
    """L = A'A + mu I with mu in a range; with a `limit` also a function and a stepsize.

    Attributes
    ----------
    mu : tuple of float
        The range of mu. (0, 0) leaves it out, a negative one makes L indefinite.
    point : bool
        Whether the statement speaks of a point x.
    functions : bool
        Whether there is a function f = sum h(a_j'x) + mu |x|^2 / 2; then there is a point as well.
    limit : Limit, optional
        Of the stepsize, where there are steps.
    full : bool
        Whether the stepsize must be the largest.
    """

    layouts: tuple[Layout, ...]
    mu: tuple[float, float] = (0.0, 0.0)
    point: bool = False
    functions: bool = False
    limit: Limit | None = None
    full: bool = False

    def fields(self, layout: Layout) -> tuple[Field, ...]:
        """Rows, probabilities, costs and a point; thresholds, mu and the share of the largest
        stepsize.
        """
        d = layout.blocks.dimension
        B = layout.blocks.count
        found = [
            Field("rows", (d + 1, d), -4.0, 4.0),
            Field("p", (B,), _LEAST, 1.0, scale=True),
            # Costs are squares, so that the closed form is rational wherever the L_k are squares as
            # well.
            Field("cost_roots", (B,), 2.0**-3, 1.0, scale=True),
            Field("mu", (), *self.mu),
        ]
        if self.point or self.functions:
            found.append(Field("x", (d,), -4.0, 4.0))
        if self.functions:
            found.append(Field("thresholds", (d + 1,), 0.0, NO_THRESHOLD))
        if self.limit is not None:
            found.append(Field("share", (), 1.0 if self.full else 0.125, 1.0))
        return tuple(found)

    def starts(self, layout: Layout, rng: np.random.Generator, count: int) -> Points:
        """One family of matrices with one of probabilities and one of points, drawn by lot."""
        blocks = layout.blocks
        d = blocks.dimension
        B = blocks.count
        cost_roots = 2.0 ** -rng.uniform(0, 3, (count, B))
        mu = rng.uniform(*self.mu, count) * rng.choice([0.25, 1.0])
        mu = np.clip(mu, *self.mu)
        thresholds = rng.uniform(0, 2, (count, d + 1))
        thresholds[rng.random((count, d + 1)) < rng.choice([0.5, 1.0])] = NO_THRESHOLD
        rows = starts.draw_rows(layout, rng, count, str(rng.choice(starts.ROWS)))
        L = self._matrix(rows, mu)
        family = str(rng.choice(starts.PROBABILITIES))
        p = starts.draw_probabilities(starts.block_constants(L, layout), cost_roots**2, rng, family)
        p = np.clip(p, _LEAST, 1.0)
        if self.functions and rng.random() < 0.3:
            mu = np.minimum(mu, p.min(axis=1) * rng.random(count))
            mu = np.clip(mu, *self.mu)
            rows = starts.rotated_rows(p[:, blocks.labels], mu, rng)
            thresholds = rng.choice([0.0, NO_THRESHOLD], (count, d + 1))
            L = self._matrix(rows, mu)
        found = {"rows": rows, "p": p, "cost_roots": cost_roots, "mu": mu, "thresholds": thresholds}
        found["share"] = np.ones(count)
        if rng.random() < 0.5:
            found["share"] = rng.uniform(0.125, 1.0, count)
        stack = self.stack(layout, found)
        kept = rows * (thresholds > 0)[:, :, None]
        H = self._matrix(kept, mu)
        found["x"] = starts.draw_x(
            L, H, p[:, blocks.labels], stack.stepsize, rng, str(rng.choice(starts.POINTS))
        )
        return {
            field.name: np.clip(found[field.name], field.low, field.high)
            for field in self.fields(layout)
        }

    def _matrix(self, rows: FloatArray, mu: FloatArray) -> FloatArray:
        return np.asarray(rows.swapaxes(1, 2) @ rows + mu[:, None, None] * np.eye(rows.shape[2]))

    def stack(self, layout: Layout, points: Points) -> Stack:
        """The problems in floats."""
        L = self._matrix(points["rows"], points["mu"])
        costs = points["cost_roots"] ** 2
        x = points.get("x", np.zeros((len(L), L.shape[1])))
        f = None
        if self.functions:
            limits = np.where(points["thresholds"] >= NO_THRESHOLD, np.inf, points["thresholds"])
            f = Ridges(points["rows"], limits, points["mu"], layout.shape)
        plain = Stack(layout.blocks, L, points["p"], costs, x, f, None, layout.steps)
        if self.limit is None:
            return plain
        with np.errstate(divide="ignore"):
            stepsize = points["share"] * self.limit.largest(plain)
        # The matrix 0 allows every stepsize, and a step of any length goes nowhere.
        stepsize = np.where(np.isfinite(stepsize), stepsize, 1.0)
        return Stack(layout.blocks, L, points["p"], costs, x, f, stepsize, layout.steps)

    def case(self, layout: Layout, point: Points, bits: int) -> Case | None:
        """The problem at a point rounded to multiples of 2^-bits, if floats hold it and no block
        vanishes.
        """
        simple = rounded(point, self.fields(layout), bits)
        stack = self.stack(layout, simple)
        rows = simple["rows"][0]
        mu = float(simple["mu"][0])
        columns = [[Fraction(value) for value in column] for column in rows.T.tolist()]
        exact = plus(times(columns, rows.tolist()), diag([Fraction(mu)] * len(columns)))
        L = np.array([[float(value) for value in row] for row in exact])
        if any(Fraction(L[i, j]) != exact[i][j] for i in range(len(L)) for j in range(len(L))):
            return None
        if not all(L[rows, rows].any() for rows in layout.blocks.slices):
            return None
        parts: dict[str, Any] = {
            "L": L,
            "p": simple["p"][0],
            "costs": stack.costs[0],
            "x": stack.point[0],
        }
        if stack.f is None:
            return Case(layout.blocks, **parts)
        kept = (rows != 0).any(axis=1)
        kept[0] |= not kept.any()
        parts |= {
            "rows": rows[kept],
            "thresholds": stack.f.thresholds[0][kept],
            "mu": mu,
            "shape": layout.shape,
        }
        if self.limit is None or stack.stepsize is None:
            return Case(layout.blocks, **parts, steps=layout.steps)
        mantissa, exponent = np.frexp(stack.stepsize[0])
        nearest = np.rint(np.ldexp(mantissa, bits + 3))
        for units in (nearest, nearest - 1, nearest - 2):
            case = Case(
                layout.blocks,
                **parts,
                stepsize=float(np.ldexp(units, exponent - bits - 3)),
                steps=layout.steps,
            )
            if self.limit.allowed(case):
                return case
        return None

    def read(self, found: dict[str, Any]) -> Case:
        """A saved case, with the assumptions of the statement checked exactly."""
        case = read_case(found)
        case.require_assumptions(semidefinite=self.mu[0] >= 0)
        if self.functions:
            self._require_class(case)
        if self.limit is not None and (case.stepsize is None or not self.limit.allowed(case)):
            raise InvalidInput(
                f"the stepsize must be at most {self.limit.text}",
                f"{case.stepsize}",
                "a smaller one",
            )
        return case

    def _require_class(self, case: Case) -> None:
        """Raise unless the function and the number of steps are ones that the statement speaks
        of.
        """
        if case.rows is None:
            raise InvalidInput(
                "the instance must have a function", "none", "the file as it was saved"
            )
        shapes = {layout.shape for layout in self.layouts}
        if case.shape not in shapes:
            raise InvalidInput(
                "the function must be convex", f"the shape {case.shape}", ", ".join(sorted(shapes))
            )
        if self.mu[0] > 0 and not case.mu > 0:
            raise InvalidInput("the function must be strongly convex", f"mu = {case.mu}", "mu > 0")
        least = min(layout.steps for layout in self.layouts)
        if case.steps < least:
            raise InvalidInput(
                f"there must be at least {least} steps", f"{case.steps}", f"steps = {least}"
            )
