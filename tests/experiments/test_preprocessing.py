"""From published data to a ridge regression: every choice does what it says."""

from dataclasses import replace

import numpy as np
import pytest

from rpttheory.datasets import load
from rpttheory.errors import InvalidInput
from rpttheory.experiments.preprocessing import Preprocessing, prepare, sorted_columns

RNG = np.random.default_rng(0)
FEATURES = RNG.normal([3, -2, 0, 10], [1, 2, 0.1, 5], (50, 4))
DATA = replace(load("prostate"), values=FEATURES, target=RNG.normal(size=50))


def columns_of(choice: Preprocessing) -> np.ndarray:
    return prepare(DATA, choice)[0].A


def has_column(A: np.ndarray, column: np.ndarray) -> bool:
    return bool(np.isclose(A, column[:, None], rtol=1e-12, atol=1e-12).all(axis=0).any())


def test_each_normalisation() -> None:
    low = FEATURES.min(axis=0)
    high = FEATURES.max(axis=0)
    expected = {
        "minmax": (2 * FEATURES - low - high) / (high - low),
        "unit-interval": (FEATURES - low) / (high - low),
        "zscore": (FEATURES - FEATURES.mean(axis=0)) / FEATURES.std(axis=0),
        "unit-norm": FEATURES / np.sqrt((FEATURES**2).sum(axis=0)),
    }
    for name, values in expected.items():
        A = columns_of(Preprocessing(name))
        assert A.shape == (50, 5)
        assert has_column(A, np.ones(50)), "the bias"
        assert all(has_column(A, column) for column in values.T), name


@pytest.mark.parametrize("name", ["minmax", "unit-interval", "zscore", "unit-norm"])
def test_columns_fall_along_the_diagonal_of_the_hessian(name: str) -> None:
    ridge, _ = prepare(DATA, Preprocessing(name, lam=0.25))
    diagonal = np.diag(2 / 50 * ridge.A.T @ ridge.A) + 0.5
    assert (np.diff(diagonal) <= 1e-9).all()
    np.testing.assert_allclose(ridge.smoothness.diagonal(), diagonal)
    np.testing.assert_array_equal(ridge.b, DATA.target)


def test_ties() -> None:
    tied = np.array([1.0, 2.0, 1.0 + 1e-12, 2.0, 2.0])  # the last one is the bias
    assert sorted_columns(tied, "stable").tolist() == [1, 3, 4, 0, 2]
    assert sorted_columns(tied, "reversed").tolist() == [4, 3, 1, 2, 0]
    assert sorted_columns(tied, "bias-first").tolist() == [4, 1, 3, 0, 2]


def test_z_scores_keep_the_order_of_the_file() -> None:
    expected = (FEATURES - FEATURES.mean(axis=0)) / FEATURES.std(axis=0)
    np.testing.assert_allclose(columns_of(Preprocessing("zscore"))[:, :4], expected, atol=1e-12)


def test_block_sizes() -> None:
    assert [prepare(DATA, Preprocessing(blocks=count))[1].sizes for count in (1, 2, 3, 5)] == [
        (5,),
        (3, 2),
        (2, 2, 1),
        (1, 1, 1, 1, 1),
    ]


WRONG = {
    "normalisation": ["none"],
    "ties": ["random"],
    "lam": [0.0, -1.0, np.nan, np.inf],
    "blocks": [0, 6],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_choices(name: str) -> None:
    for value in WRONG[name]:
        with pytest.raises(InvalidInput) as caught:
            prepare(DATA, Preprocessing(**{name: value}))  # type: ignore[arg-type]
        assert caught.value.found and caught.value.remedy
