"""Quadratics whose second moments are exact recursions, for a theorem to be held against."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Quadratic:
    """f(x) = x'Hx / 2, a sketch given by all its outcomes (probability, diagonal of C), its P, and a start."""

    H: FloatArray
    outcomes: list[tuple[float, FloatArray]]
    p: FloatArray
    x0: FloatArray

    @property
    def L_P(self) -> float:
        root = np.sqrt(self.p)
        return float(np.linalg.eigvalsh(self.H / np.outer(root, root))[-1]) * (1 + 1e-12)

    @property
    def L_M(self) -> float:
        moment = sum(weight * np.outer(c, c) for weight, c in self.outcomes) * self.H
        return float(np.linalg.eigvalsh(moment)[-1]) * (1 + 1e-12)

    @property
    def gap(self) -> float:
        return float(self.x0 @ self.H @ self.x0) / 2

    @property
    def squared_distance(self) -> float:
        """To the nearest minimiser: the part of x0 in the range of H."""
        values, vectors = np.linalg.eigh(self.H)
        return float(np.sum((vectors[:, values > 1e-9 * values[-1]].T @ self.x0) ** 2))

    def scale(self, power: int) -> float:
        """tr(H)^power ||x0||^2: what rounding errors are to be compared with."""
        return float(np.trace(self.H) ** power * (self.x0 @ self.x0))

    def moments(self, gamma: float, T: int) -> list[FloatArray]:
        """E[z_t z_t'] for t = 0..T, where z_t stacks x_t and x_0 + ... + x_t."""
        d = len(self.x0)
        start = np.concatenate([self.x0, self.x0])
        steps = []
        for weight, c in self.outcomes:
            one = np.eye(d) - gamma * c[:, None] * self.H
            steps.append((weight, np.block([[one, np.zeros((d, d))], [one, np.eye(d)]])))
        found = [np.outer(start, start)]
        for _ in range(T):
            found.append(sum(weight * step @ found[-1] @ step.T for weight, step in steps))
        return found

    def mean_squared_distance(self, moment: FloatArray) -> float:
        d = len(self.x0)
        return float(np.trace(moment[:d, :d]))

    def mean_value(self, moment: FloatArray) -> float:
        d = len(self.x0)
        return float(np.sum(self.H * moment[:d, :d])) / 2

    def mean_value_of_average(self, moment: FloatArray, count: int) -> float:
        d = len(self.x0)
        return float(np.sum(self.H * moment[d:, d:])) / 2 / count**2

    def mean_squared_gradient(self, moment: FloatArray) -> float:
        d = len(self.x0)
        return float(np.sum((self.H @ self.H) * moment[:d, :d]))


def sketch(kind: str, sizes: list[int], p: list[float]) -> tuple[list[tuple[float, FloatArray]], FloatArray]:
    B = len(sizes)
    if kind == "single":
        p = [value / sum(p) for value in p]
    if kind == "nested":
        order = sorted(range(B), key=lambda k: -p[k])
        levels = [1.0, *(p[k] for k in order), 0.0]
        active = [(levels[i] - levels[i + 1], set(order[:i])) for i in range(B + 1)]
    elif kind == "independent":
        active = []
        for pattern in itertools.product((0, 1), repeat=B):
            weight = math.prod(q if on else 1 - q for q, on in zip(p, pattern, strict=True))
            active.append((weight, {k for k in range(B) if pattern[k]}))
    else:
        active = [(p[k], {k}) for k in range(B)]
    outcomes = [
        (weight, np.repeat([1 / p[k] if k in blocks else 0.0 for k in range(B)], sizes)) for weight, blocks in active
    ]
    return outcomes, np.repeat(p, sizes)


@st.composite
def quadratics(draw: st.DrawFn, *, shifts: tuple[float, ...]) -> Quadratic:
    B = draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(1, 2), min_size=B, max_size=B))
    d = sum(sizes)
    rows = draw(st.integers(1, d))
    entries = draw(st.lists(st.integers(-3, 3), min_size=rows * d, max_size=rows * d))
    A = np.array(entries, dtype=np.float64).reshape(rows, d)
    A[0, 0] += 4 if A[0, 0] >= 0 else -4
    p = draw(st.lists(st.sampled_from([1.0, 0.9, 0.5, 0.3, 0.1, 0.01]), min_size=B, max_size=B))
    outcomes, marginals = sketch(draw(st.sampled_from(["nested", "independent", "single"])), sizes, p)
    x0 = np.array(draw(st.lists(st.integers(-4, 4), min_size=d, max_size=d)), dtype=np.float64)
    return Quadratic(A.T @ A + draw(st.sampled_from(shifts)) * np.eye(d), outcomes, marginals, x0)


STEPS = st.sampled_from([1.0, 0.999, 0.6, 0.2, 0.01])
TIMES = st.integers(0, 25)
DEFINITE = quadratics(shifts=(0.01, 0.1, 1.0, 30.0))
SEMIDEFINITE = quadratics(shifts=(0.0, 0.0, 0.1, 30.0))


def three_blocks(kind: str) -> Quadratic:
    A = np.array([[2.0, -1.0, 0.5], [0.0, 1.0, 3.0], [1.0, 1.0, 0.0]])
    outcomes, marginals = sketch(kind, [1, 1, 1], [0.5, 1.0, 0.2])
    return Quadratic(A.T @ A, outcomes, marginals, np.array([1.0, -2.0, 0.5]))
