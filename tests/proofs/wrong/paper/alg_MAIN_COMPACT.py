"""Wrong twins for Progressive Training."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.symbolic import identity
from proofs_check.checks.witness import refuted_by
from proofs_check.engine.claim import Check
from proofs_check.paper import alg_MAIN_COMPACT as right

WRONG: dict[str, tuple[Check, ...]] = {
    "line:PTb": (identity(partial(right.update_of_a_coordinate, outside=1), "all blocks move"),),
    "alg:MAIN-COMPACT": (
        refuted_by(lambda: right.stage_without_entry(2, 2), "n = B"),
        identity(partial(right.entries_read, extra=-1), "one entry too few"),
    ),
    "alg:PT": (),
}
