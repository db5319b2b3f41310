"""A run on disk: everything that the next step depends on, whole or not at all, under the settings
it belongs to.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..files import UNSEALED, read_sealed, sealed, write_whole
from .store import difference

SCHEMA = "rpttheory/checkpoint/1"
_ANEW = "delete this file to begin the run anew, or another path"


@dataclass(frozen=True)
class Checkpoint:
    """Where a run is kept: one sealed archive of numpy's format.

    Parameters
    ----------
    path : Path
    identity : mapping
        JSON-safe: all that decides the run. A file with another identity is refused.
    """

    path: Path
    identity: Mapping[str, Any]

    def save(self, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep what JSON can say (`about`), and arrays; a kill leaves the old file intact."""
        header = {"schema": SCHEMA, "identity": dict(self.identity), "about": dict(about)}
        text = json.dumps(header, default=lambda array: array.tolist())
        stream = io.BytesIO()
        everything: dict[str, Any] = {"about": np.array(text), **arrays}
        np.savez(stream, **everything)  # with allow_pickle, older numpy would keep one more array
        with zipfile.ZipFile(stream, "a") as archive:
            archive.comment = UNSEALED.encode()
        write_whole(self.path, sealed(stream.getvalue()))

    def load(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
        """What was saved; None if there is no file."""
        content = read_sealed(self.path, _ANEW)
        if content is None:
            return None
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as stored:
                arrays = dict(stored)
            header: dict[str, Any] = json.loads(str(arrays.pop("about")))
            found = repr(header["schema"])
        except (ValueError, KeyError) as error:  # sealed by us, but of another kind
            found = type(error).__name__
        if found != repr(SCHEMA):
            raise InvalidInput(f"{self.path}: not a file of {SCHEMA}", f"schema {found}", _ANEW)
        ours = json.loads(json.dumps(dict(self.identity)))
        if header["identity"] != ours:
            raise InvalidInput(
                f"{self.path}: the checkpoint belongs to other settings",
                difference(header["identity"], ours),
                "the settings of that run, or remove the file, or another path",
            )
        return header["about"], arrays
