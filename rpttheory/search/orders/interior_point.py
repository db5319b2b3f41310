"""Least c_M over probabilities for one order, along the central path of its program.

Its answers are proposals: the bounds that count come from `fixed_order_program.certified_lower`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...numbers.exact_array import FloatArray
from ..central_path import CentralPath, Cone
from .fixed_order_program import FixedOrderProgram, Order, block_sums, tail_sums


@dataclass(frozen=True, eq=False)
class Point:
    """The point where the method stopped: r per block, its cost, and a dual factor V."""

    r: FloatArray
    value: float
    factor: FloatArray


def minimize(
    program: FixedOrderProgram,
    order: Order,
    *,
    tol: float,
    target: float = math.inf,
    report: Callable[[], object] = lambda: None,
) -> tuple[Point, int]:
    """Follow the central path to a relative gap `tol`, or until the lower bound reaches `target`;
    return the point and the number of factorizations.

    `report` is called at every step; if it raises, that ends the search.
    """
    inequality = TailInequality(program, order)
    prices = program.prices(order)
    latest = np.maximum.outer(np.arange(len(order)), np.arange(len(order)))

    def cost(z: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        report()
        r = np.cumsum(z)
        return (
            float((prices / r).sum()),
            -_from_the_end(prices / r**2),
            _from_the_end(2 * prices / r**3)[latest],
        )

    path = CentralPath(inequality, Cone(cost, np.eye(len(order)), len(order)), inequality.start())
    path.follow(tol, lambda lower, upper: lower >= target)
    r = np.empty(len(order))
    r[list(order)] = np.cumsum(path.z)
    return Point(r, cost(path.z)[0], path.dual), path.factorizations


def _from_the_end(values: FloatArray) -> FloatArray:
    """The sums from each entry to the last."""
    return np.asarray(np.cumsum(values[::-1])[::-1])


class TailInequality:
    """S(z) = I - sum_T z_T L[T] over the tails T of an order, from the whole to the last block."""

    def __init__(self, program: FixedOrderProgram, order: Order) -> None:
        self.program = program
        self.matrix = program.matrix
        self.order = order
        self.size = int(self.matrix.shape[0])
        rank = np.argsort(order)[program.blocks.labels]
        self.earlier = np.minimum.outer(rank, rank)
        # The derivative by r_k is a hook: row and column k of L from rank k onwards.
        self.hooks = self.matrix * (0.5 + 0.5 * np.sign(rank[:, None] - rank[None, :]))

    def start(self) -> FloatArray:
        """Each tail as heavy as its largest block allows, scaled to half of what the matrix
        allows.
        """
        tops = np.maximum(self.program.tops[list(self.order)], 1e-300)
        z = 1 / np.maximum.accumulate(tops[::-1])[::-1]
        return np.asarray(z / (2 * float(np.linalg.eigvalsh(self._moment(z))[-1])))

    def _moment(self, z: FloatArray) -> FloatArray:
        """sum_T z_T L[T]."""
        return np.asarray(self.matrix * np.cumsum(z)[self.earlier])

    def shifted(self, z: FloatArray) -> FloatArray:
        """S(z), freshly allocated."""
        S = -self._moment(z)
        S[np.diag_indices_from(S)] += 1.0
        return S

    def derivatives(self, inverse: FloatArray) -> tuple[FloatArray, FloatArray]:
        """-<S^-1, L[T]> and <S^-1 L[T] S^-1, L[U]>, the latter from the hooks."""
        product = self.hooks.T @ inverse
        mixed = product * product.T + (product @ self.hooks) * inverse
        ranked = np.ix_(self.order, self.order)
        starts = self.program.blocks.starts
        sums = block_sums(mixed + mixed.T, starts)[ranked]
        return (
            -tail_sums(block_sums(self.matrix * inverse, starts)[ranked]).diagonal(),
            tail_sums(sums),
        )

    def pulled(self, inverse: FloatArray, dz: FloatArray) -> FloatArray:
        """-S^-1 (sum_T dz_T L[T]) S^-1."""
        return np.asarray(-inverse @ self._moment(dz) @ inverse)
