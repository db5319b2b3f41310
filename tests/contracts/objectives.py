"""One objective of every kind and form, small enough for finite differences."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

from rpttheory import Blocks, diagonal, gram
from rpttheory.objectives import Logistic, Objective, Quadratic, Ridge, Robust

FloatArray = NDArray[np.float64]
BLOCKS = Blocks((2, 1, 3))
D = BLOCKS.dimension
X0 = np.array([1.0, -1.0, 2.0, 0.5, -0.5, 3.0])


def data(rows: int) -> FloatArray:
    """A data matrix with columns of different sizes."""
    scales = np.array([0.5, 0.5, 2.0, 1.0, 1.0, 1.0])
    return np.random.default_rng(0).standard_normal((rows, D)) * scales


def labels(rows: int) -> FloatArray:
    return np.where(np.arange(rows) % 3 == 0, -1.0, 1.0)


def matrix() -> FloatArray:
    A = data(9)
    H = A.T @ A / 9 + 0.1 * np.eye(D)
    return (H + H.T) / 2


def operator(M: FloatArray) -> Any:
    return LinearOperator(M.shape, matvec=lambda x: M @ x, matmat=lambda X: M @ X, dtype=np.float64)


B = np.array([1.0, -2.0, 0.5, 0.0, 3.0, 1.0])
BAND = sp.diags_array(
    [np.full(D - 1, -1.0), np.full(D, 2.5), np.full(D - 1, -1.0)], offsets=[-1, 0, 1]
)
DENSE = Quadratic(matrix(), B)
DIAGONAL = Quadratic(diagonal([2.0, 1.0, 9.0, 4.0, 3.0, 0.5]))

STRONGLY_CONVEX: dict[str, Objective] = {
    "diagonal": Quadratic(diagonal([5.0, 4.0, 3.0, 2.0, 1.0, 0.5]), B),
    "diagonal without b": DIAGONAL,
    "dense": DENSE,
    "dense without b": Quadratic(matrix()),
    "sparse": Quadratic(sp.csr_array(BAND), B),
    "gram": Quadratic(gram(data(9), 2 / 9, 0.1), B),
    "operator": Quadratic(operator(matrix()), B),
    "ridge, tall": Ridge(data(11), labels(11), 0.05),
    "ridge, wide": Ridge(data(4), labels(4), 0.05),
    "logistic": Logistic(data(11), labels(11), 0.05),
}
CONVEX: dict[str, Objective] = {
    "ridge, tall, no penalty": Ridge(data(11), labels(11), 0.0),
    "ridge, wide, no penalty": Ridge(data(4), labels(4), 0.0),
    "logistic, no penalty": Logistic(data(11), np.ones(11), 0.0),
    "singular": Quadratic(np.outer(B, B), 2 * B),
}
NONCONVEX: dict[str, Objective] = {
    "robust": Robust(data(11), labels(11)),
    "robust, penalty": Robust(data(4), labels(4), 0.02),
    "indefinite": Quadratic(matrix() - 2 * np.eye(D), B),
}
ALL = STRONGLY_CONVEX | CONVEX | NONCONVEX


def hessian(f: Objective, x: FloatArray) -> FloatArray:
    """Second derivatives by central differences of the gradient: about 9 digits."""
    h = 1e-5
    columns = [
        (f.gradient(x + h * e) - f.gradient(x - h * e)) / (2 * h) for e in np.eye(f.dimension)
    ]
    H = np.array(columns)
    return (H + H.T) / 2


def points(seed: int, count: int = 4) -> list[FloatArray]:
    """Points near and far from the origin."""
    rng = np.random.default_rng(seed)
    return [scale * rng.standard_normal(D) for scale in np.geomspace(0.01, 3, count)]
