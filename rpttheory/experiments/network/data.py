"""Images for the network experiment: scikit-learn's digits, and CIFAR-10.

Training, validation and test images are apart from the beginning: learning rates see the validation
images, and no decision sees the test images.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput, MissingExtra
from ...files import require_published
from ...machine import install
from ...runs.fetch import fetched

Images = NDArray[np.float32]
Classes = NDArray[np.int32]
_Array = NDArray[Any]
# Training images and classes, test images and classes, as read.
_Raw = tuple[_Array, _Array, _Array, _Array]

DATA = ("digits", "cifar10")
ARCHIVE = "cifar-10-binary.tar.gz"
# A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images (2009); the archive without
# pickles.
_URL = f"https://www.cs.toronto.edu/~kriz/{ARCHIVE}"
_SHA256 = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"
_BATCHES = (*(f"data_batch_{number}" for number in range(1, 6)), "test_batch")
_MARGIN = 4
# Of the training images, one in ten is for validation, as in the paper; of the digits, one in five
# is for tests.
_VALIDATION = 10
_TEST = 5
_SPLIT_SEED = 2023
# Streams of random numbers under one seed.
_ORDER = 1
_AUGMENTATION = 2


@dataclass(frozen=True, eq=False)
class ImageData:
    """Standardized images (count, height, width, channels) with their classes.

    Attributes
    ----------
    name : str
        What a table shows.
    augmented : bool
        Whether training batches are cropped and flipped at random; a flipped digit is no digit.
    """

    name: str
    train: tuple[Images, Classes]
    validation: tuple[Images, Classes]
    test: tuple[Images, Classes]
    augmented: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """Height, width and channels."""
        return self.train[0].shape[1:]


def load_images(name: str, folder: str | os.PathLike[str] | None = None) -> ImageData:
    """Read the digits, or CIFAR-10 from the archive in `folder` or from its download.

    Raises
    ------
    InvalidInput
        If the files are missing, cannot be read, or are not the published ones.
    MissingExtra
        If scikit-learn, or pooch for a download, is absent.
    """
    if name not in DATA:
        raise InvalidInput(
            "is not one of the choices", repr(name), " or ".join(DATA), argument="data"
        )
    if name == "cifar10":
        return _prepared("CIFAR-10", _archive(locate_cifar10(folder)), augmented=True)
    if folder is not None:
        raise InvalidInput(
            "is for cifar10", "the digits come with scikit-learn", "none", argument="folder"
        )
    return _prepared("digits", _digits(), augmented=False)


def locate_cifar10(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the path of the published archive in the folder, or of its download."""
    if folder is None:
        return fetched(_URL, _SHA256, "CIFAR-10", "`folder` with the archive")
    path = Path(folder) / ARCHIVE
    try:
        with path.open("rb") as stream:
            checksum = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InvalidInput(
            f"must hold {ARCHIVE}",
            str(error)[:200],
            "another folder, or none to download it",
            argument="folder",
        ) from None
    require_published(path, checksum, _SHA256)
    return path


def augment(images: Images, rng: np.random.Generator) -> Images:
    """Every image padded by 4, cropped at random to its size, and flipped or not."""
    count, height, width = images.shape[:3]
    padded = np.pad(images, ((0, 0), (_MARGIN, _MARGIN), (_MARGIN, _MARGIN), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (height, width), axis=(1, 2))
    top, left = rng.integers(2 * _MARGIN + 1, size=(2, count))
    cropped = np.moveaxis(windows[np.arange(count), top, left], 1, -1)
    flip = rng.integers(2, size=(count, 1, 1, 1)) == 1
    return np.asarray(np.where(flip, cropped[:, :, ::-1], cropped), dtype=np.float32)


def batch_indices(data: ImageData, seed: int, number: int, size: int) -> NDArray[np.intp]:
    """The images of the batch of this number; every epoch has an order of its own, without what is
    left over.
    """
    per_epoch = len(data.train[0]) // size
    epoch, place = divmod(number, per_epoch)
    return _order(seed, epoch, len(data.train[0]))[place * size : (place + 1) * size]


@lru_cache(maxsize=2)
def _order(seed: int, epoch: int, count: int) -> NDArray[np.intp]:
    return generator(seed, _ORDER, epoch).permutation(count)


def batch_of(
    data: ImageData, indices: NDArray[np.intp], seed: int, *number: int
) -> tuple[Images, Classes]:
    """These training images, augmented for the batch of this number (or numbers)."""
    images = data.train[0][indices]
    if data.augmented:
        images = augment(images, generator(seed, _AUGMENTATION, *number))
    return images, data.train[1][indices]


def generator(seed: int, *stream: int) -> np.random.Generator:
    """Independent random numbers for every stream."""
    return np.random.default_rng((seed, *stream))


def _prepared(name: str, raw: _Raw, *, augmented: bool) -> ImageData:
    """Split off the validation images, and standardize each channel by the training images
    alone.
    """
    images, classes, test_images, test_classes = raw
    order = np.random.default_rng(_SPLIT_SEED).permutation(len(images))
    validation, train = np.split(order, [len(images) // _VALIDATION])
    mean = images[train].mean(axis=(0, 1, 2), dtype=np.float64)
    deviation = images[train].std(axis=(0, 1, 2), dtype=np.float64)

    def standardized(part: _Array, part_classes: _Array) -> tuple[Images, Classes]:
        scaled = part - mean
        scaled /= deviation
        return scaled.astype(np.float32), part_classes.astype(np.int32)

    return ImageData(
        name,
        standardized(images[train], classes[train]),
        standardized(images[validation], classes[validation]),
        standardized(test_images, test_classes),
        augmented,
    )


def _digits() -> _Raw:
    try:
        from sklearn.datasets import load_digits  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra(
            "the digits need scikit-learn", "no module 'sklearn'", install("jax,examples")
        ) from None
    images, classes = load_digits(return_X_y=True)
    images = images.reshape(-1, 8, 8, 1)
    order = np.random.default_rng(_SPLIT_SEED).permutation(len(images))
    test, train = np.split(order, [len(images) // _TEST])
    return images[train], classes[train], images[test], classes[test]


def _archive(path: Path) -> _Raw:
    """Records of one byte for the class and three planes of 32 x 32."""
    with tarfile.open(path) as archive:
        members: Any = (
            archive.extractfile(f"cifar-10-batches-bin/{name}.bin") for name in _BATCHES
        )
        *parts, test = (
            np.frombuffer(member.read(), dtype=np.uint8).reshape(-1, 1 + 3 * 32 * 32)
            for member in members
        )
    train = np.concatenate(parts)
    return _pictures(train), train[:, 0], _pictures(test), test[:, 0]


def _pictures(records: _Array) -> _Array:
    return records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
