""".mat files: which of its three formats a file is in."""

from pathlib import Path
from typing import Any

import numpy as np

from ..reals import SparseReals
from .matlab_classic import read_version_4, read_version_5
from .matlab_hdf5 import read_version_7_3
from .request import Request, decoding

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
BYTE_ORDERS = {b"IM": "<", b"MI": ">"}


def read_mat(path: Path, request: Request) -> np.ndarray[Any, np.dtype[Any]] | SparseReals:
    """The only numeric matrix of a MATLAB file."""
    with decoding(".mat"), path.open("rb") as stream:
        start = stream.read(520)
        if HDF5_SIGNATURE in (start[:8], start[512:]):
            return read_version_7_3(path, request)
        if 0 in start[:4]:  # where later versions have text, version 4 has a small number
            return read_version_4(stream, request)
        order = BYTE_ORDERS.get(start[126:128])
        if order is None:
            raise ValueError("no MATLAB header")
        return read_version_5(stream, order, request)
