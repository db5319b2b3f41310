"""Property tests for everybody: strategies, assertions about claims, and a decorator that makes a
test of a conjecture.

Needs the extra `testing` (hypothesis). The names load on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtra
from ..machine import install

if TYPE_CHECKING:
    from .holds import assert_holds as assert_holds
    from .holds import conjecture as conjecture
    from .strategies import costs as costs
    from .strategies import partitions as partitions
    from .strategies import probabilities as probabilities
    from .strategies import problems as problems
    from .strategies import psd_matrices as psd_matrices
    from .strategies import samplings as samplings

_HOME = {
    **dict.fromkeys(("assert_holds", "conjecture"), ".holds"),
    **dict.fromkeys(
        ("costs", "partitions", "probabilities", "problems", "psd_matrices", "samplings"),
        ".strategies",
    ),
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rpttheory.testing' has no attribute {name!r}")
    try:
        return getattr(import_module(_HOME[name], __name__), name)
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        what = f"rpttheory.testing.{name} needs hypothesis"
        raise MissingExtra(what, "it is not installed", install("testing")) from None
