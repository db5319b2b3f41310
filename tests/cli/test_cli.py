"""The program as a person meets it: output, exit codes, and three lines for every mistake."""

from __future__ import annotations

import errno
import io
import json
import os
import shlex
import sys
from pathlib import Path

import click
import numpy as np
import pytest
import scipy.io

from rpttheory.cli import main as program
from rpttheory.cli.progress import bracket_shown
from rpttheory.numbers import Verdict
from rpttheory.runs.progress import Event

GOOD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 1.0]])


def call(*arguments: str) -> int:
    return program.guarded(program.commands, list(arguments))


@pytest.fixture
def good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("L.csv").write_text("4;1,5\n1,5;3\n")
    Path("l.txt").write_text("a\nb\na\n")
    path = tmp_path / "L.npy"
    np.save(path, GOOD)
    return str(path)


def expect_error(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """Run a bad command: exit 2, nothing on stdout, what / found / try on stderr."""
    assert call(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.rstrip("\n").split("\n")
    assert lines[0].startswith("rpttheory: error: ")
    assert "Traceback" not in err
    return lines


def expect_three_lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    lines = expect_error(capsys, *arguments)
    assert len(lines) == 3, lines
    assert lines[1].startswith("  found: ") and len(lines[1]) > 9
    assert lines[2].startswith("  try:   ") and len(lines[2]) > 10
    return "\n".join(lines)


def test_everything_proved_exits_0(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("verify", good, "--blocks", "1,2") == 0
    out = capsys.readouterr().out
    assert out.rstrip().endswith("14 proved, 0 refuted, 0 undecided")
    assert "lem:key_quantity left" in out and "L.npy: d = 3, B = 2, nested sampling" in out


def test_a_refuted_claim_exits_1(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("verify", good, "--blocks", "1,2", "--claim", "L_P <= lmax/2") == 1
    assert "1 refuted" in capsys.readouterr().out


def test_refuted_outweighs_undecided(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    undecided = "lmax <= 1/(sqrt(2)*sqrt(2)-2)"
    assert call("verify", good, "--blocks", "1,2", "--claim", undecided) == 3
    assert call("verify", good, "--blocks", "1,2", "--claim", undecided, "--claim", "lmax < 0") == 1


def test_json_has_the_promised_fields(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        call(
            "verify", good, "--blocks", "1,2", "--json", "--claim", "lmax < 9", "--claim", "d == 3"
        )
        == 0
    )
    result = json.loads(capsys.readouterr().out)
    fields = [
        "schema",
        "dimension",
        "blocks",
        "costs",
        "probabilities",
        "notes",
        "claims",
        "counts",
        "quantities",
        "input",
        "provenance",
    ]
    assert list(result) == fields
    assert result["schema"] == "rpttheory/verify/1"
    assert (result["dimension"], result["blocks"]) == (3, [1, 2])
    assert sum(result["costs"]) == pytest.approx(1)
    assert max(result["probabilities"]) == 1
    assert result["counts"] == {"proved": len(result["claims"]), "refuted": 0, "undecided": 0}
    for claim in result["claims"]:
        assert {"label", "part", "left", "right", "verdict", "rigour"} <= set(claim)
        assert claim["left"]["lower"] <= claim["left"]["upper"]
    assert [claim["label"] for claim in result["claims"]][-2:] == ["claim:1", "claim:2"]
    assert result["claims"][-1]["rigour"] == "EXACT"


def test_json_agrees_with_numpy(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    call("verify", good, "--blocks", "1,2", "--p", "0.5,1", "--costs", "equal", "--json")
    result = json.loads(capsys.readouterr().out)
    sides = {(claim["label"], claim["part"]): claim for claim in result["claims"]}
    root = np.diag(np.sqrt([2.0, 1.0, 1.0]))
    L_P = np.linalg.eigvalsh(root @ GOOD @ root)[-1]
    claim = sides["lem:key_quantity", "left"]
    assert claim["right"]["lower"] == pytest.approx(L_P) == claim["right"]["upper"]
    assert claim["left"]["upper"] < claim["right"]["lower"]
    assert result["costs"] == [0.5, 0.5]


@pytest.mark.parametrize("sampling", ["nested", "independent", "single"])
def test_every_sampling(good: str, sampling: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("verify", good, "--blocks", "each", "--sampling", sampling) == 0
    assert f"{sampling} sampling" in capsys.readouterr().out


def test_data_matrix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,b,target\n1,2,9\n3,4,9\n5,7,9\n")
    assert call("verify", str(path), "--data", "--ridge", "0.5", "--blocks", "1,1", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    A = np.array([[1.0, 2], [3, 4], [5, 7]])
    expected = np.linalg.eigvalsh(2 / 3 * A.T @ A + np.eye(2))[-1]
    claim = next(
        c for c in result["claims"] if (c["label"], c["part"]) == ("lem:twoBounds", "lower")
    )
    assert (
        claim["right"]["lower"] <= expected * (1 + 1e-14)
        and expected * (1 - 1e-14) <= claim["right"]["upper"]
    )
    assert call("verify", str(path), "--data", "--blocks", "1,1") == 0
    assert "left out: column target ('target' by default)" in capsys.readouterr().out
    path.write_text("a,b,Target\n1,2,9\n3,4,9\n5,7,9\n")
    assert call("verify", str(path), "--data", "--blocks", "each") == 0
    assert "column 'Target' is taken as data" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["verify", "compare", "rates"])
def test_columns_of_data_are_chosen_and_listed(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "houses.csv")
    Path(path).write_text("id,price,x1,x2,city\n7,3,1,2,Brno\n8,4,0.1,5,Prague\n9,5,2,2,Ostrava\n")
    chosen = (path, "--data", "--target", "price", "--drop", "id,city", "--blocks", "each")
    assert call(command, *chosen) == 0
    assert "2 features: x1, x2; left out: columns id, price, city" in capsys.readouterr().out
    assert call(command, *chosen, "--json") == 0
    facts = json.loads(capsys.readouterr().out)["input"]
    assert (facts["file"], facts["columns"], facts["dropped"]) == (
        "houses.csv",
        ["x1", "x2"],
        ["id", "price", "city"],
    )
    assert call(command, path, "--data", "--drop", "city", "--target", "1", "--blocks", "each") == 0
    assert "3 features: id, x1, x2; left out: columns price, city" in capsys.readouterr().out
    Path(path).write_text("price,x1,target\n3,1,2\n4,0.1,5\n")
    assert call(command, path, "--data", "--blocks", "each") == 0
    assert "left out: column target ('target' by default)" in capsys.readouterr().out
    Path(path).write_text("price,x1\n3,1\n4,0.1\n")
    assert call(command, path, "--data", "--blocks", "each") == 0
    assert (
        "all 2 columns are features: price, x1; use --target to leave one out"
        in capsys.readouterr().out
    )
    folder = tmp_path / "rows"
    folder.mkdir()
    np.save(folder / "a.npy", [[1.0, 2.0, 3.0], [4.0, 6.0, 6.0]])
    assert call(command, str(folder), "--data", "--target", "-1", "--blocks", "each") == 0
    assert "2 features; left out: column number 2" in capsys.readouterr().out
    for options, word in {
        ("--data", "--target", "cost"): "'cost'",
        ("--data", "--drop", "x1,,price"): "'x1,,price'",
        ("--data", "--drop", ""): "''",
        ("--target", "price"): "--target price",
    }.items():
        assert word in expect_three_lines(capsys, command, path, *options, "--blocks", "each")
    assert "x1" in expect_three_lines(
        capsys, command, str(folder), "--data", "--drop", "x1", "--blocks", "each"
    )


def test_a_folder_of_row_blocks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "rows"
    page = str(tmp_path / "page.html")
    folder.mkdir()
    data = np.random.default_rng(0).random((12, 4))
    for k in range(3):
        np.save(folder / f"{k}.npy", data[4 * k : 4 * k + 4])
    np.save(tmp_path / "whole.npy", data)
    words = ("--data", "--ridge", "0.5", "--blocks", "2,2", "--regime", "convex")
    assert call("compare", str(folder), *words, "--html", page) == 0
    shown = capsys.readouterr().out
    whole = call("compare", str(tmp_path / "whole.npy"), *words)
    assert (
        "rows: d = 4, B = 2" in shown and "(2/12) A'A + 2*0.5 I from 12 rows of 4 columns" in shown
    )
    assert whole == 0 and shown.splitlines()[5:8] == capsys.readouterr().out.splitlines()[5:8]
    assert "a folder" in Path(page).read_text(encoding="utf-8")
    assert call("verify", str(folder), "--blocks", "2,2") == 2
    assert "a folder holds a data matrix\n  found: no --data" in capsys.readouterr().err
    assert call("verify", str(tmp_path / "whole.npy"), *words[:5], "--scheduler", "tcp://h:1") == 2
    assert "--scheduler needs blocks of rows" in capsys.readouterr().err


def test_every_mistake_in_the_arguments(
    good: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for sizes in ("1,1", "1,1,0,1", "4,-1", "one,two", "", "999999999999x1"):
        expect_three_lines(capsys, "verify", good, "--blocks", sizes)
    for words in (
        *(f"--costs {costs}" for costs in ("0,1", "-1,1", "1,2,3", "nan,1", "sizes")),
        *(f"--p {p}" for p in ("0,1", "1.5,1", "1", "x,1", "0.5,0.25 --sampling single")),
        *(
            f'--claim "{claim}"'
            for claim in ("L_Q <= 2", "lmax", "__import__('os')", "lmax <= 1/0")
        ),
        *("--ridge 1", "--data --symmetrize", "--data --ridge -1", "--data --ridge nan"),
    ):
        expect_three_lines(capsys, "verify", good, "--blocks", "1,2", *shlex.split(words))


def test_every_mistake_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def saved(name: str, matrix: object) -> str:
        np.save(tmp_path / name, np.asarray(matrix))
        return str(tmp_path / name)

    def written(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    asymmetric = GOOD.copy()
    asymmetric[0, 1] *= 1 + 1e-10
    cases = {
        saved("asymmetric.npy", asymmetric): "symmetric",
        saved("indefinite.npy", [[1.0, 2.0], [2.0, 1.0]]): "positive semidefinite",
        saved("nan.npy", [[1.0, np.nan], [np.nan, 1.0]]): "finite",
        saved("inf.npy", [[np.inf, 0.0], [0.0, 1.0]]): "finite",
        saved("oblong.npy", np.ones((2, 3))): "square",
        saved("pickled.npy", np.array([{"a": 1}], dtype=object)): "",
        written("empty.csv", ""): "empty",
        written("words.csv", "1,2\nx,4\n"): "",
        written("L.xyz", "1"): "",
        str(tmp_path / "missing.npy"): "",
        str(tmp_path): "",
    }
    for path, word in cases.items():
        message = expect_three_lines(capsys, "verify", path, "--blocks", "1,1")
        assert word in message
        assert os.path.basename(path) in message or "definite" in message


def test_indefinite_diagonal_and_sparse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = "%%MatrixMarket matrix coordinate real symmetric\n"
    for name, body in (
        ("d.mtx", "2 2 2\n1 1 1\n2 2 -1\n"),
        ("s.mtx", "3 3 3\n1 1 1\n2 2 1\n2 1 5\n"),
    ):
        path = tmp_path / name
        path.write_text(header + body)
        size = body[0]
        assert "positive semidefinite" in expect_three_lines(
            capsys, "verify", str(path), "--blocks", size
        )


@pytest.mark.parametrize(
    ("arguments", "what", "found", "remedy"),
    [
        (
            "verify L.npy",
            "--blocks or --labels must be given",
            "neither",
            "--blocks each or 10,50,250, or --",
        ),
        (
            "compare L.csv --labels l.txt",
            "--labels must have one label for each coordinate",
            "3 labels",
            "2 labels",
        ),
        (
            "compare L.csv --blocks 3,1",
            "must add up",
            "2 block(s) that add up to 4  (note: cells",
            "up to 2, or each",
        ),
        (
            "compare L.csv --blocks each --overhead -1",
            "--overhead must be a non-negative",
            "-1",
            "--overhead 0",
        ),
        ("rates L.csv --blocks each --eps -1/3", "--eps must be positive", "-1/3", "--eps 1.0"),
        (
            "rates L.csv --blocks each --distance 0",
            "--distance must be positive",
            "0",
            "--distance 1.0",
        ),
        (
            "compare L.csv --blocks each --p x,1",
            "--p must be finite numbers",
            "'x' at position 1",
            "such as 0.5,1",
        ),
        (
            "verify L.csv --blocks each --p 1",
            "--p must have one number per block, 2",
            "1 number",
            "2 numbers",
        ),
        ("check none.json", "none.json: no such file", "nothing there", "its path"),
        (
            "verify --blocks 1",
            "Missing argument 'FILE'",
            "no FILE in the command",
            "rpttheory verify --help",
        ),
        (
            "verify L.npy --sampling x",
            "Invalid value for '--sampling'",
            "'x' is not one of",
            "rpttheory verify --help",
        ),
        (
            "experiment quadratics --seeds x",
            "Invalid value for '--seeds'",
            "'x' is not a valid",
            "quadratics --help",
        ),
        (
            "experiment quadratics",
            "Missing option '--out'",
            "no --out in the command",
            "quadratics --help",
        ),
        (
            "experiment quadratics --seed 1",
            "no such option",
            "--seed",
            "--seeds or rpttheory experiment quadratics",
        ),
        (
            "experiment quadratics --zzz",
            "no such option",
            "--zzz",
            "rpttheory experiment quadratics --help",
        ),
        ("experiment quadratics --out", "Option '--out' requires an argument", "--out", "--help"),
        (
            "verify a --blocks 1 b",
            "cannot be understood",
            "Got unexpected extra argument (b)",
            "rpttheory verify --help",
        ),
        ("experiment rigde", "no such command", "rigde", "rpttheory experiment ridge"),
        ("verifi", "no such command", "verifi", "rpttheory verify"),
        ("prooofs", "no such command", "prooofs", "rpttheory proofs"),
        ("zzz", "no such command", "zzz", "rpttheory --help"),
    ],
)
@pytest.mark.usefixtures("good")
def test_usage_errors(
    arguments: str, what: str, found: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = expect_three_lines(capsys, *arguments.split()).split("\n")
    assert what in first and second.startswith(f"  found: {found}") and remedy in third


def test_the_help_has_an_example_of_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--help") == 0
    out = capsys.readouterr().out
    for name in ("demo", "verify", "compare", "proofs", "attack", "experiment"):
        assert f"  rpttheory {name} " in out


@pytest.mark.parametrize("command", ["verify", "compare", "rates"])
def test_rounding_asymmetry_is_removed_and_said_in_the_second_line(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = GOOD.copy()
    matrix[0, 1] = np.nextafter(matrix[0, 1], 2)
    path = str(tmp_path / "L.npy")
    np.save(path, matrix)
    assert call(command, path, "--blocks", "1,2") == 0
    out = capsys.readouterr().out
    assert (
        "L is (F + F')/2 of the matrix F given" in out.splitlines()[1]
        and "the symmetric part of the numbers" in out
    )
    assert call(command, path, "--blocks", "1,2", "--json") == 0
    assert "(F + F')/2" in json.loads(capsys.readouterr().out)["notes"][0]
    np.save(path, GOOD)
    for options in ((), ("--symmetrize",)):
        assert call(command, path, "--blocks", "1,2", *options) == 0
        assert "(F + F')/2" not in capsys.readouterr().out, "a symmetric matrix is taken as it is"


def test_symmetrize_mends_more_than_rounding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = GOOD.copy()
    matrix[0, 1] *= 1 + 1e-10
    np.save(tmp_path / "L.npy", matrix)
    assert "--symmetrize" in expect_three_lines(
        capsys, "verify", str(tmp_path / "L.npy"), "--blocks", "1,2"
    )
    assert call("verify", str(tmp_path / "L.npy"), "--blocks", "1,2", "--symmetrize") == 0
    assert "(F + F')/2" in capsys.readouterr().out.splitlines()[1]


def test_an_internal_error_does_not_look_like_a_refutation(
    good: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("rpttheory.statements.verify.verify", broken)
    assert call("verify", good, "--blocks", "1,2") == 70
    out, err = capsys.readouterr()
    assert out == "" and "RuntimeError: boom" in err and "Traceback" not in err


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), click.Abort()])
def test_interruption(
    good: str,
    stop: BaseException,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr("rpttheory.statements.verify.verify", interrupted)
    assert call("verify", good, "--blocks", "1,2") == 130
    assert capsys.readouterr().out == ""


def test_demo_refutes_the_printed_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("demo") == 0
    out = capsys.readouterr().out
    assert "lmax / closed >= 5.65" in out
    assert f"5.65 is {Verdict.REFUTED}" in out
    assert "16 proved, 1 refuted, 0 undecided" in out


# As the bytes of a name arrive, whatever the locale.
HOSTILE = b"\x1b[31m\x07\n\xe2\x80\xae\xff$\\frac".decode(
    sys.getfilesystemencoding(), "surrogateescape"
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "{}.npy", "--blocks", "1,2"],
        ["verify", "absent{}.npy", "--blocks", "1,2"],
        ["verify", "{}.npy", "--blocks", "1,2", "--claim", "lmax < {}"],
        ["compare", "{}.npy", "--blocks", "1,2", "--plot", "{}.svg"],
        ["compare", "{}.npy", "--blocks", "1,2", "--plot", "{}/x.svg"],
        ["experiment", "quadratics", "--out", "{}.npy"],
        ["experiment", "quadratics", "--out", ".", "--rows", "{}"],
        ["proofs", "{}"],
        ["proofs", "lem:twoBounds", "--html", "{}.npy/x"],
        ["attack", "{}"],
        ["attack", "--recheck", "{}.npy"],
        ["attack", "lem:twoBounds", "--seconds", "{}"],
        ["{}"],
        ["verify", "--{}"],
    ],
    ids=" ".join,
)
def test_no_control_character_reaches_the_terminal(
    arguments: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not from a name, nor from anything typed; a picture can bear the name too."""
    monkeypatch.chdir(tmp_path)
    with open(f"{HOSTILE}.npy", "wb") as stream:
        np.save(stream, GOOD)
    call(*(argument.format(HOSTILE) for argument in arguments))
    out, err = capsys.readouterr()
    lines = (out + err).rstrip("\n").split("\n")
    assert any("[31m" in line for line in lines)
    assert [line for line in lines if not line.isprintable()] == []
    assert err.count("found:") == ("error" in err)


class Standard(io.BytesIO):
    """Standard input with these bytes."""

    @property
    def buffer(self) -> Standard:
        return self


@pytest.mark.parametrize("kind", [".npy", ".csv", ".mtx"])
def test_standard_input_in_place_of_a_file(
    kind: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = io.BytesIO()
    if kind == ".npy":
        np.save(content, GOOD)
    elif kind == ".csv":
        np.savetxt(content, GOOD, delimiter=",")
    else:
        scipy.io.mmwrite(content, GOOD)
    monkeypatch.setattr("sys.stdin", Standard(content.getvalue()))
    assert call("verify", "-", "--blocks", "1,2", "--costs", "equal") == 0
    assert "standard input: d = 3, B = 2" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", Standard(b"1,x\n"))
    assert "standard input: every cell" in expect_three_lines(
        capsys, "verify", "-", "--blocks", "1,2"
    )
    monkeypatch.setattr("sys.stdin", None)
    assert "must hold a matrix" in expect_three_lines(capsys, "verify", "-", "--blocks", "1,2")


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        (
            "4;1,5\n1,5;3\n",
            0,
            "note: cells are separated by semicolons; commas in them are decimal points",
        ),
        (
            "4,0;1,5\n1,5;3,0\n",
            0,
            "note: cells are separated by semicolons; commas in them are decimal points",
        ),
        (
            '"a";"b, c"\n4,0;1,5\n1,5;3\n',
            0,
            "note: cells are separated by semicolons; commas in them are decimal points",
        ),
        ("a;b\n4;1\n1;3\n", 0, "note: cells are separated by semicolons\n"),
        ("4;1,5\n1.5,0;3\n", 2, "with semicolons between them"),
        (",a,b\n0,4,1\n1,1,3\n", 2, "to_csv(file, index=False)"),
        (",0,1\n0,4,1\n1,1,3\n", 2, "header=False where"),
        (
            "4,0\t1,5\n1,5\t3,0\n",
            0,
            "note: cells are separated by tabs; commas in them are decimal points",
        ),
        (
            "a\tb\n4,0\t1,5\n1,5\t3\n",
            0,
            "note: cells are separated by tabs; commas in them are decimal points",
        ),
        (
            "4,0 1,5\n1,5 3,0\n",
            0,
            "note: cells are separated by blanks; commas in them are decimal points",
        ),
        (
            "n,a,b\nx,4,1\ny,1,3\n",
            2,
            "one header row of names is allowed, but no first column of them",
        ),
        ("4, 1.5\n1.5, 3\n", 0, "taken exactly\n\n"),
        ("4,\t1.5\n1.5,\t3\n", 0, "taken exactly\n\n"),
        ("Unnamed: 0,b\n4,1\n1,3\n", 0, "column 'Unnamed: 0' is taken as data; an index?"),
    ],
)
def test_what_a_text_file_leaves_open_is_said(
    text: str, code: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "L.csv").write_text(text)
    assert call("verify", str(tmp_path / "L.csv"), "--blocks", "1,1") == code
    out, err = capsys.readouterr()
    assert told in out + err
    if "5\n1" in text and code == 0:
        call("verify", str(tmp_path / "L.csv"), "--blocks", "1,1", "--json")
        quantities = json.loads(capsys.readouterr().out)["quantities"]
        assert quantities["lmax"]["upper"] == pytest.approx(
            np.linalg.eigvalsh([[4, 1.5], [1.5, 3]])[-1]
        )


def test_a_near_word_for_costs_is_suggested(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--costs size" in expect_three_lines(
        capsys, "verify", good, "--blocks", "1,2", "--costs", "sizes"
    )


class Terminal(io.StringIO):
    """An output that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "more", "coloured", "widest"),
    [
        ({}, [], True, 60),
        ({"NO_COLOR": "1"}, [], False, 60),
        ({"NO_COLOR": "1"}, ["--wide"], False, 118),
    ],
)
def test_a_terminal_has_colours_and_tables_that_fit(
    environment: dict[str, str],
    more: list[str],
    coloured: bool,
    widest: int,
    good: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {"COLUMNS": "60", "TERM": "xterm", "NO_COLOR": "", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", Terminal())
    call("verify", good, "--blocks", "1,2", *more)
    text = sys.stdout.getvalue()  # type: ignore[attr-defined]
    assert ("\x1b[32m" in text) == coloured
    lines = click.unstyle(text).split("\n")
    assert (max(map(len, lines)) <= 60) == (widest == 60) and click.unstyle(text).count(
        "PROVED"
    ) == 14


def test_a_full_disk_behind_another_error_is_not_ours(
    good: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        try:
            raise OSError(errno.ENOSPC, "No space left on device", "cache")
        except OSError as error:
            raise RuntimeError("compilation failed") from error

    monkeypatch.setattr("rpttheory.statements.verify.verify", full)
    assert "cache: cannot be written" in expect_three_lines(
        capsys, "verify", good, "--blocks", "1,2"
    )


def test_the_bracket_of_a_running_search_is_printed_outwards() -> None:
    events: list[Event] = []
    bracket_shown(events.append)(1.23456789, 2.345678911)
    (event,) = events
    assert event.doing.startswith("in [1.2345678, 2.345679], gap 0.48 ")
