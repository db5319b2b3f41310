"""The comparison: numbers, sentences, JSON, pictures and the command around them."""

import csv
import itertools
import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses
from scipy.sparse.linalg import LinearOperator

from rpttheory import Problem, compare, optimal_probabilities, optimum
from rpttheory.cli import main as program
from rpttheory.datasets import load
from rpttheory.runs.progress import Event
from rpttheory.search import comparison
from rpttheory.search.comparison import Comparison

from .problems import overlap

L = np.array([[9.0, 1.0, 0.5], [1.0, 4.0, 0.25], [0.5, 0.25, 1.0]])
BLOCKS = [1, 1, 1]


def call(*arguments: str) -> int:
    return program.guarded(program.commands, list(arguments))


@pytest.fixture
def file(tmp_path: Path) -> str:
    np.save(tmp_path / "L.npy", L)
    return str(tmp_path / "L.npy")


def number_after(text: str, words: str) -> float:
    return float(text.split(words)[1].split()[0])


def rows_of(result: Comparison) -> dict[str, list[str]]:
    """The cells of the tables, by the first one."""
    lines = [line for line in str(result).splitlines() if line.startswith("  ")]
    return {
        name.strip(): cells.split()
        for name, cells in (line.split("  ", 2)[1:] for line in lines if "  " in line[2:])
    }


def sentences(result: Comparison) -> str:
    return " ".join(part for part in result.render() if isinstance(part, str))


def test_costs_agree_with_numpy() -> None:
    result = compare(L, BLOCKS, probabilities=[1, 0.5, 0.25])

    def cost(p: Any) -> float:
        return float(np.linalg.eigvalsh(L / np.sqrt(np.outer(p, p)))[-1] * np.sum(p) / 3)

    problem = result.problem
    assert problem.gradient_descent.midpoint == pytest.approx(cost(np.ones(3)), rel=1e-12)
    assert problem.c_rounded.midpoint == pytest.approx(cost(problem.closed_form.probabilities))
    assert result.given is not None
    assert result.given.midpoint == pytest.approx(cost(np.array([1, 0.5, 0.25])))
    assert result.optimal.upper <= problem.c_rounded.upper <= problem.closed_form.bound.upper
    assert result.helps is True and result.speedup.lower > 1
    assert number_after(sentences(result), "RPT more than ") >= result.speedup.upper
    assert 1 < number_after(sentences(result), "RPT is ") <= result.speedup.lower
    assert compare(L, BLOCKS).given is None


def test_every_measure_has_its_own_row_and_sentence() -> None:
    """On the matrix of ones gradient descent is optimal for c(P), and four times as expensive as
    one block at a time.
    """
    result = compare(np.ones((4, 4)), "each", orders=True)
    assert result.helps is False and result.samplings.best.key == "single"
    assert rows_of(result)["one block at a time"][:3] == ["1", "4", "exact"]
    # No sentence compares with gradient descent without its measure.
    text = sentences(result)
    assert text.count("gradient descent") == 2
    assert result.nonconvex is not None
    most = number_after(text.split("By c_M, ")[1], "RPT more than ")
    assert 4 / result.nonconvex.lower <= most <= 4 / result.nonconvex.lower * (1 + 1e-5)
    assert "draw one block at a time" in text and "our:anySampling" in text


def test_a_speedup_without_a_bound_is_called_open() -> None:
    """An interrupted search may have no lower bound yet."""

    def stop(event: Event) -> None:
        raise KeyboardInterrupt

    optimal = optimal_probabilities(L, BLOCKS)
    samplings = compare(L, BLOCKS).samplings
    c_M = optimal_probabilities(np.ones((3, 3)), BLOCKS, objective="c_M", progress=stop)
    for lower in (0.0, 1.0):
        object.__setattr__(c_M, "lower", lower)
        object.__setattr__(optimal, "lower", lower)
        text = sentences(Comparison(Problem(L, BLOCKS), optimal, samplings, c_M))
        assert "inf" not in text and (text.count(" is open") == 2) is (lower == 0)


@pytest.mark.parametrize("constant", ["0.66666666", "1.2345645", "7.1111111"])
def test_the_printed_limits_of_the_optimum_are_rounded_outwards(constant: str) -> None:
    size = Fraction(constant)
    result = compare([[size, 0], [0, size]], [1, 1])  # sum c_k L_k is the constant
    words = " ".join(str(result).split())
    printed = re.search(r"([0-9.]+) <= sum c_k L_k <= .* <= B sum c_k L_k <= ([0-9.]+)\.", words)
    assert printed is not None
    low, high = map(Fraction, printed.groups())
    assert 0 <= size - low < Fraction(1, 10**4) and 0 <= high - 2 * size < Fraction(1, 10**4)


