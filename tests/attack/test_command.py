"""The command `attack`: exit codes, files that are checked again, and mistakes."""

import json
from pathlib import Path

import pytest

from rpttheory.cli import main


def attack(*arguments: str) -> int:
    return main.guarded(main.commands, ["attack", *arguments])


def test_a_result_is_saved_and_decided_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "worst.json"
    few = ("--evaluations", "1000")
    assert attack("lem:twoBounds/upper", *few, "--output", str(file), "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["verdict"] == "PROVED" and json.loads(file.read_text(encoding="utf-8")) == result
    file.write_text(json.dumps({**result, "statement": "P = NP"}))
    assert attack("--recheck", str(file)) == 0
    assert "P = NP" not in capsys.readouterr().out
    # An instance that the statement does not speak of is refused, whatever verdict was saved.
    result["instance"] |= {"L": [["1", "2"], ["2", "1"]], "sizes": [1, 1]}
    file.write_text(json.dumps(result))
    assert attack("--recheck", str(file)) == 2


def test_a_false_claim_is_refuted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "found.json"
    assert attack("L_P <= 2*lmax", "--where", "B = 2", "--output", str(file)) == 1
    text = capsys.readouterr().out
    assert "REFUTED" in text and "blocks [1, 1]" in text
    assert attack("--recheck", str(file)) == 1
    _, again = capsys.readouterr().out.split("\n", 1)
    assert again == text


def test_conditions_and_workers_serve_labels_and_claims(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for statement in ("lem:twoBounds/upper", "lmax <= sum(L)"):
        options = ("--where", "L diagonal", "--searches", "2", "--jobs", "1")
        assert attack(statement, *options, "--evaluations", "300", "--json") == 0
        result = json.loads(capsys.readouterr().out)
        assert result["schema"] == "rpttheory/attack/2" and result["where"] == ["L diagonal"]


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
        ("--recheck", "none.json"),
        ("lem:twoBounds", "--recheck", "none.json"),
        ("--where", "B = 2"),
        ("2 lmax <= sum(L)",),
        ("lmax <= sum(L)", "--searches", "0"),
        ("thm:rcdConvex", "--where", "B = 2"),
    ],
)
def test_mistakes_exit_with_2(arguments: tuple[str, ...]) -> None:
    assert attack(*arguments) == 2
