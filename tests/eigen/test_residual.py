"""T2: the residual's norm is bounded from above, so no factor, however wrong, can prove a
falsehood.
"""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import hadamard, hilbert, lapack
from soundness.tops import covers, left_by

from rpttheory.eigen import residual
from rpttheory.eigen.pencil import EntrywiseMatrix, make_pencil
from rpttheory.eigen.residual import _norm_bound, proves_upper, residual_norm

Array = np.ndarray[Any, np.dtype[np.float64]]


def pairs() -> list[tuple[str, Array, Array]]:
    """Matrices and factors: good ones, exact ones, hopeless ones."""
    rng = np.random.default_rng(5)
    made: list[tuple[str, Array, Array]] = []
    for n in (1, 2, 3, 6, 10):
        a = rng.standard_normal((n, n))
        for name, matrix in (
            ("random", a @ a.T + 1e-12 * np.eye(n)),
            ("ones", np.ones((n, n)) + 1e-13 * np.eye(n)),
            ("Hilbert", hilbert(n) + 1e-13 * np.eye(n)),
            ("graded", np.outer(1e-9 ** np.arange(n), 1e-9 ** np.arange(n)) * (np.eye(n) + 1)),
            ("far apart", (np.eye(n) + 1) * np.outer(v := 10.0 ** rng.uniform(-90, 0, n), v)),
            ("small", 1e-100 * (a @ a.T + np.eye(n))),
        ):
            matrix = np.triu(matrix) + np.triu(matrix, 1).T
            factor, _ = lapack.dpotrf(matrix, lower=1, clean=1)
            made.append((f"{name} {n}", matrix, np.ascontiguousarray(factor)))
            made.append((f"{name} {n}, sloppy", matrix, factor.astype(np.float32).astype(float)))
        made.append((f"integers {n}", np.round(9 * a) @ np.round(9 * a).T, np.round(9 * a)))
        made.append((f"hopeless {n}", np.eye(n), a))
        made.append((f"zero {n}", np.eye(n), np.zeros((n, n))))
    root = np.array([[math.sqrt(2.0)]])
    made.append(("a residual that rounds to zero", root * root, root))
    # Too small beside the 1 for every slice, so that the factor looks like the identity.
    lost = np.diag([1.0, 1.0, 2.0**-200])
    lost[0, 1] = 0.9 * 2.0**-100
    made.append(("a residual below the slices", np.diag(lost.diagonal() ** 2), lost))
    return made


PAIRS = pairs()


@pytest.mark.parametrize(("matrix", "factor"), [p[1:] for p in PAIRS], ids=[p[0] for p in PAIRS])
def test_the_bound_covers_the_norm_and_little_more(matrix: Array, factor: Array) -> None:
    error = left_by(matrix, factor)
    bound = residual_norm(matrix.copy(), factor)
    assert covers(bound, error)
    row_sums = max(sum(map(abs, row)) for row in error)
    largest = float((factor * factor).sum(axis=1).max())
    assert bound <= 1.01 * float(row_sums) + 2.0**-70 * largest + 1e-75


@pytest.mark.parametrize("n", [2, 16, 64])
def test_squaring_twice_brings_row_sums_closer(n: int) -> None:
    """Row sums of E^4 are at most sqrt(n) times its norm; for a Hadamard matrix row sums of E are
    too.
    """
    for matrix in (hadamard(n).astype(float), np.random.default_rng(n).choice([-3.0, 3.0], (n, n))):
        symmetric = matrix + matrix.T
        norm = float(np.linalg.norm(symmetric, 2))
        assert norm * (1 - 1e-12) <= _norm_bound(symmetric) <= norm * n**0.125 * (1 + 1e-9)


def test_a_residual_that_rounds_to_zero_is_not_taken_for_zero() -> None:
    """fl(R^2) - fl(R^2) = 0, but R^2 is no float."""
    root = np.array([[math.sqrt(2.0)]])
    assert residual_norm(root * root, root) >= abs(left_by(root * root, root)[0][0]) > 0


def garbage(rng: np.random.Generator) -> list[Callable[[Array, int], tuple[Array, int]]]:
    """Ways in which a factorisation can be wrong while it reports success."""
    return [
        lambda factor, n: (factor * (1 + 1e-9), 0),
        lambda factor, n: (np.zeros((n, n)), 0),
        lambda factor, n: (np.tril(rng.standard_normal((n, n))), 0),
        lambda factor, n: (factor + 1e-12 * np.tril(rng.standard_normal((n, n))), 0),
        lambda factor, n: (np.full((n, n), math.nan), 0),
        lambda factor, n: (np.where(np.eye(n) > 0, math.inf, factor), 0),
        lambda factor, n: (1e6 * np.eye(n), 0),
    ]


@pytest.mark.parametrize("kind", range(7))
def test_no_factor_proves_a_falsehood(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(kind)
    spoil = garbage(rng)[kind]

    def dpotrf(matrix: Array, **options: Any) -> tuple[Array, int]:
        return spoil(lapack.dpotrf(matrix, **options)[0], matrix.shape[0])

    monkeypatch.setattr(residual, "lapack", SimpleNamespace(dpotrf=dpotrf))
    for n in (1, 2, 3, 5, 9):
        pencil = make_pencil(EntrywiseMatrix(np.ones((n, n))))
        assert pencil is not None
        for below in (1e-15, 1e-12, 1e-6, 0.5):
            assert not proves_upper(pencil, pencil.scaled_level(n * (1 - below)))


def test_a_good_factor_proves_the_truth() -> None:
    for n in (1, 2, 3, 5, 9, 30, 120):
        pencil = make_pencil(EntrywiseMatrix(np.ones((n, n))))
        assert pencil is not None
        assert any(
            proves_upper(pencil, pencil.scaled_level(n * (1 + c * n * 2.0**-53)))
            for c in (20, 40, 60, 80)
        )


def test_levels_far_above_the_truth() -> None:
    """Proved or not, but without an error: nothing says how far above a caller's level may be."""
    pencil = make_pencil(EntrywiseMatrix(np.ones((3, 3))))
    assert pencil is not None
    for level in (1e3, 1e60, 1e120, 1e200, 1e300):
        proves_upper(pencil, pencil.scaled_level(level))
