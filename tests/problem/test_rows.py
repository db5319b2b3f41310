"""Row blocks: every way to give them is the same matrix, sums have one order, and what is said of
it is proved.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from refusals import refuses
from soundness.reals import Top, gram_of, inside

from rpttheory import (
    Rigor,
    Verdict,
    block_L,
    compare,
    gram,
    gram_from_files,
    lmax,
    verify,
)
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.smoothness import OperatorSmoothness, chunks
from rpttheory.problem.smoothness.chunks import in_order, total

ROWS = importlib.import_module("rpttheory.problem.smoothness.rows")
DATA = np.where(
    np.random.default_rng(0).random((90, 24)) < 0.5, np.random.default_rng(1).random((90, 24)), 0.0
)
SIGNED = DATA * np.random.default_rng(2).choice((-1.0, 1.0), DATA.shape)


def written(folder: Path, data: np.ndarray, kind: str) -> Any:
    """The data in chunks of ten rows, in one of the ways in which they may be given."""
    folder.mkdir(exist_ok=True)
    if kind == "one file":
        np.save(folder / "all.npy", data)
        return folder / "all.npy"
    if kind == "dask array":
        return pytest.importorskip("dask.array", reason="needs the extra cluster").from_array(
            data, chunks=(10, 7)
        )
    for k in range(len(data) // 10):
        part = data[10 * k : 10 * k + 10]
        if kind == "dense":
            np.save(folder / f"{k}.npy", part)
        else:
            sp.save_npz(
                folder / f"{k}.npz", sp.csr_array(part) if kind == "rows" else sp.csc_array(part)
            )
    (folder / "notes.txt").write_text("not a chunk")
    return sorted(folder.glob("*.np?")) if kind == "columns" else str(folder)


@pytest.mark.parametrize("kind", ["dense", "rows", "columns", "one file", "dask array"])
def test_every_way_to_give_chunks_gives_the_same_matrix(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "_PIECE", 8 * 24 * 10)
    form = gram_from_files(written(tmp_path / "data", SIGNED, kind), lambda n: Fraction(2, n), 0.1)
    in_memory = gram(SIGNED, Fraction(2, 90), 0.1)
    assert len(form.chunks.sources) == 9
    most = max(np.count_nonzero(SIGNED[k : k + 10], axis=0).max() for k in range(0, 90, 10))
    assert form.roundings == 9 + (most if kind in ("rows", "columns") else 10)
    dense = in_memory.matmat(np.eye(24))
    np.testing.assert_allclose(form.matmat(np.eye(24)), dense, rtol=1e-13, atol=1e-15)
    order = np.random.default_rng(3).permutation(24)
    for first, second in (
        (order, slice(3, 9)),
        (slice(4, 20), np.arange(16)[::-1]),
        (slice(4, 20), slice(2, 5)),
    ):
        places = np.arange(24)[first][second]
        part = form.restrict(first).restrict(second)
        expected = dense[np.ix_(places, places)]
        np.testing.assert_allclose(part.matmat(np.eye(len(places))), expected, atol=1e-13)
    assert (lmax(form) <= lmax(in_memory) * (1 + 1e-12)) is Verdict.PROVED


def test_sums_are_of_eight_neighbors_and_of_sums_of_those() -> None:
    def added(count: int) -> str:
        return in_order(count, str, lambda parts: f"({'+'.join(parts)})")

    assert [added(1), added(3), added(9)] == ["0", "(0+1+2)", "((0+1+2+3+4+5+6+7)+8)"]
    for count in (8, 64, 65, 600):
        text = added(count)
        assert text.replace("(", "").replace(")", "") == "+".join(map(str, range(count)))
        assert eval(text) == count * (count - 1) // 2
    parts = [np.array([1.0]), np.array([2.0**-53]), np.array([2.0**-53]), np.array([2.0])]
    assert total(iter(parts))[0] == 3.0 and parts[0][0] == 1.0, (
        "from left to right, and none of them changed"
    )


def test_one_chunk_is_held_at_a_time_and_read_once_for_each_product(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = gram_from_files(written(tmp_path, DATA, "rows"))
    read = []
    monkeypatch.setattr(chunks, "load", lambda *source: read.append(source[0]) or original(*source))
    form.matmat(np.ones((24, 3)))
    assert read == [f"{k}.npz" for k in range(9)]


original = chunks.load


def exact(data: np.ndarray, rows: slice = slice(None)) -> Top:
    return Top(gram_of(data[:, rows], Fraction(2, 90)))


@pytest.mark.parametrize("limit", [0, 2000], ids=["by products", "formed"])
@pytest.mark.parametrize("data", [DATA, SIGNED], ids=["positive", "signed"])
def test_brackets_hold_the_truth(
    data: np.ndarray, limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ROWS, "FORMED_DIMENSION", limit)
    monkeypatch.setattr(
        ROWS, "_FORMED_DIMENSION", max(limit, 6)
    )  # blocks of signed data are formed even so
    form = gram_from_files(written(tmp_path, data, "rows"), Fraction(2, 90))
    blocks = Blocks([1, 5, 6, 6, 6])
    proved = limit > 0 or data is DATA
    top = lmax(form)
    assert top.rigor is (Rigor.VERIFIED if proved else Rigor.NUMERICAL)
    assert inside(top.exact_lower, top.exact_upper, exact(data)) or not proved
    assert top.width <= 1e-6 * top.upper
    for bracket, rows in zip(block_L(form, blocks), blocks.slices, strict=True):
        assert bracket.rigor is Rigor.VERIFIED and bracket.width <= 1e-6 * bracket.upper
        assert inside(bracket.exact_lower, bracket.exact_upper, exact(data, rows))
    for bracket, k in zip(block_L(form, "each"), range(24), strict=True):
        assert bracket.rigor is Rigor.VERIFIED
        assert inside(bracket.exact_lower, bracket.exact_upper, exact(data, slice(k, k + 1)))
    result = compare(form, blocks)
    reference = compare(gram(data, Fraction(2, 90)), blocks, tol=1e-8).optimal
    assert result.optimal.gap <= 1e-6 or not proved
    assert result.optimal.rigor is (Rigor.VERIFIED if proved else Rigor.NUMERICAL)
    room = 0.0 if proved else 1e-9  # a NUMERICAL end may be on the wrong side
    assert result.optimal.lower * (
        1 - room
    ) <= reference.upper and reference.lower <= result.optimal.upper * (1 + 1e-9)
    assert limit == 0 or verify(form, blocks).verdict is Verdict.PROVED


def test_nothing_is_proved_of_chunks_on_a_worker_whose_arithmetic_is_not_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ROWS, "arithmetic_problem", lambda d: "rounding upwards")
    form = gram_from_files(written(tmp_path, DATA, "rows"))
    assert isinstance(form, OperatorSmoothness) and lmax(form).rigor is Rigor.NUMERICAL


def with_parts(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], Any]:
    """A chunk as scipy writes it, one part of it damaged."""

    def write(folder: Path) -> Any:
        sp.save_npz(folder / "1.npz", sp.csr_array(DATA))
        with np.load(folder / "1.npz") as archive:
            parts = dict(archive)
        change(parts)
        np.savez(folder / "1.npz", **parts)
        return folder

    return write


def saved(**arrays: Any) -> Callable[[Path], Any]:
    """A folder of these arrays, 0.npy first."""

    def write(folder: Path) -> Any:
        for name, array in arrays.items():
            np.save(folder / f"{name[1:]}.npy", array)
        return folder

    return write


def sparse(matrix: Any) -> Callable[[Path], Any]:
    """A folder with one sparse chunk."""
    return lambda folder: sp.save_npz(folder / "1.npz", matrix) or folder


NAN = np.where(DATA > 0.99, np.nan, DATA)
OBJECT = np.array([[1, None]], dtype=object)
DOUBLED = sp.csr_array((np.ones(2), np.zeros(2, dtype=int), np.array([0, 2])), shape=(1, 24))
BAD: dict[str, tuple[Callable[[Path], Any], str]] = {
    "columns": (saved(_0=DATA, _1=DATA[:, 1:]), "90 x 23, and 24 columns in 0.npy"),
    "no rows": (saved(_0=DATA[:0]), "(0, 24)"),
    "no sparse rows": (sparse(DOUBLED[:0]), "0 x 24"),
    "NaN": (saved(_0=DATA, _1=NAN), "nan"),
    "empty folder": (lambda folder: folder, "no .npy"),
    "no files": (lambda folder: [], "empty"),
    "no such file": (lambda folder: folder / "no.npy", "FileNotFound"),
    "not a file of numpy": (lambda folder: (folder / "a.npy").write_text("x") and folder, "Error"),
    "not an archive": (lambda folder: (folder / "a.npz").write_text("x") and folder, "Error"),
    "another kind": (lambda folder: [folder / "a.csv"], ".csv"),
    "a vector": (saved(_0=DATA[0]), "(24,)"),
    "objects": (saved(_0=OBJECT), "Error"),
    "complex": (saved(_0=DATA * 1j), "complex"),
    "beyond doubles": (saved(_0=np.array([[2**53 + 1]])), "no doubles"),
    "huge": (saved(_0=DATA * 1e200), "overflow"),
    "doubled": (sparse(DOUBLED), "several"),
    "index": (with_parts(lambda parts: parts["indices"].__setitem__(5, 99)), "Error"),
    "starts": (with_parts(lambda parts: parts["indptr"].__setitem__(5, 0)), "Error"),
    "format": (sparse(sp.coo_array(DATA)), "coo"),
    "no data": (lambda folder: np.eye(2), "ndarray"),
}


@pytest.mark.parametrize(("write", "found"), BAD.values(), ids=BAD.keys())
def test_bad_chunks_are_refused(write: Callable[[Path], Any], found: str, tmp_path: Path) -> None:
    with refuses(found=found):
        gram_from_files(write(tmp_path))


def test_bad_options(tmp_path: Path) -> None:
    np.save(tmp_path / "0.npy", DATA)
    for options in (
        {"scale": 0},
        {"shift": -1},
        {"scale": Fraction(1, 10**400)},
        {"executor": object()},
    ):
        with refuses(next(iter(options))):
            gram_from_files(tmp_path, **options)


def test_a_chunk_of_the_caller_s_stays_as_it_is() -> None:
    """Indices out of order are sorted in a copy: in place they would part from the caller's own
    entries.
    """
    chunk = sp.csr_array(
        (np.array([1, 2], dtype=np.float32), np.array([1, 0]), np.array([0, 2])), shape=(1, 2)
    )
    for _ in range(2):
        np.testing.assert_array_equal(
            chunks.load("chunk", chunk, 0, 0, 0).matrix.toarray(), [[2.0, 1.0]]
        )
    assert chunk.indices.tolist() == [1, 0]


@pytest.mark.parametrize("kind", ["dense", "rows", "columns", "one file"])
@pytest.mark.parametrize("change", ["value", "place", "order of rows", "fewer rows"])
def test_data_that_change_between_readings_are_noticed(
    kind: str, change: str, tmp_path: Path
) -> None:
    """Also where size and time of the file stay the same."""
    folder = tmp_path / "data"
    form = gram_from_files(written(folder, DATA, kind))
    data = DATA.copy()
    if change == "value":
        data[13, np.flatnonzero(data[13])[0]] += 1.0
    elif change == "place":  # among the entries of the row it stays where it was
        j = next(j for j in range(23) if data[13, j] and not data[13, j + 1])
        data[13, [j, j + 1]] = data[13, [j + 1, j]]
    elif change == "order of rows":
        data[10:20] = data[10:20][::-1]
    else:
        data = np.vstack((data[:11], data[20:80]))
    times = {path: path.stat() for path in folder.iterdir()}
    written(folder, data, kind)
    for path, before in times.items():
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with refuses(found="checksum"):
        verify(form, [12, 12], claims=["lmax > 2000", "sum(L) < 40"])
    verify(gram_from_files(folder if kind != "one file" else folder / "all.npy"), [12, 12])


def test_a_chunk_in_memory_does_not_follow_its_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", DATA)
    chunk = chunks.load("a", str(tmp_path / "a.npy"), 0, 90, 0)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r+")
    mapped[0, 0] = 7.0
    mapped.flush()
    np.testing.assert_array_equal(chunk.matrix, DATA)


@pytest.mark.parametrize("kind", ["dense", "rows"])
def test_columns_are_left_out_of_row_blocks(kind: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "data", SIGNED, kind)
    form = gram_from_files(folder, Fraction(2, 90), 0.5, drop=[3, -1])
    remaining = np.delete(SIGNED, [3, 23], axis=1)
    np.testing.assert_allclose(
        form.matmat(np.eye(22)),
        gram(remaining, Fraction(2, 90), 0.5).matmat(np.eye(22)),
        rtol=1e-12,
    )
    for drop in ([24], [-25], ["x"], range(24)):
        with refuses():
            gram_from_files(folder, drop=drop)


def test_room_for_the_sums_over_chunks_is_taken_off(tmp_path: Path) -> None:
    form = replace(gram_from_files(written(tmp_path, SIGNED, "rows")), roundings=10**9)
    (below,) = form._below(np.ones((24, 1)), np.zeros(1, dtype=np.intp)).tolist()
    squares = sum(sum(map(Fraction, row)) ** 2 for row in SIGNED.tolist())
    assert Fraction(below) <= squares * (1 - 10**9 * Fraction(1, 2**53))
