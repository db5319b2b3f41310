"""The program as a person meets it: results, exit codes, and three lines for every mistake."""

from __future__ import annotations

import errno
import io
import re
import sys
import time
from pathlib import Path

import click
import numpy as np
import pytest
import scipy.io
from program import GOOD, Run

from rpttheory import rates
from rpttheory.cli.progress import bracket_shown
from rpttheory.statements.table import STATEMENTS

UNDECIDED = "lmax <= 1/(sqrt(2)*sqrt(2)-2)"

# The number of statements that `verify` decides.
VERIFIED = sum(statement.in_verify and not statement.sampling for statement in STATEMENTS)


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ([], 0),
        (["lmax < 9", "d == 3"], 0),
        (["L_P <= lmax/2"], 1),
        ([UNDECIDED], 3),
        ([UNDECIDED, "lmax < 0"], 1),
    ],
)
def test_the_exit_code_tells_the_worst_verdict(claims: list[str], code: int, run: Run) -> None:
    options = [word for claim in claims for word in ("--claim", claim)]
    done = run(["verify", "L.npy", "--blocks", "1,2", *options])
    assert (done.code, done.err) == (code, "") and done.out
    printed = run(["verify", "L.npy", "--blocks", "1,2", "--json", *options])
    assert printed.code == code and printed.json["counts"]["proved"] + len(claims) >= VERIFIED
    labels = [claim["label"] for claim in printed.json["claims"]]
    assert labels[VERIFIED:] == [f"claim:{number + 1}" for number in range(len(claims))]


def test_json_agrees_with_numpy(run: Run) -> None:
    result = run("verify L.npy --blocks 1,2 --p 0.5,1 --costs equal --json").json
    assert result["schema"] == "rpttheory/verify/1" and {"provenance", "input"} <= set(result)
    assert (result["dimension"], result["blocks"], result["costs"]) == (3, [1, 2], [0.5, 0.5])
    root = np.diag(np.sqrt([2.0, 1.0, 1.0]))
    L_P = np.linalg.eigvalsh(root @ GOOD @ root)[-1]
    claim = next(row for row in result["claims"] if row["label"] == "lem:key_quantity")
    assert claim["right"]["lower"] == pytest.approx(L_P) == claim["right"]["upper"]
    assert claim["left"]["upper"] < claim["right"]["lower"]


def test_a_data_matrix_and_its_penalty(run: Run) -> None:
    Path("data.csv").write_text("a,b,target\n1,2,9\n3,4,9\n5,7,9\n")
    result = run("verify data.csv --data --ridge 0.5 --blocks 1,1 --json").json
    A = np.array([[1.0, 2], [3, 4], [5, 7]])
    expected = np.linalg.eigvalsh(2 / 3 * A.T @ A + np.eye(2))[-1]
    assert result["quantities"]["lmax"]["upper"] == pytest.approx(expected, rel=1e-14)
    assert result["input"]["dropped"] == ["target"]


@pytest.mark.parametrize("command", ["verify", "compare", "rates"])
@pytest.mark.parametrize(
    ("text", "options", "columns", "dropped"),
    [
        ("id,price,x,y,city\n7,3,1,2,A\n8,4,.1,5,B\n", "--target price --drop id,city", "x y", ""),
        ("id,price,x,y,city\n7,3,1,2,A\n8,4,.1,5,B\n", "--drop city --target 1", "id x y", ""),
        ("price,x,target\n3,1,2\n4,0.1,5\n", "", "price x", "target"),
        ("price,x,Target\n3,1,2\n4,0.1,5\n", "", "price x Target", ""),
        ("price,x\n3,1\n4,0.1\n", "", "price x", ""),
    ],
)
def test_columns_of_data_are_chosen(
    command: str, text: str, options: str, columns: str, dropped: str, run: Run
) -> None:
    Path("data.csv").write_text(text)
    done = run(f"{command} data.csv --data --blocks each --json {options}")
    facts = done.json["input"]
    assert (done.code, facts["file"], facts["columns"]) == (0, "data.csv", columns.split())
    every = text.split("\n")[0].split(",")
    assert facts["dropped"] == [name for name in every if name not in facts["columns"]]
    assert not dropped or facts["dropped"] == [dropped]


