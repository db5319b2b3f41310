"""What the accelerated method promises, against exact expectations on quadratics (in floats)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rpttheory import Blocks

from .problems import BLOCKS, X0, D, hessian

STEPS = 200


def values(H: Any, blocks: Blocks, x0: Any, mu: float) -> tuple[list[float], float]:
    """E f(y_t) for f = x'Hx / 2, by the second moments of (y, z), which follow a linear recursion; and S^2."""
    d = x0.size
    constants = np.array([np.linalg.eigvalsh(H[rows, rows])[-1] for rows in blocks.slices])
    S = float(np.sqrt(constants).sum())
    p = np.sqrt(constants) / S
    start = np.concatenate([x0, x0])
    moment = np.outer(start, start)
    found = [float(x0 @ H @ x0) / 2]
    identity = np.eye(d)
    for k in range(STEPS):
        tau = 2 / (1 + math.sqrt(4 * S**2 / mu + 1)) if mu else 2 / (k + 2)
        eta = 1 / (tau * S**2)
        x = np.hstack([(1 - tau) * identity, tau * identity])
        z = np.hstack([np.zeros((d, d)), identity])
        after = np.zeros_like(moment)
        for block, rows in enumerate(blocks.slices):
            if p[block] == 0:
                continue
            mask = np.zeros((d, d))
            mask[rows, rows] = np.eye(rows.stop - rows.start)
            g = mask @ H @ x
            y_new = x - g / constants[block]
            z_new = (z + eta * mu * x - eta / p[block] * g) / (1 + eta * mu)
            step = np.vstack([y_new, z_new])
            after += p[block] * (step @ moment @ step.T)
        moment = after
        found.append(float(np.trace(H @ moment[:d, :d])) / 2)
    return found, S**2


@pytest.mark.parametrize("blocks", [BLOCKS, Blocks((D,)), Blocks.singletons(D)])
def test_convex(blocks: Blocks) -> None:
    for H in (hessian(), np.outer(X0, X0), np.diag([1e4, 1.0, 1.0, 1e-4, 1.0, 0.0])):
        found, S2 = values(H, blocks, X0, 0.0)
        for t, value in enumerate(found):
            # At t = 0 the theorem says nothing better than smoothness does.
            assert value <= (1 + 1e-9) * 2 * S2 * float(X0 @ X0) / (t + 1) ** 2


@pytest.mark.parametrize("blocks", [BLOCKS, Blocks((D,)), Blocks.singletons(D)])
def test_strongly_convex(blocks: Blocks) -> None:
    for H in (hessian(), np.diag([1e4, 1.0, 1.0, 0.1, 1.0, 2.0])):
        mu = float(np.linalg.eigvalsh(H)[0])
        found, S2 = values(H, blocks, X0, mu)
        tau = 2 / (1 + math.sqrt(4 * S2 / mu + 1))
        promised = found[0] + mu / 2 * float(X0 @ X0)
        for t, value in enumerate(found):
            assert value <= (1 + 1e-9) * (1 - tau) ** t * promised + 1e-25
