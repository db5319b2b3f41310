"""Results print as tables, show themselves in a notebook, and become data frames and pictures."""

import csv
import json
import math
import sys
from typing import Any

import numpy as np
import pytest
from refusals import refuses

from rpttheory import Blocks, Problem, closed_form, compare, optimal_probabilities, rates, verify
from rpttheory.methods import RPT, run
from rpttheory.objectives import Quadratic
from rpttheory.report import Column, Detail, Report, Table, as_html, as_text
from rpttheory.report.table import significant

from .pages import Page

L = np.array([[9.0, 1.0, 0.5], [1.0, 4.0, 1.0], [0.5, 1.0, 2.0]])
BLOCKS = Blocks.from_labels(["<b>", "two & a half", "<b>"])
RESULTS = {
    "verify": verify(L, BLOCKS, claims="lmax <= 1"),
    "compare": compare(L, BLOCKS),
    "optimal": optimal_probabilities(L, BLOCKS),
    "rates": rates(L, BLOCKS),
    "problem": Problem(L, BLOCKS),
    "closed form": closed_form(L, BLOCKS),
    "run": run(RPT(), Quadratic(L), [1, 2], x0=[1.0, 1.0, 1.0], steps=300),
}


@pytest.mark.parametrize("name", RESULTS)
def test_text_page_and_frame_say_the_same(name: str) -> None:
    result: Report = RESULTS[name]
    assert str(result) == as_text(result.render())
    assert len(repr(result)) < 140 and repr(result).startswith("<")
    page = Page(result._repr_html_())
    printed = as_text(result.render(), None)
    assert all(text.strip() in printed for text in page.text)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict() != {}
    pandas = pytest.importorskip("pandas", reason="needs the extra frames")
    frame = result.to_frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(result.records()) > 0


@pytest.mark.parametrize("ask", [verify, compare, rates])
def test_costs_that_do_not_add_up_to_one_are_said_to_be_as_given(ask: Any) -> None:
    remark = "they add up to 3" if ask is verify else "updates all blocks costs 3"
    as_given, normalized = (" ".join(str(ask(L, [1, 2], c)).split()) for c in ([1, 2], None))
    assert remark in as_given and remark not in normalized


@pytest.mark.parametrize("name", ["closed form", "compare", "optimal", "rates", "run"])
def test_pictures_are_drawn_on_the_axes_given(name: str) -> None:
    axes = RESULTS[name].plot()
    before = len(axes.patches) + len(axes.lines)
    assert before > 0
    assert RESULTS[name].plot(ax=axes) is axes and len(axes.patches) + len(axes.lines) > before


def test_the_picture_of_verify_marks_where_both_sides_are_equal() -> None:
    lines = [set(line.get_xdata()) for line in RESULTS["verify"].plot().lines]
    assert lines.count({1.0}) >= 1 and {0.0} not in lines


def test_to_frame_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with refuses():
        RESULTS["verify"].to_frame()


def test_remarks_stand_below_their_rows_and_numbers_to_the_right() -> None:
    printed = Table(("name", "value"), [("a", "1"), ("b", "22")], frozenset({1}), {0: "why <so>"})
    assert printed.lines() == ["  name  value", "  a         1", "      why <so>", "  b        22"]
    assert "why &lt;so&gt;" in as_html([printed]) and 'colspan="2"' in as_html([printed])


WORDS = Table(("claim", "words", "verdict"), [("a", "one two three four five six", "PROVED")] * 2)


@pytest.mark.parametrize("width", [22, 24, 30, 44, 45, 200])
def test_tables_fit_and_lose_nothing(width: int) -> None:
    lines = WORDS.lines(width)
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert all(words.count(word) == 2 for word in ("one", "six", "PROVED"))
    assert (lines == WORDS.lines()) == (width >= 45)
    for result in RESULTS.values():
        document = result.render()
        assert max(map(len, as_text(document, 100).split("\n"))) <= 100
        assert set(as_text(document).split()) <= set(as_text(document, 100).split())