def test_the_last_columns_are_always_named(run: Run) -> None:
    for count in (9, 100):
        names = [f"x{number}" for number in range(count - 1)] + ["yield"]
        Path("data.csv").write_text(f"{','.join(names)}\n{'1,' * (count - 1)}2\n")
        command = f"verify data.csv --data --blocks {count}"
        visible = {*names[:9], *names[-5:]}
        notes = run(f"{command} --json").json["input"]["notes"]
        assert visible <= set(re.findall(r"\w+", " ".join(notes)))
        refused = run(f"{command} --target Yield")
        assert refused.found and visible <= set(re.findall(r"\w+", refused.err))


@pytest.mark.parametrize(
    ("header", "options", "expected"),
    [
        ("age,mass,bmi", "--blocks each", "age mass bmi"),
        ("age,mass,bmi", "--blocks 1,1,1", "age mass bmi"),
        ("age,mass,bmi", "--blocks each --data", "age mass bmi"),
        ("age,mass,target", "--blocks each --data", "age mass"),
        ("age,mass,bmi", "--blocks 1,2", "0 1"),
        ("age,mass,age", "--blocks each", "0 1 2"),
        ("4,1,0", "--blocks each --data", "0 1 2"),
    ],
)
def test_single_coordinates_are_named_after_columns(
    header: str, options: str, expected: str, run: Run
) -> None:
    Path("L.csv").write_text(f"{header}\n3,1,0\n1,3,1\n0,1,2\n")
    assert run(f"compare L.csv {options} --output p.csv").code == 0
    rows = Path("p.csv").read_text().splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == expected.split()


def test_a_folder_of_row_blocks(run: Run) -> None:
    Path("rows").mkdir()
    data = np.random.default_rng(0).random((12, 4))
    for k in range(3):
        np.save(f"rows/{k}.npy", data[4 * k : 4 * k + 4])
    np.save("whole.npy", data)
    options = "--data --ridge 0.5 --blocks 2,2 --json"
    folder = run(f"compare rows {options} --output page.html")
    whole = run(f"compare whole.npy {options}")
    assert folder.code == whole.code == 0 and Path("page.html").exists()
    p, q = (done.json["optimal"]["probabilities"] for done in (folder, whole))
    assert p == pytest.approx(q, rel=1e-3)
    selected = run("verify rows --data --target -1 --blocks each --json").json["input"]
    assert selected["dropped"] == ["3"]
    for words, result in {
        "rows": "a folder",
        "rows --data --drop x": "x",
        "whole.npy --data --scheduler tcp://h:1": "whole.npy",
    }.items():
        assert run(f"verify {words} --blocks 2,2").found == result


@pytest.mark.parametrize(
    "options",
    [
        *(f"--blocks '{sizes}'" for sizes in ("1,1,0,1", "4,-1", "one,two", "", "999999999999x1")),
        *(f"--blocks 1,2 --costs {costs}" for costs in ("0,1", "1,2,3", "nan,1", "sizes")),
        *(f"--blocks 1,2 --p {p}" for p in ("0,1", "1.5,1", "x,1", ".5,.2 --sampling single")),
        *(f"--blocks 1,2 --claim '{claim}'" for claim in ("L_Q <= 2", "lmax", "lmax <= 1/0")),
        *("--blocks 1,2 --ridge 1", "--blocks 1,2 --data --symmetrize", "--blocks 1 --labels x"),
        *("", "--labels none", "--blocks 3 --data --target cost", "--blocks 3 --data --drop ,"),
    ],
)
def test_every_mistake_in_the_options(options: str, run: Run) -> None:
    assert run(f"verify L.npy {options}").found


@pytest.mark.parametrize(
    "matrix", [[[1, 2], [2, 1]], [[1, 0], [0, -1]], [[1, 0.5], [0.6, 1]], [[1, 2, 3], [2, 1, 3]]]
)
def test_every_mistake_in_the_file(matrix: list[list[float]], run: Run) -> None:
    np.save("bad.npy", np.array(matrix))
    done = run("verify bad.npy --blocks each")
    assert done.found and "bad.npy" in done.err
    for path in ("missing.npy", "."):
        assert run(f"verify {path} --blocks each").found


def test_an_asymmetric_matrix_is_averaged_if_asked_for(run: Run) -> None:
    np.save("bad.npy", np.array([[1, 0.5], [0.6, 1]]))
    assert run("verify bad.npy --blocks each --symmetrize").code == 0


