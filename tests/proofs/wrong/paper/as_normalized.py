"""Wrong twins for as:normalized."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.symbolic import identity
from proofs_check.paper import as_normalized as right

WRONG = {"as:normalized": (identity(partial(right.scale_free, power=0), "only one of two costs scaled"),)}