def test_text_leaves_the_middle_of_many_blocks_out_and_pages_do_not() -> None:
    for count, listed in ((100, 100), (101, 16)):
        printed = Table(("block", "p"), [(str(k), "1") for k in range(count)], blocks=True)
        assert len(printed.lines()) == listed + 1 and printed.to_html().count("<tr>") == count + 1
    assert "  ...\n" in as_text([printed]) and printed.lines()[-1].split() == ["100", "1"]


def test_verdicts_have_a_color() -> None:
    assert '<td class="good" style="text-align:left">PROVED</td>' in WORDS.to_html()
    assert [
        line.count("<PROVED>")
        for line in WORDS.lines(paint=lambda cell: f"<{cell}>" if cell else "")
    ] == [0, 1, 1]


VALUES = Table.from_columns(
    (
        Column("row", "row", lambda result: str(result["row"])),
        Column("speed_up", "speed-up", lambda result: result["pair"]),
        Column("exact", "exact value", lambda result: result["value"], 4),
    ),
    [
        {"row": 1, "pair": (12.3456, 0.789), "value": 1 / 3},
        {"row": 2, "pair": None, "value": 123456.0},
        {"row": 3, "pair": 2.5, "value": 9.9996},
    ],
)


def test_values_are_rounded_for_people_and_not_for_programs() -> None:
    assert VALUES.lines()[:2] == ["  row     speed up   exact", "  1    12.3 ± 0.79  0.3333"]
    assert VALUES.to_markdown().split("\n")[:3] == [
        "| row | speed-up | exact value |",
        "|---|---:|---:|",
        "| 1 | 12.3 ± 0.79 | 0.3333 |",
    ]
    assert "12.3 ± 0.79</td>" in VALUES.to_html()
    read = list(csv.DictReader(VALUES.to_csv().splitlines()))
    assert [float(row["exact"]) for row in read] == [1 / 3, 123456.0, 9.9996]
    assert (float(read[0]["speed_up"]), float(read[0]["speed_up_sd"])) == (12.3456, 0.789)
    assert (read[1]["speed_up"], read[2]["speed_up"], read[2]["speed_up_sd"]) == ("", "2.5", "")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.98, 3, "0.980"),
        (1804.6, 3, "1800"),
        (9.996, 3, "10.0"),
        (0.0, 3, "0"),
        (math.nan, 3, "-"),
        (1.5e9, 3, "1.50e+09"),
        (-1.5e-9, 2, "-1.5e-09"),
    ],
)
def test_significant_digits(value: float, digits: int, text: str) -> None:
    assert significant(value, digits) == text


def test_rows_of_a_result_have_every_digit() -> None:
    rows = RESULTS["compare"].records()
    read = csv.DictReader(Table.from_records(rows).to_csv().splitlines())
    assert [float(row["optimal"]) for row in read] == [row["optimal"] for row in rows]


def test_digits_and_verbose_reach_the_report() -> None:
    result = RESULTS["verify"]
    texts = [as_text(result.render(detail=Detail(digits))) for digits in (4, 9)]
    lmax = float(result.problem.lmax)
    assert [f"{lmax:.{digits}g}" in text.split() for text in texts for digits in (4, 9)] == [
        True,
        False,
        False,
        True,
    ]
    for name in ("verify", "rates", "optimal"):
        verbose = as_text(RESULTS[name].render(detail=Detail(verbose=True)))
        assert len(verbose.split()) > len(str(RESULTS[name]).split())


@pytest.mark.parametrize("name", ["verify", "rates"])
def test_the_tables_of_a_result_fit_80_columns_row_by_row(name: str) -> None:
    lines = str(RESULTS[name]).split("\n")
    assert max(map(len, lines)) <= 80
    (header,) = (line for line in lines if line.endswith(("verdict", "stepsize")))
    assert len(header.split()) >= 4


def test_numbers_are_never_broken_and_titles_are() -> None:
    table = Table(("long title", "words"), [("[1, 2]", "a b c d e f")], frozenset({0}))
    assert table.lines(17) == [
        "    long  words",
        "   title",
        "  [1, 2]  a b c d",
        "          e f",
    ]
