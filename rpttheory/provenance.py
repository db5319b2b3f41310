"""Provenance of results: versions, BLAS, processor, and whether the arithmetic is sound.

Every JSON file and page of the commands has this block. It has no time, path or name of a machine
or person, so that the same machine writes the same bytes again.
"""

import platform
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from . import __version__
from .numbers.arithmetic_guard import THREADED_SIZE, arithmetic_problem

SAFE = "IEEE 754: rounds to nearest, keeps subnormal numbers"
ABSENT = "absent"


def provenance() -> dict[str, Any]:
    """Return the provenance as JSON-safe values by name."""
    return {
        **versions(),
        "blas": _blas(),
        "system": platform.platform(),
        "processor": _processor(),
        "arithmetic": (
            f"UNSAFE: {problem}" if (problem := arithmetic_problem(THREADED_SIZE)) else SAFE
        ),
        "extras": _extras(),
    }


def versions() -> dict[str, str]:
    """Return the versions, which must agree on all machines of a run."""
    return {
        "rpttheory": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: _version(name) for name in ("numpy", "scipy", "python-flint")},
    }


def provenance_rows(block: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the provenance as rows of names and texts."""
    extras = ((f"extra {name}", packages) for name, packages in block["extras"].items())
    return [*((name, str(text)) for name, text in block.items() if name != "extras"), *extras]


@cache
def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ABSENT


def _blas() -> str:
    """Return the BLAS libraries of numpy and scipy; without threadpoolctl, only numpy's."""
    import numpy as np

    try:
        import scipy.linalg  # noqa: F401  (its BLAS is its own, and listed once it is loaded)
        from threadpoolctl import threadpool_info
    except ImportError:
        built: dict[str, Any] = np.show_config(mode="dicts")  # type: ignore[assignment]
        blas = built["Build Dependencies"]["blas"]
        return f"{blas['name']} {blas['version']} (kernel and threads: pip install threadpoolctl)"
    return "; ".join(
        sorted(
            {
                f"{library['internal_api']} {library['version']}, kernel"
                f" {library.get('architecture', 'unknown')}, {library['num_threads']} thread(s)"
                for library in threadpool_info()
                if library["user_api"] == "blas"
            }
        )
    )


def _processor() -> str:
    """Return the name of the processor on Linux, elsewhere its family."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1].strip() if named else platform.processor() or platform.machine()


def _extras() -> dict[str, str]:
    """Return the installed packages of each extra."""
    packages: dict[str, list[str]] = {}
    for need in _needs():
        match = re.match(r"""([\w.-]+).*;\s*extra == ['"](.+)['"]$""", need)
        if match:
            packages.setdefault(match[2], []).append(f"{match[1]} {_version(match[1])}")
    return {name: ", ".join(parts) for name, parts in sorted(packages.items())}


@cache
def _needs() -> list[str]:
    try:
        return requires("rpttheory") or []
    except PackageNotFoundError:  # run from a folder without being installed
        return []