def test_a_forced_order_is_kept_and_never_cheaper() -> None:
    free = compare(L, BLOCKS)
    for ranks in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        forced = compare(L, BLOCKS, order=ranks)
        assert forced.optimal.order.rank_to_block == ranks == tuple(forced.to_dict()["order"])
        for choice in (forced.optimal, forced.problem.closed_form):
            assert (np.diff(choice.order.by_rank(choice.probabilities)) <= 0).all()
        assert forced.optimal.upper >= free.optimal.lower
        assert forced.problem.c_rounded.upper >= forced.optimal.lower


def test_backpropagation_orders_the_blocks_and_pays_for_the_deepest() -> None:
    result = compare(L[::-1, ::-1], BLOCKS, backprop=True, overhead=1)
    forced = compare(L[::-1, ::-1], BLOCKS, order=[0, 1, 2], overhead=1)
    assert result.optimal.order.rank_to_block == (0, 1, 2)
    assert result.optimal.upper == forced.optimal.upper and result.to_dict()["backprop"]
    # The deepest block has the largest L_k, so every step that draws it pays for all blocks.
    lmax = result.problem.lmax.midpoint
    assert result.samplings["any"].cost.midpoint == pytest.approx(lmax + 9)
    assert forced.samplings["any"].cost.midpoint == pytest.approx(lmax + 14 / 3)
    assert "deepest" in sentences(result) and "deepest" not in sentences(forced)
    reversed_order = compare(L, BLOCKS, backprop=True, overhead=1, order=[2, 1, 0])
    assert reversed_order.samplings["any"].cost.midpoint == pytest.approx(lmax + 9)


def test_an_overhead_changes_the_table() -> None:
    """With c_0 > 0, c(tP) = L_P (c_0 / t + sum p_k c_k) is not c(P)."""
    plain = compare(L, BLOCKS)
    priced = compare(L, BLOCKS, overhead=2)
    assert "uniform p" in rows_of(plain) and "uniform p" not in rows_of(priced)
    assert "L_M sum p_k c_k" in sentences(plain)
    assert "L_M (c_0 + sum p_k c_k)" in sentences(priced)
    assert "sqrt(L_k c_k)" in str(plain) and "sqrt(L_k c_k)" not in str(priced)
    assert compare(L, BLOCKS, overhead=100.0).speedup.upper < 1.02


def test_the_optimum_alone() -> None:
    problem = Problem(L, BLOCKS, overhead=0.5, order=[2, 0, 1])
    searched = optimal_probabilities(problem)
    for bracket in (
        problem.optimum,
        optimum(problem),
        optimum(L, BLOCKS, overhead=0.5, order=[2, 0, 1]),
    ):
        assert (bracket.lower, bracket.upper) == (searched.lower, searched.upper)
        assert bracket.rigor is searched.rigor
    assert problem.optimum is problem.optimum
    assert optimum(L, BLOCKS, [1, 2, 3], tol=1e-3).width > optimum(L, BLOCKS, [1, 2, 3]).width
    assert optimum(L, BLOCKS, [1, 2, 3]).midpoint in optimum(L, BLOCKS, [2, 4, 6]) / 2


# -- interruption


def test_an_interruption_leaves_no_optimum() -> None:
    """A wide bracket would look like a result."""
    products = itertools.count(1)

    def multiply(x: np.ndarray) -> np.ndarray:
        if next(products) == 15:
            raise KeyboardInterrupt
        return L @ x

    problem = Problem(LinearOperator(L.shape, matvec=multiply, matmat=multiply), BLOCKS)
    with pytest.raises(KeyboardInterrupt):
        _ = problem.optimum
    assert "optimum" not in vars(problem)


