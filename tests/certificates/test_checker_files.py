"""`check --file` compares the matrix of a certificate with a file, exactly."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from certificates.documents import answer
from rpttheory import verify
from rpttheory.cli.main import commands, guarded

ROWS = [["4.1", "1", "0.5"], ["1", "3", ".25"], ["0.50", "2.5e-1", "1E0"]]
DOUBLES = np.array([[4.1, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 1.0]])
DECIMALS = np.array([[Fraction(cell) for cell in row] for row in ROWS], dtype=object)


NEGATIVE_SHAPE = b"{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 2), }"


def text(separator: str) -> str:
    return "".join(separator.join(row) + "\n" for row in ROWS)


def of_decimals() -> dict[str, Any]:
    return verify(DECIMALS, [1, 2], claims="lmax < 5").certificate()


def of_doubles() -> dict[str, Any]:
    return verify(DOUBLES, [1, 2], claims="lmax < 5").certificate()


def write_npy(path: Path, array: Any, version: tuple[int, int] = (1, 0)) -> None:
    with path.open("wb") as stream:
        np.lib.format.write_array(stream, array, version=version)


WRITERS: dict[str, tuple[str, Callable[[Path], object], bool]] = {
    "commas": ("L.csv", lambda path: path.write_text(text(",")), True),
    "a mark, a comment and names": (
        "L.CSV",
        lambda path: path.write_text("\ufeff# L\n\na,b,c\n" + text(" , ")),
        True,
    ),
    "semicolons": ("L.csv", lambda path: path.write_text(text(";").replace(".", ",")), True),
    "blanks": ("L.txt", lambda path: path.write_text(text("  ")), True),
    "array": (
        "L.mtx",
        lambda path: path.write_text(
            "%%MatrixMarket matrix array real general\n% by column\n3 3\n"
            + "\n".join(x for row in ROWS for x in row)
        ),
        True,
    ),
    "lower triangle": (
        "L.mtx",
        lambda path: path.write_text(
            "%%MatrixMarket matrix array real symmetric\n3 3\n4.1\n1\n.5\n3\n.25\n1\n",
        ),
        True,
    ),
    "coordinates": (
        "L.mtx",
        lambda path: path.write_text(
            "%%MatrixMarket matrix coordinate real symmetric\n3 3 6\n1 1 4.1\n2 1 1\n3 1 .5\n2 2"
            " 3\n3 2 .25\n3 3 1\n",
        ),
        True,
    ),
    "doubles": ("L.npy", lambda path: np.save(path, DOUBLES), False),
    "columns first": ("L.npy", lambda path: np.save(path, np.asfortranarray(DOUBLES)), False),
    "other byte order": ("L.npy", lambda path: np.save(path, DOUBLES.astype(">f8")), False),
    "version 2": ("L.npy", lambda path: write_npy(path, DOUBLES, (2, 0)), False),
    "scipy's": (
        "L.mtx",
        lambda path: scipy.io.mmwrite(path, sp.coo_array(DOUBLES), precision=3),
        True,
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_matrix_is_recognized(name: str, tmp_path: Path) -> None:
    file_name, write, decimals = WRITERS[name]
    write(tmp_path / file_name)
    path = str(tmp_path / file_name)
    # 4.1 is no double: a file of decimals and a file of doubles hold different matrices.
    for content, same in ((of_decimals(), decimals), (of_doubles(), not decimals)):
        printed = answer(tmp_path, content, path)
        if same:
            assert (
                printed.endswith("\nyes: all of this follows")
                and "L is exactly the matrix of" in printed
            )
        else:
            assert (
                printed.startswith("no: ")
                and "row 1, column 1: " in printed
                and "41/10 [= 4.1]" in printed
            )


@pytest.mark.parametrize("place", [(i, j) for i in range(3) for j in range(3)])
def test_each_entry_is_compared(place: tuple[int, int], tmp_path: Path) -> None:
    i, j = place
    changed = DOUBLES.copy()
    changed[i, j] = changed[j, i] = np.nextafter(changed[i, j], 9)
    np.save(tmp_path / "L.npy", changed)
    printed = answer(tmp_path, of_doubles(), str(tmp_path / "L.npy"))
    assert (
        printed.startswith("no: ") and f"row {max(place) + 1}, column {min(place) + 1}:" in printed
    )


@pytest.mark.parametrize(
    "kind", ["int8", "uint16", "int32", "int64", "uint64", "float16", "float32", "bool"]
)
def test_arrays_of_other_numbers(kind: str, tmp_path: Path) -> None:
    whole = np.array([[1, 0], [0, 1]])
    content = verify(whole.astype(float), [1, 1], claims="lmax <= 1").certificate()
    np.save(tmp_path / "L.npy", whole.astype(kind))
    assert answer(tmp_path, content, str(tmp_path / "L.npy")).endswith("\nyes: all of this follows")


def test_entries_that_coordinates_leave_out_are_zero(tmp_path: Path) -> None:
    path = tmp_path / "L.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 2\n")
    for matrix, same in ((np.diag([3.0, 2.0]), True), (np.array([[3.0, 1.0], [1.0, 2.0]]), False)):
        content = verify(matrix, [1, 1], claims="lmax <= 4").certificate()
        assert answer(tmp_path, content, str(path)).startswith("no: ") is not same


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("L.csv", "4.1,1,0.5\n1,3,x\n0.5,0.25,1\n"),
        ("L.csv", "4.1,1,0.5\n1,3\n0.5,0.25,1\n"),
        ("L.csv", "4.1,1,0.5\n1,3,0.25_0\n0.5,0.25,1\n"),
        ("L.csv", "4.1,1,0.5\n1,3,1e9999\n0.5,0.25,1\n"),
        ("L.csv", "4.1,1,0.5\n1,3,nan\n0.5,0.25,1\n"),
        ("L.csv", ""),
        ("L.csv", b"\xff\xfe"),
        ("L.mtx", "4.1 1\n"),
        ("L.mtx", ""),
        ("L.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n"),
        ("L.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 4 1\n"),
        ("L.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n0 1 1\n"),
        ("L.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n"),
        ("L.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n1 1 3.1\n"),
        ("L.mtx", "%%MatrixMarket matrix array real general\n3 3\n1\n2\n"),
        ("L.npy", b"\x93NUMPY"),
        ("L.npy", b"\x93NUMPY\x01\x00\x02\x00{}"),
        ("L.npy", b"\x93NUMPY\x01\x00\x3c\x00" + NEGATIVE_SHAPE),
        ("L.npy", "4.1,1,0.5"),
        ("L.npz", "PK"),
    ],
)
def test_a_file_that_cannot_be_read_is_not_a_mismatch(
    name: str, content: str | bytes, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert answer(tmp_path, of_decimals(), str(tmp_path / name)).startswith("error: ")


def test_damaged_arrays(tmp_path: Path) -> None:
    path = tmp_path / "L.npy"
    for array in (
        np.array([DOUBLES]),
        DOUBLES.astype(complex),
        np.array([["a"]]),
        np.full((3, 3), np.inf),
    ):
        np.save(path, array)
        assert answer(tmp_path, of_doubles(), str(path)).startswith("error: ")
    np.save(path, DOUBLES)
    for damaged in (path.read_bytes()[:-1], path.read_bytes() + b"0"):
        path.write_bytes(damaged)
        assert answer(tmp_path, of_doubles(), str(path)).startswith("error: ")


def test_another_shape_is_a_mismatch(tmp_path: Path) -> None:
    for array in (np.eye(2), np.ones((3, 4)), np.ones((4, 3))):
        np.save(tmp_path / "L.npy", array)
        assert answer(tmp_path, of_doubles(), str(tmp_path / "L.npy")).startswith("no: L is 3 x 3")


def run(*arguments: object) -> int:
    return guarded(commands, [str(argument) for argument in arguments])


def test_labels_are_undone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "L.csv").write_text(text(","))
    (tmp_path / "labels.txt").write_text("u\nv\nu\n")
    proof = tmp_path / "proof.json"
    code = run(
        "verify", tmp_path / "L.csv", "--labels", tmp_path / "labels.txt", "--certificate", proof
    )
    assert code == 0
    capsys.readouterr()
    assert run("check", proof, "--file", tmp_path / "L.csv") == 0
    printed = capsys.readouterr().out
    assert 'names    "u", "v"' in printed and "in the user's matrix: 0, 2, 1" in printed
    (tmp_path / "L.csv").write_text("4.1,.5,1\n.5,1,.25\n1,.25,3\n")  # in the order of the blocks
    assert run("check", proof, "--file", tmp_path / "L.csv") == 1
    assert "row 3, column 1" in capsys.readouterr().out


def test_data_give_the_matrix_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "A.csv").write_text("a,b\n0.1,1\n0.2,0.7\n-3,1e-3\n")
    proof = tmp_path / "proof.json"
    arguments = ["--data", "--ridge", "0.3", "--blocks", "1,1", "--certificate", proof]
    assert run("compare", tmp_path / "A.csv", *arguments) == 0
    assert run("check", proof, "--file", tmp_path / "A.csv") == 0
    assert "(2/3) A'A + (3/5) I of its 3 rows" in capsys.readouterr().out
    for changed in ("0.1,1\n0.2,0.7\n-3,2e-3\n", "0.1,1\n0.2,0.7\n"):
        (tmp_path / "A.csv").write_text(changed)
        assert run("check", proof, "--file", tmp_path / "A.csv") == 1
    capsys.readouterr()
    (tmp_path / "A.csv").write_text("a,b,target\n0.1,1,5\n0.2,0.7,6\n-3,1e-3,7\n")
    assert run("check", proof, "--file", tmp_path / "A.csv") == 2
    assert "derived from data" in capsys.readouterr().err
    assert run("check", proof, "--file", tmp_path / "absent.csv") == 2


@pytest.mark.parametrize("first_row", ["$1,$2", "x,1/2", "NA,\u22121"])
def test_a_first_row_that_is_not_compared_is_printed(first_row: str, tmp_path: Path) -> None:
    path = tmp_path / "L.csv"
    path.write_text(f"{first_row}\n3,1\n1,2\n", encoding="utf-8")
    content = verify([[3, 1], [1, 2]], [1, 1], claims="lmax < 4").certificate()
    printed = answer(tmp_path, content, str(path))
    assert printed.endswith("\nyes: all of this follows")
    assert all(json.dumps(cell) in printed for cell in first_row.split(","))


def test_the_symmetric_part_is_compared_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "L.csv"
    proof = tmp_path / "proof.json"
    path.write_text("4,1.5\n.5,3\n")
    assert run("verify", path, "--blocks", "1,1", "--symmetrize", "--certificate", proof) == 0
    assert run("check", proof, "--file", path) == 0
    assert "symmetric part" in capsys.readouterr().out
    for changed in ("4,1.5\n1.5,3\n", "4,1\n.5,3\n", "4,.5\n1,3\n"):
        path.write_text(changed)
        assert run("check", proof, "--file", path) == 1
