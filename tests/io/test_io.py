"""The readers: every format gives the same numbers, and every fault gives three lines that name
it.
"""

import io
import os
import struct
import subprocess
import sys
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from refusals import refuses

import rpttheory.io
from rpttheory.errors import InvalidInput
from rpttheory.io import (
    EXTENSIONS,
    DataMatrix,
    located,
    manifest,
    memory,
)
from rpttheory.numbers.exact_array import doubles
from rpttheory.numbers.parse import parse_numbers
from rpttheory.problem.arguments import as_blocks, as_costs, as_probabilities
from rpttheory.problem.blocks import Blocks

ROOT = Path(__file__).resolve().parents[2]

LAPLACIAN = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
WIDE = np.array([[1.0, 2.0, 0.0], [-4.5, 0.1, 6.0]])


def read_matrix(path: Any, **options: Any) -> Any:
    return doubles(rpttheory.io.read_matrix(path, **options))


def read_data(path: Any) -> DataMatrix:
    read = rpttheory.io.read_data(path)
    return DataMatrix(doubles(read.values), read.columns, read.left_out)


Writer = Callable[[Path, np.ndarray], None]


def text_rows(array: np.ndarray, separator: str) -> str:
    return "".join(separator.join(repr(float(cell)) for cell in row) + "\n" for row in array)


def write_npz(path: Path, array: np.ndarray) -> None:
    np.savez(path, array=array)


def write_mtx(path: Path, array: np.ndarray, **options: Any) -> None:
    scipy.io.mmwrite(path, array, precision=17, **options)


WRITERS: dict[str, Writer] = {
    "plain.npy": np.save,
    "fortran.npy": lambda path, array: np.save(path, np.asfortranarray(array)),
    "big_endian.npy": lambda path, array: np.save(path, array.astype(">f8")),
    "version_2.npy": lambda path, array: path.write_bytes(as_npy(array, version=(2, 0))),
    "UPPER.NPY": lambda path, array: path.write_bytes(as_npy(array)),
    "plain.npz": write_npz,
    "compressed.npz": lambda path, array: np.savez_compressed(path, array=array),
    **{
        f"{kind}.npz": lambda path, array, kind=kind: sp.save_npz(
            path, sp.csr_array(array).asformat(kind)
        )
        for kind in ("csr", "csc", "coo")
    },
    "matrix_class.npz": lambda path, array: sp.save_npz(
        path, sp.csr_matrix(array), compressed=False
    ),
    "plain.csv": lambda path, array: path.write_text(text_rows(array, ",")),
    "spaced.csv": lambda path, array: path.write_text("# a comment\n\n" + text_rows(array, " , ")),
    "windows.csv": lambda path, array: path.write_bytes(
        ("\ufeff" + text_rows(array, ",").replace("\n", "\r\n")).encode()
    ),
    "names.csv": lambda path, array: path.write_text('a,"b, c",d_1\n' + text_rows(array, ",")),
    "blanks.txt": lambda path, array: path.write_text(text_rows(array, "  ")),
    "tabs.txt": lambda path, array: path.write_text("a b c\n" + text_rows(array, "\t")),
    "commas.txt": lambda path, array: path.write_text(text_rows(array, ", ")),
    "savetxt.txt": lambda path, array: np.savetxt(path, array, header="made by numpy"),
    "array.mtx": lambda path, array: write_mtx(path, array),
    "coordinate.mtx": lambda path, array: write_mtx(path, sp.coo_array(array), comment="a comment"),
    "general.mtx": lambda path, array: write_mtx(path, sp.coo_array(array), symmetry="general"),
    "big_endian_csr.npz": lambda path, array: np.savez(path, **big_endian_rows(array)),
}


NAMED = ("names.csv", "tabs.txt")
"""The ones with names for three columns."""


def big_endian_rows(array: np.ndarray) -> dict[str, np.ndarray]:
    rows = sp.csr_array(array)
    parts = {
        "data": rows.data.astype(">f8"),
        "indices": rows.indices.astype(">i8"),
        "indptr": rows.indptr.astype(">i4"),
    }
    return {**parts, "shape": np.array(array.shape), "format": np.array("csr")}