@pytest.mark.parametrize("phase", ["c(P)", "c_M"])
def test_an_interruption_returns_the_bracket_so_far(phase: str) -> None:
    exact = compare(L, BLOCKS, orders=True)
    assert exact.status == "optimal" and "interrupted" not in str(exact)
    phases: list[Event] = []
    calls = itertools.count(1)

    def stop(event: Event) -> None:
        if event.bracket is None:
            phases.append(event)
            return
        upper = event.bracket[1]
        reached = upper < exact.problem.gradient_descent.lower and "c_M" in phases[-1].message
        if reached if phase == "c_M" else next(calls) == 3:
            raise KeyboardInterrupt

    result = compare(L, BLOCKS, orders=True, tol=1e-12, progress=stop)
    cut = result.nonconvex if phase == "c_M" else result.optimal
    whole = exact.nonconvex if phase == "c_M" else exact.optimal
    assert cut is not None and whole is not None and cut.status == "interrupted"
    overlap(cut, whole)
    row = rows_of(result)["nested, least c_M" if phase == "c_M" else "optimum of c(P)"]
    assert "interrupted," in row and result.status in ("interrupted", "stalled")
    assert (result.nonconvex is None) is (phase == "c(P)")
    assert ("nonconvex" in result.records()[0]) is (phase == "c_M")


