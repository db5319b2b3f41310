"""Results on disk: whole or absent, and never those of other settings."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rpttheory.errors import InvalidInput
from rpttheory.files import sealed
from rpttheory.runs import store as module
from rpttheory.runs.store import open_store

SETTINGS = {"seeds": 5, "tolerance": 1e-8, "sizes": (1, 2)}


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_row_comes_back(tmp_path: Path) -> None:
    store = open_store(tmp_path / "new" / "folder", "quadratics", SETTINGS)
    assert store.finished("01") is None
    store.save("01", {"value": 1.5})
    again = open_store(tmp_path / "new" / "folder", "quadratics", dict(SETTINGS))
    assert again.finished("01") == {"value": 1.5} and again.finished("02") is None


def test_other_settings_are_refused_and_nothing_changes(tmp_path: Path) -> None:
    open_store(tmp_path, "quadratics", SETTINGS).save("01", {"value": 1.5})
    before = snapshot(tmp_path)
    with pytest.raises(InvalidInput, match="other settings") as caught:
        open_store(tmp_path, "quadratics", {**SETTINGS, "seeds": 6})
    assert caught.value.found == "seeds 5 there, 6 now" and snapshot(tmp_path) == before


def test_two_experiments_share_a_folder(tmp_path: Path) -> None:
    for name in ("ridge", "ridge_grid", "quadratics", "ridge"):
        open_store(tmp_path, name, {"name": name}).save("1", {"of": name})
    assert open_store(tmp_path, "ridge", {"name": "ridge"}).finished("1") == {"of": "ridge"}
    assert open_store(tmp_path, "ridge_grid", {"name": "ridge_grid"}).finished("1") == {
        "of": "ridge_grid"
    }


def test_of_two_that_start_at_once_one_loses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other run starts after this one has seen an empty folder."""
    create = module.create_whole

    def overtaken(path: Path, content: bytes) -> None:
        monkeypatch.setattr(module, "create_whole", create)
        open_store(tmp_path, "quadratics", {**SETTINGS, "seeds": 6}).save("01", {"value": 2.5})
        create(path, content)

    monkeypatch.setattr(module, "create_whole", overtaken)
    with pytest.raises(InvalidInput, match="other settings") as caught:
        open_store(tmp_path, "quadratics", SETTINGS)
    assert caught.value.found == "seeds 6 there, 5 now"
    assert open_store(tmp_path, "quadratics", {**SETTINGS, "seeds": 6}).finished("01") == {
        "value": 2.5
    }


def test_two_of_the_same_settings_share_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = module.create_whole

    def overtaken(path: Path, content: bytes) -> None:
        create(path, content)
        create(path, content)

    monkeypatch.setattr(module, "create_whole", overtaken)
    open_store(tmp_path, "quadratics", SETTINGS).save("01", {"value": 1.5})


def test_settings_are_read_again_before_every_write(tmp_path: Path) -> None:
    ours = open_store(tmp_path, "quadratics", SETTINGS)
    ours.path(".json").unlink()
    with pytest.raises(InvalidInput, match="have gone"):
        ours.save("01", {"value": 1.5})
    open_store(tmp_path, "quadratics", {**SETTINGS, "seeds": 6})
    before = snapshot(tmp_path)
    with pytest.raises(InvalidInput, match="other settings"):
        ours.save("01", {"value": 1.5})
    with pytest.raises(InvalidInput, match="other settings"):
        ours.write(".csv", "table")
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", ["quadratics.csv", "quadratics-row-01.json"])
def test_files_of_someone_else_are_not_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("precious")
    with pytest.raises(InvalidInput, match="would overwrite"):
        open_store(tmp_path, "quadratics", SETTINGS)
    assert snapshot(tmp_path) == {name: b"precious"}


