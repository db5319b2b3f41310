"""Explicit laws, by hand-computed values."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.errors import InvalidInput
from rpttheory.numbers.verdict import Rigour
from rpttheory.problem.sampling import ExplicitSampling, NestedSampling

from .laws import law, uniforms


def test_explicit_law_by_hand() -> None:
    sampling = ExplicitSampling([[True, False, True], [True, True, False]], [1.0, 2.0])
    assert law(sampling) == [(Fraction(1, 3), [0, 2]), (Fraction(2, 3), [0, 1])]
    assert sampling.probabilities.tolist() == [1.0, 2 / 3, 1 / 3]
    assert sampling.pair_probabilities().tolist() == [
        [1, 2 / 3, 1 / 3],
        [2 / 3, 2 / 3, 0],
        [1 / 3, 0, 1 / 3],
    ]
    assert sampling.pair_ratio([1, 0, 1, 2], [1, 2, 2, 2]).tolist() == [1.5, 1.0, 0.0, 3.0]
    cost = sampling.expected_cost([1.0, 2.0, 4.0])
    assert cost.exact == Fraction(11, 3) and cost.rigour is Rigour.EXACT


def test_explicit_lists_repeated_sets_as_given() -> None:
    sampling = ExplicitSampling([[1, 0], [0, 1], [1, 0]], [1, 2, 1])
    assert law(sampling) == [(Fraction(1, 4), [0]), (Fraction(1, 2), [1]), (Fraction(1, 4), [0])]


@given(st.lists(st.floats(1e-300, 1e300), min_size=3, max_size=3))
def test_explicit_pair_ratio_is_correctly_rounded(weights: list[float]) -> None:
    """The middle set is scaled by both others: the naive float formula overflows or errs by
    ulps.
    """
    least = max(weights) * 1e-300
    a, b, c = (max(weight, least) for weight in weights)
    sampling = ExplicitSampling([[1, 0], [1, 1], [0, 1]], [a, b, c])
    exact_a = Fraction(a)
    exact_b = Fraction(b)
    exact_c = Fraction(c)
    total = exact_a + exact_b + exact_c
    assert float(sampling.pair_ratio(0, 1)) == float(
        exact_b * total / ((exact_a + exact_b) * (exact_b + exact_c))
    )
    assert float(sampling.pair_ratio(0, 0)) == float(total / (exact_a + exact_b))


@given(st.lists(st.integers(1, 2**20), min_size=1, max_size=6))
def test_explicit_reproduces_a_nested_law(numerators: list[int]) -> None:
    """A useless detour through the list of outcomes changes nothing (multiples of 2^-20, so no
    rounding).
    """
    nested = NestedSampling(np.array(numerators) / 2**20)
    outcomes = list(nested.support())
    detour = ExplicitSampling(
        [o.active for o in outcomes], [float(o.probability) for o in outcomes]
    )
    assert np.array_equal(detour.probabilities, nested.probabilities)
    assert np.array_equal(detour.pair_probabilities(), nested.pair_probabilities())
    blocks = np.arange(len(numerators))
    assert np.array_equal(
        detour.pair_ratio(blocks[:, None], blocks), nested.pair_ratio(blocks[:, None], blocks)
    )


def test_explicit_joint_masses_are_exact_beyond_one_chunk() -> None:
    """Enough sets and pairs that the work is split; int64 sums of small integers are the
    reference.
    """
    rng = np.random.default_rng(5)
    active = rng.random((3000, 40)) < 0.5
    weights = rng.integers(1, 2**40, 3000)
    sampling = ExplicitSampling(active, weights.astype(float))
    joint = (active * weights[:, None]).T @ active.astype(np.int64)
    total = int(weights.sum())
    assert sampling.pair_probabilities().tolist() == [
        [int(mass) / total for mass in row] for row in joint
    ]


def test_explicit_draw_is_exact_on_a_grid() -> None:
    sampling = ExplicitSampling([[1, 1, 0], [0, 0, 0], [0, 1, 1]], [2.0, 1.0, 5.0])
    drawn = sampling.draw(uniforms(np.arange(8) / 8), 8)
    assert drawn.tolist() == [[1, 1, 0]] * 2 + [[0, 0, 0]] + [[0, 1, 1]] * 5


@pytest.mark.parametrize(
    ("active", "weights", "message"),
    [
        ([[1, 0, 1], [1, 0, 0]], [1, 1], "every block must be in some set\n  found: block 1 "),
        ([[1, 1], [1, 1]], [1.0, 0.0], "weights must be positive\n  found: 0 for set 1"),
        ([[1, 1], [1, 1]], [1.0, -2.0], "weights must be positive\n  found: -2 for set 1"),
        ([[1, 1]], [float("nan")], "weights must be finite"),
        ([[1, 1]], [float("inf")], "weights must be finite"),
        ([[1, 1]], [1.0, 1.0], "weights must have one number per set, 1 in all"),
        ([[1, 1]], [[1.0]], "weights must have one number per set, 1 in all"),
        ([[1, 1]], ["x"], "weights must hold real numbers"),
        ([[1, 2]], [1.0], "active must hold True and False"),
        ([["a", "b"]], [1.0], "active must hold True and False"),
        ([1, 1], [1.0], "active must be a matrix"),
        ([], [], "active must be a matrix"),
        ([[1], [1, 0]], [1.0, 1.0], "active must be a rectangular array"),
        (
            [[1, 0], [0, 1]],
            [1e-200, 1e200],
            "every set must have a probability of at least 2.23e-308",
        ),
    ],
)
def test_explicit_refuses(active: Any, weights: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ExplicitSampling(active, weights)
