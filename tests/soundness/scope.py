"""The names that a caller's lines may use: the package, numpy, scipy, files and commands."""

import contextlib
import io
import tempfile
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

import rpttheory
from rpttheory.cli.main import commands, guarded
from rpttheory.problem.smoothness import as_smoothness

_FOLDER = tempfile.TemporaryDirectory(prefix="soundness-")


def write_file(name: str, text: str) -> str:
    """The path of a file with this text."""
    path = Path(_FOLDER.name) / name
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def command(*arguments: str) -> tuple[int, str, str]:
    """The exit code, output and errors of `rpttheory ...`, run inside this process."""
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as complaints,
    ):
        code = guarded(commands, list(arguments))
    return code, out.getvalue(), complaints.getvalue()


_MORE = [Fraction, Decimal, as_smoothness, aslinearoperator]
SCOPE: dict[str, Any] = {name: getattr(rpttheory, name) for name in rpttheory.__all__}
SCOPE |= {
    "np": np,
    "sp": sp,
    **{value.__name__: value for value in (*_MORE, write_file, command)},
}
