"""Low-rank route: climb, drop the columns that fade, fit the multipliers, estimate the gap, prove
once.

Spurious stationary points exist in theory, and a column may be dropped that is wanted after all.
Both show as a direction in which the multipliers are infeasible; it joins V as a new column.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from ..eigen.eigenpairs import lanczos
from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from ..problem.smoothness import Smoothness
from ..problem.smoothness.dense import symmetric_product
from .climb import LONG_MEMORY, SHORT_MEMORY, Climb, Floats
from .groups import Group, groups_apart, turned
from .judge import Judge
from .multipliers import Fit

_LARGEST_STEPS = 5000
_LARGEST_RANK = 40
# From this dimension on dense products in single precision save more than the copy of L costs.
_SINGLE_DIMENSION = 500
# Single precision climbs to this size of the gradient.
_SINGLE_RESIDUAL = 1e-6
# Below the first size of the gradient columns shorter than this share of the longest are dropped,
# and below the second only those of a third of that.
_TRUNCATED_RESIDUAL = 1e-3
_CAREFUL_RESIDUAL = 1e-5
_SHORT_COLUMN = 0.03
_LANCZOS_STEPS = 20
# Groups of coordinates are turned against one another below these sizes of the gradient, and then
# no more.
_TURNED_RESIDUALS = (1e-3, 1e-4, 0.0)


def solve(judge: Judge, rng: np.random.Generator) -> None:
    """Climb until the certified gap is within the tolerance, or no progress is left."""
    program = judge.program
    if not program.plain:
        raise InvalidInput(
            "method 'low-rank' knows neither an overhead nor a forced order",
            "one of them was given",
            "'interior-point' or 'subspace'",
        )
    _Search(judge, rng).run()


class _Search:
    """One run: the climb on the shifted matrix, and when to look at what it has reached."""

    def __init__(self, judge: Judge, rng: np.random.Generator) -> None:
        self.judge = judge
        program = judge.program
        blocks = program.blocks
        d = program.blocks.dimension
        # Costs in any unit: the iteration sees them over a power of four, whose root is exact.
        self.unit = 4.0 ** round(math.log(float(program.costs.sum()), 4))
        self.costs = program.costs / self.unit
        self.matrix = ShiftedMatrix(program.smoothness, rng)
        self.offset = self.matrix.floor * float(self.costs.sum())
        self.known = program.smoothness.explicit() is not None
        rank = min(d, math.isqrt(2 * blocks.count) + 2, _LARGEST_RANK) if self.known else min(d, 2)
        wide = float(self.costs.min()) < 1e-12 * float(self.costs.max())
        single = self.matrix.single and not wide
        start = rng.standard_normal((d, rank)).astype(np.float32 if single else np.float64)
        memory = SHORT_MEMORY if self.matrix.dense is None else LONG_MEMORY
        self.climb = Climb(self.matrix.product, blocks, self.costs, start, memory)
        self.beside = rng.standard_normal((d, min(2, d)))
        self.turns = 0
        # A dense proof costs no more than an estimate, so it is tried sooner.
        self.margin = 0.5 if self.matrix.dense is None else 0.8
        self.short = _SHORT_COLUMN
        self.steps = _LANCZOS_STEPS
        self.rng = rng
        self.gap = math.inf

    @property
    def single(self) -> bool:
        return self.climb.point.V.dtype == np.float32

    def original(self, q: FloatArray) -> FloatArray:
        """Multipliers of the shifted and scaled matrix as multipliers of L."""
        return (q + self.matrix.floor) * self.matrix.unit

    def run(self) -> None:
        judge = self.judge
        climb = self.climb
        share = (
            min(climb.point.value / (climb.point.value + self.offset), 1.0)
            if climb.point.value > 0
            else 1.0
        )
        # A check costs the fourth power of the rank: with many columns it waits until some have
        # faded.
        next_check = 0.02 * math.sqrt(min(judge.tol / max(share, 1e-9), 1.0))
        next_check *= min(10 / climb.point.V.shape[1], 1.0) ** 2
        best = climb.point.value
        idle = 0
        truncated = 0
        checked = 0
        try:
            for step in range(_LARGEST_STEPS):
                climb.step()
                idle = 0 if climb.point.value > best + 10 * climb.noise * abs(best) else idle + 1
                best = max(best, climb.point.value)
                residual = climb.point.residual
                if self.single and (idle >= 8 or residual < _SINGLE_RESIDUAL):
                    climb.change(lambda X: X.astype(np.float64))
                    best = climb.point.value
                    idle = 0
                elif residual < _TRUNCATED_RESIDUAL and step - truncated >= 10:
                    truncated = step
                    if not self._turn():
                        self._truncate()
                elif idle >= 8 or (residual < next_check and step - checked >= 4):
                    gap, grown = self._check(idle >= 8)
                    if gap == 0 or (idle >= 8 and not grown):
                        return
                    best = climb.point.value
                    idle = 0
                    checked = step
                    next_check = residual * math.sqrt(min(max(0.5 * judge.tol / gap, 0.05), 0.5))
                else:
                    judge.estimate(judge.lower, judge.upper)
        finally:
            # Also on Ctrl-C: the point at hand has a certificate, if not a tight one.
            if not judge.satisfied:
                judge.propose(self.original(climb.point.q), self._dual(climb.point.V))

    def _dual(self, V: Floats) -> FloatArray:
        return np.asarray(V, dtype=np.float64) * math.sqrt(self.unit)

    def _truncate(self) -> None:
        lengths, rotation = self.climb.singular()
        short = self.short if self.climb.point.residual > _CAREFUL_RESIDUAL else self.short / 3
        kept = int((lengths > short * lengths[0]).sum())
        if 0 < kept < lengths.size:
            self.beside = self.climb.point.V @ rotation[:, kept : kept + 4]
            turn = rotation[:, :kept].astype(self.climb.point.V.dtype)
            self.climb.change(lambda X: X @ turn)

    def _turn(self) -> bool:
        """Whether turning groups of coordinates that hardly touch against one another has climbed;
        tried twice.
        """
        before = self.climb.point
        if not before.residual < _TURNED_RESIDUALS[self.turns]:
            return False
        self.turns += 1
        if len(self.groups) < 2:
            return False
        found = self.climb.at(turned(before.V, self.matrix.product, self.groups))
        if found.value > before.value:
            self.climb.restart(found)
        return found.value > before.value

    @cached_property
    def groups(self) -> list[Group]:
        explicit = self.judge.program.smoothness.explicit()
        return [] if explicit is None else groups_apart(explicit.matrix)

    def _check(self, stuck: bool) -> tuple[float, bool]:
        """The estimated gap, 0 once it is proved to be small enough; and whether V was given a new
        column.
        """
        judge = self.judge
        point = self.climb.point
        product = self.matrix.product
        if point.value <= 0:
            return math.inf, False
        if self.single:
            point = Climb(
                product, judge.program.blocks, self.costs, point.V.astype(np.float64)
            ).point
        # Where nothing can be factored, what follows is an estimate as well, and not dearer than
        # this one.
        fit = Fit(product, judge.program.blocks, self.costs, depth=3 if self.known else 1)
        value = point.value + self.offset
        found = fit.multipliers(point, self.beside, value * (1 + 100 * judge.tol) - self.offset)
        self.beside = found.beside
        gap = 1 - value / (found.cost + self.offset)
        x = found.leading(1)[0][:, 0]
        if stuck or gap <= self.margin * judge.tol:
            if judge.try_to_close(self.original(found.q * found.top), self._dual(point.V)):
                return 0.0, False
            # The estimate was too kind: it has to fall before the next proof.
            self.margin, self.steps = (
                max(0.7 * min(gap / judge.tol, self.margin), 0.02),
                min(2 * self.steps, 200),
            )
            top, x = fit.missing(found, self.steps, self.rng)
            gap = 1 - value / (found.cost * max(top / found.top, 1.0) + self.offset)
            self.beside = np.hstack((self.beside, x[:, None]))
            self.gap = 0.0
        # A gap that no longer falls with the gradient wants a direction that V does not have.
        before = self.gap
        self.gap = gap if gap > judge.tol else math.inf
        if gap <= judge.tol or gap < 0.7 * before:
            return max(gap, 1e-300), False
        self.short /= 10
        self.gap = math.inf
        V = self.climb.point.V
        column = x * (0.03 * float(np.linalg.norm(V)) / float(np.linalg.norm(x)))
        self.climb.restart(self.climb.at(np.hstack((V, column.astype(V.dtype)[:, None]))))
        return gap, True


class ShiftedMatrix:
    """(L - s I) / unit for s near lambda_min: s moves c* by s sum c, and a large s hides what there
    is to climb.

    Nothing is proved of s: whatever comes of it is judged on L itself.
    """

    def __init__(self, form: Smoothness, rng: np.random.Generator) -> None:
        explicit = form.explicit()
        self.form = form
        self.floor = 0.0
        self.dense = (
            explicit.matrix
            if explicit is not None and isinstance(explicit.matrix, np.ndarray)
            else None
        )
        self.single = self.dense is not None and form.dimension >= _SINGLE_DIMENSION
        largest = form.size_of_entries()
        self.unit = float(np.ldexp(1.0, int(np.frexp(largest)[1]))) if largest > 0 else 1.0
        self._single: Floats | None = None
        known = form.floor()
        if known is not None:
            self.floor = float(known) / self.unit
        elif explicit is not None:
            start = rng.standard_normal(form.dimension)
            # In single precision it is seen at half the price that there is no floor worth having.
            for y in (start.astype(np.float32), start) if self.single else (start,):
                values, _, error = lanczos(
                    lambda x: self.product(x[:, None])[:, 0], y, _LANCZOS_STEPS, end=0
                )
                # A little less, so that of a multiple of the identity something is left.
                floor = max(float(values[0]) * (1 - 1e-9) - error, 0.0)
                if floor == 0:
                    return
            # the copy had another diagonal
            self.floor = floor
            self._single = None

    def product(self, X: Floats) -> Floats:
        """The product with columns in their precision."""
        if X.dtype == np.float32:
            assert self.dense is not None
            if self._single is None:
                self._single = np.divide(
                    self.dense, self.unit, out=np.empty(self.dense.shape, np.float32)
                )
                np.fill_diagonal(self._single, self.dense.diagonal() / self.unit - self.floor)
            self.form.counter.count += X.shape[1]
            return symmetric_product(self._single, X)
        return self.form.matmat(np.asarray(X, dtype=np.float64)) / self.unit - self.floor * X
