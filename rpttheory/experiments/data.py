"""The four regression data sets of the paper, each read only if its checksum is the expected one.

A file comes from a folder that the caller names, or is downloaded from the pinned copy of its origin
and brought into the same form, byte for byte: both ways end at the same SHA-256.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, MissingExtra
from ..validation import read_only

FloatArray = NDArray[np.float64]

VARIABLE = "RPTTHEORY_DATA"
_FOLDER = "ridge"
_RAW = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class Dataset:
    """Where a data set comes from and how to know it.

    Parameters
    ----------
    name, title : str
        What a person types, and what a table shows.
    file : str
        A CSV file with a header row, the features and, last, the target.
    sha256 : str
        The checksum of that file.
    url, raw_sha256 : str
        A pinned copy of the original file, and its checksum.
    header : str
        The header row of the CSV file.
    convert : callable
        From the text of the original to the rows of the CSV file.
    source : str
        The citation.
    """

    name: str
    title: str
    file: str
    sha256: str
    url: str
    raw_sha256: str
    header: str
    convert: Callable[[str], Iterator[list[float]]]
    source: str


@dataclass(frozen=True, eq=False)
class Data:
    """Features (one row per example) and targets, as published: no scaling, no bias."""

    dataset: Dataset
    features: FloatArray
    target: FloatArray


def _california(text: str) -> Iterator[list[float]]:
    """The ratios that scikit-learn's `fetch_california_housing` made customary, from the census counts."""
    for line in text.splitlines():
        longitude, latitude, age, rooms, bedrooms, people, homes, income, value = map(float, line.split(","))
        ratios = rooms / homes, bedrooms / homes, people, people / homes
        yield [income, age, *ratios, latitude, longitude, value / 100_000]


def _cells(text: str, separator: str, first: int, last: int | None, target: int) -> Iterator[list[float]]:
    """Rows below the header: columns first..last as features, then the target."""
    for line in text.splitlines()[1:]:
        cells = line.split(separator)
        yield [float(cell) for cell in (*cells[first:last], cells[target])]


DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            "california",
            "California housing",
            "california_housing.csv",
            "d77e47abf8adbf425f82dd80ebc02dc6a30dc6e9525fa1ee9076789647cba2bf",
            f"{_RAW}/lapets/course-data-science/8b7f62812de4e3bd86bbc7879f65691e1775d1c9/cal_housing.data",
            "d3d8a1a722ae78f91134862727d27a70b1415e7d512a89140406248687f4b902",
            "MedInc,HouseAge,AveRooms,AveBedrms,Population,AveOccup,Latitude,Longitude,target",
            _california,
            "R. K. Pace, R. Barry, Sparse Spatial Autoregressions, Stat. Probab. Lett. 33 (1997) 291-297 (StatLib)",
        ),
        Dataset(
            "prostate",
            "prostate cancer",
            "prostate.csv",
            "a3e3bce5bead85a0c42f2a2845c5bfab6883d7c1e9e0814b39d40072f3b048c2",
            f"{_RAW}/jbowlan/pyl1ls/0db785b39c36b490ef6940e674e6c7ea9ebc6107/prostate.data",
            "b430e3ee430d836672e30615ceda161ded50a8cf4701fe130580eab5153aa0b2",
            "lcavol,lweight,age,lbph,svi,lcp,gleason,pgg45,target",
            lambda text: _cells(text, "\t", 1, -2, -2),
            "T. Hastie, R. Tibshirani, J. Friedman, The Elements of Statistical Learning; T. Stamey et al. (1989)",
        ),
        Dataset(
            "ozone",
            "Los Angeles ozone",
            "la_ozone.csv",
            "f5d687d7492175d2194e87fb5b3eac0ad25277fc9e1c558d34f83d005c4ce4ec",
            f"{_RAW}/tirohweder/into_ml_dm_project_1/730e2dc7c8ca4bbfba880241daf9fe09b229d5d6/LAozone.csv",
            "e89fba3012959616f9fb4ea7df6498b36f9a5430299b468bbec6b9755177ac37",
            "vh,wind,humidity,temp,ibh,dpg,ibt,vis,doy,target",
            lambda text: _cells(text, ",", 1, None, 0),
            "T. Hastie, R. Tibshirani, J. Friedman, The Elements of Statistical Learning; L. Breiman et al. (1985)",
        ),
        Dataset(
            "wine",
            "white wine quality",
            "wine_quality_white.csv",
            "d364045b7153c5f9519745d79e9b5afc21f40c87d23391cd063df6a466e22f34",
            f"{_RAW}/auxa/Wine-Quality-Prediction/13f35ab1aea80d0f6131ca45e9770f6aa6e2cd3e/winequality-white.csv",
            "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836",
            "fixed_acidity,volatile_acidity,citric_acid,residual_sugar,chlorides,free_sulfur_dioxide,"
            "total_sulfur_dioxide,density,pH,sulphates,alcohol,target",
            lambda text: _cells(text, ";", 0, -1, -1),
            "P. Cortez et al., Decision Support Systems 47(4) (2009) 547-553 (UCI Machine Learning Repository)",
        ),
    )
}


