"""The numerical top eigenpair: every size, gap, weight and failure of the iteration."""

import numpy as np
import pytest
from scipy.sparse.linalg import ArpackNoConvergence

from rpttheory.eigen import eigenpairs
from rpttheory.eigen.eigenpairs import FULL, leading_eigenpair, leading_eigenpair_dense, magnitude


def symmetric(dimension: int, seed: int) -> np.ndarray:
    half = np.random.default_rng(seed).standard_normal((dimension, dimension))
    return half @ half.T


def clustered(dimension: int) -> np.ndarray:
    """Eigenvalues 1, 1 - 1e-9, 1 - 2e-9, ...: no gap to speak of."""
    basis, _ = np.linalg.qr(np.random.default_rng(3).standard_normal((dimension, dimension)))
    matrix = (basis * (1 - 1e-9 * np.arange(dimension))) @ basis.T
    return (matrix + matrix.T) / 2


@pytest.mark.parametrize("dimension", [1, 2, 31, 32, 33, 90])
@pytest.mark.parametrize("spread", [None, 0.0, 3.0])
def test_both_routes_find_numpy_s_value(dimension: int, spread: float | None) -> None:
    matrix = symmetric(dimension, dimension)
    weights = (
        None if spread is None else 10.0 ** -(spread * np.random.default_rng(1).random(dimension))
    )
    root = np.ones(dimension) if weights is None else weights**-0.5
    scaled = matrix * np.outer(root, root)
    truth = float(np.linalg.eigvalsh(scaled)[-1])
    for pair in (
        leading_eigenpair_dense(matrix, weights),
        leading_eigenpair(lambda x: matrix @ x, dimension, weights),
    ):
        assert abs(pair.value - truth) <= 1e-12 * truth
        y = pair.vector / root
        assert np.linalg.norm(y) == pytest.approx(1.0)
        assert np.linalg.norm(scaled @ y - pair.value * y) == pytest.approx(
            pair.residual, abs=1e-12 * truth
        )
        assert pair.residual <= 1e-9 * truth


@pytest.mark.parametrize(
    "matrix", [clustered(60), np.eye(60), np.ones((60, 60)), -symmetric(60, 2)]
)
def test_no_gap_and_negative_matrices(matrix: np.ndarray) -> None:
    truth = float(np.linalg.eigvalsh(matrix)[-1])
    for pair in (
        leading_eigenpair_dense(matrix, None),
        leading_eigenpair(lambda x: matrix @ x, 60, None),
    ):
        assert abs(pair.value - truth) <= 1e-8 * np.abs(matrix).max()


@pytest.mark.parametrize("unit", [2.0**1000, 2.0**-1000, 4.0])
@pytest.mark.parametrize("dimension", [20, 40])
def test_the_unit_multiplies_value_and_residual(unit: float, dimension: int) -> None:
    matrix = symmetric(dimension, 5)
    plain = leading_eigenpair(lambda x: matrix @ x, dimension, None)
    scaled = leading_eigenpair(lambda x: matrix @ x, dimension, None, unit=unit)
    assert scaled.value == plain.value * unit and scaled.residual == plain.residual * unit
    np.testing.assert_array_equal(scaled.vector, plain.vector)


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_dense_matrices_of_extreme_size(size: float) -> None:
    matrix = symmetric(9, 6)
    pair = leading_eigenpair_dense(matrix * size, None)
    assert pair.value == pytest.approx(
        leading_eigenpair_dense(matrix, None).value * size, rel=1e-12
    )


def test_the_zero_operator_needs_one_product() -> None:
    count = 0

    def product(x: np.ndarray) -> np.ndarray:
        nonlocal count
        count += x.shape[1]
        return np.zeros_like(x)

    pair = leading_eigenpair(product, 50, None)
    assert (pair.value, pair.residual, count) == (0.0, 0.0, 1)
    assert np.isfinite(pair.vector).all() and pair.vector.any()


@pytest.mark.parametrize("found", [0, 1])
def test_an_iteration_that_gives_up_still_returns_an_honest_pair(
    monkeypatch: pytest.MonkeyPatch, found: int
) -> None:
    matrix = symmetric(40, 7)
    guess = np.ones(40) / np.sqrt(40)

    def stuck(*_: object, **__: object) -> None:
        raise ArpackNoConvergence(
            "stuck", np.full(found, 12.5), np.repeat(guess[:, None], found, axis=1)
        )

    monkeypatch.setattr(eigenpairs, "eigsh", stuck)
    pair = leading_eigenpair(lambda x: matrix @ x, 40, None)
    assert found == 0 or pair.value == 12.5
    y = pair.vector / np.linalg.norm(pair.vector)
    assert pair.residual == pytest.approx(float(np.linalg.norm(matrix @ y - pair.value * y)))
    distances = np.abs(np.linalg.eigvalsh(matrix) - pair.value)
    assert distances.min() <= pair.residual * (1 + 1e-12), "some eigenvalue is within the residual"


def test_without_restarts_the_value_is_as_accurate_as_was_asked() -> None:
    matrix = symmetric(400, 8)
    counts = []
    truth = float(np.linalg.eigvalsh(matrix)[-1])
    for accuracy in (1e-4, 1e-9, FULL):
        count = 0

        def product(x: np.ndarray) -> np.ndarray:
            nonlocal count
            count += 1
            return matrix @ x

        pair = leading_eigenpair(product, 400, None, accuracy=accuracy)
        assert truth * (1 - 10 * accuracy) - 1e-12 * truth <= pair.value <= truth * (1 + 1e-12)
        y = pair.vector / np.linalg.norm(pair.vector)
        assert np.linalg.norm(matrix @ y - pair.value * y) == pytest.approx(
            pair.residual, abs=1e-10 * truth
        )
        counts.append(count)
        rough = leading_eigenpair(
            product, 400, None, rough=lambda x: matrix.astype(np.float32) @ x, accuracy=accuracy
        )
        assert rough.value == pytest.approx(pair.value, rel=10 * accuracy + 1e-12)
        assert count - counts[-1] < 0.8 * counts[-1], (
            "a start in single precision leaves less to do"
        )
    assert counts == sorted(counts)


MAGNITUDES: dict[float, list[list[float]]] = {
    1.0: [[0.0, 0.0], [], [1.0, -5.0], [1e99, 0.0], [np.inf]],
    2.0**501: [[2.0**500], [-(2.0**500), 1.0]],
    2.0**-599: [[1.5 * 2.0**-600, 0.0]],
    2.0**1022: [[1.7e308]],
    2.0**-1021: [[5e-324]],
}


def test_magnitude_is_a_power_of_two_near_the_largest_entry() -> None:
    for expected, several in MAGNITUDES.items():
        assert [magnitude(np.array(entries)) for entries in several] == [expected] * len(several)
