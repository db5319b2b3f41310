"""`rpttheory check`: whether each claim of a certificate follows."""

from __future__ import annotations

from pathlib import Path

import click

from .output import emit


@click.command()
@click.argument("file")
def check(file: str) -> int:
    """Check the certificate in FILE, written by --certificate, in integers and fractions alone.

    The file checker.py of this package does the same by itself: python checker.py FILE, where nothing is installed.

    Exit code: 0 each claim follows, 1 one does not, 2 FILE is no certificate.
    """
    from ..checker import Unproved
    from ..checker import check as checked
    from ..errors import InvalidInput

    if not Path(file).is_file():
        raise InvalidInput(f"{file}: no such file", "a folder" if Path(file).is_dir() else "nothing there", "its path")
    try:
        emit(checked(file))
    except Unproved as reason:
        emit(f"no: {reason}")
        return 1
    except ValueError as error:
        raise InvalidInput(f"{file}: no certificate", str(error), "a file that --certificate has written") from None
    return 0
