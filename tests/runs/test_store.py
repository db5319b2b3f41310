"""Results on disk: whole or absent, never those of other settings, and no changed bit passes."""

import multiprocessing
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rpttheory.errors import InvalidInput
from rpttheory.runs.store import Checkpoint, Store
from tests.refusals import refuses

SETTINGS = {"seeds": 5, "tolerance": 1e-8, "sizes": (1, 2)}


def test_a_row_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "new" / "folder", "some", SETTINGS)
    assert store.get("01") is None and store.keys() == []
    store.put({"02": {"value": 1.5}, "01": [None, "text"]}, blob=b"\0bytes")
    store.put({"02": {"value": 2.5}}, computed={"machine": "other"})
    again = Store(tmp_path / "new" / "folder", "some", dict(SETTINGS))
    assert sorted(again.keys()) == ["01", "02"]
    rows = dict(again.items())
    assert rows["01"].value == [None, "text"] and rows["01"].blob == b"\0bytes"
    assert rows["02"].value == {"value": 2.5} and rows["02"].provenance == {"machine": "other"}
    assert len(again.provenances()) == 2 and "numpy" in again.provenances()[0]
    assert Store(tmp_path / "new" / "folder", "some").settings == again.settings
    with pytest.raises(ValueError, match="JSON"):
        again.put({"03": 1, "04": float("nan")})
    assert again.get("03") is None, "all rows of a call, or none"
    path = again.write(".md", "table")
    assert path.name == "some.md" and path.read_text() == "table"


def test_other_settings_are_refused_and_nothing_changes(tmp_path: Path) -> None:
    Store(tmp_path, "some", SETTINGS).put({"01": 1})
    before = (tmp_path / "some.sqlite").read_bytes()
    with refuses("out", found="seeds 5 there, 6 now"):
        Store(tmp_path, "some", {**SETTINGS, "seeds": 6})
    assert (tmp_path / "some.sqlite").read_bytes() == before
    (tmp_path / "some.sqlite").rename(tmp_path / "other.sqlite")
    with refuses("out", found="schema"):
        Store(tmp_path, "other", SETTINGS)


def test_folders_that_hold_other_things_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refuses("out"):
        Store(tmp_path / "file" / "out", "some", SETTINGS)
    with refuses("out"):
        Store("", "some", SETTINGS)
    with refuses("out"):
        Store(tmp_path, "some")
    # Rows of an earlier version, or a table of somebody else.
    (tmp_path / "some-row-01.json").write_text("{}")
    with refuses("out", found="some-row-01.json"):
        Store(tmp_path, "some", SETTINGS)
    Store(tmp_path, "something", SETTINGS).put({"01": 1})
    foreign = sqlite3.connect(tmp_path / "foreign.sqlite")
    foreign.execute("create table rows (diary text)")
    foreign.close()
    before = (tmp_path / "foreign.sqlite").read_bytes()
    with refuses("out", found="rows"):
        Store(tmp_path, "foreign", SETTINGS)
    assert (tmp_path / "foreign.sqlite").read_bytes() == before
    (tmp_path / "damaged.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(InvalidInput):
        Store(tmp_path, "damaged", SETTINGS)


def _write(folder: Path, number: int) -> None:
    store = Store(folder, "shared", SETTINGS)
    for row in range(10):
        store.put({f"{number}-{row}": row})


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(tmp_path, number)) for number in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(Store(tmp_path, "shared").keys()) == 30


def test_a_store_that_has_gone_is_noticed(tmp_path: Path) -> None:
    store = Store(tmp_path, "some", SETTINGS)
    store.path.unlink()
    with pytest.raises(InvalidInput):
        store.put({"01": 1})


@pytest.mark.parametrize(
    "change",
    [
        "value = '{\"value\": 2}'",
        "blob = x'01'",
        "key = '02'",
        "checksum = ''",
        "provenance = 2",
    ],
)
def test_a_changed_row_is_refused(tmp_path: Path, change: str) -> None:
    store = Store(tmp_path, "some", SETTINGS)
    store.put({"01": {"value": 1}}, blob=b"\0")
    store.put({"other": 0}, computed={})
    with sqlite3.connect(store.path) as connection:
        connection.execute(f"update rows set {change} where key = '01'")
    connection.close()
    with pytest.raises(InvalidInput):
        dict(store.items())


def test_every_changed_bit_is_noticed(tmp_path: Path) -> None:
    """Refused, or without the row, or with the very row; never another one."""
    store = Store(tmp_path, "some", {"seed": 3})
    store.put({"state": {"step": 1}}, blob=np.arange(3.0).tobytes(), computed={})
    sound = store.path.read_bytes()
    expected = store.get("state")
    refused = 0
    places = [8 * at for at, byte in enumerate(sound) if byte]
    for place in places:
        damaged = bytearray(sound)
        damaged[place // 8] ^= 1 << place % 7
        store.path.write_bytes(damaged)
        try:
            assert Store(tmp_path, "some", {"seed": 3}).get("state") in (expected, None)
        except InvalidInput:
            refused += 1
    assert refused > len(places) / 4


def test_a_checkpoint_keeps_arrays_under_the_settings_of_its_run(tmp_path: Path) -> None:
    like: dict[str, Any] = {"x": np.zeros(3), "key": np.zeros(2, dtype=np.uint32)}
    saved = Checkpoint(tmp_path / "run-1", {"seed": 3, "shape": (2, 3)})
    assert saved.load(like) is None
    saved.save({"step": 1}, {"x": np.arange(3.0), "key": np.array([1, 2], dtype=np.uint32)})
    progress, arrays = saved.load(like) or ({}, {})
    assert progress == {"step": 1} and arrays["x"].tolist() == [0.0, 1.0, 2.0]
    assert arrays["key"].dtype == np.uint32
    with refuses("out", found="seed 3 there, 4 now"):
        Checkpoint(tmp_path / "run-1", {"seed": 4, "shape": (2, 3)}).load(like)
    with pytest.raises(InvalidInput):
        saved.load({"x": np.zeros(4)})
    saved.remove()
    assert saved.load(like) is None and list(tmp_path.iterdir()) == []