@pytest.mark.parametrize(
    ("words", "found", "suggestion"),
    [
        ("verify --blocks 1", "FILE", "verify --help"),
        ("verify L.npy --blocks 1,2 --costs sizes", "'sizes'", "--costs size"),
        ("experiment quadratics --repeats x", "'x' is not a valid", "quadratics --help"),
        ("experiment quadratics", "--out", "quadratics --help"),
        ("experiment quadratics --repeat 1", "--repeat", "--repeats"),
        ("experiment quadratics --out", "--out", "--help"),
        ("verify L.npy --blocks 1,2 --plot", "--plot", "--output FILE.svg"),
        ("rates L.npy --blocks 1,2 --budget 1", "--budget", "rpttheory compare"),
        ("rates L.npy --blocks 1,2 --blok 1", "--blok", "--blocks"),
        ("rates L.npy --blocks 1,2 --mu 0", "0", "--mu auto"),
        ("verify a --blocks 1 b", "(b)", "verify --help"),
        ("experiment rigde", "rigde", "experiment ridge"),
        ("prooofs", "prooofs", "rpttheory proofs"),
        ("zzz", "zzz", "rpttheory --help"),
    ],
)
def test_usage_errors(words: str, found: str, suggestion: str, run: Run) -> None:
    done = run(words)
    assert found in done.found and suggestion in done.err.splitlines()[-1]


def test_rates_have_an_overhead_and_an_order(run: Run) -> None:
    done = run("rates L.npy --blocks 1,2 --overhead 1/2 --order 1,0 --json").json
    expected = rates(GOOD, [1, 2], overhead=0.5, order=[1, 0]).to_dict()
    assert done["predictions"] == expected["predictions"]


