"""A batch gives each claim the values that numpy gives it, formula by formula."""

import numpy as np
import pytest

from rpttheory.problem.blocks import Blocks
from rpttheory.statements.batch import Batch, ratios, sides
from rpttheory.statements.parser import parse

BLOCKS = Blocks([1, 2])
RNG = np.random.default_rng(11)
FACTORS = RNG.standard_normal((4, 3, 3))
BATCH = Batch(
    BLOCKS,
    FACTORS @ FACTORS.swapaxes(1, 2),
    RNG.uniform(0.1, 1.0, (4, 2)),
    RNG.uniform(0.5, 2.0, (4, 2)),
    RNG.standard_normal((4, 3)),
)

# A claim with its two sides in Python, where L, p and c are the arrays of one problem.
CLAIMS = {
    "lmax + mu <= L_P - 0.1": "top(L) + bottom(L), weighted(L, p) - 0.1",
    "lmax*L_M >= L_P/2": "top(L) * top(clc(L, p)), weighted(L, p) / 2",
    "abs(mu - lmax) <= 3": "abs(bottom(L) - top(L)), 3",
    "abs(-lmax) >= 1": "top(L), 1",
    "sqrt(lmax)^3 <= B*d": "top(L) ** 1.5, 2 * 3",
    "min(3, lmax, mu) <= max(mu, 1, L_P)": (
        "min(3, top(L), bottom(L)), max(bottom(L), 1, weighted(L, p))"
    ),
    "sum(L/p) >= max(L)": "(parts(L) / p).sum(), parts(L).max()",
    "min(c*p) <= cost": "(c * p).min(), c @ p",
    "sum(sqrt(c*L))^2 == closed": "np.sqrt(c * parts(L)).sum() ** 2, closed_bound(L, c)",
    "c_P <= c_M": "weighted(L, p) * (c @ p), top(clc(L, p)) * (c @ p)",
    "c_closed <= c_rounded": "closed_cost(L, c), closed_cost(L, c)",
    "sum(g/p) <= L_P*xLx": "(squares(L, x) / p).sum(), weighted(L, p) * (x @ L @ x)",
    "sum(q*c) == cost": "p @ c, p @ c",
}


def top(matrix: np.ndarray) -> float:
    return float(np.linalg.eigvalsh(matrix)[-1])


def bottom(matrix: np.ndarray) -> float:
    return float(np.linalg.eigvalsh(matrix)[0])


def weighted(L: np.ndarray, p: np.ndarray) -> float:
    q = p[[0, 1, 1]]
    return top(L / np.sqrt(np.outer(q, q)))


def clc(L: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return E[CLC] by enumerating the sets {1, ..., k} of the nested sampling."""
    order = np.argsort(-p)
    expected = np.zeros((3, 3))
    for count in range(3):
        above = p[order[count - 1]] if count else 1.0
        below = p[order[count]] if count < 2 else 0.0
        active = np.isin([0, 1, 1], order[:count])
        C = np.diag(np.where(active, 1 / p[[0, 1, 1]], 0.0))
        expected += (above - below) * C @ L @ C
    return expected


def parts(L: np.ndarray) -> np.ndarray:
    return np.array([L[0, 0], top(L[1:, 1:])])


def closed_bound(L: np.ndarray, c: np.ndarray) -> float:
    first, second = c * parts(L)
    return float(first + second + 2 * np.sqrt(first * second))


def closed_cost(L: np.ndarray, c: np.ndarray) -> float:
    p = np.sqrt(parts(L) / c)
    return float(weighted(L, p) * (c @ p))


def squares(L: np.ndarray, x: np.ndarray) -> np.ndarray:
    gradient = L @ x
    return np.array([gradient[0] ** 2, gradient[1] ** 2 + gradient[2] ** 2])


@pytest.mark.parametrize("text", CLAIMS)
def test_both_sides_are_those_of_numpy(text: str) -> None:
    left, right = sides(parse(text), BATCH)
    for i in range(4):
        names = {"L": BATCH.L[i], "p": BATCH.p[i], "c": BATCH.costs[i], "x": BATCH.point[i]}
        expected = eval(CLAIMS[text], globals(), names)
        assert (left[i], right[i]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lmax <= 2*L_P", lambda batch: batch.lmax / (2 * batch.L_P)),
        ("2*L_P >= lmax", lambda batch: batch.lmax / (2 * batch.L_P)),
        # A term that is subtracted counts on the other side.
        ("3*lmax - 2*mu >= mu", lambda batch: batch.mu / batch.lmax),
        ("0 < 0", lambda batch: np.ones(4)),
        ("0 <= 0", lambda batch: np.zeros(4)),
    ],
)
def test_a_ratio_above_one_refutes(text: str, expected: object) -> None:
    assert callable(expected)
    assert ratios(parse(text), BATCH) == pytest.approx(expected(BATCH), rel=1e-9)


def test_there_is_no_closed_form_where_a_block_is_zero() -> None:
    L = np.stack([np.diag([1.0, 2.0, 3.0]), np.diag([0.0, 2.0, 3.0])])
    batch = Batch(BLOCKS, L, BATCH.p[:2], BATCH.costs[:2])
    assert np.isnan(batch.c_closed).tolist() == [False, True]


def test_the_optimum_of_a_zero_matrix_is_zero() -> None:
    batch = Batch(BLOCKS, np.zeros((4, 3, 3)), BATCH.p, BATCH.costs)
    assert batch.optimum.tolist() == [0.0] * 4
