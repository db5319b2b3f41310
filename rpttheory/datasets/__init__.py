"""Small real matrices and tables that come with the package; SOURCES.md beside this file says where
they are from.

At the command line ``dataset:NAME`` stands for the file of one.

Examples
--------
>>> from rpttheory import datasets, lmax
>>> print(lmax(datasets.load("LFAT5").values) <= 21_452_187)
PROVED
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput
from ..io import PREFIX, Entry, about, checked_content, located, manifest, read_data, read_matrix
from ..numbers.checks import read_only
from ..numbers.exact_array import FloatArray, doubles

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Dataset", "Entry", "about", "load", "names"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Dataset(Entry):
    """A data set with its numbers as published: no scaling, no bias.

    Attributes
    ----------
    values
        L, for `verify` or `lmax`; or the features A of a table, one row per example, for
        `gram`. Exactly as published: an array where doubles hold the numbers, `ExactArray` or
        `SparseExactArray` otherwise.
    target : ndarray, optional
        What the features of a table should predict.
    """

    values: Any
    target: FloatArray | None = None

    @property
    def doubles(self) -> FloatArray | csr_array:
        """The nearest doubles, for numerical work."""
        return doubles(self.values)


def names() -> tuple[str, ...]:
    """Return the names that `load` knows.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> "bcsstk01" in names()
    True
    """
    return tuple(manifest())


def load(name: str, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Read a data set of the package.

    Parameters
    ----------
    name : str
        As `names` lists it.
    folder : path, optional
        A folder with a copy of the file, there or in its folder ``ridge``.

    Returns
    -------
    Dataset

    Raises
    ------
    InvalidInput
        If there is no such data set or file, or if its content is not the published one.

    Examples
    --------
    >>> load("bcsstk01").values.shape
    (48, 48)
    """
    entry = about(name)
    with located(f"{PREFIX}{name}" if folder is None else _copy_in(Path(folder), entry)) as file:
        if entry.kind == "matrix":
            return Dataset(**asdict(entry), values=read_matrix(file))
        target = np.loadtxt(file, delimiter=",", skiprows=1, usecols=-1)
        return Dataset(**asdict(entry), values=read_data(file).values, target=read_only(target))


def _copy_in(folder: Path, entry: Entry) -> Path:
    for path in (folder / entry.plain_file, folder / "ridge" / entry.plain_file):
        if path.exists():
            checked_content(entry, path)
            return path
    raise InvalidInput(
        f"{entry.plain_file}: no such data file",
        f"neither in {folder} nor in its folder ridge",
        "another folder, or none for the copy that comes with the package",
    )
