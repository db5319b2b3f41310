"""Low-rank method: ascend, drop short columns, fit the multipliers, estimate the gap, prove once.

Spurious stationary points exist in theory, and a column may be dropped that is needed after all.
Both show as a direction in which the multipliers are infeasible; it joins V as a new column.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..eigen.eigenpairs import lanczos
from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from ..problem.smoothness import Smoothness
from ..problem.smoothness.entrywise import symmetric_product
from .bounds import BoundTracker
from .burer_monteiro import LONG_MEMORY, NOISE, SHORT_MEMORY, SINGLE_NOISE, BurerMonteiro
from .multipliers import MultiplierFit
from .weak_coupling import rotate_groups, weakly_coupled_groups

# The constants below were chosen by hand. Half or twice the steps and ranks, and a third or three
# times the shares, changed all products on 44 families of matrices by at most 12 percent, and those
# of one family by at most a factor of three (benchmarks/constants.py).
_LARGEST_STEPS = 5000
_LARGEST_RANK = 40
# From this dimension on dense products in single precision save more than the copy of L costs, and
# they are used until the gradient has become as small as the second number.
_SINGLE_DIMENSION = 500
_SINGLE_RESIDUAL = 1e-6
# Below the first size of the gradient columns shorter than this share of the longest are dropped,
# and below the second only those of a third of that.
_TRUNCATED_RESIDUAL = 1e-3
_CAREFUL_RESIDUAL = 1e-5
_SHORT_COLUMN = 0.03
_LANCZOS_STEPS = 20
# Below these sizes of the gradient weakly coupled groups are rotated.
_ROTATED_RESIDUALS: tuple[float, ...] = (1e-3, 1e-4)
_LARGE_DIMENSION = 6000
# Steps without progress after which the ascent counts as stuck.
_IDLE_STEPS = 8


def solve(tracker: BoundTracker, rng: np.random.Generator, products: float = math.inf) -> None:
    """Ascend until the certified gap is within the tolerance, progress stops, or the number of
    products with L reaches `products`.
    """
    if not tracker.program.plain:
        raise InvalidInput(
            "'low-rank' supports neither an overhead nor a forced order",
            "an overhead or an order",
            "'interior-point' or 'subspace'",
            argument="method",
        )
    _Search(tracker, rng).run(products)


class _Search:
    """One run: the ascent on the shifted matrix, and when to check what it has reached."""

    def __init__(self, tracker: BoundTracker, rng: np.random.Generator) -> None:
        self.tracker = tracker
        program = tracker.program
        d = program.blocks.dimension
        # Costs in any unit: the iteration sees them over a power of four, whose root is exact.
        self.unit = 4.0 ** round(math.log(float(program.costs.sum()), 4))
        self.costs = program.costs / self.unit
        self.matrix = ShiftedMatrix(program.smoothness, rng)
        self.offset = self.matrix.shift * float(self.costs.sum())
        explicit = program.smoothness.explicit()
        rank = min(d, 2)
        if explicit is not None:
            rank = min(d, math.isqrt(2 * program.blocks.count) + 2, _LARGEST_RANK)
        start = rng.standard_normal((d, rank))
        entries = None if explicit is None else explicit.matrix
        dense = isinstance(entries, np.ndarray)
        if isinstance(entries, np.ndarray) and d >= _SINGLE_DIMENSION:
            self.matrix.use_single_precision(entries)
        self.ascent = BurerMonteiro(
            self.matrix.product,
            program.blocks,
            self.costs,
            start,
            LONG_MEMORY if dense else SHORT_MEMORY,
            NOISE if self.matrix.single is None else SINGLE_NOISE,
        )
        # Where nothing can be factored, what follows a fit is an estimate as well, and not more
        # expensive than a deeper fit.
        self.fit = MultiplierFit(
            self.matrix.product, program.blocks, self.costs, depth=1 if explicit is None else 3
        )
        self.extra_vectors = rng.standard_normal((d, min(2, d)))
        # A dense proof costs no more than an estimate, so it is tried sooner. A sparse one of many
        # rows costs as much as fifty, and fails where the estimate is half the tolerance.
        self.margin = 0.8 if dense else 0.5 if d <= _LARGE_DIMENSION else 0.1
        self.drop_tolerance = _SHORT_COLUMN
        self.lanczos_steps = _LANCZOS_STEPS
        self.rotations = _ROTATED_RESIDUALS
        self.rng = rng
        self.gap = math.inf

    def original(self, q: FloatArray) -> FloatArray:
        """Multipliers of the shifted and scaled matrix as multipliers of L."""
        return (q + self.matrix.shift) * self.matrix.unit

    def run(self, products: float) -> None:
        """Step, and truncate or check when the gradient has become small enough."""
        tracker = self.tracker
        ascent = self.ascent
        value = ascent.point.value
        share = min(value / (value + self.offset), 1.0) if value > 0 else 1.0
        # A check costs the fourth power of the rank: with many columns it waits until some have
        # faded.
        next_check = 0.01 * math.sqrt(min(tracker.tol / max(share, 1e-9), 1.0))
        next_check *= min(10 / ascent.point.V.shape[1], 1.0) ** 2
        best = value
        idle = 0
        truncated = 0
        checked = 0
        try:
            for step in range(_LARGEST_STEPS):
                ascent.step()
                idle = 0 if ascent.point.value > best + 10 * NOISE * abs(best) else idle + 1
                best = max(best, ascent.point.value)
                residual = ascent.point.residual
                stuck = idle >= _IDLE_STEPS
                ready = residual < next_check
                single = self.matrix.single is not None
                if single and (stuck or ready or residual < _SINGLE_RESIDUAL):
                    self.matrix.single = None
                    ascent.refine()
                    best = ascent.point.value
                    idle = 0
                    stuck = False
                if residual < _TRUNCATED_RESIDUAL and step - truncated >= 10:
                    truncated = step
                    if not self._rotate():
                        self._truncate()
                elif stuck or (ready and step - checked >= 4):
                    gap, grown = self._check(stuck)
                    if gap == 0 or (stuck and not grown):
                        return
                    best = ascent.point.value
                    idle = 0
                    checked = step
                    next_check = residual * math.sqrt(min(max(0.5 * tracker.tol / gap, 0.05), 0.5))
                elif tracker.products > products:
                    return
                else:
                    tracker.report()
        finally:
            # Also on Ctrl-C: the current point has a certificate, if not a tight one.
            if not tracker.satisfied:
                tracker.propose(self.original(ascent.point.q), self._dual())

    def _dual(self) -> FloatArray:
        return self.ascent.point.V * math.sqrt(self.unit)

    def _truncate(self) -> None:
        lengths, rotation = self.ascent.singular()
        careful = self.ascent.point.residual <= _CAREFUL_RESIDUAL
        shortest = self.drop_tolerance / 3 if careful else self.drop_tolerance
        rank = int((lengths > shortest * lengths[0]).sum())
        if 0 < rank < lengths.size:
            self.extra_vectors = self.ascent.point.V @ rotation[:, rank : rank + 4]
            self.ascent.rotate(rotation[:, :rank])

    def _rotate(self) -> bool:
        """Rotate weakly coupled groups, at most twice, and return whether that has ascended."""
        if not self.rotations or self.ascent.point.residual >= self.rotations[0]:
            return False
        self.rotations = self.rotations[1:]
        explicit = self.tracker.program.smoothness.explicit()
        groups = [] if explicit is None else weakly_coupled_groups(explicit.matrix)
        if len(groups) < 2:
            self.rotations = ()
            return False
        before = self.ascent.point
        V = rotate_groups(before.V, self.matrix.product, groups)
        if not self.ascent.at(V).value > before.value:
            return False
        self.ascent.restart(V)
        return True

    def _check(self, stuck: bool) -> tuple[float, bool]:
        """Return the estimated gap, 0 once it is proved to be small enough, and whether V has a new
        column.
        """
        tracker = self.tracker
        point = self.ascent.point
        if point.value <= 0:
            return math.inf, False
        value = point.value + self.offset
        target = value * (1 + 100 * tracker.tol) - self.offset
        candidate = self.fit.multipliers(point, self.extra_vectors, target)
        self.extra_vectors = candidate.extra_vectors
        gap = 1 - value / (candidate.cost + self.offset)
        x = candidate.leading(1)[0][:, 0]
        if stuck or gap <= self.margin * tracker.tol:
            if tracker.try_to_close(self.original(candidate.q * candidate.top), self._dual()):
                return 0.0, False
            # The estimate was too optimistic: it has to fall before the next proof.
            self.margin = max(0.7 * min(gap / tracker.tol, self.margin), 0.02)
            self.lanczos_steps = min(2 * self.lanczos_steps, 200)
            top, x = self.fit.missing(candidate, self.lanczos_steps, self.rng)
            gap = 1 - value / (candidate.cost * max(top / candidate.top, 1.0) + self.offset)
            self.extra_vectors = np.hstack((self.extra_vectors, x[:, None]))
            self.gap = 0.0
        # If the gap no longer falls with the gradient, V lacks a direction.
        before = self.gap
        self.gap = gap if gap > tracker.tol else math.inf
        if gap <= tracker.tol or gap < 0.7 * before:
            return max(gap, 1e-300), False
        self.drop_tolerance /= 10
        self.gap = math.inf
        column = x * (0.03 * float(np.linalg.norm(point.V)) / float(np.linalg.norm(x)))
        self.ascent.restart(np.hstack((point.V, column[:, None])))
        return gap, True


class ShiftedMatrix:
    """(L - s I) / unit for s near lambda_min.

    The shift lowers the optimum by s sum c. The larger the smallest eigenvalue, the more it hides
    the differences that the ascent needs. Nothing is proved about s: all results are bounded on L.
    """

    def __init__(self, form: Smoothness, rng: np.random.Generator) -> None:
        self.form = form
        self.shift = 0.0
        self.single: NDArray[np.float32] | None = None
        explicit = form.explicit()
        largest = form.size_of_entries()
        self.unit = float(np.ldexp(1.0, int(np.frexp(largest)[1]))) if largest > 0 else 1.0
        smallest = form.floor()
        if smallest is not None:
            self.shift = float(smallest) / self.unit
        elif explicit is not None:
            start = rng.standard_normal(form.dimension)
            values, _, error = lanczos(self.product, start, _LANCZOS_STEPS, end=0)
            # A little less, so that of a multiple of the identity something is left.
            self.shift = max(float(values[0]) * (1 - 1e-9) - error, 0.0)

    def use_single_precision(self, entries: FloatArray) -> None:
        """Multiply by a copy in single precision until `single` is None again."""
        self.single = np.divide(entries, self.unit, out=np.empty(entries.shape, np.float32))
        np.fill_diagonal(self.single, entries.diagonal() / self.unit - self.shift)

    def product(self, X: FloatArray) -> FloatArray:
        """Return the product with the columns of X."""
        if self.single is not None:
            self.form.counter.count += X.shape[1]
            return symmetric_product(self.single, X.astype(np.float32)).astype(np.float64)
        return self.form.matmat(X) / self.unit - self.shift * X
