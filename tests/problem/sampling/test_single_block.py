"""The single-block law, by hand-computed values."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.errors import InvalidInput
from rpttheory.problem.sampling import SingleBlockSampling

from .laws import law, uniforms


def test_single_support_and_pairs_by_hand() -> None:
    sampling = SingleBlockSampling([0.25, 0.125, 0.625])
    assert law(sampling) == [(Fraction(1, 4), [0]), (Fraction(1, 8), [1]), (Fraction(5, 8), [2])]
    assert sampling.pair_probabilities().tolist() == [[0.25, 0, 0], [0, 0.125, 0], [0, 0, 0.625]]
    assert sampling.pair_ratio([0, 1, 0], [0, 1, 1]).tolist() == [4.0, 8.0, 0.0]


def test_single_rounding_remainder_updates_nothing() -> None:
    third = 1 / 3
    assert law(SingleBlockSampling([third] * 3))[-1] == (1 - 3 * Fraction(third), [])


def test_single_shrinks_probabilities_whose_exact_sum_exceeds_one() -> None:
    """Ten floats 0.1 add up to more than 1, since the float is above 1/10."""
    given_sum = sum([Fraction(0.1)] * 10)
    assert given_sum > 1
    sampling = SingleBlockSampling([0.1] * 10)
    assert sampling.probabilities.tolist() == [float(np.nextafter(0.1, 0))] * 10
    total = sum(map(Fraction, sampling.probabilities.tolist()))
    assert 1 - Fraction(1, 2**52) <= total <= 1


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=8), st.floats(-9e-13, 9e-13))
def test_single_changes_probabilities_by_no_more_than_the_excess(
    shares: list[float], excess: float
) -> None:
    given_p = np.minimum(np.array(shares) / np.sum(shares) * (1 + excess), 1.0)
    kept = SingleBlockSampling(given_p).probabilities
    total = sum(map(Fraction, given_p.tolist()))
    assert sum(map(Fraction, kept.tolist())) <= 1
    if total <= 1:
        assert np.array_equal(kept, given_p)
    else:
        for before, after in zip(given_p.tolist(), kept.tolist(), strict=True):
            assert (
                Fraction(after)
                <= Fraction(before) / total
                < Fraction(float(np.nextafter(after, 2.0)))
            )


@pytest.mark.parametrize(
    "probabilities", [[0.5, 0.5 + 2e-12], [0.5, 0.5 - 2e-12], [0.5, 0.25], [1.0, 1.0], [0.5]]
)
def test_single_refuses_other_sums(probabilities: list[float]) -> None:
    with pytest.raises(InvalidInput, match="single-block probabilities must add up to 1"):
        SingleBlockSampling(probabilities)


@pytest.mark.parametrize("probabilities", [[0.5, 0.5 + 0.9e-12], [0.5, 0.5 - 0.9e-12]])
def test_single_accepts_sums_within_the_tolerance(probabilities: list[float]) -> None:
    assert sum(outcome.probability for outcome in SingleBlockSampling(probabilities).support()) == 1


def test_single_draw_is_exact_on_a_grid() -> None:
    sampling = SingleBlockSampling([0.25, 0.125, 0.625])
    drawn = sampling.draw(uniforms(np.arange(8) / 8), 8)
    assert drawn.mean(axis=0).tolist() == [0.25, 0.125, 0.625] and (drawn.sum(axis=1) == 1).all()


def test_single_draw_can_return_nothing() -> None:
    sampling = SingleBlockSampling([0.5, 0.5 - 2.0**-50])
    assert sampling.draw(uniforms(1 - 2.0**-50)).tolist() == [False, False]
    assert sampling.draw(uniforms(1 - 2.0**-49)).tolist() == [False, True]
