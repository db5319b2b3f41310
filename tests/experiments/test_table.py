"""Tables: what a person reads is rounded, what a program reads is not."""

import csv
import io
import math

import pytest

from rpttheory.experiments.table import Column, comma_separated, document, markdown, significant
from rpttheory.report import as_text

COLUMNS = (
    Column("row", "row", lambda r: str(r["row"])),
    Column("speed_up", "speed-up", lambda r: r["pair"]),
    Column("exact", "exact value", lambda r: r["value"], 4, terminal=False),
)
ROWS = [
    {"row": 1, "pair": (12.3456, 0.789), "value": 1 / 3},
    {"row": 2, "pair": None, "value": 123456.0},
    {"row": 3, "pair": 2.5, "value": 5.0},
]


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (12.3456, 3, "12.3"),
        (0.98, 3, "0.980"),
        (1804.6, 3, "1800"),
        (9.996, 3, "10.0"),
        (0.0, 3, "0"),
        (-2.345, 2, "-2.3"),
        (math.inf, 3, "-"),
        (math.nan, 3, "-"),
        (1.5e9, 3, "1.50e+09"),
        (1.5e-9, 2, "1.5e-09"),
    ],
)
def test_significant_digits(value: float, digits: int, text: str) -> None:
    assert significant(value, digits) == text


def test_markdown() -> None:
    assert markdown(COLUMNS, ROWS, ["A note."]).split("\n") == [
        "| row | speed-up | exact value |",
        "|---|---:|---:|",
        "| 1 | 12.3 ± 0.79 | 0.3333 |",
        "| 2 |  | 123500 |",
        "| 3 | 2.50 | 5.000 |",
        "",
        "A note.",
        "",
    ]


def test_csv_loses_nothing() -> None:
    read = list(csv.DictReader(io.StringIO(comma_separated(COLUMNS, ROWS))))
    assert list(read[0]) == ["row", "speed_up", "speed_up_sd", "exact"]
    assert [float(line["exact"]) for line in read] == [row["value"] for row in ROWS]
    assert (float(read[0]["speed_up"]), float(read[0]["speed_up_sd"])) == (12.3456, 0.789)
    assert (read[1]["speed_up"], read[1]["speed_up_sd"]) == ("", "")
    assert (float(read[2]["speed_up"]), read[2]["speed_up_sd"]) == (2.5, "")


def test_terminal() -> None:
    text = as_text(document(COLUMNS, ROWS, ["word " * 60]))
    lines = text.split("\n")
    assert lines[0].split() == ["row", "speed", "up"]
    assert lines[1].endswith("12.3 ± 0.79") and lines[3].endswith("       2.50")
    assert max(map(len, lines)) <= 100 and document((), ROWS, ["alone"]) == ["alone"]