def locate(dataset: Dataset, folder: str | os.PathLike[str] | None = None) -> Path:
    """The checked file of a data set.

    It is looked for in `folder`, else in the folder that RPTTHEORY_DATA names (in both, also under
    ``ridge/``), else among the downloads, where it is put first if need be.

    Raises
    ------
    InvalidInput
        If the file is missing, cannot be read, or is not the published one.
    MissingExtra
        If it would have to be downloaded and pooch is absent.
    """
    given = folder if folder is not None else os.environ.get(VARIABLE) or None
    if given is None:
        return _downloaded(dataset)
    candidates = [Path(given) / dataset.file, Path(given) / _FOLDER / dataset.file]
    for path in candidates:
        if path.exists():
            _require_checksum(path, dataset.sha256)
            return path
    raise InvalidInput(
        f"{dataset.file}: no such data file",
        f"neither in {given} nor in its folder {_FOLDER}",
        f"another --data-dir, or none (and no {VARIABLE}) to download it",
    )


def load(dataset: Dataset, folder: str | os.PathLike[str] | None = None) -> Data:
    """Read a data set, see `locate`."""
    values = np.loadtxt(locate(dataset, folder), delimiter=",", skiprows=1)
    return Data(dataset, read_only(values[:, :-1]), read_only(values[:, -1]))


def _require_checksum(path: Path, expected: str) -> None:
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InvalidInput(f"{path.name}: the data file must be readable", str(error), "another --data-dir") from None
    if found != expected:
        raise InvalidInput(
            f"{path.name}: the data file is damaged, or not the published one",
            f"sha256 {found}, expected {expected}",
            f"a new copy in place of {path}",
        )


def _downloaded(dataset: Dataset) -> Path:
    """The file in the cache of this user, made from the original if it is not there yet."""
    try:
        import pooch
    except ImportError:
        raise MissingExtra(
            f"{dataset.file}: no folder with data was given, and downloading needs pooch",
            f"no --data-dir, no {VARIABLE}, no pooch",
            'pip install -e ".[data]" in the checkout, or --data-dir with the file',
        ) from None
    cache = Path(pooch.os_cache("rpttheory"))
    path = cache / dataset.file
    if path.exists():
        _require_checksum(path, dataset.sha256)
        return path
    try:
        pooch.get_logger().setLevel("WARNING")
        raw = pooch.retrieve(dataset.url, f"sha256:{dataset.raw_sha256}", fname=f"raw_{dataset.file}", path=cache)
        text = Path(raw).read_text(encoding="utf-8")
        rows = "".join(",".join(map(repr, row)) + "\n" for row in dataset.convert(text))
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(f"{dataset.header}\n{rows}", encoding="utf-8", newline="\n")
        _require_checksum(part, dataset.sha256)
        os.replace(part, path)
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        found = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise InvalidInput(
            f"{dataset.file}: cannot be downloaded from {dataset.url}", found, "--data-dir with a folder that holds it"
        ) from None
    return path
