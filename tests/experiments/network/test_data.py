"""Images: splits that do not overlap, augmentation pixel by pixel, and files that are not what they
should be.
"""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
import types
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sklearn", reason="needs the extra examples")

import numpy as np

from rpttheory.errors import MissingExtra
from rpttheory.experiments.network import data as module
from rpttheory.experiments.network.data import (
    ARCHIVE,
    augment,
    load_images,
    locate_cifar10,
)
from tests.refusals import refuses

pytestmark = pytest.mark.networks


def test_digits_are_split_without_overlap() -> None:
    from sklearn.datasets import load_digits

    digits = load_images("digits")
    parts = [digits.train, digits.validation, digits.test]
    assert [len(images) for images, _ in parts] == [1295, 143, 359]
    assert digits.shape == (8, 8, 1) and not digits.augmented
    assert digits.train[0].mean() == pytest.approx(0, abs=1e-6)
    assert digits.train[0].std() == pytest.approx(1, abs=1e-6)
    assert abs(digits.test[0].mean()) > 1e-5, "training images alone set the scale"
    # Undo the scaling: all images are there, each once and with its own class.
    images, classes = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    scale = np.unique(np.diff(np.unique(images)).round(4))[0]
    original = np.round((images - images.min()) / scale).reshape(-1, 64)
    expected_images, expected_classes = load_digits(return_X_y=True)
    pairs, expected = (
        sorted((*image.tolist(), label) for image, label in zip(*both, strict=True))
        for both in ((original, classes), (expected_images, expected_classes))
    )
    assert pairs == expected


def test_augmented_images_are_crops_of_padded_images() -> None:
    rng = np.random.default_rng(3)
    images = rng.standard_normal((400, 5, 6, 2)).astype(np.float32)
    changed = augment(images, np.random.default_rng(0))
    assert changed.dtype == np.float32 and changed.shape == images.shape
    positions = set()
    for image, new in zip(images, changed, strict=True):
        padded = np.pad(image, ((4, 4), (4, 4), (0, 0)))
        places = [
            (top, left, flipped)
            for top in range(9)
            for left in range(9)
            for flipped in (False, True)
            if np.array_equal(
                new[:, ::-1] if flipped else new, padded[top : top + 5, left : left + 6]
            )
        ]
        assert places
        positions.update(places if len(places) == 1 else [])
    assert {top for top, _, _ in positions} >= set(range(1, 8)) and {
        left for _, left, _ in positions
    } >= set(range(1, 8))
    assert {flipped for _, _, flipped in positions} == {False, True}


def archive(path: Path, per_batch: int = 4) -> np.ndarray[Any, Any]:
    """An archive in the form of the original; returns all records."""
    records = np.random.default_rng(1).integers(0, 256, size=(6, per_batch, 3073), dtype=np.uint8)
    records[:, :, 0] %= 10
    with tarfile.open(path, "w:gz") as target:
        for number, name in enumerate(
            [*(f"data_batch_{k}.bin" for k in range(1, 6)), "test_batch.bin"]
        ):
            content = records[number].tobytes()
            entry = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            entry.size = len(content)
            target.addfile(entry, io.BytesIO(content))
    return records


def test_the_original_archive_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / ARCHIVE
    records = archive(path)
    monkeypatch.setattr(module, "_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    data = load_images("cifar10", tmp_path)
    assert data.name == "CIFAR-10" and data.augmented and data.shape == (32, 32, 3)
    assert (len(data.train[0]), len(data.validation[0]), len(data.test[0])) == (18, 2, 4)
    assert data.test[1].tolist() == records[5, :, 0].tolist()
    # Red, green and blue are planes in the file: the second green pixel of the third row.
    raw = records[5, :, 1 + 1024 + 2 * 32 + 1].astype(float)
    assert np.corrcoef(data.test[0][:, 2, 1, 1], raw)[0, 1] == pytest.approx(1)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    archive(tmp_path / ARCHIVE)
    with refuses(found="sha256"):
        locate_cifar10(tmp_path)


@pytest.mark.parametrize(
    ("argument", "data", "folder"),
    [("folder", "cifar10", "."), ("data", "mnist", None), ("folder", "digits", "anywhere")],
)
def test_missing_and_unknown_data(
    argument: str, data: str, folder: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with refuses(argument):
        load_images(data, folder)


def test_a_download_needs_pooch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    with refuses(found="pooch", error=MissingExtra):
        load_images("cifar10")


def test_a_download_is_checked_and_may_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[tuple[str, str]] = []

    def retrieve(url: str, known_hash: str, fname: str, path: Path) -> str:
        requests.append((url, known_hash))
        if len(requests) > 1:
            raise OSError("no network")
        archive(path / fname)
        return str(path / fname)

    pooch = types.ModuleType("pooch")
    vars(pooch).update(
        retrieve=retrieve,
        os_cache=lambda name: tmp_path,
        get_logger=lambda: types.SimpleNamespace(setLevel=lambda level: None),
    )
    monkeypatch.setitem(sys.modules, "pooch", pooch)
    assert len(load_images("cifar10").test[0]) == 4
    assert requests[0][0].endswith(ARCHIVE) and requests[0][1] == "sha256:" + module._SHA256
    with refuses(found="no network"):
        load_images("cifar10")
