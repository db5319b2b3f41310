"""The data sets of the package: whole, described, and noticed when they are damaged."""

import gzip
import hashlib
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from program import Run
from refusals import refuses

from rpttheory import datasets, gram, lmax
from rpttheory.io import located, packaged, read_matrix

FOLDER = Path(datasets.__file__).parent


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's data in place of the original, to be damaged."""
    folder = tmp_path / "datasets"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(packaged, "FOLDER", folder)
    return folder


def test_every_file_is_in_the_manifest_and_every_entry_in_the_sources() -> None:
    remaining = {"__init__.py", "__pycache__", "manifest.json", "SOURCES.md"}
    files = {path.name for path in FOLDER.iterdir()} - remaining
    assert files == {datasets.about(name).file for name in datasets.names()} and len(files) == len(
        datasets.names()
    )
    assert sum((FOLDER / file).stat().st_size for file in files) < 10**6
    sources = (FOLDER / "SOURCES.md").read_text(encoding="utf-8")
    for name in datasets.names():
        entry = datasets.about(name)
        assert (
            name in sources and entry.source and entry.license and entry.kind in ("matrix", "table")
        )


@pytest.mark.parametrize("name", datasets.names())
def test_each_is_what_the_manifest_says(name: str) -> None:
    data = datasets.load(name)
    assert data.name == name and data.values.shape == (data.rows, data.columns)
    if data.kind == "matrix":
        assert data.target is None and data.rows == data.columns and lmax(data.values).lower > 0
    else:
        stored = (FOLDER / data.file).read_bytes()
        lines = (
            (gzip.decompress(stored) if data.file.endswith(".gz") else stored).decode().splitlines()
        )
        assert lines[0].endswith(",target") and "target" not in lines[0].removesuffix(",target")
        table = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
        assert np.array_equal(data.doubles, table[:, :-1]) and np.array_equal(
            data.target, table[:, -1]
        )
        assert not data.doubles.flags.writeable and not data.target.flags.writeable
        assert gram(data.values).shape == (data.columns, data.columns)


def test_what_is_published_about_them() -> None:
    optima = {
        name: datasets.about(name).optimum
        for name in datasets.names()
        if datasets.about(name).optimum
    }
    assert list(optima) == [name for name in datasets.names() if name.startswith("mcp")]
    assert sp.issparse(datasets.load("494_bus").doubles)
    for name, top in (("LFAT5", 2.145e7), ("bcsstk01", 3.015e9), ("494_bus", 3.0005e4)):
        assert lmax(datasets.load(name).values).midpoint == pytest.approx(top, rel=2e-4)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        *(("bcstk1", "bcsstk01"), ("BCSSTK01", "bcsstk01"), ("lfat5", "LFAT5")),
        *((name, "rpttheory datasets") for name in ("", "zzzzzz", "../prostate", "pro\nstate")),
    ],
)
def test_an_unknown_name_gets_the_nearest(name: str, nearest: str, run: Run) -> None:
    done = run(["verify", f"dataset:{name}", "--blocks", "each"])
    assert done.found and nearest in done.err
    with refuses():
        datasets.load(name)


def test_damage_is_noticed(copy: Path, run: Run) -> None:
    words = "verify dataset:prostate --data --blocks 4,4"
    assert run(words).code == 0, "the copy is whole"
    file = copy / "prostate.csv"
    content = file.read_bytes()
    file.write_bytes(content.replace(b"0", b"1", 1))
    message = run(words).err
    assert datasets.about("prostate").sha256 in message
    assert hashlib.sha256(file.read_bytes()).hexdigest() in message
    file.write_bytes(content.replace(b"\n", b"\r\n"))
    assert run(words).found
    file.unlink()
    assert run(words).found
    assert run("experiment ridge --dataset prostate --out out").found and not Path("out").exists()


@pytest.mark.parametrize("damage", ["cut", "flipped", "not packed", "bad stream", "other content"])
def test_damage_of_a_packed_file_is_noticed(copy: Path, damage: str) -> None:
    file = copy / "wine_quality_white.csv.gz"
    content = bytearray(file.read_bytes())
    half = len(content) // 2
    damaged = {
        "cut": content[:half],
        "flipped": [*content[:half], content[half] ^ 0xFF, *content[half + 1 :]],
        "bad stream": [*content[:10], 0xFF, *content[11:]],
        "not packed": gzip.decompress(content),
        "other content": gzip.compress(gzip.decompress(content) + b"\n"),
    }
    file.write_bytes(bytes(damaged[damage]))
    with refuses():
        datasets.load("wine")


def test_a_copy_in_a_folder(tmp_path: Path) -> None:
    with located("dataset:wine") as file:
        content = file.read_bytes()
    (tmp_path / "ridge").mkdir()
    below = tmp_path / "ridge" / "wine_quality_white.csv"
    above = tmp_path / "wine_quality_white.csv"
    below.write_bytes(content)
    assert np.array_equal(datasets.load("wine", tmp_path).doubles, datasets.load("wine").doubles)
    above.write_bytes(content + b"\n")
    with refuses():
        datasets.load("wine", tmp_path)
    above.unlink()
    above.mkdir()
    with refuses():
        datasets.load("wine", tmp_path)
    with refuses():
        datasets.load("wine", tmp_path / "elsewhere")


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    datasets.load("california")
    read_matrix("dataset:LFAT5")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with refuses():
        read_matrix("dataset:LFAT5")


def test_the_list(run: Run) -> None:
    lines = run("datasets --wide").out.splitlines()
    for name, line in zip(datasets.names(), lines[1:], strict=False):
        entry = datasets.about(name)
        assert line.split()[0] == name and entry.license in line
        assert f"{entry.rows} x {entry.columns}" in line
