"""Points to begin a search with: random ones, and the structures at which the bounds are known to
be met.

Matrices of rank one meet the upper bounds, block-diagonal matrices the lower ones, equal
probabilities make L_M, L_P and lambda_max / p_min one and the same, a matrix with L = P meets the
sharp strongly convex rate, and many other bounds are met by matrices of -1, 0 and 1.
"""

import numpy as np

from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from ..statements.batch import Batch, closed_form

Generator = np.random.Generator

ROWS = ("random", "rank one", "block-diagonal", "signs", "rank-one signs")
PROBABILITIES = ("random", "equal", "certain", "balanced", "closed form")
POINTS = ("random", "top", "pencil", "slowest", "signs")


def draw_rows(blocks: Blocks, rng: Generator, count: int, family: str) -> FloatArray:
    """Return rows a_j of shape (count, d + 1, d)."""
    d = blocks.dimension
    rows = rng.standard_normal((count, d + 1, d))
    if "signs" in family:
        rows = rng.integers(-1, 2, rows.shape).astype(float)
    if "rank" in family:
        rows[:, 1:] = 0.0
    elif family == "block-diagonal":
        rows[:, :d] *= blocks.labels[:, None] == blocks.labels[None, :]
        rows[:, d] = 0.0
    return rows


def draw_probabilities(
    block_L: FloatArray, costs: FloatArray, rng: Generator, family: str
) -> FloatArray:
    """Return probabilities of shape (count, B)."""
    random = 2.0 ** -rng.uniform(0, 5, block_L.shape)
    if family == "equal":
        return np.asarray(np.broadcast_to(random[:, :1], random.shape).copy())
    if family == "certain":
        return np.ones_like(random)
    if family == "random":
        return random
    with np.errstate(invalid="ignore", divide="ignore"):
        if family == "balanced":
            p = block_L / block_L.max(axis=1, keepdims=True)
        else:
            p = closed_form(block_L, costs)
    return np.where(np.isfinite(p), p, 1.0)


def draw_weights(shape: tuple[int, int], rng: Generator) -> FloatArray:
    """Return weights of sets of blocks, many of them zero; every block is in the last set."""
    weights = np.where(rng.random(shape) < rng.choice([0.0, 0.3, 1.0]), rng.random(shape), 0.0)
    weights[:, -1] += 0.01
    return weights


def draw_thresholds(shape: tuple[int, int], rng: Generator, none: float) -> FloatArray:
    """Return thresholds, at least half of them `none`."""
    thresholds = rng.uniform(0, 2, shape)
    thresholds[rng.random(shape) < rng.choice([0.5, 1.0])] = none
    return thresholds


def draw_x(batch: Batch, H: FloatArray, rng: Generator, family: str) -> FloatArray:
    """Return points of shape (count, d); H is the part of L that belongs to f.

    "pencil" attains lem:secondMoment, "slowest" is the worst point of one step on the quadratic
    x'Hx / 2.
    """
    p = batch.per_coordinate
    L = batch.L
    n, d = p.shape
    if family == "pencil":
        root = np.sqrt(p)
        scaled = L / (root[:, :, None] * root[:, None, :])
        return np.asarray(np.linalg.eigh(scaled)[1][:, :, -1] / root)
    if family == "slowest" and batch.stepsize is not None:
        step = batch.stepsize[:, None, None]
        moment = np.eye(d) - 2 * step * H + step**2 * (H / p[:, None, :]) @ H
        return np.asarray(np.linalg.eigh(moment)[1][:, :, -1])
    if family == "top":
        return np.asarray(np.linalg.eigh(L)[1][:, :, -1])
    if family == "signs":
        return rng.choice([-1.0, 1.0], (n, d))
    return rng.standard_normal((n, d))


def rotated_rows(p: FloatArray, mu: FloatArray, rng: Generator) -> FloatArray:
    """Return rows with A'A + mu I = P for probabilities per coordinate.

    Then L_P = 1 in every direction at once.
    """
    n, d = p.shape
    frames = np.linalg.qr(rng.standard_normal((n, d, d)))[0]
    rows = frames * np.sqrt(np.maximum(p - mu[:, None], 0.0))[:, None, :]
    return np.concatenate((rows, np.zeros((n, 1, d))), axis=1)
