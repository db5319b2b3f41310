"""Points to begin a search with: random ones, and the structures at which the bounds are known to
be met.

Rank one and the tight construction meet the upper bounds, block-diagonal matrices the lower ones,
equal probabilities make L_M, L_P and lambda_max / p_min one and the same, and a matrix with L = P
meets the sharp strongly convex rate.
"""

import numpy as np

from ...numbers.exact_array import FloatArray
from ...statements.batch import closed_form, top
from .space import Layout

Generator = np.random.Generator


def draw_rows(layout: Layout, rng: Generator, count: int, family: str) -> FloatArray:
    """Rows a_j of shape (count, d + 1, d)."""
    blocks = layout.blocks
    d = blocks.dimension
    labels = blocks.labels
    rows = rng.standard_normal((count, d + 1, d))
    if family == "rank one":
        rows[:, 1:] = 0.0
    elif family == "block-diagonal":
        rows[:, :d] *= labels[:, None] == labels[None, :]
        rows[:, d] = 0.0
    elif family == "tight":
        # What is added to the rank-one part is orthogonal to it in every block, and shorter.
        w = rows[:, :1]
        own = rows[:, 1:] * (labels[:, None] == labels[None, :])
        along = (own * w).sum(axis=2, keepdims=True) / _block_squares(w, layout)[:, 0, labels][
            :, :, None
        ]
        own = own - along * w * (labels[:, None] == labels[None, :])
        sizes = np.sqrt((own * own).sum(axis=2, keepdims=True) * d) + 1e-12
        shortest = np.sqrt(_block_squares(w, layout).min(axis=2, keepdims=True))
        rows[:, 1:] = own / sizes * shortest * rng.random((count, 1, 1))
    return rows


def _block_squares(rows: FloatArray, layout: Layout) -> FloatArray:
    return np.asarray(np.add.reduceat(rows * rows, layout.blocks.starts, axis=2))


ROWS = ("random", "rank one", "block-diagonal", "tight")


def draw_probabilities(
    block_L: FloatArray, costs: FloatArray, rng: Generator, family: str
) -> FloatArray:
    """Probabilities of shape (count, B), given the block constants."""
    random = 2.0 ** -rng.uniform(0, 5, block_L.shape)
    if family == "equal":
        return np.asarray(np.broadcast_to(random[:, :1], random.shape).copy())
    if family == "certain":
        return np.ones_like(random)
    with np.errstate(invalid="ignore", divide="ignore"):
        if family == "balanced":
            found = block_L / block_L.max(axis=1, keepdims=True)
        elif family == "closed form":
            found = closed_form(block_L, costs)
        else:
            return random
    return np.where(np.isfinite(found), found, 1.0)


PROBABILITIES = ("random", "equal", "certain", "balanced", "closed form")


def draw_x(
    L: FloatArray,
    H: FloatArray,
    p: FloatArray,
    stepsize: FloatArray | None,
    rng: Generator,
    family: str,
) -> FloatArray:
    """Points of shape (count, d); p is per coordinate, H the part of L that belongs to f.

    "pencil" attains lem:secondMoment, "slowest" is the worst point of one step on the quadratic
    x'Hx / 2.
    """
    n, d = p.shape
    if family == "pencil":
        root = np.sqrt(p)
        return np.asarray(
            np.linalg.eigh(L / (root[:, :, None] * root[:, None, :]))[1][:, :, -1] / root
        )
    if family == "slowest" and stepsize is not None:
        step = stepsize[:, None, None]
        moment = np.eye(d) - 2 * step * H + step**2 * (H / p[:, None, :]) @ H
        return np.asarray(np.linalg.eigh(moment)[1][:, :, -1])
    if family == "top":
        return np.asarray(np.linalg.eigh(L)[1][:, :, -1])
    return rng.standard_normal((n, d))


POINTS = ("random", "top", "pencil", "slowest")


def rotated_rows(p: FloatArray, mu: FloatArray, rng: Generator) -> FloatArray:
    """Rows with A'A + mu I = P for probabilities per coordinate: then L_P = 1 in every direction at
    once.
    """
    n, d = p.shape
    frames = np.linalg.qr(rng.standard_normal((n, d, d)))[0]
    rows = frames * np.sqrt(np.maximum(p - mu[:, None], 0.0))[:, None, :]
    return np.concatenate((rows, np.zeros((n, 1, d))), axis=1)


def block_constants(L: FloatArray, layout: Layout) -> FloatArray:
    """L_k of shape (count, B)."""
    return np.stack([top(L[:, rows, rows]) for rows in layout.blocks.slices], axis=1)