@pytest.mark.parametrize("width", ["80", "40"])
def test_the_help_shows_commands_that_exist(
    width: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    done = run("--help")
    assert done.code == 0
    for name in ("demo", "verify", "compare", "proofs", "attack", "experiment"):
        assert f"  rpttheory {name} " in done.out and run(f"{name} --help").code == 0
    summaries = re.split(r"^  (?=\w)", done.out.partition("Commands:")[2], flags=re.MULTILINE)[1:]
    assert len(summaries) == 13
    assert all(text.strip().endswith(".") and "..." not in text for text in summaries)


@pytest.mark.parametrize("command", ["verify", "compare", "rates"])
def test_rounding_asymmetry_is_removed_and_said(command: str, run: Run) -> None:
    assert run(f"{command} L.npy --blocks 1,2 --symmetrize --json").json["notes"] == []
    matrix = GOOD.copy()
    matrix[0, 1] = np.nextafter(matrix[0, 1], 2)
    np.save("L.npy", matrix)
    done = run(f"{command} L.npy --blocks 1,2 --json")
    (note,) = done.json["notes"]
    assert done.code == 0 and note in run(f"{command} L.npy --blocks 1,2").words


@pytest.mark.parametrize(
    ("error", "code"),
    [(RuntimeError("boom"), 70), (KeyboardInterrupt(), 3), (click.Abort(), 3)],
)
def test_an_internal_error_does_not_look_like_a_refutation(
    error: BaseException, code: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("rpttheory.statements.verify.verify", broken)
    done = run("verify L.npy --blocks 1,2")
    assert (done.code, done.out) == (code, "") and "Traceback" not in done.err
    assert str(error) in done.err


def test_a_full_disk_behind_another_error_is_not_ours(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        try:
            raise OSError(errno.ENOSPC, "No space left on device", "cache")
        except OSError as error:
            raise RuntimeError("compilation failed") from error

    monkeypatch.setattr("rpttheory.statements.verify.verify", full)
    done = run("verify L.npy --blocks 1,2")
    assert done.found and "cache" in done.err


def test_demo_refutes_the_printed_row(run: Run) -> None:
    done = run("demo")
    assert done.code == 0 and done.out.count("REFUTED") == 2


# As the bytes of a name arrive, whatever the locale.
HOSTILE = b"\x1b[31m\x07\n\xe2\x80\xae\xff$\\frac".decode(
    sys.getfilesystemencoding(), "surrogateescape"
)


@pytest.mark.parametrize(
    "words",
    [
        ["verify", "{}.npy", "--blocks", "1,2"],
        ["verify", "absent{}.npy", "--blocks", "1,2"],
        ["verify", "{}.npy", "--blocks", "1,2", "--claim", "lmax < {}"],
        ["compare", "{}.npy", "--blocks", "1,2", "--output", "{}.svg"],
        ["compare", "{}.npy", "--blocks", "1,2", "--output", "{}/x.svg"],
        ["experiment", "quadratics", "--out", "{}.npy"],
        ["experiment", "quadratics", "--out", ".", "--rows", "{}"],
        ["proofs", "{}"],
        ["proofs", "lem:twoBounds", "--output", "{}.npy/x.html"],
        ["attack", "{}"],
        ["attack", "lem:twoBounds", "--time-limit", "{}"],
        ["{}"],
        ["verify", "--{}"],
    ],
    ids=" ".join,
)
def test_no_control_character_reaches_the_terminal(words: list[str], run: Run) -> None:
    """Not from a name, nor from anything typed; a picture can bear the name too."""
    with open(f"{HOSTILE}.npy", "wb") as stream:
        np.save(stream, GOOD)
    done = run([word.format(HOSTILE) for word in words])
    lines = (done.out + done.err).rstrip("\n").split("\n")
    assert any("[31m" in line for line in lines)
    assert [line for line in lines if not line.isprintable()] == []
    assert done.err.count("found:") == ("error" in done.err)


class Standard(io.BytesIO):
    """Standard input with these bytes."""

    @property
    def buffer(self) -> Standard:
        return self


@pytest.mark.parametrize(
    "write",
    [np.save, lambda file, A: np.savetxt(file, A, delimiter=","), scipy.io.mmwrite],
    ids=["npy", "csv", "mtx"],
)
def test_standard_input_in_place_of_a_file(
    write: object, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = io.BytesIO()
    assert callable(write)
    write(content, GOOD)
    monkeypatch.setattr("sys.stdin", Standard(content.getvalue()))
    assert run("verify - --blocks 1,2 --json").json["input"]["file"] == "standard input"
    for bad in (Standard(b"1,x\n"), None):
        monkeypatch.setattr("sys.stdin", bad)
        assert run("verify - --blocks 1,2").found


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("4;1,5\n1,5;3\n", 1),
        ('"a";"b, c"\n4,0;1,5\n1,5;3\n', 1),
        ("4,0\t1,5\n1,5\t3,0\n", 1),
        ("4,0 1,5\n1,5 3,0\n", 1),
        ("4, 1.5\n1.5, 3\n", 0),
        ("4,\t1.5\n1.5,\t3\n", 0),
        ("Unnamed: 0,b\n4,1.5\n1.5,3\n", 1),
        ("4;1,5\n1.5,0;3\n", None),
        (",a,b\n0,4,1\n1,1,3\n", None),
        ("n,a,b\nx,4,1\ny,1,3\n", None),
    ],
)
def test_what_a_text_file_leaves_open_is_said(text: str, notes: int | None, run: Run) -> None:
    Path("L.csv").write_text(text)
    done = run("verify L.csv --blocks 1,1 --json")
    if notes is None:
        assert done.found
        return
    expected = np.linalg.eigvalsh([[4, 1.5], [1.5, 3]])[-1]
    assert done.json["quantities"]["lmax"]["upper"] == pytest.approx(expected)
    assert len(done.json["input"]["notes"]) == notes
    text = run("verify L.csv --blocks 1,1").words
    assert all(note in text for note in done.json["input"]["notes"])


class Terminal(io.StringIO):
    """An output that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("no_color", "options", "fits"), [("", "", True), ("1", "", True), ("1", "--wide", False)]
)
def test_a_terminal_has_colors_and_tables_that_fit(
    no_color: str, options: str, fits: bool, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COLUMNS": "60", "TERM": "xterm", "NO_COLOR": no_color}.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert run(f"verify L.npy --blocks 1,2 {options}").code == 0
    text = terminal.getvalue()
    assert ("\x1b[32m" in text) == (not no_color)
    assert (max(map(len, click.unstyle(text).split("\n"))) <= 60) == fits
    assert click.unstyle(text).count("PROVED") == VERIFIED


def test_the_bracket_of_a_running_search_is_printed_outwards() -> None:
    text = bracket_shown(1.23456789, 2.345678911)
    assert "[1.2345678, 2.345679]" in text and "0.48" in text


def test_a_time_limit_ends_a_run_as_ctrl_c_does(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object, **__: object) -> None:
        while True:
            time.sleep(0.01)

    monkeypatch.setattr("rpttheory.statements.verify.verify", endless)
    done = run("verify L.npy --blocks 1,2 --time-limit 0.05 --json")
    assert done.code == 3 and done.json["status"] == "interrupted" and "interrupted" in done.err
    assert "Traceback" not in done.err


def test_the_time_limit_of_a_search_keeps_the_best_so_far(run: Run) -> None:
    done = run("rates dataset:bcsstk01 --blocks 6x8 --time-limit 1e-9 --json")
    assert done.code == 3 and done.json["status"] == "interrupted"
    assert "best so far" in done.json["probabilities"]
