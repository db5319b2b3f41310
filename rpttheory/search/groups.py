"""Groups of coordinates that hardly touch, turned against one another.

Rows of V that belong to one group may be turned together, V_g R_g: block norms and what L does
inside the group stay as they are. Groups settle at once within themselves, and a climb would then
take thousands of steps to turn them, since what they gain by it is as small as what couples them.
Here that gain alone is climbed, on a basis of each V_g.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from ..eigen.pencil import SLICE, Matrix
from ..numbers.exact_array import FloatArray
from .climb import Floats, Product

# Entries below this share of the root of their diagonal entries' product couple nothing.
_COUPLING = 3e-3
# Directions of a group shorter than this share of its longest go along with the others.
_SHORT = 0.03
# At most so many turns, and until a sweep gains less than this share of what was gained before.
_LARGEST_TURNS = 4000
_PROGRESS = 1e-3
_LARGEST_COUNT = 100
_LARGEST_DIRECTIONS = 1500

Group = NDArray[np.intp]


def groups_apart(matrix: Matrix) -> list[Group]:
    """The coordinates in groups that no entry of ordinary size couples, rows of zeros left out;
    none if too many.
    """
    roots = np.sqrt(np.maximum(matrix.diagonal(), 0.0))
    left = roots > 0
    groups = list[Group]()
    if not isinstance(matrix, np.ndarray):
        rows = np.repeat(np.arange(roots.size), np.diff(matrix.indptr))
        kept = np.abs(matrix.data) > _COUPLING * roots[rows] * roots[matrix.indices]
        edges = sp.coo_array((kept[kept], (rows[kept], matrix.indices[kept])), shape=matrix.shape)
        labels = connected_components(edges, directed=False)[1]
        found = np.unique(labels[left])
        return (
            []
            if found.size > _LARGEST_COUNT
            else [np.flatnonzero(labels == label) for label in found]
        )
    while left.any() and len(groups) < _LARGEST_COUNT:
        group = np.zeros(roots.size, dtype=bool)
        waiting = np.flatnonzero(left)[:1]
        group[waiting] = True
        while waiting.size and group.sum() < left.sum():
            rows = waiting[:SLICE]
            waiting = waiting[SLICE:]
            new = (
                (np.abs(matrix[rows]) > _COUPLING * roots[rows, None] * roots).any(axis=0)
                & left
                & ~group
            )
            group |= new
            waiting = np.concatenate((waiting, np.flatnonzero(new)))
        left &= ~group
        groups.append(np.flatnonzero(group))
    return [] if left.any() else groups


def turned(V: Floats, product: Product, groups: list[Group]) -> Floats:
    """V with its groups turned, one after the other and each as well as the others allow, until
    little is gained.

    V itself where nothing couples them, or they have too many directions for that to be worth
    while.
    """
    bases = []
    lengths = []
    old = []
    places = []
    count = 0
    for rows in groups:
        left, sizes, right = np.linalg.svd(V[rows], full_matrices=False)
        kept = max(int((sizes > _SHORT * sizes[0]).sum()), 1)
        bases.append(left[:, :kept])
        lengths.append(np.asarray(sizes[:kept, None], dtype=np.float64))
        old.append(np.asarray(right[:kept], dtype=np.float64))
        places.append(slice(count, count := count + kept))
    if count > _LARGEST_DIRECTIONS:
        return V
    between = _between(product, V.shape[0], groups, bases, places)
    if not between.any():
        return V
    new = [*old]
    Y = np.vstack([size * turn for size, turn in zip(lengths, old, strict=True)])
    gain = start = float(np.vdot(Y, between @ Y))
    for _ in range(_LARGEST_TURNS // len(groups)):
        before = gain
        for k, (place, size) in enumerate(zip(places, lengths, strict=True)):
            left, _, right = np.linalg.svd(size * (between[place] @ Y), full_matrices=False)
            new[k] = left @ right
            Y[place] = size * new[k]
        gain = float(np.vdot(Y, between @ Y))
        if gain - before <= _PROGRESS * abs(gain - start):
            break
    result = V.copy()
    for rows, *turns in zip(groups, old, new, strict=True):
        result[rows] = V[rows] @ _rotation(*turns).astype(V.dtype)
    return result


def _between(
    product: Product, dimension: int, groups: list[Group], bases: list[Floats], places: list[slice]
) -> FloatArray:
    """What L does between the bases of different groups; products for one group at a time need
    little memory.
    """
    found = np.zeros((places[-1].stop,) * 2)
    for rows, basis, place in zip(groups, bases, places, strict=True):
        columns = np.zeros((dimension, basis.shape[1]), basis.dtype)
        columns[rows] = basis
        image = product(columns)
        for others, other, above in zip(groups, bases, places, strict=True):
            if above is not place:
                found[above, place] = other.T @ image[others]
    return (found + found.T) / 2


def _rotation(old: FloatArray, new: FloatArray) -> FloatArray:
    """An orthogonal matrix that takes the orthonormal rows of one to those of the other."""
    count, columns = old.shape
    before, after = (
        np.linalg.qr(np.vstack((rows, np.eye(columns))).T)[0][:, :columns] for rows in (old, new)
    )
    before[:, :count] = old.T
    after[:, :count] = new.T
    return np.asarray(before @ after.T)
