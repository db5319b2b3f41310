"""Wrong twins for alg:rpt."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.symbolic import identity
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import alg_rpt as right

WRONG = {
    "alg:rpt": (
        refuted_by(lambda: right.loop_breaks(1, first=0), "the loop that starts at 0 reads what it has"),
        refuted_by(lambda: right.step_is_lost(1, first=0), "the loop that starts at 0 puts out its last iterate"),
        identity(partial(right.indices, first=1), "the loop as printed"),
    )
}
