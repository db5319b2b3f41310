"""A digest of a configuration, so that a checkpoint is continued only by the run that wrote it."""

import hashlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InvalidInput
from ..problem.smoothness import OperatorSmoothness

# Columns with which a matrix known only through its products is told from another.
_PROBES = 2
# Values whose repr says all there is to say about them.
_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, np.generic, Fraction, Enum)


def fingerprint(value: Any) -> str:
    """The digest of numbers, arrays, sparse matrices and dataclasses of them (the name of the class included).

    A matrix known only through its products is represented by its products with two fixed random vectors. Any object
    may say in an attribute `fingerprint_data` what tells it from others of its class. An object that keeps something
    the digest would not see is refused, for two different ones would pass as one.
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
    elif hasattr(value, "fingerprint_data"):
        _feed(value.fingerprint_data, update)
    elif is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        _require_no_more(value, names)
        for name in names:
            # A counter of products and the origin of L are by-products, not part of the configuration.
            if name not in ("counter", "asymmetry"):
                update(name.encode())
                _feed(getattr(value, name), update)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            _feed(entry, update)
    elif isinstance(value, dict):
        for key in sorted(value, key=repr):
            _feed(key, update)
            _feed(value[key], update)
    elif isinstance(value, _PLAIN):
        update(repr(value).encode())
    else:
        raise _unknown(value, "its repr need not tell it from another")


def _require_no_more(value: Any, names: list[str]) -> None:
    """Raise where a dataclass keeps more than its fields and what it works out from them (cached properties)."""
    kept = set(getattr(value, "__dict__", ()))
    derived = set(names)
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        kept.update((slots,) if isinstance(slots, str) else slots)
        derived.update(name for name, entry in vars(kind).items() if isinstance(entry, cached_property))
    more = sorted(kept - derived - {"__dict__", "__weakref__"})
    if more:
        raise _unknown(value, f"{', '.join(more[:5])} beside the fields of the dataclass")


def _unknown(value: Any, found: str) -> InvalidInput:
    name = type(value).__name__
    return InvalidInput(
        f"a checkpoint needs to tell one {name} from another",
        found,
        f"make {name} a dataclass with a field for all it keeps, or give it an attribute fingerprint_data",
    )
