"""The comparison: numbers, words, JSON, picture and the command around them."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpttheory import BlockOrder, Blocks, Problem, Verdict, compare, optimal_probabilities
from rpttheory.cli import main as program
from rpttheory.datasets import load
from rpttheory.errors import InvalidInput
from rpttheory.numbers import Rigour
from rpttheory.report import as_text, check_plot_path, write_picture
from rpttheory.runs.progress import Event
from rpttheory.search.comparison import Comparison
from rpttheory.search.orders import EXACT_BLOCKS
from rpttheory.search.result import SearchResult

L = np.array([[9.0, 1.0, 0.5], [1.0, 4.0, 0.25], [0.5, 0.25, 1.0]])
BLOCKS = Blocks((1, 1, 1))


def call(*arguments: str) -> int:
    return program.guarded(program.commands, list(arguments))


@pytest.fixture
def file(tmp_path: Path) -> str:
    np.save(tmp_path / "L.npy", L)
    return str(tmp_path / "L.npy")


def test_costs_agree_with_numpy() -> None:
    result = compare(L, BLOCKS, nonconvex=False)
    top = np.linalg.eigvalsh(L)[-1]
    assert result.problem.gradient_descent.midpoint == pytest.approx(top, rel=1e-12)
    p = result.problem.closed_form.probabilities
    root = np.diag(1 / np.sqrt(p))
    assert result.problem.c_rounded.midpoint == pytest.approx(
        np.linalg.eigvalsh(root @ L @ root)[-1] * p.sum() / 3
    )
    assert (
        result.optimal.upper
        <= result.problem.c_rounded.upper
        <= result.problem.closed_form.bound.upper
    )
    assert result.helps is True
    assert result.speedup.lower > 1


def test_says_when_rpt_does_not_help() -> None:
    """The all-ones matrix has a top eigenvector with equal block masses: c* = lambda_max."""
    result = compare(np.ones((3, 3)), BLOCKS, nonconvex=False)
    assert result.helps is False
    assert "By c(P), RPT does not help here: gradient descent is optimal for c(P)" in str(result)
    found = compare(L, BLOCKS, nonconvex=False)
    assert float(str(found).split("RPT can be at most ")[1].split()[0]) >= found.speedup.upper


def test_every_measure_has_its_own_row_and_sentence() -> None:
    """On the matrix of ones gradient descent is optimal for c(P), and four times as dear as one
    block at a time.
    """
    result = compare(np.ones((4, 4)), "each")
    text = str(result)
    assert result.helps is False and result.one_block_at_a_time is not None
    assert result.one_block_at_a_time.exact == 1
    rows = {
        line[2:28].strip(): line[26:].split() for line in text.splitlines() if line.startswith("  ")
    }
    assert rows["c_M, one block at a time"][:3] == ["1", "4", "exact"]
    assert "nonconvex optimum" not in text
    # No sentence compares with gradient descent without its measure.
    sentences = [
        line
        for line in text.splitlines()
        if "gradient descent" in line and not line.startswith("  ")
    ]
    assert len(sentences) == 3 and all(
        line.startswith(("By c(P), ", "By c_M, ")) for line in sentences
    )
    by_c_M = next(
        line
        for line in sentences
        if line.startswith("By c_M, RPT with nested sampling can be at most ")
    )
    assert result.nonconvex is not None
    assert float(by_c_M.split("at most ")[1].split()[0]) == pytest.approx(
        4 / result.nonconvex.lower, rel=1e-5
    )
    assert float(by_c_M.split("at most ")[1].split()[0]) >= 4 / result.nonconvex.lower
    assert result.to_dict()["one_block_at_a_time"]["bracket"] == {"lower": 1.0, "upper": 1.0}


@given(st.integers(1, 4), st.integers(0, 3), st.data())
@settings(max_examples=20)
def test_one_block_at_a_time_is_c_M_of_that_sampling(
    count: int, overhead: int, data: st.DataObject
) -> None:
    entries = st.integers(-3, 3)
    A = np.array(
        data.draw(
            st.lists(st.lists(entries, min_size=count, max_size=count), min_size=1, max_size=4)
        )
    )
    matrix = A.T @ A + np.eye(count, dtype=int)
    result = Comparison(
        Problem(matrix, "each", overhead=overhead), optimal_probabilities(matrix, "each"), None
    )
    shares = [Fraction(int(x), int(matrix.trace())) for x in matrix.diagonal()]
    single = Problem(matrix, "each", probabilities=shares, sampling="single")
    cost = single.with_effort("exact").L_M * (single.cost + overhead)
    assert result.one_block_at_a_time is not None
    assert cost.equals(result.one_block_at_a_time) is Verdict.PROVED


def test_one_block_at_a_time_is_left_out_where_it_is_no_choice() -> None:
    assert compare(L, BLOCKS, order=[0, 1, 2], nonconvex=False).one_block_at_a_time is None
    assert compare(np.diag([1.0, 0.0, 2.0]), BLOCKS, nonconvex=False).one_block_at_a_time is None


def test_interrupted_in_its_second_phase_it_shows_no_probabilities_for_c_M(tmp_path: Path) -> None:
    """The search over orders sends its own process the signal of Ctrl-C at its first bracket."""
    script = """
