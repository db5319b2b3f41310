"""Blocks that are not consecutive: a file with one label per coordinate."""

import os
from pathlib import Path

from ..errors import InvalidInput
from .request import capped_lines, printable


def read_labels(path: str | os.PathLike[str]) -> list[str]:
    """Read one label per line, in the order of the coordinates.

    Byte order marks, also those inside a file that joins several, are not part of a label.
    """
    name = printable(Path(path).name)
    try:
        with open(path, encoding="utf-8") as stream:
            labels = [line.replace("\ufeff", "").strip() for line in capped_lines(stream)]
    except OSError as error:
        raise InvalidInput(
            f"{name}: cannot be read", error.strerror or str(error), "a file of labels"
        ) from None
    except UnicodeDecodeError:
        raise InvalidInput(
            f"{name}: labels must be text", "bytes that are no UTF-8", "one label per line"
        ) from None
    if "" in labels:
        detail = f"nothing on line {labels.index('') + 1}"
        raise InvalidInput(
            f"{name}: every coordinate must have a label", detail, "one label per line"
        )
    return labels
