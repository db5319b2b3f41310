"""The potential of the accelerated method falls in expectation, from every state of a quadratic.

The steps are those of the library: on a quadratic without a linear term a step is linear in the
state, so that its matrix is read off by running it on unit vectors. The constants of the theorem
are written out here.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from contracts.objectives import BLOCKS, D, matrix
from numpy.typing import NDArray

from rpttheory import Blocks
from rpttheory.methods import NUACDM, Step
from rpttheory.methods import Setting as RunSetting
from rpttheory.methods.accelerated import CoupledIterate
from rpttheory.objectives import Quadratic

FloatArray = NDArray[np.float64]
partitions = pytest.mark.parametrize("blocks", [BLOCKS, Blocks((D,)), Blocks.singletons(D)])


@dataclass(frozen=True, eq=False)
class Setting:
    """A quadratic with the constants of the theorem: S, p_k = sqrt(L_k) / S, tau and eta."""

    H: FloatArray
    blocks: Blocks
    mu: float

    @cached_property
    def S(self) -> float:
        return float(np.sqrt(self._constants).sum())

    @cached_property
    def p(self) -> FloatArray:
        return np.asarray(np.sqrt(self._constants) / self.S)

    @cached_property
    def _constants(self) -> FloatArray:
        return np.array(
            [max(np.linalg.eigvalsh(self.H[rows, rows])[-1], 0.0) for rows in self.blocks.slices]
        )

    def tau(self, k: int) -> float:
        return 2 / (1 + math.sqrt(4 * self.S**2 / self.mu + 1)) if self.mu else 2 / (k + 2)

    def eta(self, k: int) -> float:
        return 1 / (self.tau(k) * self.S**2)

    @cached_property
    def iterate(self) -> CoupledIterate:
        costs = np.full(self.blocks.count, 1 / self.blocks.count)
        setting = RunSetting(Quadratic(self.H), self.blocks, costs, 1.0)
        iterate = NUACDM(self.mu).iterate(setting, np.zeros(D))
        assert isinstance(iterate, CoupledIterate)
        return iterate

    def steps(self, k: int) -> list[tuple[float, FloatArray]]:
        """The matrices of step k in terms of (y, z), made by the library, with their
        probabilities.
        """
        iterate = self.iterate
        matrices = []
        for block in np.flatnonzero(self.p):
            stepsizes = np.divide(1, self._constants, out=np.zeros(self.p.size), where=self.p > 0)
            action = iterate.compile(Step(np.arange(self.p.size) == block, stepsizes))
            before = np.empty((2 * D, 2 * D))
            after = np.empty((2 * D, 2 * D))
            for column, unit in enumerate(np.eye(2 * D)):
                iterate.a[:] = unit[:D]
                iterate.w[:] = unit[D:]
                iterate.factor = 1.0
                iterate.count = k
                before[:, column] = _pair(iterate)
                action()
                after[:, column] = _pair(iterate)
            matrices.append((float(self.p[block]), after @ np.linalg.inv(before)))
        return matrices


def _pair(iterate: CoupledIterate) -> FloatArray:
    """(y, z) of an iterate, which keeps y - z as a factor times w."""
    y = iterate.point()
    return np.concatenate([y, y - iterate.factor * iterate.w])


def potential_drop(setting: Setting, k: int) -> FloatArray:
    """(1 - tau) (eta / tau) f(y) + |z|^2 / 2 minus E[(eta / tau) f(y') + (1 + eta mu) |z'|^2 / 2],
    as a matrix.

    The minimum is 0, at 0. That this is nowhere negative is the step from which both theorems
    follow: convexity from x to y and strong convexity from x to the minimizer, the descent f(x) -
    f(y') >= |f'_k|^2 / (2 L_k) of the block, and the mirror step, whose eta^2 |f'_k|^2 / (2 p_k)
    that descent pays for while eta tau <= p_k^2 / L_k = 1 / S^2.
    """
    tau = setting.tau(k)
    eta = setting.eta(k)
    of_y = np.kron(np.diag([1.0, 0.0]), setting.H / 2)
    of_z = np.kron(np.diag([0.0, 1.0]), np.eye(D) / 2)
    after = eta / tau * of_y + (1 + eta * setting.mu) * of_z
    drop = (
        (1 - tau) * eta / tau * of_y
        + of_z
        - sum(p * step.T @ after @ step for p, step in setting.steps(k))
    )
    return np.asarray((drop + drop.T) / 2)


@partitions
@pytest.mark.parametrize("mu", [0.0, 0.1])
def test_no_state_raises_the_potential(blocks: Blocks, mu: float) -> None:
    for H in (matrix() + mu * np.eye(D), np.diag([1e2, 1.0, 1.0, 0.1, 1.0, 2.0])):
        setting = Setting(H, blocks, mu)
        for k in (1, 2, 3, 10, 50):
            drop = potential_drop(setting, k)
            assert np.linalg.eigvalsh(drop)[0] >= -1e-10 * np.abs(drop).max()