import os, signal, sys
from contextlib import contextmanager
from rpttheory.cli import compare, main

signal.signal(signal.SIGINT, signal.default_int_handler)

@contextmanager
def watched(quiet):
    phases = []

    def show(lower, upper):
        if any("c_M" in event.doing for event in phases):
            os.kill(os.getpid(), signal.SIGINT)

    yield show, phases.append

sys.modules["rpttheory.cli.compare"].watched = watched
sys.exit(main.guarded(main.commands, sys.argv[1:]))
"""
    np.save(tmp_path / "L.npy", L)
    save = tmp_path / "p.csv"
    command = [sys.executable, "-c", script, "compare", str(tmp_path / "L.npy"), "--blocks", "each"]
    text = subprocess.run(
        [*command, "--save-p", str(save)], capture_output=True, text=True, check=False
    )
    assert text.returncode == 3, text.stderr
    assert "optimum of c_M, nested (interrupted)" in text.stdout
    assert "p for c_M" not in text.stdout and "p for c(P)" in text.stdout
    assert "nonconvex" not in save.read_text()
    found = json.loads(
        subprocess.run([*command, "--json"], capture_output=True, check=False).stdout
    )
    assert found["status"] == "interrupted" == found["nonconvex"]["status"]
    assert found["optimal"]["status"] == "optimal"


def test_a_later_interruption_marks_the_probabilities_so_far() -> None:
    """The bracket's upper end below gradient descent's cost says that the search over orders has
    found a point.
    """
    whole = compare(L, BLOCKS)
    phases: list[Event] = []

    def stop(lower: float, upper: float) -> None:
        if (
            any("c_M" in event.doing for event in phases)
            and upper < whole.problem.gradient_descent.lower
        ):
            raise KeyboardInterrupt

    result = compare(L, BLOCKS, tol=1e-12, callback=stop, watch=phases.append)
    assert result.status in ("interrupted", "stalled") and result.nonconvex is not None
    assert result.nonconvex.status == "interrupted" and result.nonconvex_probabilities is not None
    assert "p for c_M so far" in str(result)
    assert whole.status == "optimal" and "so far" not in str(whole) and "p for c_M" in str(whole)


def test_an_overhead_can_make_gradient_descent_optimal() -> None:
    assert compare(L, BLOCKS, overhead=100.0, nonconvex=False).speedup.upper < 1.02
    assert compare(L, BLOCKS, nonconvex=False).speedup.lower > 1.5


def test_a_forced_order_is_kept_and_never_cheaper() -> None:
    free = compare(L, BLOCKS, nonconvex=False)
    for ranks in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        forced = compare(L, BLOCKS, order=BlockOrder(ranks), nonconvex=False)
        p = forced.optimal.order.by_rank(forced.optimal.probabilities)
        assert forced.optimal.order.rank_to_block == ranks
        assert (np.diff(p) <= 0).all() and p[0] == 1
        assert forced.optimal.upper >= free.optimal.lower
        q = forced.problem.closed_form.order.by_rank(forced.problem.closed_form.probabilities)
        assert (np.diff(q) <= 0).all()
        assert forced.problem.c_rounded.upper >= forced.optimal.lower


def test_the_table_says_everything() -> None:
    text = as_text(compare(L, BLOCKS, nonconvex=False).render("name"))
    for words in (
        "gradient descent",
        "uniform p",
        "closed form, its bound",
        "closed form, exact",
        "optimum",
        "Guarantee",
    ):
        assert words in text
    assert text.startswith("name: d = 3, B = 3")


def test_an_overhead_changes_what_the_table_says() -> None:
    """With c_0 > 0, c(tP) = L_P (c_0 / t + sum p_k c_k) is not c(P)."""
    plain = as_text(compare(L, BLOCKS).render())
    text = as_text(compare(L, BLOCKS, overhead=2).render())
    assert "uniform p" in plain and "uniform p" not in text
    assert "L_M sum p_k c_k" in plain and "L_M (c_0 + sum p_k c_k)" in text
    assert "sqrt(L_k c_k)" in plain and "sqrt(L_k c_k)" not in text
    quantities = str(Problem(L, BLOCKS, overhead=2))
    assert "c_0 + sum p_k c_k with c_0 = 2" in quantities and "sqrt(L_k c_k)" not in quantities


def test_json_has_the_promised_fields(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("compare", file, "--blocks", "each", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["schema"] == "rpttheory/compare/1"
    assert {
        "dimension",
        "blocks",
        "costs",
        "gradient_descent",
        "closed_form",
        "optimal",
        "nonconvex",
    } <= set(result)
    assert {"cost"} <= set(result["gradient_descent"])
    assert {"cost", "bound", "probabilities"} <= set(result["closed_form"])
    optimal = {"lower", "upper", "probabilities", "order", "method", "rigour", "products"}
    assert optimal <= set(result["optimal"])
    assert {"lower", "upper", "probabilities", "order", "order_proved"} <= set(result["nonconvex"])
    assert result["optimal"]["lower"] <= result["optimal"]["upper"]
    assert result["nonconvex"]["lower"] <= result["optimal"]["upper"]
    assert result["nonconvex"]["order_proved"] is True
    assert sum(result["costs"]) == pytest.approx(1)


def test_the_dictionary_of_a_search_has_each_value_under_its_name() -> None:
    result = SearchResult(
        lower=1.0,
        upper=4.0,
        probabilities=np.array([0.5, 1.0]),
        order=BlockOrder((1, 0)),
        dual=np.ones((2, 1)),
        method="low rank",
        rigour=Rigour.NUMERICAL,
        products=7,
        factorisations=3,
        status="stalled",
        message="a reason",
        order_proved=False,
    )
    assert result.to_dict() == {
        "lower": 1.0,
        "upper": 4.0,
        "gap": 0.75,
        "probabilities": [0.5, 1.0],
        "order": [1, 0],
        "order_proved": False,
        "method": "low rank",
        "rigour": "NUMERICAL",
        "products": 7,
        "factorisations": 3,
        "status": "stalled",
        "message": "a reason",
    }


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_picture(
    file: str, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / f"out.{suffix}"
    assert (
        call("compare", file, "--blocks", "each", "--regime", "convex", "--plot", str(target)) == 0
    )
    assert target.stat().st_size > 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["L.npy", f"out.{suffix}"]


def test_a_failed_picture_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", broken)
    with pytest.raises(OSError, match="disk full"):
        write_picture(compare(L, BLOCKS, nonconvex=False).plot().figure, tmp_path / "out.svg")
    assert list(tmp_path.iterdir()) == []


def test_mistakes_are_refused_before_any_work(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for extra in (
        ["--tol", "0"],
        ["--tol", "1"],
        ["--tol", "nan"],
        ["--overhead", "-1"],
        ["--order", "0,1"],
        ["--order", "0,0,1"],
        ["--order", "0.5,1,2"],
        ["--plot", str(tmp_path / "out.bmp")],
        ["--plot", str(tmp_path / "nowhere" / "out.svg")],
    ):
        assert call("compare", file, "--blocks", "each", *extra) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.startswith("rpttheory: error: ") and "\n  try:   " in err


def test_indefinite_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "L.npy", np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert call("compare", str(tmp_path / "L.npy"), "--blocks", "1,1") == 2
    assert "positive semidefinite" in capsys.readouterr().err


def test_interruption_returns_the_bracket_so_far() -> None:
    calls = 0

    def stop(lower: float, upper: float) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt

    result = compare(L, BLOCKS, tol=1e-12, callback=stop)
    low, high = (
        str(result).split("The closed form costs between ")[1].split(" times")[0].split(" and ")
    )
    assert 1 <= float(low) < float(high)
    assert result.optimal.status == "interrupted"
    assert result.nonconvex is None
    assert not result.settled
    exact = compare(L, BLOCKS, tol=1e-9, nonconvex=False).optimal
    assert result.optimal.lower <= exact.upper and exact.lower <= result.optimal.upper


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"unknown picture format"):
        check_plot_path("out.gif")


def test_the_search_over_orders_is_left_out_where_it_proves_nothing() -> None:
    count = EXACT_BLOCKS + 1
    many = np.diag(np.arange(1.0, count + 1)) + 0.1
    left = compare(many, "each")
    assert left.nonconvex is None and left.settled and "no order of more than" in left.left_out
    assert (
        "Optimum of c_M left out: no order" in str(left)
        and left.to_dict()["left_out"] == left.left_out
    )
    assert compare(many, "each", order=range(count)).nonconvex is not None
    assert compare(np.diag(np.arange(1.0, count + 1)), "each").nonconvex is not None
    assert "above 600" in compare(np.diag(np.ones(601)), [300, 301]).left_out
    assert compare(L, BLOCKS).left_out == "" == compare(L, BLOCKS, nonconvex=False).left_out


def test_phases_are_told_in_turn() -> None:
    events: list[Event] = []
    compare(L, BLOCKS, watch=events.append)
    assert [event.milestone for event in events] == [False, True, False]
    assert (
        "optimum of c(P): 5.8333, gap" in events[1].doing
        and "orders of 3 blocks" in events[2].doing
    )


def test_probabilities_of_ones_own_are_judged_and_saved(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save = tmp_path / "p.csv"
    assert (
        call(
            "compare",
            file,
            "--blocks",
            "each",
            "--p",
            "1,1/2,0.25",
            "--save-p",
            str(save),
            "--json",
        )
        == 0
    )
    given = json.loads(capsys.readouterr().out)["given"]
    root = np.diag([1.0, np.sqrt(2.0), 2.0])
    assert given["cost"] == pytest.approx(np.linalg.eigvalsh(root @ L @ root)[-1] * 1.75 / 3)
    assert (
        save.read_text().splitlines()[0]
        == "block,size,cost,L_k,closed form,optimal,nonconvex,given"
    )
    assert compare(L, BLOCKS).given is None
    text = str(compare(np.diag([1.0, 0.0, 2.0]), BLOCKS, probabilities=[1, 0.5, 0.25]))
    assert (
        "p as given" in text
        and "Your probabilities cost 4.66667 times the optimum of c(P)." in text
    )
    assert [line.split()[4:7] for line in text.splitlines() if line.startswith("  1 ")] == [
        ["->", "0", "->"]
    ]


def test_a_time_limit_ends_the_search_as_ctrl_c_does(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("compare", file, "--blocks", "each", "--tol", "1e-12", "--time-limit", "1e-9") == 3
    out = capsys.readouterr().out
    assert (
        "interrupted" in out and "Optimum of c_M left out: the search before it was stopped" in out
    )
    assert call("compare", file, "--blocks", "each", "--time-limit", "0") == 2
    assert compare(L, BLOCKS, tol=1e-12, time_limit=1e-9).optimal.status == "interrupted"
    assert compare(L, BLOCKS, time_limit=1e9, regime="both").settled


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"time_limit": 0}, "time_limit=60"),
        ({"regime": "nonconvex"}, "auto, both, convex"),
        ({"regime": "both", "nonconvex": False}, "says the same"),
        ({"costs": "sizes"}, "costs='size'"),
        ({"probabilities": "closed"}, "such as 0.5,1"),
        ({"overhead": Fraction(-1)}, "found: -1\n"),
        ({"L": load("LFAT5")}, "its .values"),
        ({"L": "L.csv"}, "rpttheory.io.read_matrix(file), or int"),
        ({"L": np.triu(L)}, "(L + L.T) / 2, which symmetrizes it"),
    ],
)
def test_arguments_are_as_forgiving_as_options(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        compare(**{"L": L, "blocks": BLOCKS, **options})
    assert told in str(refused.value)
    words = compare(L, BLOCKS, "equal", probabilities="1,1/2,0.25", regime="convex").problem
    assert words.costs.float64.tolist() == [1 / 3] * 3 and words.probabilities.tolist() == [
        1,
        0.5,
        0.25,
    ]
