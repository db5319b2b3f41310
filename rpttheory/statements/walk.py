"""All iterates that SkGD can reach in a few steps, with probabilities.

Written for arrays of floats and of fractions alike. Expectations are sums over all sequences of
sketches, and in fractions they are exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .batch import Batch, subsets
from .piecewise import Numbers


@dataclass(frozen=True, eq=False)
class Moment:
    """The state after t steps, over the s sequences of sketches that lead there.

    Attributes
    ----------
    weights : array of shape (n, s)
        Probabilities.
    x, gradient : arrays of shape (n, s, d)
    total : array of shape (n, s, d)
        x_0 + ... + x_t.
    least : array of shape (n, s)
        The least squared gradient norm so far.
    """

    weights: Numbers
    x: Numbers
    gradient: Numbers
    total: Numbers
    least: Numbers

    def mean(self, values: Numbers) -> Numbers:
        """Return the expectation of one number per sequence."""
        return np.asarray((self.weights * values).sum(axis=1))


def sketches(batch: Batch) -> tuple[Numbers, Numbers]:
    """Return the probabilities (n, s) of all s outcomes and the diagonals (n, s, d) of C.

    For the nested sampling outcome j of B + 1 updates the blocks with p_k at least the j-th
    largest probability; the last one updates none.
    """
    if batch.weights is not None:
        sets = np.array(subsets(batch.blocks.count), dtype=int)
        active = sets[None, :, :] / batch.p[:, None, :]
        return batch.weights, active[:, :, batch.blocks.labels]
    ranked = -np.sort(-batch.p, axis=1)
    following = np.concatenate((ranked[:, 1:], ranked[:, :1] * 0), axis=1)
    probabilities = np.concatenate((ranked - following, 1 - ranked[:, :1]), axis=1)
    active = (batch.p[:, None, :] >= ranked[:, :, None]) * (1 / batch.p)[:, None, :]
    diagonals = np.concatenate((active, active[:, :1] * 0), axis=1)
    return probabilities, diagonals[:, :, batch.blocks.labels]


def walk(batch: Batch, steps: int, noise: Numbers | None = None) -> Iterator[Moment]:
    """Yield the states after 0, ..., `steps` steps of x <- x - gamma C (grad f(x) +- noise)."""
    x = batch.point[:, None, :]
    weights = x[:, :, 0] * 0 + 1
    total = x
    gradient = batch.function.gradient(x)
    least = (gradient * gradient).sum(axis=2)
    yield Moment(weights, x, gradient, total, least)
    if steps == 0:
        return
    probabilities, diagonals = sketches(batch)
    scaled = batch.step[:, None, None] * diagonals
    shift = scaled * 0
    if noise is not None:
        shift = scaled * noise[:, None, :]
        scaled = np.concatenate((scaled, scaled), axis=1)
        shift = np.concatenate((shift, -shift), axis=1)
        probabilities = np.concatenate((probabilities,) * 2, axis=1) / 2
    n, d = batch.point.shape
    for _ in range(steps):
        moves = scaled[:, None, :, :] * gradient[:, :, None, :] + shift[:, None, :, :]
        x = (x[:, :, None, :] - moves).reshape(n, -1, d)
        weights = (weights[:, :, None] * probabilities[:, None, :]).reshape(n, -1)
        outcomes = probabilities.shape[1]
        total = np.repeat(total, outcomes, axis=1) + x
        gradient = batch.function.gradient(x)
        least = np.minimum(np.repeat(least, outcomes, axis=1), (gradient * gradient).sum(axis=2))
        yield Moment(weights, x, gradient, total, least)
