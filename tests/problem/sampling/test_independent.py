"""The independent law, by hand-computed values."""

from fractions import Fraction

import numpy as np
import pytest

from rpttheory.errors import InvalidInput
from rpttheory.problem.sampling import IndependentSampling

from .laws import law, uniforms


def test_independent_support_by_hand() -> None:
    assert law(IndependentSampling([0.25, 0.5])) == [
        (Fraction(3, 8), []),
        (Fraction(3, 8), [1]),
        (Fraction(1, 8), [0]),
        (Fraction(1, 8), [0, 1]),
    ]


def test_independent_leaves_out_impossible_sets() -> None:
    assert law(IndependentSampling([1.0, 0.5, 1.0])) == [
        (Fraction(1, 2), [0, 2]),
        (Fraction(1, 2), [0, 1, 2]),
    ]


def test_independent_enumerates_up_to_twenty_blocks() -> None:
    assert next(IndependentSampling([0.5] * 20).support()).probability == Fraction(1, 2**20)
    sampling = IndependentSampling([0.5] * 21)
    with pytest.raises(InvalidInput, match="up to 20 blocks\n  found: 21 blocks"):
        sampling.support()


def test_independent_pairs_by_hand() -> None:
    sampling = IndependentSampling([0.25, 0.5])
    assert sampling.pair_probabilities().tolist() == [[0.25, 0.125], [0.125, 0.5]]
    assert sampling.pair_ratio([[0], [1]], [0, 1]).tolist() == [[4.0, 1.0], [1.0, 2.0]]


def test_independent_uses_one_uniform_per_block() -> None:
    sampling = IndependentSampling([0.25, 0.75])
    grid = np.stack(np.meshgrid(np.arange(4) / 4, np.arange(4) / 4), axis=-1).reshape(-1, 2)
    drawn = sampling.draw(uniforms(grid), 16)
    assert drawn.mean(axis=0).tolist() == [0.25, 0.75] and drawn.all(axis=1).mean() == 0.1875
