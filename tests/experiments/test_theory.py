"""The columns of theory against numpy."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory import Blocks
from rpttheory.experiments.theory import middle, rounds_to, speedups
from rpttheory.numbers import Bracket, Verdict


@given(st.integers(0, 2**32 - 1))
def test_against_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = (2, 1, 3)
    factor = rng.standard_normal((6, 6)) * np.repeat([5.0, 2.0, 1.0], sizes)
    L = factor.T @ factor
    L = (L + L.T) / 2
    found = speedups(L, Blocks(sizes))
    costs = np.array(sizes) / 6
    ends = np.cumsum((0, *sizes))
    constants = [np.linalg.eigvalsh(L[a:b, a:b])[-1] for a, b in itertools.pairwise(ends)]
    top = np.linalg.eigvalsh(L)[-1]
    formula = top / np.sqrt(constants * costs).sum() ** 2
    p = np.sqrt(constants / costs)
    p /= p.max()
    root = np.repeat(1 / np.sqrt(p), sizes)
    exact = top / (np.linalg.eigvalsh(root[:, None] * L * root)[-1] * (p @ costs))
    assert middle(found["formula"]) == pytest.approx(formula, rel=1e-10)
    assert middle(found["clipped"]) == pytest.approx(max(formula, 1), rel=1e-10)
    assert middle(found["exact"]) == pytest.approx(exact, rel=1e-10)
    assert found["optimum"]["upper"] / found["optimum"]["lower"] - 1 < 1e-8
    assert found["optimum"]["upper"] * (1 + 1e-12) >= max(exact, 1), (
        "no probabilities beat the certified best"
    )
    q = np.array(found["probabilities"]["RPT-optimal"])
    root = np.repeat(1 / np.sqrt(q), sizes)
    attained = top / (np.linalg.eigvalsh(root[:, None] * L * root)[-1] * (q @ costs))
    assert attained == pytest.approx(middle(found["optimum"]), rel=1e-7), (
        "and its probabilities attain it"
    )


@pytest.mark.parametrize(
    ("low", "high", "printed", "verdict"),
    [
        (1.06, 1.06, "1.1", Verdict.PROVED),
        (1.06, 1.06, "1", Verdict.REFUTED),
        (1.04, 1.04, "1", Verdict.PROVED),
        (19.96, 19.97, "20", Verdict.PROVED),
        (1.14, 1.16, "1.1", Verdict.UNDECIDED),
        (1.16, 1.17, "1.1", Verdict.REFUTED),
        (1.03, 1.04, "1.1", Verdict.REFUTED),
        (1.0, 2.0, "1.5", Verdict.UNDECIDED),
    ],
)
def test_rounding(low: float, high: float, printed: str, verdict: Verdict) -> None:
    assert rounds_to(Bracket(low, high), printed) is verdict


def test_rounding_to_other_digits() -> None:
    assert rounds_to(Bracket(1.4, 1.4), "1", decimals=0) is Verdict.PROVED
    assert rounds_to(Bracket(1.4, 1.4), "1", decimals=1) is Verdict.REFUTED
