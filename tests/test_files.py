"""Files are whole or absent, whoever stops the program and whoever else writes."""

import os
from pathlib import Path

import pytest

from rpttheory.files import write_whole


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_failed_write_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "table.csv"
    write_whole(target, b"old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(target, b"new")
    assert snapshot(tmp_path) == {"table.csv": b"old"}


def test_nothing_is_visible_before_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "table.csv"
    visible: list[bool] = []
    sync = os.fsync

    def watching(handle: int) -> None:
        visible.append(target.exists())
        sync(handle)

    monkeypatch.setattr(os, "fsync", watching)
    write_whole(target, b"new")
    assert visible == [False] and target.read_bytes() == b"new"
