""".mat files of version 7.3, which are HDF5.

The HDF5 library fills the memory or ends the process on some damaged files, so it only runs in a
process of its own, `hdf5_worker.py`, with a bound on memory and time.
"""

import importlib.util
import io
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format

from ..errors import MissingExtra
from ..machine import install
from ..reals import SparseReals
from . import memory
from .matlab_variable import Variable, only_matrix
from .request import Request
from .sparse import from_columns, to_reals

Array = np.ndarray[Any, np.dtype[Any]]

WORKER = Path(__file__).with_name("hdf5_worker.py")
SECONDS = 60
BYTES_PER_SECOND = 10**6
EXTRA_BYTES = 2**28


def read_version_7_3(path: Path, request: Request) -> Array | SparseReals:
    """The only numeric matrix of a MATLAB 7.3 file."""
    if importlib.util.find_spec("h5py") is None:
        remedy = f"{install('hdf5')}, or save with -v7 in MATLAB"
        raise MissingExtra("MATLAB 7.3 files need h5py", "h5py is not installed", remedy)
    described = json.loads(_run(path, "describe", path.stat().st_size))
    stored = [fields.pop("stored") for fields in described]
    variables = [Variable(**{**fields, "shape": tuple(fields["shape"])}) for fields in described]
    chosen = only_matrix(variables, request)
    size = 16 * (chosen.entries + sum(chosen.shape) if chosen.entries is not None else math.prod(chosen.shape))
    memory.require_content(size, min(stored[variables.index(chosen)], path.stat().st_size))
    stream = io.BytesIO(_run(path, str(variables.index(chosen)), size))
    if chosen.kind == "sparse":
        data, rows, starts = (npy_format.read_array(stream, allow_pickle=False) for _ in range(3))
        return to_reals(from_columns(data, rows, starts, chosen.shape), request)
    transposed: Array = npy_format.read_array(stream, allow_pickle=False)  # HDF5 counts rows first, MATLAB columns
    return transposed.T


def _run(path: Path, task: str, size: int) -> bytes:
    """What the worker writes; `size` is how many bytes it should have to hold."""
    command = [sys.executable, "-P", str(WORKER), task, str(3 * size + EXTRA_BYTES), str(path.absolute())]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=False,
            timeout=SECONDS + size / BYTES_PER_SECOND,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        raise ValueError("HDF5 did not come to an end") from None
    if done.returncode < 0:
        raise ValueError(f"HDF5 was ended by signal {-done.returncode}")
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ValueError(lines[-1] if lines else "HDF5 failed")
    return done.stdout
