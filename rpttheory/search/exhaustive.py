"""Exhaustive route: every order in turn, and for each a local search over the probabilities.

It knows nothing of the hidden convexity: it minimises c(P) as the paper states it, over
permutations and 1 = p_1 >= ... >= p_B > 0, and offers no dual point beyond the blocks' own. So its
bracket stays open and its status is "stalled"; it is there to disagree with the other routes if
they err.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from .judge import Judge
from .program import Program

LARGEST_COUNT = 6

# c(P) has kinks where eigenvalues cross. The largest one is smoothed, less and less, and at the end
# not at all.
_COARSE = (3e-2, 3e-3)
_FINE = (3e-4, 3e-5, 3e-6)
_RANDOM_STARTS = 2
# log(p_i / p_{i+1}) stays below this: a factor of 1e26 is as good as none of the block, however
# dear.
_LARGEST_DROP = 60.0
_PRECISION = {"gtol": 1e-9, "ftol": 1e-14}


def solve(judge: Judge, rng: np.random.Generator) -> None:
    """Propose the best probabilities over all orders (or the forced one), and the trivial dual
    point.
    """
    program = judge.program
    count = program.blocks.count
    if count > LARGEST_COUNT and program.order is None:
        raise InvalidInput(
            f"method 'exhaustive' tries every order, of at most {LARGEST_COUNT} blocks",
            f"{count} blocks",
            "'interior-point', 'low-rank' or 'auto'",
        )
    matrix = _entries(program)
    largest = float(np.abs(matrix).max())
    judge.propose(np.ones(count), _block_tops(program, matrix))
    if largest == 0 or count == 1:
        return
    search = _Search(program, matrix / largest)
    best = np.inf
    for order in _orders(program):
        value, p = search.over_order(order, rng)
        if value < best:
            best = value
            judge.propose(p)
        else:
            judge.estimate(judge.lower, judge.upper)
    judge.propose(search.polish(judge.best.probabilities) if judge.best is not None else None)


def _orders(program: Program) -> Iterator[tuple[int, ...]]:
    if program.order is not None:
        return iter([program.order.rank_to_block])
    return permutations(range(program.blocks.count))


def _entries(program: Program) -> FloatArray:
    explicit = program.smoothness.explicit()
    if explicit is None:
        raise InvalidInput(
            "method 'exhaustive' needs the entries of L",
            "an L known through products",
            "'subspace'",
        )
    matrix = explicit.matrix
    return (
        matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray(), dtype=np.float64)
    )


def _block_tops(program: Program, matrix: FloatArray) -> FloatArray:
    """One column per block, its top eigenvector with squared length c_k: the bound sum_k c_k
    L_k.
    """
    V = np.zeros((program.blocks.dimension, program.blocks.count))
    for k, rows in enumerate(program.blocks.slices):
        V[rows, k] = np.sqrt(program.costs[k]) * np.linalg.eigh(matrix[rows, rows])[1][:, -1]
    return V


class _Search:
    """log c(P) and its smoothed forms, as functions of the drops y_i = log(p_i / p_{i+1}) >= 0
    along an order.
    """

    def __init__(self, program: Program, matrix: FloatArray) -> None:
        self.matrix = matrix
        self.labels = program.blocks.labels
        self.starts = program.blocks.starts
        total = program.total_cost
        self.costs = program.costs / total
        self.overhead = program.overhead / total
        self.order = None if program.order is None else program.order.rank_to_block

    def over_order(
        self, order: tuple[int, ...], rng: np.random.Generator
    ) -> tuple[float, FloatArray]:
        """The best of a few local searches with this order, and its probabilities per block."""
        drops = len(order) - 1
        starts = [
            np.full(drops, 0.2),
            *(rng.exponential(1.0, drops) for _ in range(_RANDOM_STARTS)),
        ]
        ranks = np.array(order)
        rough = [self._descend(start, ranks, _COARSE) for start in starts]
        y = self._descend(min(rough, key=lambda found: self._log_cost(found, ranks)), ranks, _FINE)
        return self._log_cost(y, ranks), np.exp(self._log_p(y, ranks))

    def polish(self, p: FloatArray) -> FloatArray:
        """A search without derivatives from p, which the kinks do not stop, in the order of p."""
        ranks = np.array(self.order) if self.order is not None else np.argsort(-p, kind="stable")
        start = -np.diff(np.log(p[ranks]))
        result = minimize(
            lambda y: self._log_cost(np.abs(y), ranks),
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 400 * start.size},
        )
        return np.exp(self._log_p(np.abs(result.x), ranks))

    def _descend(
        self, y: FloatArray, ranks: NDArray[np.intp], smoothings: tuple[float, ...]
    ) -> FloatArray:
        bounds = [(0.0, _LARGEST_DROP)] * y.size
        for smoothing in smoothings:
            smoothed = self._smoothed(ranks, smoothing)
            y = minimize(
                smoothed, y, jac=True, method="L-BFGS-B", bounds=bounds, options=_PRECISION
            ).x
        return y

    def _log_p(self, y: FloatArray, ranks: NDArray[np.intp]) -> FloatArray:
        log_p = np.empty(ranks.size)
        log_p[ranks] = -np.concatenate(([0.0], np.cumsum(np.minimum(y, _LARGEST_DROP))))
        return log_p

    def _scaled(self, log_p: FloatArray) -> FloatArray:
        root = np.exp(-0.5 * log_p)[self.labels]
        return self.matrix * root[:, None] * root[None, :]

    def _log_cost(self, y: FloatArray, ranks: NDArray[np.intp]) -> float:
        log_p = self._log_p(y, ranks)
        top = float(np.linalg.eigvalsh(self._scaled(log_p))[-1])
        return float(np.log(max(top, 1e-300)) + np.log(self.overhead + self.costs @ np.exp(log_p)))

    def _smoothed(
        self, ranks: NDArray[np.intp], smoothing: float
    ) -> Callable[[FloatArray], tuple[float, FloatArray]]:
        """The same with the largest eigenvalue as a power mean, (sum_i lambda_i^(1/s))^s, and the
        gradient.
        """

        def evaluate(y: FloatArray) -> tuple[float, FloatArray]:
            log_p = self._log_p(y, ranks)
            values, vectors = np.linalg.eigh(self._scaled(log_p))
            ratio = np.maximum(values / values[-1], 0.0)
            powers = ratio ** (1 / smoothing)
            value = np.log(values[-1]) + smoothing * np.log(powers.sum())
            # d log lambda_i / d log p_k = -||x_i restricted to block k||^2.
            shares = np.add.reduceat(vectors**2, self.starts, axis=0) @ (powers / powers.sum())
            paid = self.costs * np.exp(log_p)
            cost = self.overhead + paid.sum()
            by_block = paid / cost - shares
            # log p of rank i is minus the sum of the drops before it.
            gradient = -np.cumsum(by_block[ranks][::-1])[::-1][1:]
            return float(value + np.log(cost)), gradient

        return evaluate
