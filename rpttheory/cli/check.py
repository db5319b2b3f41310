"""`rpttheory check`: decide whether each claim of a certificate follows."""

from __future__ import annotations

from pathlib import Path

import click

from .output import emit


@click.command()
@click.argument("certificate", metavar="FILE")
@click.option(
    "--file",
    "matrix",
    metavar="L",
    help="Compare L with this .csv, .txt, .npy or .mtx file.",
)
def check(certificate: str, matrix: str | None) -> int:
    """Check a certificate with integers and fractions only.

    FILE was written by --certificate of verify or compare. The command prints everything that FILE
    states. With --file, every entry of its matrix is compared exactly with that file. The file
    checker.py of this package does the same without the package: python checker.py FILE.

    Exit code: 0 each claim follows, 1 a claim does not follow or the matrix differs, 2 FILE is not
    a certificate.
    """
    from ..certificates.checker import Unproved, UnreadableMatrix
    from ..certificates.checker import check as check_certificate
    from ..errors import InvalidInput

    for path in (certificate, matrix):
        if path is not None and not Path(path).is_file():
            detail = "a directory" if Path(path).is_dir() else "no such file"
            raise InvalidInput(f"{path}: cannot be opened", detail, "check the path")
    try:
        emit(check_certificate(certificate, matrix))
    except Unproved as reason:
        emit(f"no: {reason}")
        return 1
    except UnreadableMatrix as error:
        raise InvalidInput(
            f"{matrix}: cannot be compared", str(error), "L itself, or the columns used of the data"
        ) from None
    except ValueError as error:
        raise InvalidInput(
            f"{certificate}: not a certificate", str(error), "a file that --certificate wrote"
        ) from None
    return 0
