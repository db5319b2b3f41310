"""Many problems at once, and the numbers of the paper on them in plain floats: what the search climbs by.

Nothing here decides anything; a ratio that looks like more than 1 is looked at again in rigorous arithmetic.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...problem.blocks import Blocks
from ...reals import FloatArray

# Floats, or fractions.
Numbers = NDArray[Any]


# Points of the central path, relative to the largest eigenvalue, how well they are met, and the most steps to one.
_PATH = (*((8.0**-k, 1.0) for k in range(6)), (8.0**-6, 1e-3), (8.0**-7, 1e-3))
_NEWTON = 20


@dataclass(frozen=True, eq=False)
class Stack:
    """n problems with the same blocks.

    Attributes
    ----------
    L : array of shape (n, d, d)
    p, costs : arrays of shape (n, B)
    pairs : array of shape (n, B, B), optional
        p_kl / (p_k p_l); of the nested sampling by default.
    """

    blocks: Blocks
    L: Numbers
    p: Numbers
    costs: Numbers
    pairs: FloatArray | None = field(default=None, kw_only=True)

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
        """E[CLC]: block (k, l) of L times p_kl / (p_k p_l), which for the nested sampling is 1 / max(p_k, p_l)."""
        if self.pairs is not None:
            labels = self.blocks.labels
            return np.asarray(self.L * self.pairs[:, labels[:, None], labels[None, :]])
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
    def mu(self) -> FloatArray:
        """lambda_min(L)."""
        return -top(-self.L)

    @cached_property
    def optimum(self) -> FloatArray:
        """The least c(P), to about eight digits: Newton steps along the central path of its semidefinite program.

        Minimise <c, q> - m log det(Diag(q) - L) over q for falling m. The value there exceeds the least by a multiple
        of m, up to m^2, so that two of them tell the value at m = 0.
        """
        n, d = self.L.shape[:2]
        starts, labels = self.blocks.starts, self.blocks.labels
        scale = np.maximum(self.lmax, 1e-300)
        L, costs = self.L / scale[:, None, None], self.costs / self.costs.sum(axis=1, keepdims=True)
        q, values = np.full((n, self.blocks.count), 2.0), []
        for m, centred in _PATH:
            for _ in range(_NEWTON):
                inverse = np.linalg.inv(np.eye(d) * q[:, labels, None] - L)
                slope = costs / m - np.add.reduceat(np.einsum("nii->ni", inverse), starts, axis=1)
                bend = np.add.reduceat(np.add.reduceat(inverse * inverse, starts, axis=1), starts, axis=2)
                step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
                decrement = np.sqrt(np.maximum((slope * step).sum(axis=1), 0.0))
                q = q - step / (1 + decrement)[:, None]
                if decrement.max() < centred:
                    break
            values.append((costs * q).sum(axis=1))
        (before, last), (m, _) = values[-2:], _PATH[-1]
        least = last - (before - last) * m / (_PATH[-2][0] - m)
        return np.where(self.lmax > 0, least * scale * self.costs.sum(axis=1), 0.0)


def top(matrices: Numbers) -> FloatArray:
    """The largest eigenvalue of each of a stack; nan where an entry is none."""
    if matrices.shape[-1] == 1:
        return np.asarray(matrices[:, 0, 0])
    usable = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    if usable.all():
        return np.asarray(np.linalg.eigvalsh(matrices)[:, -1])
    return np.where(usable, np.linalg.eigvalsh(np.where(usable[:, None, None], matrices, 0.0))[:, -1], np.nan)


def closed_form(block_L: FloatArray, costs: FloatArray) -> FloatArray:
    """p_k proportional to sqrt(L_k / c_k), the largest 1."""
    p = np.sqrt(np.maximum(block_L, 0.0) / costs)
    return np.asarray(p / p.max(axis=1, keepdims=True))
