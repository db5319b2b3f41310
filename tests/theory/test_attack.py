"""Attacks on claims about all matrices: which are refuted, on which small fractions, and which are
not.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import chain, count
from typing import Any

import numpy as np
import pytest

from rpttheory import Verdict, optimal_probabilities, verify
from rpttheory.errors import InvalidInput
from rpttheory.runs.progress import Event
from rpttheory.statements import AT_A_POINT, NAMES, BracketEvaluator, Quantities, parse
from rpttheory.statements.batch import ratios
from rpttheory.theory.attack import Counterexample, find_counterexample, read_counterexample
from rpttheory.theory.attack.ascent import Climbed, ascend
from rpttheory.theory.attack.universe import Universe, layouts
from rpttheory.theory.attack.where import SAMPLINGS, WORDS


def attacked(claim: str, *where: str, evaluations: int = 20_000, seed: int = 0) -> Counterexample:
    return find_counterexample(
        claim, where=where, seconds=600.0, max_evaluations=evaluations, seed=seed
    )


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("L_P <= 2*lmax", ()),
        ("L_M <= 0.98*L_P", ("B = 2", "sampling = independent")),
        ("L_P <= 0.98*lmax/min(p)", ("B = 3",)),
        ("lmax <= 0.98*sum(L)", ("B >= 2", "mu > 0")),
        ("c_closed <= 1.2*optimum", ()),
        ("c_closed <= 0.98*(1 + sqrt(B))/2*optimum", ("B = 3", "L diagonal")),
        ("optimum <= 0.98*lmax", ("B = 2", "c = equal")),
        ("0 <= c_P - 1.02*optimum", ("B = 3", "p = equal", "c = sizes")),
        ("closed <= 0.98*c_P", ("p = closed", "B = 2")),
        ("max(L/p) < L_M", ("L block-diagonal", "d = 3")),
        ("abs(L_P - lmax) == 0", ("min(p) >= 1/2",)),
        ("lmax^2 <= 100", ()),
    ],
)
def test_what_is_false_falls_on_small_fractions(claim: str, where: tuple[str, ...]) -> None:
    found = attacked(claim, *where)
    instance = found.instance
    assert found.verdict is Verdict.REFUTED and len(instance.sizes) <= 3
    numbers: list[Fraction] = [*chain(*instance.L), *instance.costs, *(instance.law or ())]
    assert all(max(abs(x.numerator), x.denominator) < 1000 for x in numbers)
    # The library says the same of the instance, and of the conditions.
    texts = [claim, *(text.replace(" = ", " == ") for text in where if text not in WORDS)]
    decided = verify(instance.problem(), claims=texts).claims[-len(texts) :]
    assert [one.verdict.value for one in decided] == ["REFUTED"] + ["PROVED"] * (len(texts) - 1)
    assert "REFUTED" in str(found) and str(instance.L[0][0]) in str(found)


@pytest.mark.parametrize(
    ("claim", "where", "least"),
    [
        ("L_M <= L_P", (), 0.999),
        ("c_closed <= 1.2072*optimum", ("B = 2",), 0.995),
        ("optimum <= lmax", ("B >= 2",), 0.999),
        ("lmax <= 2*sum(L)", ("B = 5", "d = 6"), 0.45),
        ("sum(sqrt(c*L))^2 <= B*sum(c*L)", (), 0.999),
        (
            "min(p) >= 0.1",
            (
                (
                    "B <= 2; min(p) <= 1/(B-1), min(cost, max(0.2, min(p))) >= 0.1,d = 2 and min(p)"
                    " >= 0.1"
                ),
            ),
            0.9,
        ),
    ],
)
def test_no_counterexample_is_not_called_a_proof(
    claim: str, where: tuple[str, ...], least: float
) -> None:
    found = attacked(claim, *where, evaluations=5_000)
    assert found.verdict is not Verdict.REFUTED and not found.undecided
    assert least < found.ratio < 1 + 1e-6
    assert f"no counterexample in {found.evaluations} problems; not a proof" in str(found)
    assert f"{found.verdict} for this problem alone" in str(found) and "stands" not in str(found)


@pytest.mark.parametrize(
    ("verdict", "ratio", "undecided", "words"),
    [
        (Verdict.REFUTED, 1.5, False, "REFUTED: a counterexample"),
        (Verdict.PROVED, 0.5, False, "no counterexample"),
        (Verdict.PROVED, 1.5, False, "no counterexample"),
        (Verdict.UNDECIDED, 1.5, True, "undecided after"),
        (Verdict.UNDECIDED, 1 + 2e-6, True, "undecided after"),
        (Verdict.UNDECIDED, 1.0, False, "no counterexample"),
        (Verdict.UNDECIDED, 0.5, False, "no counterexample"),
    ],
)
def test_a_claim_that_fails_in_floats_alone_is_undecided(
    verdict: Verdict, ratio: float, undecided: bool, words: str
) -> None:
    result = replace(
        attacked("lmax <= 2*sum(L)", "d = 1", evaluations=100), verdict=verdict, ratio=ratio
    )
    assert result.undecided is undecided
    assert result.headline.startswith(words)
    assert not result.unfinished
    for stopped in (replace(result, interrupted=True), replace(result, out_of_time=True)):
        assert stopped.undecided is undecided
        assert stopped.unfinished is (verdict is not Verdict.REFUTED)


def test_floats_agree_with_the_brackets() -> None:
    universe = Universe(tuple(layouts(SAMPLINGS, 4)))
    rng = np.random.default_rng(5)
    for layout in universe.layouts:
        stack = universe.stack(layout, universe.starts(layout, rng, 3))
        point = {
            **universe.starts(layout, rng, 1),
            "size": np.ones(1),
            "below": np.ones(1),
            "over": np.full(1, 6.0),
        }
        whole = {
            **point,
            "rows": np.rint(4 * point["rows"]),
            "costs": np.rint(8 * point["costs"]) + 1,
        }
        for name in {"p", "weights"} & point.keys():
            whole[name] = np.rint(5 * point[name]) + 1
        problem = universe.exact(layout, whole).problem().with_effort("exact")
        for name in sorted(set(NAMES) - AT_A_POINT):
            claim = parse(f"{name} <= 0.37*lmax")
            decision = BracketEvaluator(Quantities(problem, optimum_tol=1e-9)).decide(claim)
            found = ratios(claim, universe.stack(layout, whole))[0]
            if name not in ("c_closed", "c_rounded") or all(L.low > 0 for L in problem.block_L):
                assert found == pytest.approx(
                    float(decision.left) / float(decision.right), rel=1e-6, abs=1e-9
                )
        # What is subtracted counts on the other side.
        stretched = ratios(parse("3*lmax - 2*mu >= mu + 0"), stack)
        assert stretched == pytest.approx(stack.mu / stack.lmax, rel=1e-6, abs=1e-9)
        optimum = optimal_probabilities(stack.L[0], layout.blocks, stack.costs[0], tol=1e-9)
        assert stack.optimum[0] == pytest.approx(optimum.upper, rel=1e-6)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (("B = 2", "B = 3"), "'B = 2' and 'B = 3'"),
        (("B = 3", "d <= 2"), "'B = 3' and 'd <= 2'"),
        (("p = closed", "p == equal"), "'p = closed' and 'p == equal'"),
        (("min(p) >= 0.9", "min(p) <= 0.1"), "'min(p) >= 0.9' and 'min(p) <= 0.1'"),
        (("B = 50",), "at most 12"),
        (("sampling = indep",), "sampling = independent"),
        (("L diag",), "L diagonal"),
        (("coss > 0",), "cost?"),
        (("d < B",), "1 <= B <= d <= 12"),
        (("B = 1.5",), "whole numbers"),
        (("min(p) > 1",), "0 < p <= 1"),
        (("B = 2, sum(p) >= 2.5",), "found: 'sum(p) >= 2.5'"),
        (("min(p) >= 0,1",), ". as the decimal mark"),
    ],
)
def test_conditions_that_cannot_be_met_are_named(where: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        attacked("L_M <= L_P", *where, evaluations=500)
    assert message in str(caught.value) and len(str(caught.value).splitlines()) == 3


def test_what_is_saved_is_decided_again() -> None:
    found = attacked("L_M <= 0.98*L_P", "B = 2", "sampling = any")
    saved = json.loads(json.dumps(found.to_dict()))
    assert read_counterexample({**saved, "ratio": 7.0, "verdict": "PROVED"}) == found
    instance = saved["instance"]
    for change, message in (
        ({"L": [["-1", "0"], ["0", "1"]]}, "semidefinite"),
        ({"costs": ["1", "1"]}, "conditions"),
        ({"blocks": [1]}, "blocks"),
        ({"L": [["x"]]}, "not an instance"),
        ({"sampling": "other"}, "sampling"),
    ):
        with pytest.raises(InvalidInput, match=message):
            read_counterexample({**saved, "instance": {**instance, **change}})
    with pytest.raises(InvalidInput, match="not the result"):
        read_counterexample({"claim": "1 < 2"})


def test_seeds_repeat_and_an_interruption_keeps_the_worst() -> None:
    assert attacked("lmax <= sum(L)", evaluations=700) == attacked(
        "lmax <= sum(L)", evaluations=700
    )
    events: list[Event] = []

    def watch(event: Event) -> None:
        events.append(event)
        if len(events) == 3:
            raise KeyboardInterrupt

    found = find_counterexample("lmax <= sum(L)", watch=watch)
    assert (
        found.interrupted and found.unfinished and "interrupted" in str(found) and len(events) == 3
    )
    with pytest.raises(InvalidInput, match="positive limits"):
        attacked("lmax <= sum(L)", evaluations=0)


def test_both_sides_are_printed_as_the_claim_has_them() -> None:
    """For >= the left side is the smaller one where the claim fails, and so is their quotient below
    1.
    """
    found = attacked("L_M >= 1.02*L_P", "B = 2")
    assert found.verdict is Verdict.REFUTED and found.ratio > 1
    assert found.left.high < found.right.low
    (line,) = (line for line in str(found).splitlines() if "left = " in line)
    left, right, quotient = (float(part.split(" = ")[1].rstrip(":")) for part in line.split(", "))
    assert left == pytest.approx(float(found.left)) and right == pytest.approx(float(found.right))
    assert quotient == pytest.approx(left / right, rel=1e-5) and quotient < 1
    assert left in found.left or float(found.left) == pytest.approx(left, rel=1e-9)
    saved = found.to_dict()
    assert saved["left"] == found.left.to_dict() and saved["right"] == found.right.to_dict()


@pytest.mark.parametrize("seed", [0, 1])
def test_a_climb_that_creeps_does_not_use_up_the_budget(seed: int) -> None:
    """Three blocks drawn one at a time have L_M = L_P / 3 at L = 1; climbs of two blocks come near
    to 1/2 slowly.
    """
    assert find_counterexample("L_M >= 0.5*L_P", seed=seed).verdict is Verdict.REFUTED


def test_the_default_budget_counts_problems_and_not_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A clock that runs a million times faster changes nothing, unless a limit of time is asked
    for.
    """
    usual = find_counterexample("L_M <= L_P", where="B = 2", max_evaluations=3000)
    ticks = count(0, 10**6)
    monkeypatch.setattr("time.monotonic", lambda: float(next(ticks)))
    assert find_counterexample("L_M <= L_P", where="B = 2", max_evaluations=3000) == usual
    stopped = find_counterexample("L_M <= L_P", where="B = 2", max_evaluations=3000, seconds=5)
    assert stopped.out_of_time and stopped.unfinished and stopped.evaluations < usual.evaluations
    assert "stopped by the time limit" in str(stopped) and "time limit" not in str(usual)
    assert not usual.out_of_time and not usual.unfinished


def test_a_ratio_that_no_fractions_reproduce_is_an_error_of_the_floats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def mistaken(*arguments: Any, **options: Any) -> Climbed:
        climbed = ascend(*arguments, **options)
        return replace(climbed, ratio=1e6) if climbed.layout.blocks.count == 2 else climbed

    monkeypatch.setattr("rpttheory.theory.attack.counterexample.ascend", mistaken)
    found = attacked("c_P >= optimum", evaluations=3000)
    assert found.verdict is not Verdict.REFUTED and not found.undecided
    assert 0.99 < found.ratio < 1 + 1e-6
