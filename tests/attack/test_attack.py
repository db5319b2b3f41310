"""Attacks on labels and claims: which are refuted, on which small fractions, how near the others
come.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from itertools import chain, count
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from proofs_check.engine.entry import Bound
from proofs_check.ledger import entries
from rpttheory import Verdict, optimal_probabilities, verify
from rpttheory.attack import LABELED, AttackResult, find_counterexample, starts
from rpttheory.attack.climb import Budget, Climb
from rpttheory.attack.search import search
from rpttheory.attack.shrink import rounded
from rpttheory.attack.space import ProblemSpace, layouts
from rpttheory.attack.target import targets
from rpttheory.attack.where import SAMPLINGS, WORDS
from rpttheory.errors import InvalidInput
from rpttheory.runs.progress import Event
from rpttheory.statements import (
    AT_A_POINT,
    NAMES,
    STATEMENTS,
    BracketEvaluator,
    Quantities,
    Statement,
    parse,
)
from rpttheory.statements.batch import ratios
from rpttheory.statements.runs import RUN_STATEMENTS
from rpttheory.statements.table import ComputedStatement

# The largest ratio of the statements that are not tight, within the steps that are tried.
LOOSE = {
    "thm:rcdConvex": 0.4,
    "thm:non-convex": 0.5,
    "thm:oldConvex": 0.23795,
    "our:genericConvex": 0.42857,
    "our:convexByLM": 1 / 3,
    "our:lastIterate": 10 / 14,
    "our:lastIterateLong": 50 / 51,
    "our:noisyConvex": 0.5,
    "our:noisyConvex/long steps": 0.375,
    "our:noisyNonconvex": 0.75,
}
# What is recorded as false must fall.
FALSE = "our:stronglyConvexConjecture"


def attacked(claim: str, *where: str, evaluations: int = 20_000, rng: int = 0) -> AttackResult:
    return find_counterexample(claim, where=where, max_evaluations=evaluations, rng=rng)


def test_every_inequality_of_the_ledger_is_attacked() -> None:
    assert len({statement.name for statement in LABELED}) == len(LABELED)
    loose = {
        statement.name
        for statement in LABELED
        if isinstance(statement, ComputedStatement) and statement.loose
    }
    assert loose == {*LOOSE, FALSE}
    assert all(statement.tight for statement in LABELED if statement.name not in loose)
    bounds = [claim.label for claim in entries() if claim.bound in (Bound.UPPER, Bound.LOWER)]
    assert all(targets(label) for label in bounds if label.startswith("our:"))
    assert targets("prop:reachable_upper_bound") == targets("lem:twoBounds/upper")


@pytest.mark.parametrize("statement", LABELED, ids=lambda statement: statement.name)
def test_statements_come_as_near_to_failing_as_they_can(
    statement: Statement | ComputedStatement,
) -> None:
    (target,) = targets(statement)
    nearest = LOOSE.get(statement.name, 1.0)
    least_ratio = nearest * (0.999 if nearest == 1 else 0.99)
    if statement.name == FALSE:
        least_ratio = 1 + 1e-9
    result = search(target, 0, Budget(5_000))
    if result.ratio < least_ratio:
        result = search(target, 0, Budget(50_000))
    if statement.name == FALSE:
        assert result.verdict is Verdict.REFUTED
    else:
        assert least_ratio < result.ratio < nearest * (1 + 1e-5)
        assert result.verdict is not Verdict.REFUTED and not result.undecided


@pytest.mark.parametrize(
    "name", ["lem:twoBounds/upper", "text:productBound", "our:lastIterateOne", "lem:upperBound"]
)
def test_climbs_need_no_structured_start(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for families in ("ROWS", "PROBABILITIES", "POINTS"):
        monkeypatch.setattr(starts, families, ("random",))
    assert find_counterexample(name, max_evaluations=40_000).ratio > 0.999


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("L_P <= 2*lmax", ()),
        ("L_M <= 0.98*L_P", ("B = 2", "sampling = independent")),
        ("lmax <= 0.98*sum(L)", ("B >= 2", "mu > 0")),
        ("c_closed <= 0.98*(1 + sqrt(B))/2*optimum", ("B = 3", "L diagonal")),
        ("0 <= c_P - 1.02*optimum", ("B = 3", "p = equal", "c = sizes")),
        ("closed <= 0.98*c_P", ("p = closed", "B = 2")),
        ("max(L/p) < L_M", ("L block-diagonal", "d = 3")),
        ("abs(L_P - lmax) == 0", ("min(p) >= 1/2",)),
        ("lmax^2 <= 100", ()),
        ("dual >= 0.5*sum(c*L)", ("B = 2",)),
    ],
)
def test_what_is_false_falls_on_small_fractions(claim: str, where: tuple[str, ...]) -> None:
    result = attacked(claim, *where)
    instance = result.instance
    assert result.verdict is Verdict.REFUTED and len(instance.sizes) <= 3
    numbers: list[Fraction] = [*chain(*instance.L), *instance.costs, *(instance.distribution or ())]
    assert all(max(abs(x.numerator), x.denominator) < 1000 for x in numbers)
    if instance.x is not None:
        return
    # The library says the same of the instance, and of the conditions.
    texts = [claim, *(text.replace(" = ", " == ") for text in where if text not in WORDS)]
    decisions = verify(instance.problem(), claims=texts).claims[-len(texts) :]
    assert [decision.verdict.value for decision in decisions] == ["REFUTED"] + ["PROVED"] * (
        len(texts) - 1
    )
    assert str(instance.L[0][0]) in str(result)


@pytest.mark.parametrize(
    ("claim", "where", "least"),
    [
        ("c_closed <= 1.2072*optimum", ("B = 2",), 0.995),
        ("lmax <= 2*sum(L)", ("B = 5", "d = 6"), 0.45),
        (
            "min(p) >= 0.1",
            (
                "B <= 2; min(p) <= 1/(B-1), min(cost, max(0.2, min(p))) >= 0.1,d = 2 and min(p)"
                " >= 0.1",
            ),
            0.9,
        ),
    ],
)
def test_no_counterexample_is_not_called_a_proof(
    claim: str, where: tuple[str, ...], least: float
) -> None:
    result = attacked(claim, *where, evaluations=5_000)
    assert result.verdict is not Verdict.REFUTED and not result.undecided
    assert least < result.ratio < 1 + 1e-6
    assert f"no counterexample in {result.evaluations} problems; not a proof" in str(result)
    assert f"{result.verdict} for this problem alone" in str(result)


@pytest.mark.parametrize(
    ("verdict", "ratio", "undecided"),
    [
        (Verdict.REFUTED, 1.5, False),
        (Verdict.PROVED, 1.5, False),
        (Verdict.UNDECIDED, 1.5, True),
        (Verdict.UNDECIDED, 1 + 2e-6, True),
        (Verdict.UNDECIDED, 1.0, False),
    ],
)
def test_a_claim_that_fails_in_floats_alone_is_undecided(
    verdict: Verdict, ratio: float, undecided: bool
) -> None:
    small = attacked("lmax <= 2*sum(L)", "d = 1", evaluations=100)
    result = replace(small, verdict=verdict, ratio=ratio)
    assert result.undecided is undecided and not result.unfinished
    for stopped in (replace(result, interrupted=True), replace(result, out_of_time=True)):
        assert stopped.undecided is undecided
        assert stopped.unfinished is (verdict is not Verdict.REFUTED)


def test_floats_agree_with_the_brackets() -> None:
    space = ProblemSpace(tuple(layouts(SAMPLINGS, 3)))
    rng = np.random.default_rng(5)
    for layout in space.layouts:
        batch = space.batch(layout, space.starts(layout, rng, 3))
        (point, *_) = rounded(space.fields(layout), space.starts(layout, rng, 1), 200)
        instance = space.exact(layout, point)
        assert instance is not None
        problem = instance.exact.problem
        for name in sorted(set(NAMES) - AT_A_POINT):
            claim = parse(f"{name} <= 0.37*lmax")
            decision = BracketEvaluator(Quantities(problem, optimum_tol=1e-9)).decide(claim)
            ratio = ratios(claim, space.batch(layout, point))[0]
            if name not in ("c_closed", "c_rounded") or all(
                L.exact_lower > 0 for L in problem.block_L
            ):
                expected = float(decision.left) / float(decision.right)
                assert ratio == pytest.approx(expected, rel=1e-6, abs=1e-9)
                again = ratios(claim, instance.floats())[0]
                assert again == pytest.approx(expected, rel=1e-6, abs=1e-9)
        optimum = optimal_probabilities(batch.L[0], layout.blocks, batch.costs[0], tol=1e-9)
        assert batch.optimum[0] == pytest.approx(optimum.upper, rel=1e-6)


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (("B = 2", "B = 3"), "'B = 2' and 'B = 3'"),
        (("B = 3", "d <= 2"), "'B = 3' and 'd <= 2'"),
        (("p = closed", "p == equal"), "'p = closed' and 'p == equal'"),
        (("min(p) >= 0.9", "min(p) <= 0.1"), "'min(p) >= 0.9' and 'min(p) <= 0.1'"),
        (("B = 50",), "B = 50"),
        (("sampling = indep",), "sampling = indep"),
        (("L diag",), "L diag"),
        (("coss > 0",), "coss"),
        (("d < B",), "d < B"),
        (("B = 1.5",), "B = 1.5"),
        (("min(p) > 1",), "min(p) > 1"),
        (("B = 2, sum(p) >= 2.5",), "'sum(p) >= 2.5'"),
        (("min(p) >= 0,1",), "0,1"),
    ],
)
def test_conditions_that_cannot_be_met_are_named(where: tuple[str, ...], found: str) -> None:
    with refuses(found=found):
        attacked("L_M <= L_P", *where, evaluations=500)


def test_mistakes_are_named() -> None:
    with pytest.raises(InvalidInput) as caught:
        find_counterexample("lem:twoBound")
    assert "lem:twoBounds" in caught.value.remedy
    with refuses("where"):
        find_counterexample("thm:rcdConvex", where="B = 2")
    for argument, value in (("max_evaluations", 0), ("searches", 0), ("time_limit", 0.0)):
        with refuses(argument, found="0"):
            find_counterexample("lem:twoBounds", **{argument: value})


def test_the_same_seed_gives_the_same_result() -> None:
    for name in ("our:convexSharp/several steps", "lmax <= sum(L)", "lem:upperBound"):
        first, second = (find_counterexample(name, max_evaluations=1000, rng=4) for _ in range(2))
        assert first == second
        assert first.evaluations == 1024


@pytest.mark.parametrize(
    "statement",
    ["lem:key_quantity", "L_M <= 1.1*L_P", "thm:rcdConvex", STATEMENTS[0], RUN_STATEMENTS[0]],
    ids=["label", "claim", "label of runs", "statement", "statement about runs"],
)
def test_several_searches_are_the_same_wherever_they_run(
    statement: Any, pools: dict[int, Executor]
) -> None:
    """Each has its own random numbers, and the first those of a single search."""
    alone, *both = (
        find_counterexample(statement, max_evaluations=256, searches=searches, executor=executor)
        for searches, executor in ((1, None), (3, None), (3, pools[2]))
    )
    assert both[0] == both[1] and both[0].ratio >= alone.ratio
    assert both[0].evaluations == 3 * alone.evaluations


def test_a_label_with_several_parts_shares_its_budget() -> None:
    result = find_counterexample("our:sandwich", max_evaluations=10_000)
    assert set(result.tried) == {target.name for target in targets("our:sandwich")}
    assert result.tried[result.name] == result.ratio and result.evaluations < 11_000


def test_an_interruption_keeps_the_worst_problem(pools: dict[int, Executor]) -> None:
    events: list[Event] = []

    def stop(event: Event) -> None:
        events.append(event)
        if event.done > 1_000:
            raise KeyboardInterrupt

    result = find_counterexample("our:sandwich", progress=stop)
    assert result.interrupted and result.unfinished and len(result.tried) == 1
    assert [event.done for event in events] == sorted({event.done for event in events})

    def stop_workers(event: Event) -> None:
        if event.done and event.total:
            raise KeyboardInterrupt

    limits: dict[str, Any] = {"max_evaluations": 300, "searches": 4}
    result = find_counterexample(
        "lem:twoBounds", **limits, executor=pools[2], progress=stop_workers
    )
    assert result.interrupted


@pytest.mark.parametrize("statement", ["L_M <= L_P", "thm:rcdConvex"])
def test_the_budget_counts_problems_and_not_seconds(
    statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that runs a million times faster changes nothing, unless a time limit is set."""
    usual = find_counterexample(statement, max_evaluations=3000)
    ticks = count(0, 10**6)
    monkeypatch.setattr("time.monotonic", lambda: float(next(ticks)))
    assert find_counterexample(statement, max_evaluations=3000) == usual
    assert not usual.out_of_time and not usual.unfinished
    stopped = find_counterexample(statement, max_evaluations=3000, time_limit=5)
    assert stopped.out_of_time and stopped.unfinished and stopped.evaluations < usual.evaluations
    assert "stopped by the time limit" in str(stopped)


