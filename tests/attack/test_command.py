"""The command `attack`: exit codes, JSON, and mistakes."""

import json
from pathlib import Path

import pytest

from rpttheory.cli import main


def attack(*arguments: str) -> int:
    return main.guarded(main.commands, ["attack", *arguments])


def test_a_result_is_printed_and_saved_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "worst.json"
    few = ("--max-evaluations", "1000")
    assert attack("lem:twoBounds/upper", *few, "--output", str(file), "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["verdict"] == "PROVED" and json.loads(file.read_text(encoding="utf-8")) == result


def test_a_false_claim_is_refuted(capsys: pytest.CaptureFixture[str]) -> None:
    assert attack("L_P <= 2*lmax", "--where", "B = 2") == 1
    text = capsys.readouterr().out
    assert "REFUTED" in text and "blocks [1, 1]" in text


def test_conditions_and_workers_serve_labels_and_claims(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for statement in ("lem:twoBounds/upper", "lmax <= sum(L)"):
        options = ("--where", "L diagonal", "--searches", "2", "--jobs", "1")
        assert attack(statement, *options, "--max-evaluations", "300", "--json") == 0
        result = json.loads(capsys.readouterr().out)
        assert result["schema"] == "rpttheory/attack/3" and result["where"] == ["L diagonal"]


def test_a_time_limit_that_strikes_leaves_the_search_unfinished() -> None:
    assert attack("lem:twoBounds", "--time-limit", "1e-9") == 3


def test_labels_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert attack() == 0
    assert "thm:rcdConvex" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ("lem:nothing",),
        ("lem:twoBounds", "--time-limit", "0"),
        ("lem:twoBounds", "--output", "no/file.json"),
        ("--where", "B = 2"),
        ("2 lmax <= sum(L)",),
        ("lmax <= sum(L)", "--searches", "0"),
        ("thm:rcdConvex", "--where", "B = 2"),
    ],
)
def test_mistakes_exit_with_2(arguments: tuple[str, ...]) -> None:
    assert attack(*arguments) == 2
