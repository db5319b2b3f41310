"""Rotation of groups of coordinates that are weakly coupled.

Rows of V in one group may be rotated together, V_g R_g, which changes neither block norms nor what
L does inside the group. Each group converges quickly by itself. Their relative rotation would then
take thousands of steps, since it gains no more than the weak coupling. Here only that gain is
maximized, on a basis of each V_g.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes
from scipy.sparse.csgraph import connected_components

from ..eigen.pencil import Matrix
from ..numbers.exact_array import FloatArray
from .burer_monteiro import Product

# Entries below this share of the root of their diagonal entries' product count as zero. Chosen by
# hand, as all constants here; a third or three times as much changed all products by at most 4
# percent, and those of a family by at most a factor of two (benchmarks/constants.py).
_WEAK = 3e-3
# Directions of a group shorter than this share of its longest are rotated along with the others.
_SHORT = 0.03
# Beyond these sizes rotations would take longer than the products they save: groups, rows that are
# probed before all of them, and directions. Not measured.
_LARGEST_GROUPS = 100
_FEW = 64
_LARGEST_DIRECTIONS = 1500
# The most rotations of one group, and the share of the gain so far below which a sweep is the last.
_LARGEST_ROTATIONS = 4000
_PROGRESS = 1e-3

Group = NDArray[np.intp]


def weakly_coupled_groups(matrix: Matrix) -> list[Group]:
    """Return the groups that entries of ordinary size connect, without rows of zeros.

    There are none if there are too many.
    """
    roots = np.sqrt(np.maximum(matrix.diagonal(), 0.0))
    if isinstance(matrix, np.ndarray):
        # Usually the neighbors of a few neighbors of one coordinate are all coordinates.
        few = np.flatnonzero(_strong(matrix, roots, [0])[0])[:_FEW]
        if few.size and _strong(matrix, roots, few).any(axis=0).all():
            return [np.arange(roots.size)]
        edges = sp.csr_array(_strong(matrix, roots, slice(None)))
    else:
        rows = np.repeat(np.arange(roots.size), np.diff(matrix.indptr))
        strong = np.abs(matrix.data) > _WEAK * roots[rows] * roots[matrix.indices]
        places = (rows[strong], matrix.indices[strong])
        edges = sp.csr_array((strong[strong], places), shape=matrix.shape)
    _, labels = connected_components(edges, directed=False)
    present = np.unique(labels[roots > 0])
    if present.size > _LARGEST_GROUPS:
        return []
    return [np.flatnonzero(labels == label) for label in present]


def _strong(matrix: FloatArray, roots: FloatArray, rows: Any) -> NDArray[np.bool_]:
    return np.asarray(np.abs(matrix[rows]) > _WEAK * roots[rows][:, None] * roots)


@dataclass(frozen=True)
class _Directions:
    """The longest directions of the rows of V in one group: basis @ Diag(lengths) @ rows."""

    group: Group
    basis: FloatArray
    lengths: FloatArray
    rows: FloatArray
    place: slice


def rotate_groups(V: FloatArray, product: Product, groups: list[Group]) -> FloatArray:
    """Return V with its groups rotated in turn, each optimally for the others, until little is
    gained.

    V is returned as it is if the groups are not coupled or have too many directions.
    """
    parts = []
    count = 0
    for group in groups:
        left, lengths, right = np.linalg.svd(V[group], full_matrices=False)
        rank = int((lengths > _SHORT * lengths[0]).sum())
        if rank > 0:  # rows of zeros have none
            place = slice(count, count + rank)
            parts.append(
                _Directions(group, left[:, :rank], lengths[:rank, None], right[:rank], place)
            )
            count += rank
    if len(parts) < 2 or count > _LARGEST_DIRECTIONS:
        return V
    coupling = _coupling(product, V.shape[0], parts)
    if not coupling.any():
        return V
    Y = np.vstack([part.lengths * part.rows for part in parts])
    start = float(np.vdot(Y, coupling @ Y))
    gain = start
    for _ in range(_LARGEST_ROTATIONS // len(parts)):
        before = gain
        for part in parts:
            left, _, right = np.linalg.svd(
                part.lengths * (coupling[part.place] @ Y), full_matrices=False
            )
            Y[part.place] = part.lengths * (left @ right)
        gain = float(np.vdot(Y, coupling @ Y))
        if gain - before <= _PROGRESS * abs(gain - start):
            break
    result = V.copy()
    for part in parts:
        # Both have orthonormal rows, so that an orthogonal matrix takes the one to the other.
        rotation, _ = orthogonal_procrustes(part.rows, Y[part.place] / part.lengths)
        result[part.group] = V[part.group] @ rotation
    return result


def _coupling(product: Product, dimension: int, parts: list[_Directions]) -> FloatArray:
    """Return what L does between the bases of different groups, one group at a time."""
    size = parts[-1].place.stop
    coupling = np.zeros((size, size))
    for part in parts:
        columns = np.zeros((dimension, part.basis.shape[1]))
        columns[part.group] = part.basis
        image = product(columns)
        image[part.group] = 0.0
        for row in parts:
            coupling[row.place, part.place] = row.basis.T @ image[row.group]
    return (coupling + coupling.T) / 2