def test_a_time_limit_ends_the_search_as_ctrl_c_does(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("compare", file, "--blocks", "each", "--tol", "1e-12", "--time-limit", "1e-9") == 3
    capsys.readouterr()
    result = compare(L, BLOCKS, tol=1e-12, time_limit=1e-9)
    assert result.optimal.status == "interrupted" and result.nonconvex is None
    assert compare(L, BLOCKS, orders=True, tol=1e-12, time_limit=1e-9).left_out
    assert compare(L, BLOCKS, time_limit=1e9, orders=True).settled


def test_a_search_cut_short_costs_no_more_than_the_points_before_it() -> None:
    for size, costs in ((9.0, None), (1.0, [1, 1, 1000])):
        phases: list[str] = []

        def stop(event: Event, phases: list[str] = phases) -> None:
            if event.bracket is None:
                phases.append(event.message)
            elif "c_M" in phases[-1]:
                raise KeyboardInterrupt

        matrix = np.full((3, 3), 0.9) + np.diag([size, 0.5, 0.1])
        result = compare(matrix, BLOCKS, costs, orders=True, progress=stop)
        assert result.nonconvex is not None and result.nonconvex.status == "interrupted"
        assert result.nonconvex.upper <= result.samplings["nested"].cost.upper
        assert result.nonconvex.upper <= result.problem.gradient_descent.upper
        assert result.nonconvex.lower <= result.nonconvex.upper


def test_the_recommended_probabilities_are_listed() -> None:
    """Without overhead "independent" equals "single", and single blocks ignore a forced order."""
    result = compare(L, BLOCKS)
    row = replace(result.samplings["single"], obstacle="test")
    rows = (row, *result.samplings.rows[1:])
    result = replace(result, samplings=replace(result.samplings, rows=rows))
    column = re.search(r'with the probabilities "(\w+)"', sentences(result))
    tables = str(result).split("For least c_M")[0]
    assert column is not None and re.search(rf"block .*  {column[1]}\b", tables)
    assert result.samplings.best.key == "independent"


def test_the_heading_names_the_budget() -> None:
    assert "budget 2" in sentences(compare(L, BLOCKS, budget=2))
    assert compare(L, BLOCKS, budget=2).to_dict()["budget"] == 2
    assert "budget" not in sentences(compare(L, BLOCKS))


def test_the_picture_has_the_speedup_of_the_table() -> None:
    result = compare(L, BLOCKS)
    assert rows_of(result)["optimum of c(P)"][1] in result.plot().get_title("left")


def test_the_search_over_orders_is_limited_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for the optimum of c(P) is not."""
    monkeypatch.setattr(comparison, "_ORDERS_TIME_LIMIT", 1e-9)
    result = compare(L, BLOCKS, orders=True, tol=1e-12)
    assert result.optimal.status == "optimal" and result.nonconvex is not None
    assert result.nonconvex.status == result.status == "interrupted" and result.exit_code == 3
    assert "nonconvex" not in result.records()[0]  # it is "optimal"
    assert result.nonconvex.upper <= result.samplings["nested"].cost.upper
    assert "time limit" in result.nonconvex.message
    assert compare(L, BLOCKS, tol=1e-12).settled


def test_the_search_over_orders_runs_only_if_asked_and_within_reach() -> None:
    assert compare(L, BLOCKS).nonconvex is None and compare(L, BLOCKS).left_out == ""
    result = compare(np.diag(np.ones(601)), [300, 301], orders=True)
    assert result.nonconvex is None and result.settled and "600" in result.left_out
    assert result.left_out in sentences(result) and result.to_dict()["left_out"] == result.left_out
    products = LinearOperator((3, 3), matvec=lambda x: L @ x, dtype=float)
    assert compare(products, BLOCKS, orders=True).left_out
    assert compare(L, BLOCKS, orders=True, order=[2, 0, 1]).nonconvex is not None


def test_phases_are_told_in_turn() -> None:
    events: list[Event] = []
    compare(L, BLOCKS, orders=True, progress=events.append)
    assert any(event.bracket for event in events)
    events = [event for event in events if event.bracket is None]
    assert [event.milestone for event in events] == [False, True, False, False]
    assert "5.8333" in events[1].message and "c_M" in events[2].message


# -- the command


def test_json_and_saved_probabilities(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save = tmp_path / "p.csv"
    options = ("--blocks", "each", "--p", "1,1/2,0.25", "--budget", "2", "--overhead", "0.5")
    options += ("--orders", "--output", str(save), "--json")
    assert call("compare", file, *options) == 0
    result = json.loads(capsys.readouterr().out)
    expected = compare(L, BLOCKS, probabilities=[1, 0.5, 0.25], budget=2, overhead=0.5, orders=True)
    # The notes of the command also name its input.
    assert result | expected.to_dict() | {"notes": result["notes"]} == result
    assert result["schema"] == "rpttheory/compare/1"
    assert set(result["optimal"]) == {
        *("lower", "upper", "gap", "probabilities", "order", "order_proved"),
        *("method", "rigor", "products", "factorizations", "status", "message"),
    }
    samplings = result["samplings"]
    assert set(samplings) == {
        *("single", "independent", "nested", "nonconvex", "budget", "any", "any_within_budget")
    }
    assert samplings["any"]["probabilities"] is None
    rows = list(csv.DictReader(save.read_text().splitlines()))
    assert list(rows[0])[:4] == ["block", "size", "cost", "L_k"]
    assert set(rows[0]) == {
        *("block", "size", "cost", "L_k", "closed form", "optimal", "your p"),
        *("single", "independent", "nonconvex", "budget", "group"),
    }
    for key in ("single", "independent", "nonconvex", "budget"):
        assert [float(row[key]) for row in rows] == samplings[key]["probabilities"]
    groups = samplings["budget"]["groups"]
    assert all(k in groups[int(row["group"])] for k, row in enumerate(rows))


def test_probabilities_that_tend_to_zero_say_so() -> None:
    text = str(compare(np.diag([1.0, 0.0, 2.0]), BLOCKS, probabilities=[1, 0.5, 0.25]))
    assert "Your probabilities cost 4.66667 times the optimum of c(P)." in text
    cells = [line.split()[4:8] for line in text.splitlines() if line.startswith("  1 ")]
    assert cells == [["->", "0", "->", "0"]]


def test_mistakes_are_refused_before_any_work(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for option, values in {
        "--tol": ["0", "1", "nan"],
        "--overhead": ["-1"],
        "--order": ["0,1", "0,0,1", "0.5,1,2"],
        "--output": [str(tmp_path / "out.bmp"), str(tmp_path / "nowhere" / "out.svg")],
        "--time-limit": ["0"],
        "--budget": ["0", "4", "1.5"],
        "--p": ["1,0,1", "1,0.5"],
        "--costs": ["1,2"],
    }.items():
        for value in values:
            assert call("compare", file, "--blocks", "each", option, value) == 2
            out, err = capsys.readouterr()
            assert out == "" and err.startswith("rpttheory: error: ") and "\n  try:   " in err


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("time_limit", 0),
        ("probabilities", [1, 0, 0.5]),
        ("costs", "sizes"),
        ("probabilities", "closed"),
        ("overhead", Fraction(-1)),
        ("L", load("LFAT5")),
        ("L", "L.csv"),
        ("L", np.triu(L)),
        ("L", [[1.0, 2.0, 0], [2, 1, 0], [0, 0, 1]]),
    ],
)
def test_arguments_are_refused_by_name(argument: str, value: Any) -> None:
    with refuses(argument):
        compare(**{"L": L, "blocks": BLOCKS, argument: value})


@pytest.mark.parametrize("order", [None, [2, 0, 1]])
def test_the_certificate_has_the_probabilities_of_the_optimum(order: list[int] | None) -> None:
    result = compare(L, BLOCKS, order=order)
    statement = result.certificate()["statement"]
    assert [float(Fraction(p)) for p in statement["p"]] == result.optimal.probabilities.tolist()
    assert statement["order"] == order
