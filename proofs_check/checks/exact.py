"""Small matrices in fractions: the arithmetic in which witnesses are confirmed."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from rpttheory.eigen.exact import RationalMatrix, definiteness

Vector = Sequence[Fraction | int]
Matrix = Sequence[Vector]


def rows(matrix: Matrix) -> RationalMatrix:
    """The entries as fractions."""
    return [[Fraction(value) for value in row] for row in matrix]


def diag(values: Vector) -> RationalMatrix:
    """A diagonal matrix."""
    return [
        [Fraction(v) if i == j else Fraction(0) for j in range(len(values))]
        for i, v in enumerate(values)
    ]


def plus(a: Matrix, b: Matrix, factor: Fraction | int = 1) -> RationalMatrix:
    """a + factor b."""
    return [
        [Fraction(x) + factor * Fraction(y) for x, y in zip(r, s, strict=True)]
        for r, s in zip(a, b, strict=True)
    ]


def times(a: Matrix, b: Matrix) -> RationalMatrix:
    """The matrix product."""
    columns = list(zip(*b, strict=True))
    return [
        [sum((Fraction(x) * y for x, y in zip(row, c, strict=True)), Fraction(0)) for c in columns]
        for row in a
    ]


def apply(matrix: Matrix, x: Vector) -> list[Fraction]:
    """The product with a vector."""
    return [dot(row, x) for row in matrix]


def dot(x: Vector, y: Vector) -> Fraction:
    """The inner product."""
    return sum((Fraction(a) * b for a, b in zip(x, y, strict=True)), Fraction(0))


def form(matrix: Matrix, x: Vector) -> Fraction:
    """x'Mx."""
    return dot(x, apply(matrix, x))


def is_semidefinite(matrix: Matrix) -> bool:
    """Whether a symmetric matrix is positive semidefinite, decided without rounding."""
    return _definiteness(matrix) >= 0


def is_definite(matrix: Matrix) -> bool:
    """Whether a symmetric matrix is positive definite, decided without rounding."""
    return _definiteness(matrix) > 0


def _definiteness(matrix: Matrix) -> int:
    decided = definiteness(rows(matrix))
    if decided is None:
        raise ValueError("the entries are too long to decide definiteness exactly")
    return decided


def top_at_most(matrix: Matrix, t: Fraction | int) -> bool:
    """Whether lambda_max(matrix) <= t."""
    return is_semidefinite(plus(diag([t] * len(matrix)), matrix, -1))


def level_above(H: Matrix, p: Sequence[Fraction | int]) -> Fraction:
    """A multiple of 1/64 that is at least lambda_max(P^-1/2 H P^-1/2), decided exactly, and mostly
    the least such.
    """
    floats = np.array([[float(v) for v in row] for row in H])
    roots = np.sqrt([float(v) for v in p])
    top = nearest_64th(float(np.linalg.eigvalsh(floats / np.outer(roots, roots))[-1]), math.ceil)
    while not is_semidefinite(plus(diag([top * v for v in p]), H, -1)):
        top += Fraction(1, 64)
    return top


def nearest_64th(value: float, rounding: Callable[[float], int]) -> Fraction:
    """A multiple of 1/64 on one side, or the nearest one where that is as good as equal."""
    near = Fraction(round(64 * value), 64)
    return (
        near
        if abs(float(near) - value) <= 1e-9 * abs(value)
        else Fraction(rounding(64 * value), 64)
    )
