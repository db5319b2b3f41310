"""What every sampling promises, checked against exact enumeration of its support.

To put a new sampling under this contract, add named cases to `CASES` and a strategy to `samplings`.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.problem.sampling import (
    BoolArray,
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    Sampling,
    SingleBlockSampling,
)

U = Fraction(1, 2**53)
DRAWS = 20_000
FALSE_ALARM = 1e-9

CASES: dict[str, Sampling] = {
    "nested-cycle": NestedSampling([0.2, 1.0, 0.5]),
    "nested-other-cycle": NestedSampling([0.5, 0.2, 1.0]),
    "nested-idle": NestedSampling([0.3, 0.1, 0.6, 0.25]),
    "nested-ties": NestedSampling([0.5, 0.25, 0.5, 1.0, 0.25]),
    "nested-wide": NestedSampling([1e-12, 1.0, 3e-7, 1e-3]),
    "nested-one": NestedSampling([0.7]),
    "nested-all": NestedSampling([1.0, 1.0]),
    "independent": IndependentSampling([0.2, 0.9, 0.5, 0.35]),
    "independent-sure": IndependentSampling([1.0, 0.3, 1.0]),
    "independent-wide": IndependentSampling([1e-12, 0.5, 1e-200, 1e-200]),
    "single-exact": SingleBlockSampling([0.25, 0.125, 0.625]),
    "single-below": SingleBlockSampling([1 / 3, 1 / 3, 1 / 3]),
    "single-above": SingleBlockSampling([0.1] * 10),
    "single-one": SingleBlockSampling([1.0]),
    "explicit-cycle": ExplicitSampling([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1.0, 2.0, 4.0]),
    "explicit-empty-set": ExplicitSampling(
        [[1, 1, 1, 0], [0, 0, 0, 0], [0, 0, 1, 1]], [0.1, 0.7, 0.3]
    ),
    "explicit-twice": ExplicitSampling([[1, 0], [0, 1], [1, 0]], [3.0, 5.0, 3.0]),
    "explicit-wide": ExplicitSampling([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1e-150, 1.0, 3e100]),
}


class Law:
    """The exact law, by summing over the support."""

    def __init__(self, sampling: Sampling) -> None:
        self.outcomes = list(sampling.support())
        self.count = sampling.probabilities.size

    def total(self) -> Fraction:
        return sum((outcome.probability for outcome in self.outcomes), Fraction(0))

    def marginal(self, k: int) -> Fraction:
        return self.pair(k, k)

    def pair(self, k: int, m: int) -> Fraction:
        return sum(
            (o.probability for o in self.outcomes if o.active[k] and o.active[m]), Fraction(0)
        )


def check_support_adds_up(sampling: Sampling) -> None:
    law = Law(sampling)
    assert law.total() == 1
    for outcome in law.outcomes:
        assert isinstance(outcome.probability, Fraction) and outcome.probability > 0
        assert outcome.active.shape == (law.count,) and outcome.active.dtype == np.bool_
        assert not outcome.active.flags.writeable


def check_marginals(sampling: Sampling) -> None:
    law = Law(sampling)
    assert sampling.probabilities.tolist() == [float(law.marginal(k)) for k in range(law.count)]
    assert not sampling.probabilities.flags.writeable


def check_pairs(sampling: Sampling) -> None:
    law = Law(sampling)
    exact = [[float(law.pair(k, m)) for m in range(law.count)] for k in range(law.count)]
    assert sampling.pair_probabilities().tolist() == exact


def check_pair_ratio(sampling: Sampling) -> None:
    law = Law(sampling)
    blocks = np.arange(law.count)
    ratio = sampling.pair_ratio(blocks[:, None], blocks[None, :])
    assert ratio.shape == (law.count, law.count)
    for k in range(law.count):
        for m in range(law.count):
            exact = law.pair(k, m) / (law.marginal(k) * law.marginal(m))
            assert abs(Fraction(float(ratio[k, m])) - exact) <= 4 * U * exact
            assert float(sampling.pair_ratio(k, m)) == ratio[k, m]


def check_correlation_is_psd(sampling: Sampling) -> None:
    """K_kl = p_kl / sqrt(p_k p_l), a Gram matrix of indicators, is what proves L_M <= L_P."""
    root = np.sqrt(sampling.probabilities)
    correlation = sampling.pair_probabilities() / root[:, None] / root[None, :]
    assert np.abs(np.diag(correlation) - 1).max() <= 4 * float(U)
    assert np.abs(correlation - correlation.T).max() <= 12 * float(U)
    assert np.linalg.eigvalsh(correlation)[0] >= -1e-12


def check_sketch_is_unbiased(sampling: Sampling) -> None:
    """E[C] = I, up to one rounding of p (where the exact marginal is no float) and one of 1/p."""
    law = Law(sampling)
    mean = [Fraction(0)] * law.count
    for outcome in law.outcomes:
        diagonal = sampling.sketch(outcome.active)
        assert diagonal.shape == (law.count,) and np.array_equal(diagonal > 0, outcome.active)
        for k, entry in enumerate(diagonal.tolist()):
            mean[k] += outcome.probability * Fraction(entry)
    assert all(abs(entry - 1) <= 3 * U for entry in mean)


def check_expected_cost(sampling: Sampling) -> None:
    law = Law(sampling)
    costs = [0.1 * 7.0**k for k in range(law.count)]
    spent = Fraction(0)
    for outcome in law.outcomes:
        spent += outcome.probability * sum(
            (Fraction(c) for c, on in zip(costs, outcome.active, strict=True) if on), 0
        )
    assert sampling.expected_cost(costs).exact == spent


def check_draw_shapes(sampling: Sampling) -> None:
    count = sampling.probabilities.size
    one = sampling.draw(np.random.default_rng(1))
    many = sampling.draw(np.random.default_rng(1), 7)
    assert one.shape == (count,) and many.shape == (7, count)
    assert sampling.draw(np.random.default_rng(1), size=0).shape == (0, count)
    assert one.dtype == many.dtype == np.bool_ and np.array_equal(one, many[0])
    assert np.array_equal(many, sampling.draw(np.random.default_rng(1), 7))
    assert sampling.sketch(many).shape == (7, count)


def check_draws_are_in_the_support(sampling: Sampling) -> None:
    """Sure, not just likely: no value of the uniforms may give an impossible set."""
    possible = {outcome.active.tobytes() for outcome in sampling.support()}
    assert {row.tobytes() for row in sampling.draw(np.random.default_rng(2), 50)} <= possible


CHECKS: list[Callable[[Sampling], None]] = [
    value for name, value in globals().items() if name.startswith("check_")
]
each_case = pytest.mark.parametrize("sampling", CASES.values(), ids=CASES.keys())


# Ties, sure blocks and twelve orders of magnitude are where laws go wrong.
_probability = st.one_of(
    st.sampled_from([1.0, 0.5, 0.25, 1e-12]),
    st.floats(min_value=1e-12, max_value=1.0),
    st.floats(min_value=2.0**-1022, max_value=1.0),
)


@st.composite
def single_block(draw: st.DrawFn) -> SingleBlockSampling:
    shares = np.array(
        draw(st.lists(st.floats(min_value=1e-9, max_value=1e9), min_size=1, max_size=6))
    )
    return SingleBlockSampling(shares / shares.sum())


@st.composite
def explicit(draw: st.DrawFn) -> ExplicitSampling:
    sets = draw(st.integers(1, 6))
    count = draw(st.integers(1, 5))
    row = st.lists(st.booleans(), min_size=count, max_size=count)
    active = np.array(draw(st.lists(row, min_size=sets, max_size=sets)))
    for block in range(count):  # so that every block is in some set
        active[draw(st.integers(0, sets - 1)), block] = True
    weights = draw(
        st.lists(st.floats(min_value=1e-100, max_value=1e100), min_size=sets, max_size=sets)
    )
    return ExplicitSampling(active, weights)


samplings: st.SearchStrategy[Sampling] = st.one_of(
    st.lists(_probability, min_size=1, max_size=7).map(NestedSampling),
    st.lists(_probability, min_size=1, max_size=4).map(IndependentSampling),
    single_block(),
    explicit(),
)


@each_case
def test_named_sampling(sampling: Sampling) -> None:
    for check in CHECKS:
        check(sampling)


@given(samplings)
def test_any_sampling(sampling: Sampling) -> None:
    for check in CHECKS:
        check(sampling)


def _events(sampling: Sampling, drawn: BoolArray) -> list[tuple[Fraction, float]]:
    """The exact probability and the frequency of each block, each pair and each whole set."""
    law = Law(sampling)
    events = [
        (law.pair(k, m), float((drawn[:, k] & drawn[:, m]).mean()))
        for k in range(law.count)
        for m in range(k + 1)
    ]
    for row in {outcome.active.tobytes(): outcome.active for outcome in law.outcomes}.values():
        mass = sum(
            (o.probability for o in law.outcomes if np.array_equal(o.active, row)), Fraction(0)
        )
        events.append((mass, float((drawn == row).all(axis=1).mean())))
    return events


EVENTS = sum(len(_events(s, s.draw(np.random.default_rng(0), 1))) for s in CASES.values())
# Hoeffding: Prob(|frequency - p| >= t) <= 2 exp(-2 n t^2). Shared over all events of all cases, a
# correct implementation fails this file with probability at most 1e-9 over the choice of the seed.
TOLERANCE = math.sqrt(math.log(2 * EVENTS / FALSE_ALARM) / (2 * DRAWS))


def test_tolerance_is_sharp_enough_to_mean_something() -> None:
    assert TOLERANCE < 0.03


@each_case
def test_draws_follow_the_law(sampling: Sampling) -> None:
    drawn = sampling.draw(np.random.default_rng(20_240_101), DRAWS)
    for probability, frequency in _events(sampling, drawn):
        assert abs(frequency - float(probability)) < TOLERANCE
