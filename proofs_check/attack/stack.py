"""Many problems at once, and the numbers of the paper on them in plain floats: what the search climbs by.

Nothing here decides anything; a ratio that looks like more than 1 is looked at again by `Inequality.decide`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rpttheory import Blocks
from rpttheory.reals import FloatArray

from .ridge import Numbers, Ridges


@dataclass(frozen=True, eq=False)
class Stack:
    """n problems with the same blocks; no list of `Problem`s, since a climb looks at thousands a second in one array.

    Attributes
    ----------
    L : array of shape (n, d, d)
    p, costs : arrays of shape (n, B)
    x : array of shape (n, d)
        A point, a starting point, or a direction in which the dual is looked at.
    f : Ridges, optional
        Functions that are L-smooth.
    stepsize : array of shape (n,), optional
    steps : int
    """

    blocks: Blocks
    L: Numbers
    p: Numbers
    costs: Numbers
    x: Numbers
    f: Ridges | None = None
    stepsize: Numbers | None = None
    steps: int = 0

    @property
    def per_coordinate(self) -> Numbers:
        """p along the coordinates."""
        return self.p[:, self.blocks.labels]

    @cached_property
    def block_L(self) -> FloatArray:
        """L_k."""
        return np.stack([top(self.L[:, rows, rows]) for rows in self.blocks.slices], axis=1)

    @cached_property
    def lmax(self) -> FloatArray:
        """lambda_max(L)."""
        return top(self.L)

    @cached_property
    def L_P(self) -> FloatArray:
        """lambda_max(P^-1/2 L P^-1/2)."""
        return self.weighted(self.p)

    def weighted(self, p: FloatArray) -> FloatArray:
        """L_P at other probabilities."""
        root = np.sqrt(p[:, self.blocks.labels])
        return top(self.L / (root[:, :, None] * root[:, None, :]))

    @cached_property
    def clc(self) -> Numbers:
        """E[CLC] of the nested sampling: block (k, l) of L over max(p_k, p_l)."""
        p = self.per_coordinate
        return np.asarray(self.L / np.maximum(p[:, :, None], p[:, None, :]))

    @cached_property
    def L_M(self) -> FloatArray:
        """lambda_max(E[CLC])."""
        return top(self.clc)

    @property
    def cost(self) -> FloatArray:
        """sum p_k c_k."""
        return np.asarray((self.p * self.costs).sum(axis=1))

    @cached_property
    def closed(self) -> FloatArray:
        """(sum sqrt(L_k c_k))^2."""
        return np.asarray(np.sqrt(np.maximum(self.block_L * self.costs, 0.0)).sum(axis=1) ** 2)

    @cached_property
    def c_closed(self) -> FloatArray:
        """c(P) at the closed-form probabilities, nan where a block of L vanishes."""
        with np.errstate(invalid="ignore", divide="ignore"):
            p = closed_form(self.block_L, self.costs)
            usable = np.asarray(np.isfinite(p).all(axis=1) & (p > 0).all(axis=1))
        safe = np.where(usable[:, None], p, 1.0)
        value = self.weighted(safe) * (safe * self.costs).sum(axis=1)
        return np.where(usable, value, np.nan)

    @property
    def sumcL(self) -> FloatArray:
        """sum c_k L_k."""
        return np.asarray((self.costs * self.block_L).sum(axis=1))

    @cached_property
    def dual(self) -> FloatArray:
        """v'Lv with the costs for traces: at most c(P) for every P, by weak duality."""
        return self.dual_of(self.costs)

    def dual_of(self, traces: FloatArray) -> FloatArray:
        """v'Lv where v_k is x_k stretched to the length sqrt(t_k)."""
        squares = np.add.reduceat(self.x * self.x, self.blocks.starts, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            v = self.x * np.sqrt(traces / squares)[:, self.blocks.labels]
        return np.asarray(np.einsum("ni,nij,nj->n", v, self.L, v, optimize=False))


def top(matrices: Numbers) -> FloatArray:
    """The largest eigenvalue of each of a stack."""
    if matrices.shape[-1] == 1:
        return np.asarray(matrices[:, 0, 0])
    return np.asarray(np.linalg.eigvalsh(matrices)[:, -1])


def closed_form(block_L: FloatArray, costs: FloatArray) -> FloatArray:
    """p_k proportional to sqrt(L_k / c_k), the largest 1."""
    p = np.sqrt(np.maximum(block_L, 0.0) / costs)
    return np.asarray(p / p.max(axis=1, keepdims=True))
