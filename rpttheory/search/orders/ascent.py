"""Dual points that climb towards better bounds over orders. They are proposals: `bounds`
proves what counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...numbers.exact_array import FloatArray
from .bounds import Pairs
from .fixed_order_program import FixedOrderProgram, Order, block_sums

Objective = Callable[[FloatArray, FloatArray], tuple[float, FloatArray, FloatArray]]


def climb(
    objective: Objective,
    V: FloatArray,
    multipliers: FloatArray,
    report: Callable[[], object],
    steps: int = 40,
) -> tuple[FloatArray, FloatArray]:
    """Raise an objective that gives its value and its derivatives by V and by the multipliers,
    which stay >= 0.

    `report` is called at every evaluation; if it raises, that ends the search.
    """
    from scipy.optimize import minimize

    def fall(x: FloatArray) -> tuple[float, FloatArray]:
        report()
        value, by_factor, by_multiplier = objective(x[: V.size].reshape(V.shape), x[V.size :])
        return -value, -np.append(by_factor, by_multiplier)

    limits = [(None, None)] * V.size + [(0.0, None)] * multipliers.size
    x = np.append(V, multipliers)
    best = minimize(
        fall, x, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": steps}
    ).x
    factor = best[: V.size].reshape(V.shape)
    return factor / np.linalg.norm(factor), np.maximum(best[V.size :], 0.0)


def pair_values(program: FixedOrderProgram, V: FloatArray) -> FloatArray:
    """The w_kl at trace 1."""
    return block_sums(program.matrix * (V @ V.T), program.blocks.starts) / float(np.vdot(V, V))


def by_factor(program: FixedOrderProgram, V: FloatArray, by_pair: FloatArray) -> FloatArray:
    """The derivative by V of a function whose derivative by the w_kl is given."""
    labels = program.blocks.labels
    pairs = (by_pair + by_pair.T) / 2
    mixed = (program.matrix * pairs[labels[:, None], labels[None, :]]) @ V
    return 2 / float(np.vdot(V, V)) * (mixed - float(np.vdot(pairs, pair_values(program, V))) * V)


class PooledOrders:
    """The bounds of some orders as smooth functions of a dual point, for its climb."""

    def __init__(self, program: FixedOrderProgram, pool: Sequence[Order], pairs: Pairs) -> None:
        self.program = program
        count = program.blocks.count
        ranks = np.argsort(np.array(pool), axis=1)
        self.later = 2.0 * (ranks[:, None, :] > ranks[:, :, None]) + np.eye(count)
        self.roots = np.sqrt(program.costs + program.overhead * (ranks == 0))
        self.moves = np.zeros((len(pairs), count))
        for move, (k, after) in zip(self.moves, pairs, strict=True):
            move[k] = 1.0
            move[after] = -1.0
        self.small = 1e-4 * float(np.abs(program.matrix).max()) / count

    def least(
        self, V: FloatArray, multipliers: FloatArray, smooth: float
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return the smoothed least of sum_k sqrt(c_k y_k) over the orders, and its derivatives by
        V and by the multipliers.

        Below a small y the root goes on along its tangent, so that debts are dear.
        """
        y = np.einsum("okl,kl->ok", self.later, pair_values(self.program, V))
        y += multipliers @ self.moves
        clipped = np.maximum(y, self.small)
        roots = np.sqrt(clipped) + (y - clipped) / (2 * math.sqrt(self.small))
        values = (self.roots * roots).sum(axis=1)
        weights = np.exp((values.min() - values) / smooth)
        total = float(weights.sum())
        slopes = 0.5 * (weights / total)[:, None] * self.roots / np.sqrt(clipped)
        slope = by_factor(self.program, V, np.einsum("ok,okl->kl", slopes, self.later))
        return (
            float(values.min()) - smooth * math.log(total),
            slope,
            self.moves @ slopes.sum(axis=0),
        )


def chords(program: FixedOrderProgram, V: FloatArray) -> tuple[float, FloatArray]:
    """`bounds.chord_bound` at trace 1 without its care for rounding, and its derivative
    by V.
    """
    w = pair_values(program, V)
    roots = np.sqrt(program.costs)
    shared = w - np.diag(w.diagonal())
    gains = np.maximum(shared, 0.0)
    low = w.diagonal() + np.minimum(shared, 0.0).sum(axis=1)
    # As with orders, the root goes on along its tangent where a debt begins.
    clipped = np.maximum(low, 1e-2 * w.diagonal())
    at_low = np.sqrt(clipped)
    at_high = np.sqrt(clipped + 2 * gains.sum(axis=1))
    slopes = roots / (at_high + at_low)
    flatter = np.minimum.outer(slopes, slopes)
    value = float(
        (roots * (at_low + (low - clipped) / (2 * at_low))).sum() + (gains * flatter).sum()
    )
    by_slope = 2 * (gains * (slopes[:, None] <= slopes[None, :])).sum(axis=1)
    bend = -by_slope * slopes**2 / roots
    by_low = roots / (2 * at_low) + bend * (1 / (2 * at_high) + 1 / (2 * at_low)) * (low >= clipped)
    by_pair = np.where(
        shared > 0, flatter + (bend / at_high)[:, None], np.where(shared < 0, by_low[:, None], 0.0)
    )
    np.fill_diagonal(by_pair, by_low)
    return value, by_factor(program, V, by_pair)
