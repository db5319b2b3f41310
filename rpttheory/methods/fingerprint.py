"""A digest of a configuration, so that a checkpoint is continued only by the run that wrote it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..smoothness import OperatorSmoothness

# Columns with which a matrix known only through its products is told from another.
_PROBES = 2


def fingerprint(value: Any) -> str:
    """The digest of numbers, arrays, sparse matrices and dataclasses of them (the name of the class included).

    A matrix known only through its products is represented by its products with two fixed random vectors.
    """
    digest = hashlib.sha256()
    _feed(value, digest.update)
    return digest.hexdigest()[:16]


def _feed(value: Any, update: Callable[[bytes], None]) -> None:
    update(f"<{type(value).__name__}>".encode())
    if isinstance(value, OperatorSmoothness):
        probes = np.random.default_rng(1).standard_normal((value.dimension, _PROBES))
        _feed(value.matmat(probes), update)
    elif isinstance(value, np.ndarray):
        update(f"{value.dtype.str}{value.shape}".encode())
        update(np.ascontiguousarray(value).tobytes())
    elif sp.issparse(value):
        rows = sp.csr_array(value)
        for part in (np.array(rows.shape), rows.indptr, rows.indices, rows.data):
            _feed(part, update)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            # A counter of products is a by-product, not part of the configuration.
            if field.name != "counter":
                update(field.name.encode())
                _feed(getattr(value, field.name), update)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            _feed(entry, update)
    elif isinstance(value, dict):
        update(json.dumps(value, sort_keys=True, default=str).encode())
    else:
        update(repr(value).encode())
