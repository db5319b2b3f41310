"""What the accelerated method promises, against exact expectations on quadratics (in floats).

The steps are those of the library: on a quadratic without a linear term a step is linear in the
state, so that its matrix is read off by running it on unit vectors. The constants of the theorem
are written out here.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from contracts.objectives import BLOCKS, X0, D, matrix
from numpy.typing import NDArray

from rpttheory import Blocks
from rpttheory.methods import NUACDM, Step
from rpttheory.methods import Setting as RunSetting
from rpttheory.methods.accelerated import CoupledIterate
from rpttheory.objectives import Quadratic

FloatArray = NDArray[np.float64]
STEPS = 80
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


def values(setting: Setting) -> list[float]:
    """E f(y_t) by the second moments of (y, z), which follow a linear recursion."""
    start = np.concatenate([X0, X0])
    moment = np.outer(start, start)
    found = [float(X0 @ setting.H @ X0) / 2]
    later = setting.steps(1)
    for k in range(STEPS):
        # Where mu > 0 all steps after the first are alike.
        steps = later if setting.mu and k else setting.steps(k)
        moment = sum(p * (step @ moment @ step.T) for p, step in steps)
        found.append(float(np.trace(setting.H @ moment[:D, :D])) / 2)
    return found


@partitions
def test_convex(blocks: Blocks) -> None:
    for H in (matrix(), np.outer(X0, X0), np.diag([1e4, 1.0, 1.0, 1e-4, 1.0, 0.0])):
        setting = Setting(H, blocks, 0.0)
        for t, value in enumerate(values(setting)):
            # At t = 0 the theorem says nothing better than smoothness does.
            assert value <= (1 + 1e-9) * 2 * setting.S**2 * float(X0 @ X0) / (t + 1) ** 2


@partitions
def test_strongly_convex(blocks: Blocks) -> None:
    for H in (matrix(), np.diag([1e4, 1.0, 1.0, 0.1, 1.0, 2.0])):
        setting = Setting(H, blocks, float(np.linalg.eigvalsh(H)[0]))
        found = values(setting)
        promised = found[0] + setting.mu / 2 * float(X0 @ X0)
        for t, value in enumerate(found):
            assert value <= (1 + 1e-9) * (1 - setting.tau(t)) ** t * promised + 1e-25


def potential_drop(setting: Setting, k: int) -> FloatArray:
    """(1 - tau) (eta / tau) f(y) + |z|^2 / 2 minus E[(eta / tau) f(y') + (1 + eta mu) |z'|^2 / 2],
    as a matrix.

    The minimum is 0, at 0. That this is nowhere negative is the step from which both theorems
    follow: convexity from x to y and strong convexity from x to the minimiser, the descent f(x) -
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