def test_both_sides_are_printed_as_the_claim_has_them() -> None:
    """For >= the left side is the smaller one where the claim fails."""
    result = attacked("L_M >= 1.02*L_P", "B = 2")
    assert result.verdict is Verdict.REFUTED and result.ratio > 1
    assert result.left.exact_upper < result.right.exact_lower
    (line,) = (line for line in str(result).splitlines() if "left = " in line)
    left, right, quotient = (float(part.split(" = ")[1].rstrip(":")) for part in line.split(", "))
    assert left == pytest.approx(float(result.left)) and right == pytest.approx(float(result.right))
    assert quotient == pytest.approx(left / right, rel=1e-5) and quotient < 1
    saved = result.to_dict()
    assert saved["left"] == result.left.to_dict() and saved["right"] == result.right.to_dict()


def test_equal_sides_are_not_called_nearly_equal() -> None:
    equal = attacked("lmax <= sum(L)", "d = 1", evaluations=100)
    assert equal.left.exact is not None and equal.left.exact == equal.right.exact
    assert "nearly" not in str(equal)
    assert "nearly" in str(replace(equal, right=equal.right * Fraction(10001, 10000)))


def test_a_ratio_that_no_fractions_reproduce_is_an_error_of_the_floats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    advance = Climb.advance

    def mistaken(climb: Climb, evaluations: float, enough: float) -> None:
        advance(climb, evaluations, enough)
        if climb.layout.blocks.count == 2:
            climb.ratio = 1e6

    monkeypatch.setattr(Climb, "advance", mistaken)
    result = attacked("c_P >= optimum", evaluations=3000)
    assert result.verdict is not Verdict.REFUTED and not result.undecided
    assert 0.99 < result.ratio < 1 + 1e-6


def test_no_problem_is_made_simpler_by_a_stepsize_that_the_statement_does_not_allow() -> None:
    (target,) = targets("our:stronglyConvexSharp")
    (share,) = (
        field for field in target.space.fields(target.space.layouts[0]) if field.name == "share"
    )
    assert share.allows(np.ones(1)) and not share.allows(np.full(1, 0.5))


def test_functions_that_need_not_be_convex_are_read_where_the_statement_is_about_them() -> None:
    for statement in LABELED:
        (target,) = targets(statement)
        shapes = {layout.function for layout in target.space.layouts}
        any_function = isinstance(statement, ComputedStatement) and statement.functions == "any"
        assert shapes == ({"huber", "tent"} if any_function else {"huber"})