def as_npy(array: np.ndarray, version: tuple[int, int] = (1, 0)) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def refusal(reader: Callable[..., Any], path: Path, argument: str = "") -> InvalidInput:
    """The error of a reader, which must name the file and have three parts of one line each."""
    with pytest.raises(InvalidInput) as caught:
        reader(path)
    error = caught.value
    assert error.source == path.name and (not argument or error.argument == argument)
    assert all(part and "\n" not in part for part in error.parts())
    return error


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("array", [LAPLACIAN, WIDE], ids=["symmetric", "wide"])
def test_every_format_gives_the_same_numbers(name: str, array: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / name
    WRITERS[name](path, array)
    read = read_data(path)
    assert isinstance(read.values, np.ndarray) and read.values.dtype == np.float64
    assert read.values.flags.c_contiguous and not read.values.flags.writeable
    assert np.array_equal(read.values, array)
    if array is LAPLACIAN:
        assert np.array_equal(read_matrix(path), array)
    else:
        assert refusal(read_matrix, path, argument="L").found == "shape 2 x 3"


@pytest.mark.parametrize(
    ("name", "text", "columns", "left_out"),
    [
        ("A.csv", "b, target ,a\n1,nan,3\n4,5,6\n", ("b", "a"), ("target",)),
        ("A.csv", 'b, "target", "a, b"\n1,nan,3\n4,5,6\n', ("b", "a, b"), ("target",)),
        ("A.csv", "b,Target\n1,3\n4,6\n", ("b", "Target"), ()),
        ("A.txt", '"b"  "target"  "a b"\n1 2 3\n4 5 6\n', ("b", "a b"), ("target",)),
    ],
)
def test_target_is_left_out_and_named(
    name: str, text: str, columns: tuple[str, ...], left_out: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    read = read_data(path)
    assert (read.columns, read.left_out) == (columns, left_out)
    assert np.array_equal(read.values, [[1, 3], [4, 6]])


def test_a_matrix_keeps_all_its_columns_and_data_need_one(tmp_path: Path) -> None:
    path = tmp_path / "L.csv"
    path.write_text("x,target\n2,1\n1,2\n")
    assert np.array_equal(read_matrix(path), [[2, 1], [1, 2]])
    path.write_text("target\n1\n2\n")
    refusal(read_data, path, argument="A")


def sparse_file(path: Path, changes: dict[tuple[int, int], float]) -> Path:
    matrix = sp.eye_array(300, format="lil")
    for place, value in changes.items():
        matrix[place] = value
    sp.save_npz(path, matrix.tocsr())
    return path


def test_sparse_matrices_are_checked_without_filling_them_in(tmp_path: Path) -> None:
    up = 5.5
    path = sparse_file(tmp_path / "S.npz", {(3, 250): 5.0, (250, 3): up, (7, 9): 1.0, (9, 7): 1.0})
    assert "[3, 250] and [250, 3]: 5 vs 5.5" in refusal(read_matrix, path, argument="L").found
    halfway = read_matrix(path, symmetrize=True)
    assert sp.issparse(halfway) and halfway[3, 250] == halfway[250, 3] == (5.0 + up) / 2
    assert sp.issparse(read_data(path).values)
    for changes, result in (
        ({(250, 3): 2.0}, "[250, 3] and [3, 250]: 2 vs 0"),
        ({(3, 250): np.nan, (250, 3): np.nan}, "nan at [3, 250] (2 "),
        ({(250, 3): np.inf}, "inf at [250, 3] (1 "),
    ):
        assert result in refusal(read_matrix, sparse_file(path, changes), argument="L").found
    huge = sparse_file(path, {(3, 250): 1.7e308, (250, 3): 1.7e308})
    assert read_matrix(huge, symmetrize=True)[3, 250] == 1.7e308


def test_asymmetry_is_shown_and_can_be_averaged(tmp_path: Path) -> None:
    path = tmp_path / "asym.npy"
    np.save(path, np.array([[1, 0.5, 0], [0.5, 1, -0.645361], [0, -0.655361, 1]]))
    assert "[1, 2] and [2, 1]: -0.645" in refusal(read_matrix, path, argument="L").found
    averaged = read_matrix(path, symmetrize=True)
    assert averaged[1, 2] == averaged[2, 1] == (-0.645361 - 0.655361) / 2
    up = np.nextafter(1.0, 2.0)
    np.save(path, np.array([[1.0, up], [1.0, 1.0]]))
    form = rpttheory.io.read_matrix(path)
    assert form.rational()[0][1] == form.rational()[1][0] == (Fraction(up) + 1) / 2
    assert form.asymmetry == up - 1 and len(form.notes) == 1


@pytest.mark.parametrize("marked", [set(), {0}, {0, 1}, {3}])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_byte_order_mark_is_not_part_of_a_label(
    marked: set[int], ends: str, tmp_path: Path
) -> None:
    path = tmp_path / "labels.txt"
    lines = ["\ufeff" * (number in marked) + label for number, label in enumerate("aaba")]
    path.write_bytes(ends.join([*lines, ""]).encode())
    assert rpttheory.io.read_labels(path) == ["a", "a", "b", "a"]


@pytest.mark.parametrize(
    "row",
    [
        *(
            "$1,$2",
            "NA,NA",
            "n/a,NULL",
            "1/2,1/3",
            "\N{MINUS SIGN}1,\N{MINUS SIGN}2",
            "1_000,2_000",
            "0x10,0x20",
            "?,?",
        ),
        *(
            "1d2,1D+3",
            "1%,2%",
            "1'000,2'000",
            "\uff11,\uff12",
            "x,$2",
            "x,?",
            "x,#",
            "-,-",
            "True,False",
            "1+2j,3j",
        ),
        *("2019-01-01,2019-01-02", "(1),(2)", "#N/A,1", "#DIV/0!,1", "None,nil"),
    ],
)
def test_a_row_of_odd_numbers_is_not_taken_for_a_header(row: str, tmp_path: Path) -> None:
    path = tmp_path / "A.csv"
    path.write_text(f"{row}\n1,2\n3,4\n", encoding="utf-8")
    for reader in (rpttheory.io.read_data, rpttheory.io.read_matrix):
        assert refusal(reader, path).found.startswith(tuple(map(repr, row.split(","))))
    path.write_text(f"1,2\n3,4\n{row}\n", encoding="utf-8")
    refusal(rpttheory.io.read_data, path)


@pytest.mark.parametrize(
    ("row", "notes"),
    [
        ("x1,x2", 0),
        ("MedInc,2019 sales", 1),
        ("Na,NA", 0),
        ("1st,2nd", 1),
        (".5x,b", 1),
        ("\u540d,\u4e00", 0),
        ("1e,2e", 1),
    ],
)
def test_names_are_a_header_and_noted_if_they_start_like_numbers(
    row: str, notes: int, tmp_path: Path
) -> None:
    path = tmp_path / "A.csv"
    path.write_text(f"{row}\n1,2\n3,4\n", encoding="utf-8")
    noted = list[str]()
    read = rpttheory.io.read_data(path, notes=noted)
    assert read.columns == tuple(row.split(",")) and np.array_equal(read.values, [[1, 2], [3, 4]])
    assert len(noted) == notes
    path.write_text("0,1,2\n5,6,7\n")
    assert rpttheory.io.read_data(path, notes=noted).values.shape == (2, 3)
    assert len(noted) == notes + 1, "column numbers in the first row"


TABLE = 'id,price,x1,target,city\n7,3,1,2,"Brno, CZ"\n8,4,0.1,5,Prague\n9,nan,2,2,Ostrava\n'


@pytest.mark.parametrize(
    ("target", "drop", "columns", "left_out"),
    [
        ("price", ["id", "city"], ("x1", "target"), ("id", "price", "city")),
        (1, ["city", 0], ("x1", "target"), ("id", "price", "city")),
        ("-4", ["-1", "id"], ("x1", "target"), ("id", "price", "city")),
        (None, ["city", "price"], ("id", "x1"), ("price", "target", "city")),
    ],
)
def test_columns_are_left_out_by_name_and_by_number(
    target: Any, drop: Any, columns: tuple[str, ...], left_out: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "A.csv"
    path.write_text(TABLE)
    read = rpttheory.io.read_data(path, target=target, drop=drop)
    assert (read.columns, read.left_out) == (columns, left_out)
    numbers = {"id": [7, 8, 9], "x1": [1, 0.1, 2], "target": [2, 5, 2]}
    assert np.array_equal(doubles(read.values), np.array([numbers[name] for name in columns]).T)


def test_columns_of_files_without_names(tmp_path: Path) -> None:
    A = np.arange(1.0, 13.0).reshape(3, 4)
    A[0, 2] = np.nan
    np.save(tmp_path / "A.npy", A)
    read = rpttheory.io.read_data(tmp_path / "A.npy", target=2)
    assert np.array_equal(read.values, A[:, [0, 1, 3]]) and (read.columns, read.left_out) == (
        (),
        ("2",),
    )
    (tmp_path / "A.csv").write_text("1,x,2\n3,y,4\n")
    assert np.array_equal(
        rpttheory.io.read_data(tmp_path / "A.csv", drop=["1"]).values, [[1, 2], [3, 4]]
    )
    for shape in ((300, 300), (300, 400), (400, 300)):
        sparse = sp.random_array(shape, density=0.01, rng=np.random.default_rng(0), format="csr")
        sp.save_npz(tmp_path / "S.npz", sparse)
        read = rpttheory.io.read_data(tmp_path / "S.npz", target=-1, drop=[5])
        assert np.array_equal(read.values.toarray(), np.delete(sparse.toarray(), [5, -1], axis=1))
    for target, drop in (("price", []), (4, []), (None, ["-5"]), (0, [1, 2, 3])):
        with refuses():
            rpttheory.io.read_data(tmp_path / "A.npy", target=target, drop=drop)
    (tmp_path / "B.csv").write_text("x,x,y\n1,2,3\n")
    with refuses(found="2 columns named 'x'"):
        rpttheory.io.read_data(tmp_path / "B.csv", target="x")


MTX = "%%MatrixMarket matrix coordinate real general\n"
MTX_SYMMETRIC = MTX.replace("general", "symmetric")
MTX_ARRAY = MTX.replace("coordinate", "array")

FAULTS: list[tuple[str, bytes | np.ndarray | str, str]] = [
    ("empty.npy", b"", "0 bytes"),
    ("L.xlsx", b"x", "'.xlsx'"),
    ("L.mat", b"x", "'.mat'"),
    ("L", b"x", "no extension"),
    ("pickled.npy", np.array([[1, None]], dtype=object), "Python objects"),
    ("complex.npy", np.eye(2) * 1j, "complex128"),
    ("records.npy", np.zeros(2, dtype=[("a", "f8")]), "dtype"),
    ("dates.npy", np.zeros((2, 2), dtype="M8[s]"), "datetime64"),
    ("scalar.npy", np.array(3.0), "a single number"),
    ("vector.npy", np.ones(3), "shape 3"),
    ("cube.npy", np.ones((2, 2, 2)), "2 x 2 x 2"),
    ("none.npy", np.ones((0, 3)), "0 x 3"),
    ("nan.npy", np.array([[1, np.nan], [np.nan, 1]]), "nan at [0, 1] (2 such"),
    ("inf.npy", np.array([[-np.inf, 0], [0, 1]]), "-inf at [0, 0]"),
    ("cut.npy", as_npy(LAPLACIAN)[:-1], "71 bytes"),
    ("more.npy", as_npy(LAPLACIAN) + b"\0", "73 bytes"),
    ("header.npy", as_npy(LAPLACIAN)[:50], "EOF"),
    ("magic.npy", b"not numpy at all", "magic"),
    ("negative.npy", as_npy(LAPLACIAN).replace(b"(3, 3), ", b"(-3,-3),"), "(-3, -3)"),
    ("version_9.npy", as_npy(LAPLACIAN).replace(b"NUMPY\1\0", b"NUMPY\3\0"), "3.0"),
    ("bad.npz", b"PK\3\4 no archive", "zip"),
    ("text.csv", "1,2\n3,abc\n", "'abc' at line 2, column 2"),
    ("partly.csv", "a,2\n3,4\n", "'a' at line 1, column 1"),
    ("second.csv", "a,b\nc,d\n1,2\n", "'c' at line 2, column 1"),
    ("hole.csv", "1,2\n\n3,\n", "an empty cell at line 3, column 2"),
    ("semicolon.csv", "1;2\n3,5;x\n", "'x' at line 2"),
    ("quoted.csv", '"1","2"\n3,4\n', "'\"1\"' at line 1"),
    ("quote.csv", '"a,b\n3,4\n', "unexpected end"),
    ("digits.csv", "1,2\n2,\u0661\n", "line 2, column 2"),
    ("escape.csv", "1,2\n2,\x1b[31m\n", r"\\x1b"),
    ("ragged.csv", "1,2\n3\n", "1 cell(s) in line 2, 2 in line 1"),
    ("header.csv", "a,b\n", "only a header"),
    ("blank.txt", "\n# nothing\n", "blank"),
    ("latin.csv", b"\xe9,b\n1,2\n", "0xe9"),
    ("nan.csv", "1,nan\nnan,1\n", "nan at [0, 1]"),
    ("exponent.csv", "1,1e99999999999999999999\n", "'1e99999999999999999999' at line 1"),
    ("exponent.mtx", MTX + "1 1 1\n1 1 1e-99999999999999999999\n", "in entry 1"),
    ("overflow.csv", "1,1e999\n1e999,1\n", "inf at [0, 1]"),
    ("banner.mtx", "3 3 1\n1 1 1\n", "'3 3 1'"),
    ("vector.mtx", MTX.replace("coordinate", "vector") + "1 1\n1\n", "vector"),
    ("sizes.mtx", MTX + "% no more\n", "no such line"),
    ("sizes2.mtx", MTX + "2 2\n1 1 1\n", "'2 2'"),
    ("pattern.mtx", MTX.replace("real", "pattern") + "1 1 1\n1 1\n", "pattern"),
    ("field.mtx", MTX.replace("real", "text") + "1 1 1\n1 1 1\n", "'text'"),
    ("complex.mtx", MTX.replace("real", "complex") + "1 1 1\n1 1 1 1\n", "complex"),
    ("skew.mtx", MTX.replace("general", "skew-symmetric") + "1 1 0\n", "skew"),
    ("oblong.mtx", MTX_SYMMETRIC + "2 3 0\n", "2 x 3"),
    ("nothing.mtx", MTX + "0 0 0\n", "0 x 0"),
    ("short.mtx", MTX + "2 2 2\n1 1 3.5555555\n", "1 entries where 2"),
    ("tiny.mtx", MTX + "2 2 99\n1 1 3.5\n", "99 entries announced"),
    ("many.mtx", MTX + "2 2 1\n1 1 3\n2 2 3\n", "2 entries where 1"),
    ("junk.mtx", MTX + "2 2 1\n1 1 3x\n", "'3x'"),
    ("widths.mtx", MTX + "2 2 2\n1 1\n3 2 2 3\n", "columns"),
    ("fraction.mtx", MTX + "2 2 1\n1.5 1 3\n", "1.5"),
    ("stray.mtx", MTX + "2 2 1\n1 1 3\x0e", "3"),
    ("zero.mtx", MTX + "2 2 1\n0 1 3\n", "'0' in entry 1"),
    ("beyond.mtx", MTX + "2 2 1\n1 3 3\n", "'3' in entry 1"),
    ("twice.mtx", MTX + "2 2 2\n1 2 3\n1 2 3\n", "row 1, column 2"),
    ("both.mtx", MTX_SYMMETRIC + "2 2 2\n1 2 3\n2 1 3\n", "row 1, column 2"),
    ("fractional.mtx", MTX.replace("real", "integer") + "1 1 1\n1 1 1.5\n", "'1.5'"),
    ("underflow.mtx", MTX + "1 1 1\n1 1 1e-400\n", "1 numbers"),
    ("nan.mtx", MTX_ARRAY + "1 1\nnan\n", "nan at [0, 0]"),
]


@pytest.mark.parametrize(("name", "content", "found"), FAULTS, ids=[row[0] for row in FAULTS])
def test_faults_of_files(
    name: str, content: bytes | np.ndarray | str, found: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if isinstance(content, np.ndarray):
        np.save(path, content)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for reader in (read_matrix, read_data):
        assert found in refusal(reader, path).found


def test_faults_of_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder.npy").mkdir()
    for name in ("absent.npy", "folder.npy", "absent.npy/L.npy"):
        assert str(tmp_path) in refusal(read_matrix, tmp_path / name).found
    for name in ("x" * 300 + ".npy", "null\0.npy"):
        with pytest.raises(InvalidInput):
            read_matrix(tmp_path / name)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.npy")
        refusal(read_matrix, tmp_path / "pipe.npy")

    def deny(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    np.save(tmp_path / "locked.npy", LAPLACIAN)
    monkeypatch.setattr(Path, "open", deny)
    refusal(read_matrix, tmp_path / "locked.npy")


def test_names_that_cannot_be_printed(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_matrix(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\x1b.npy"))
    str(caught.value).encode("ascii")


@pytest.mark.parametrize("part", ["data", "indices", "indptr", "shape", "format"])
def test_archives_are_never_unpickled(part: str, tmp_path: Path) -> None:
    parts = {
        "data": np.ones(1),
        "indices": np.zeros(1, int),
        "indptr": np.array([0, 1]),
        "shape": np.array([1, 1]),
    }
    parts |= {"format": np.array(b"csr"), part: np.array([None], dtype=object)}
    np.savez(tmp_path / "S.npz", **parts)
    np.savez(tmp_path / "L.npz", L=np.array([[None]], dtype=object))
    for name in ("S.npz", "L.npz"):
        refusal(read_matrix, tmp_path / name, argument="L")


TWO = np.array([2, 2])
SPARSE = {
    "csr": {
        "data": np.ones(2),
        "indices": np.array([0, 1]),
        "indptr": np.array([0, 1, 2]),
        "shape": TWO,
    },
    "coo": {"data": np.ones(2), "row": np.array([0, 1]), "col": np.array([0, 1]), "shape": TWO},
}
DAMAGED: dict[tuple[str, str], list[Any]] = {
    ("csr", "indices"): [
        [0, 2],
        [0, -1],
        np.array([0, 2**64 - 1], dtype=np.uint64),
        [0.0, 1.0],
        [0],
    ],
    ("csr", "indptr"): [[1, 1, 2], [0, 2, 0], [0, 1, 3], [0, 2]],
    ("csr", "shape"): [[2, 2, 2], [-2, 2]],
    ("csr", "format"): [b"coo"],
    ("coo", "row"): [[0, 2]],
    ("coo", "col"): [[0, 1, 1]],
    ("coo", "data"): [np.ones((2, 1))],
}


@pytest.mark.parametrize(
    ("kind", "part", "value"),
    [(*place, np.array(value)) for place, values in DAMAGED.items() for value in values],
)
def test_damaged_sparse_archives(kind: str, part: str, value: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "S.npz"
    sound = {"format": np.array(kind.encode()), **SPARSE[kind]}
    np.savez(path, **sound)
    read_matrix(path)
    np.savez(path, **{**sound, part: value})
    refusal(read_matrix, path)


@pytest.mark.parametrize("kind", ["bsr", "dia"])
def test_other_sparse_formats_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    sp.save_npz(tmp_path / "L.npz", sp.eye_array(4, format=kind))
    assert kind in refusal(read_matrix, tmp_path / "L.npz").found


# Who writes a file that does not hold one array, and what is found in it.
STRANGE: dict[str, Callable[[Path], object]] = {
    "2 arrays: first, second": lambda path: np.savez(path, first=LAPLACIAN, second=LAPLACIAN),
    ", a99": lambda path: np.savez(path, **{f"a{k}": LAPLACIAN for k in range(100)}),
    "empty": lambda path: zipfile.ZipFile(path, "w").close(),
    "shape holds float64": lambda path: np.savez(
        path, data=LAPLACIAN, format=LAPLACIAN, shape=LAPLACIAN
    ),
    "64 bytes of numbers": lambda path: zipped(path, {"L": as_npy(LAPLACIAN)[:-8]}),
}


@pytest.mark.parametrize("found", STRANGE)
def test_archives_that_are_no_one_matrix(found: str, tmp_path: Path) -> None:
    STRANGE[found](tmp_path / "L.npz")
    assert found in refusal(read_matrix, tmp_path / "L.npz").found


def resized(content: bytes, shape: bytes) -> bytes:
    """A .npy header that announces another shape, of the same length as before."""
    padded = b"(3, 3), }" + b" " * (len(shape) - len(b"(3, 3)"))
    assert padded in content
    return content.replace(padded, shape + b", }")


ANNOUNCED: dict[str, Callable[[Path], object]] = {
    "L.npy": lambda path: path.write_bytes(resized(as_npy(LAPLACIAN), b"(900000, 900000)")),
    "L.npz": lambda path: zipped(path, {"L": resized(as_npy(LAPLACIAN), b"(900000, 900000)")}),
    "S.npz": lambda path: np.savez(
        path, **{**SPARSE["csr"], "shape": np.array([10**13, 10**13]), "format": np.array(b"csr")}
    ),
    "coordinate.mtx": lambda path: path.write_text(MTX + "1000000000000 1000000000000 1\n1 1 1\n"),
    "entries.mtx": lambda path: path.write_text(
        MTX_SYMMETRIC + "100000000 100000000 900000000000\n1 1 1\n"
    ),
    "array.mtx": lambda path: path.write_text(MTX_ARRAY + "900000 900000\n1\n"),
}


def zipped(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


SIDE = 3200
"""Of a matrix of zeros that takes 82 MB, and packed a thousandth of it."""
HUGE = np.array([3 * 10**8, 3 * 10**8])


def nothing_after(path: Path, start: bytes) -> None:
    """A file of 3 GB that takes no room on the disk."""
    path.write_bytes(start)
    os.truncate(path, 3 * 10**9)


def pack_otherwise(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("L.npy", as_npy(np.zeros((SIDE, SIDE))))


def pack_and_lie(path: Path) -> None:
    """The directory says that the member takes as much room as its numbers."""
    np.savez_compressed(path, np.zeros((SIDE, SIDE)))
    content = bytearray(path.read_bytes())
    struct.pack_into("<I", content, content.rfind(b"PK\1\2") + 20, 8 * SIDE**2)
    path.write_bytes(content)


HOLLOW: dict[str, Callable[[Path], object]] = {
    **ANNOUNCED,
    "zeros.npz": lambda path: np.savez_compressed(path, np.zeros((SIDE, SIDE))),
    "sparse_zeros.npz": lambda path: np.savez_compressed(
        path,
        data=np.zeros(10**7),
        row=np.arange(1),
        col=np.arange(1),
        shape=np.array([5000, 5000]),
        format=b"coo",
    ),
    "bzip2.npz": pack_otherwise,
    "lying.npz": pack_and_lie,
    "coo.npz": lambda path: np.savez(
        path, data=np.ones(1), row=[0], col=[0], shape=HUGE, format=b"coo"
    ),
    "wide.mtx": lambda path: path.write_text(MTX_SYMMETRIC + "300000000 300000000 1\n1 1 1\n"),
    "wide_data.mtx": lambda path: path.write_text(MTX + "3 300000000 1\n1 1 1\n"),
    "longer.mtx": lambda path: path.write_text(MTX + "2 2 1\n" + "1 1 1\n" * 10**7),
    "comment.mtx": lambda path: nothing_after(path, MTX.encode() + b"%"),
    "body.mtx": lambda path: nothing_after(path, MTX.encode() + b"2 2 1\n1 1"),
    "header.npy": lambda path: nothing_after(path, b"\x93NUMPY\2\0" + struct.pack("<I", 2**32 - 1)),
    **{f"nul{extension}": lambda path: nothing_after(path, b"\0") for extension in EXTENSIONS},
}


@pytest.mark.parametrize("name", HOLLOW)
def test_what_holds_less_than_it_announces_costs_nothing(name: str, tmp_path: Path) -> None:
    """Refused with less than the memory of the file's own content, however much of it there is."""
    path = tmp_path / name
    HOLLOW[name](path)
    for reader in (read_data, read_matrix):
        tracemalloc.start()
        try:
            refusal(reader, path)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 60_000_000


@pytest.mark.parametrize("name", [name for name in WRITERS if name not in NAMED])
def test_every_format_is_measured(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A 40 x 40 matrix needs 4 x 12800 bytes, and its file cannot tell us less."""
    path = tmp_path / name
    array = np.arange(1600.0).reshape(40, 40) / 7
    WRITERS[name](path, array)
    monkeypatch.setattr(memory, "available_bytes", lambda: 4 * 8 * 1600 - 1)
    assert refusal(read_data, path, argument="A").found.endswith("available")
    monkeypatch.setattr(memory, "available_bytes", lambda: 6 * 8 * 1600 + 4096)
    assert np.array_equal(read_data(path).values, array)


def test_a_sparse_matrix_need_not_fit_when_filled_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_mtx(tmp_path / "L.mtx", sp.eye_array(1000).tocoo(), symmetry="symmetric")
    required = 4 * (
        2 * 1000 * 16 + 2 * 1000 * 8
    )  # two triangles at 16 bytes an entry, and an index of rows and columns
    monkeypatch.setattr(memory, "available_bytes", lambda: required)
    assert sp.issparse(read_matrix(tmp_path / "L.mtx"))
    monkeypatch.setattr(memory, "available_bytes", lambda: required - 1)
    assert "1000 x 1000 with 2000 entries" in refusal(read_matrix, tmp_path / "L.mtx").found


def test_importing_the_readers_imports_no_scipy() -> None:
    code = (
        "import sys, rpttheory.io; sys.exit(any(m.split('.')[0] == 'scipy' for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


# --- what is typed
# ------------------------------------------------------------------------------------------------


def test_parse_numbers() -> None:
    assert parse_numbers(" 10, 2.5,1e-3 ", "costs") == [10, Fraction(5, 2), Fraction(1, 1000)]
    assert parse_numbers("1/3,-2 / 4", "costs") == [Fraction(1, 3), Fraction(-1, 2)]
    bad = "1,|,1|1,,2|a|1 2|nan|inf|1e999|1_0|\u0661|1;2|0x10|1/0|1/|1e-400|1e-999999999"
    for text in ("", " ", *bad.split("|")):
        with refuses("costs"):
            parse_numbers(text, "costs")


def test_as_blocks() -> None:
    assert as_blocks("10,50,250", 310).sizes == (10, 50, 250)
    assert as_blocks("20x50", 1000).sizes == (50,) * 20
    assert as_blocks(" 10 , 3x5,1 X 2", 27).sizes == (10, 5, 5, 5, 2)
    assert as_blocks(" each ", 3).sizes == (1, 1, 1) and as_blocks("7", 7).sizes == (7,)
    huge = ("999999999x1", "999999999x999999999", "9" * 5000, "2x" + "9" * 19)
    odd = ("1,2", "5,0", "0x3,5", "3x0,5", "-5,10", "2.5,2.5", "2,x", "each,2", "1x2x3", "1_0")
    for text in (*huge, *odd, "\u0665", "", "5,"):
        with refuses("blocks"):
            as_blocks(text, 5)


def test_parse_costs() -> None:
    blocks = Blocks((1, 3))
    long = ("1e-320,1e-320", "1.7e308,1.7e308", "9007199254740993,1", "0.3333333333333333,1")
    exact = {text: text for text in ("3,1", "1/7,1/3", *long)}
    for text, costs in {"size": "1/4,3/4", " equal ": "1/2,1/2", **exact}.items():
        assert as_costs(text, blocks).fractions() == [*map(Fraction, costs.split(","))]
    for text in ("1", "1,2,3", "1,0", "1,-1", "sizes", "1,nan"):
        with refuses("costs"):
            as_costs(text, blocks)


def test_probabilities() -> None:
    blocks = Blocks((1, 3))
    assert as_probabilities("1e-12,1", blocks).fractions() == [Fraction(1, 10**12), 1]
    beyond = ("0,1", "0.5,1.0000001", "0.5,1.00000000000000000001", "-1,1")
    for text in (*beyond, "0.5", "0.5,0.5,1", "x,1", "nan,1", ""):
        with refuses("probabilities"):
            as_probabilities(text, blocks)


# --- real files
# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [name for name, entry in manifest().items() if entry.kind == "matrix"]
)
def test_real_matrices(name: str) -> None:
    read = read_matrix(f"dataset:{name}")
    d = manifest()[name].rows
    assert read.shape == (d, d) and sp.issparse(read) == (d > 200)
    full = read.toarray() if sp.issparse(read) else read
    with located(f"dataset:{name}") as path, warnings.catch_warnings():
        # SciPy 1.18 speaks of a default of `mmread` that is to change; 1.14 does not know the
        # option.
        warnings.simplefilter("ignore", DeprecationWarning)
        assert np.array_equal(full, scipy.io.mmread(path).toarray())
    assert np.array_equal(read_data(f"dataset:{name}").values.shape, read.shape)
