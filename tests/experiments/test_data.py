"""Data files: where they are looked for, what is refused, and the way from the original to our form."""

from __future__ import annotations

import functools
import gc
import hashlib
import http.server
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rpttheory.errors import InvalidInput, MissingExtra
from rpttheory.experiments import data
from rpttheory.experiments.data import DATASETS, Dataset, load, locate

CSV = "a,b,target\n1.0,2.5,3.0\n4.0,5.0,6.0\n"
RAW = "id;b;a;y\n1;2.5;1;3\n2;5;4;6\n"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def rows_of(text: str) -> Iterator[list[float]]:
    for line in text.splitlines()[1:]:
        _, b, a, y = map(float, line.split(";"))
        yield [a, b, y]


SMALL = Dataset("small", "Small", "small.csv", sha(CSV), "", sha(RAW), "a,b,target", rows_of, "made up")


def test_in_the_folder_or_below_it(tmp_path: Path) -> None:
    (tmp_path / "ridge").mkdir()
    (tmp_path / "ridge" / "small.csv").write_text(CSV)
    assert locate(SMALL, tmp_path) == tmp_path / "ridge" / "small.csv"
    (tmp_path / "small.csv").write_text(CSV)
    assert locate(SMALL, tmp_path) == tmp_path / "small.csv"
    loaded = load(SMALL, tmp_path)
    np.testing.assert_array_equal(loaded.features, [[1, 2.5], [4, 5]])
    np.testing.assert_array_equal(loaded.target, [3, 6])
    assert not loaded.features.flags.writeable and not loaded.target.flags.writeable


def test_the_variable_counts_only_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "small.csv").write_text(CSV)
    monkeypatch.setenv("RPTTHEORY_DATA", str(tmp_path))
    assert locate(SMALL) == tmp_path / "small.csv"
    with pytest.raises(InvalidInput, match="no such data file"):
        locate(SMALL, tmp_path / "elsewhere")


def test_damage_is_told_with_both_checksums(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_text(CSV.replace("6.0", "7.0"))
    with pytest.raises(InvalidInput) as caught:
        load(SMALL, tmp_path)
    assert sha(CSV) in caught.value.found and sha(CSV.replace("6.0", "7.0")) in caught.value.found
    assert caught.value.what.startswith("small.csv: ")


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "small.csv").mkdir()
    with pytest.raises(InvalidInput, match="readable"):
        locate(SMALL, tmp_path)


def test_without_pooch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RPTTHEORY_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingExtra, match=r"\.\[data\]"):
        locate(SMALL)


def test_a_folder_needs_no_pooch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    (tmp_path / "small.csv").write_text(CSV)
    assert load(SMALL, tmp_path).features.shape == (2, 2)


leaves_connections = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataset]:
    """A data set that a server on this machine offers, with an empty cache for downloads."""
    pooch = pytest.importorskip("pooch")
    monkeypatch.delenv("RPTTHEORY_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache")
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "raw").write_text(RAW)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path / "served"))
    )
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield replace(SMALL, url=f"http://127.0.0.1:{server.server_port}/raw")
    gc.collect()  # the connections that requests leaves open, while their warning is still ignored
    server.shutdown()
    thread.join()
    server.server_close()


@leaves_connections
def test_a_download_becomes_the_same_file(origin: Dataset, tmp_path: Path) -> None:
    assert locate(origin).read_text(encoding="utf-8") == CSV
    (tmp_path / "served" / "raw").unlink()
    assert load(origin).target.tolist() == [3, 6], "the second time it comes from the cache"


@leaves_connections
def test_a_changed_original_is_refused(origin: Dataset, tmp_path: Path) -> None:
    (tmp_path / "served" / "raw").write_text(RAW + "3;1;1;1\n")
    with pytest.raises(InvalidInput, match="cannot be downloaded"):
        locate(origin)
    assert not (tmp_path / "cache" / "small.csv").exists()


@leaves_connections
def test_a_wrong_conversion_is_refused(origin: Dataset, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not the published one"):
        locate(replace(origin, header="b,a,target"))
    assert not (tmp_path / "cache" / "small.csv").exists()


@leaves_connections
def test_no_server(origin: Dataset) -> None:
    with pytest.raises(InvalidInput, match="cannot be downloaded") as caught:
        locate(replace(origin, url=origin.url.replace("/raw", "/missing")))
    assert "\n" not in caught.value.found and "--data-dir" in caught.value.remedy


@pytest.mark.parametrize(
    ("name", "original"),
    [
        (
            "california",
            "-122.230000,37.880000,41.000000,880.000000,129.000000,322.000000,126.000000,8.325200,452600.000000\n",
        ),
        (
            "prostate",
            "\tlcavol\tlweight\tage\tlbph\tsvi\tlcp\tgleason\tpgg45\tlpsa\ttrain\n"
            "1\t-0.579818495\t2.769459\t50\t-1.38629436\t0\t-1.38629436\t6\t  0\t-0.4307829\t1\n",
        ),
        ("ozone", "ozone,vh,wind,humidity,temp,ibh,dpg,ibt,vis,doy\n3,5710,4,28,40,2693,-25,87,250,3\n"),
        ("wine", '"fixed acidity";"..."\n7;0.27;0.36;20.7;0.045;45;170;1.001;3;0.45;8.8;6\n'),
    ],
)
def test_each_original_is_brought_into_our_form(name: str, original: str, shared_data: Path) -> None:
    dataset = DATASETS[name]
    header, first = locate(dataset, shared_data).read_text(encoding="utf-8").split("\n")[:2]
    assert dataset.header == header
    assert ",".join(map(repr, next(dataset.convert(original)))) == first


def test_the_four_data_sets(shared_data: Path) -> None:
    shapes = {name: load(dataset, shared_data).features.shape for name, dataset in DATASETS.items()}
    assert shapes == {"california": (20640, 8), "prostate": (97, 8), "ozone": (330, 9), "wine": (4898, 11)}
    for dataset in DATASETS.values():
        assert dataset.url.startswith("https://") and len(dataset.raw_sha256) == len(dataset.sha256) == 64
    assert data.VARIABLE == "RPTTHEORY_DATA"
