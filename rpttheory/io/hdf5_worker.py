"""A program, run by `matlab_hdf5`: tell what a MATLAB 7.3 file holds, or copy one variable to the standard output.

Usage: hdf5_worker.py {describe|INDEX} BYTES PATH, where BYTES bounds the memory it may take and INDEX counts the
variables as described.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


def main(task: str, budget: str, path: str) -> None:
    """Do one task."""
    import h5py

    limit_memory(int(budget))
    with h5py.File(path, "r") as file:
        names = [name for name in file if not name.startswith("#")]
        if task == "describe":
            print(json.dumps([describe(file, name) for name in names]))
        else:
            copy(file[names[int(task)]])


def limit_memory(budget: int) -> None:
    """Let the process grow by `budget` bytes, where the system can enforce that."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + budget, hard))
    except (ImportError, OSError, ValueError):
        pass


def describe(file: Any, name: str) -> dict[str, Any]:
    """The fields of a `Variable`, and the bytes it takes in the file; a link to elsewhere is not followed."""
    import h5py

    fields: dict[str, Any] = {"name": name, "kind": "link", "shape": (), "entries": None, "is_complex": False}
    fields["stored"] = 0
    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        return fields
    variable = file[name]
    if isinstance(variable, h5py.Group):
        if "MATLAB_sparse" not in variable.attrs:
            return fields | {"kind": "struct"}
        fields["stored"] = sum(
            variable[part].id.get_storage_size() for part in ("data", "ir", "jc") if part in variable
        )
        entries = variable["data"].shape[0] if "data" in variable else 0
        fields |= {"kind": "sparse", "entries": entries, "is_complex": entries > 0 and is_complex(variable["data"])}
        return fields | {"shape": (int(variable.attrs["MATLAB_sparse"]), variable["jc"].shape[0] - 1)}
    fields["stored"] = variable.id.get_storage_size()
    kind = variable.attrs.get("MATLAB_class", b"unknown")
    fields |= {"kind": kind.decode("ascii") if isinstance(kind, bytes) else str(kind)}
    shape = (0, 0) if variable.attrs.get("MATLAB_empty", 0) else variable.shape[::-1]
    return fields | {"shape": shape, "is_complex": is_complex(variable)}


def is_complex(variable: Any) -> bool:
    """Whether the numbers are pairs, as MATLAB writes complex ones."""
    return bool(variable.dtype.kind == "c" or variable.dtype.names == ("real", "imag"))


def copy(variable: Any) -> None:
    """Write the numbers as .npy: one array, or values, row indices and column starts."""
    import h5py

    if not isinstance(variable, h5py.Group):
        write(variable)
        return
    if "data" in variable:
        write(variable["data"])
        write(variable["ir"])
    else:  # a zero matrix
        np.save(sys.stdout.buffer, np.empty(0), allow_pickle=False)
        np.save(sys.stdout.buffer, np.empty(0, dtype=np.int64), allow_pickle=False)
    write(variable["jc"])


def write(numbers: Any) -> None:
    """Write one data set, unless it lies in another file."""
    if numbers.is_virtual or numbers.external:
        raise ValueError("numbers kept in another file")
    np.save(sys.stdout.buffer, numbers[()], allow_pickle=False)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {' '.join(str(error).split())}")
