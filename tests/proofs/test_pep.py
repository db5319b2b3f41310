"""PEPit's worst cases against our rates: agreement where we say a rate is sharp, slack where we say
it is not.
"""

import sys
from fractions import Fraction

import pytest

from proofs_check.pep import (
    EXAMPLES,
    comparisons,
    example,
    sharp_factor,
    uniform_coordinate,
    worst_average,
    worst_step,
)
from rpttheory.errors import InvalidInput, MissingExtra

# A conic solver answers to about this many digits.
CLOSE = 1e-5


def need_pepit() -> None:
    pytest.importorskip("PEPit", reason="needs the extra pep")


def test_without_pepit_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PEPit", None)
    with pytest.raises(MissingExtra, match=r"\.\[pep\]"):
        worst_step([1.0, 0.5], 0.1)
    with pytest.raises(MissingExtra, match=r"\.\[pep\]"):
        example(2)


def test_bad_classes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="below L_P p_min"):
        worst_step([1.0, 0.25], 0.25)
    with pytest.raises(InvalidInput, match="probabilities"):
        worst_step([1.5], 0.25)


@pytest.mark.parametrize(("d", "printed"), [(2, 0.8347107438), (3, 0.8898071625)])
def test_pepits_own_examples(d: int, printed: float) -> None:
    need_pepit()
    assert abs(float(EXAMPLES[d]) - printed) < 1e-10 and abs(example(d) - printed) < CLOSE


def test_uniform_single_coordinate_sampling() -> None:
    need_pepit()
    worst = uniform_coordinate(2, 0.1)
    assert abs(worst - 0.905) < CLOSE
    assert sharp_factor([Fraction(1, 2)] * 2, Fraction(1, 20)) == Fraction(905, 1000)
    # The paper's 1 - gamma mu with gamma = 1/L_P = 1/2.
    assert worst < 0.95 - 0.04
    # The same class through our own interpolation conditions: units in which L_P = 1, so mu = 1/20.
    assert abs(worst_step([0.5, 0.5], 0.05) - 0.905) < CLOSE


@pytest.mark.parametrize(
    ("p", "s"),
    [
        ("1 1/4", "1/8"),
        ("1 1/2", "1/10"),
        ("1 1/2 1/4", "1/10"),
        ("1 1/10", "1/20"),
        ("1/3 1/5", "1/8"),
        ("1", "1/4"),
    ],
)
def test_the_sharp_factor_is_the_worst_case(p: str, s: str) -> None:
    need_pepit()
    exact = [Fraction(part) for part in p.split()]
    assert (
        abs(
            worst_step([float(q) for q in exact], float(Fraction(s)))
            - float(sharp_factor(exact, Fraction(s)))
        )
        < CLOSE
    )


def test_the_former_conjecture_is_exceeded() -> None:
    need_pepit()
    # 1 - 2 s + s^2 / p_min at p = (1, 1/4), s = 1/8 is 0.8125.
    assert worst_step([1.0, 0.25], 0.125) > 0.8125 + 0.005


@pytest.mark.parametrize(
    ("p", "steps"), [((1.0,), 0), ((1.0,), 1), ((1.0,), 3), ((1.0, 0.5), 0), ((1.0, 0.5), 1)]
)
def test_the_sharp_convex_rate_is_attained_where_a_block_is_certain(
    p: tuple[float, ...], steps: int
) -> None:
    need_pepit()
    assert abs(worst_average(p, steps) - 1 / (2 * (steps + 1))) < CLOSE


def test_the_papers_convex_rate_is_not_attained() -> None:
    need_pepit()
    # At gamma = 1/(2 L_P) and T = 3 it says 1/2; the attack finds 0.4 of that, and there is no
    # more.
    assert abs(worst_average((1.0,), 3, 0.5) - 0.4 * 0.5) < CLOSE


def test_the_table_holds_together() -> None:
    need_pepit()
    rows = comparisons()
    assert len(rows) == 10
    for row in rows:
        assert row.worst <= row.ours + CLOSE
        assert row.paper is None or row.ours < row.paper
        # Sharp, but for the average at half the stepsize.
        assert (row.ours - row.worst < CLOSE) == ("gamma = 0.5" not in row.setting), row