@pytest.mark.parametrize("content", ["not json", "[1]", '{"schema": "other"}'])
def test_a_strange_marker_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "quadratics.json").write_text(content)
    with pytest.raises(InvalidInput):
        open_store(tmp_path, "quadratics", SETTINGS)
    assert snapshot(tmp_path) == {"quadratics.json": content.encode()}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        *(
            ({key: value}, "not a result of these settings")
            for key, value in (("schema", "x"), ("row", "02"))
        ),
        ({"settings": {}}, "not a result of these settings"),
        *(({"result": value}, "damaged") for value in ({}, None, [1])),
        *((kept, "damaged") for kept in (0, 1, 40)),  # cut off after so many bytes
        ({"checksum": None}, "damaged, or of an earlier version"),
    ],
)
def test_a_row_that_is_none_of_these_settings_is_refused(
    tmp_path: Path, change: dict[str, object] | int, rule: str
) -> None:
    store = open_store(tmp_path, "quadratics", SETTINGS)
    store.save("01", {"value": 1.5})
    path = store.row_path("01")
    if isinstance(change, int):
        path.write_bytes(path.read_bytes()[:change])
    else:
        content = {**json.loads(path.read_text(encoding="utf-8")), **change}
        text = json.dumps(
            {key: value for key, value in content.items() if value is not None}
        ).encode()
        path.write_bytes(text if "checksum" in change else sealed(text))
    with pytest.raises(InvalidInput, match=rule) as caught:
        store.finished("01")
    if rule != "not a result of these settings":
        assert str(path) in caught.value.what and "delete this file" in caught.value.remedy
    assert "version" not in rule or "no checksum" in caught.value.found
    path.unlink()
    assert store.finished("01") is None


def flips(path: Path) -> Iterator[None]:
    """Bits all over the file changed, one at a time and each bit of a byte in turn."""
    sound = path.read_bytes()
    for place in range(0, 8 * len(sound), 8 * (len(sound) // 60) + 3):
        damaged = bytearray(sound)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        yield
    path.write_bytes(sound)


def test_every_changed_bit_is_noticed(tmp_path: Path) -> None:
    store = open_store(tmp_path, "quadratics", SETTINGS)
    store.save("01", {"value": 1.5, "name": "\u00e9", "data": "sha256:"})
    for _ in flips(store.row_path("01")):
        with pytest.raises(InvalidInput, match="damaged") as caught:
            store.finished("01")
        assert "delete this file" in caught.value.remedy and len(str(caught.value).split("\n")) == 3
    for _ in flips(store.path(".json")):
        with pytest.raises(InvalidInput, match="damaged"):
            open_store(tmp_path, "quadratics", SETTINGS)
    assert store.finished("01") == {"value": 1.5, "name": "\u00e9", "data": "sha256:"}


def test_rows_of_earlier_versions_are_refused(tmp_path: Path) -> None:
    store = open_store(tmp_path, "quadratics", SETTINGS)
    store.save("01", {"value": 1.5})
    path = store.row_path("01")
    content = json.loads(path.read_text())
    del content["checksum"]
    path.write_text(json.dumps(content))
    with pytest.raises(InvalidInput, match="damaged, or of an earlier version") as caught:
        store.finished("01")
    assert "no checksum" in caught.value.found and "delete this file" in caught.value.remedy


def test_a_folder_in_the_place_of_a_file(tmp_path: Path) -> None:
    store = open_store(tmp_path, "quadratics", SETTINGS)
    store.row_path("01").mkdir()
    store.path(".csv").mkdir()
    for use in (
        lambda: store.finished("01"),
        lambda: store.save("01", {"value": 1.5}),
        lambda: store.write(".csv", "table"),
    ):
        with pytest.raises(InvalidInput, match=r"row-01.json|quadratics.csv") as caught:
            use()
        assert caught.value.found == "Is a directory" and caught.value.remedy
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "quadratics-row-01.json",
        "quadratics.csv",
        "quadratics.json",
    ]


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(tmp_path, "quadratics", SETTINGS)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidInput, match=r"quadratics-row-01.json") as caught:
        store.save("01", {"value": 1.5})
    assert caught.value.found == "No space left on device" and "goes on" in caught.value.remedy
    with pytest.raises(InvalidInput, match=r"quadratics.md"):
        store.write(".md", "table")
    assert list(snapshot(tmp_path)) == ["quadratics.json"]


def test_a_folder_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=r"^out must name a folder"):
        open_store("", "quadratics", SETTINGS)
    assert snapshot(tmp_path) == {}


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot write"):
        open_store(tmp_path / "file" / "below", "quadratics", SETTINGS)
    with pytest.raises(InvalidInput, match="cannot write"):
        open_store(tmp_path / "file", "quadratics", SETTINGS)


def test_a_folder_that_has_become_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(tmp_path, "quadratics", SETTINGS)

    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(InvalidInput, match="cannot write") as caught:
        open_store(tmp_path, "quadratics", SETTINGS)
    assert caught.value.found == "Permission denied"


def test_nan_is_not_written(tmp_path: Path) -> None:
    store = open_store(tmp_path, "quadratics", SETTINGS)
    with pytest.raises(ValueError, match="JSON"):
        store.save("01", {"value": float("nan")})
    assert store.finished("01") is None
