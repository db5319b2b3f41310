"""Wrong twins for the network experiment."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.symbolic import identity
from proofs_check.checks.witness import decided, refuted_by
from proofs_check.paper import text_networkProbabilities as right

WRONG = {
    "text:networkProbabilities": (
        refuted_by(lambda: right.climbs(right.decaying("0.9", "0.9")), "the list as it should be"),
        decided(lambda: right.lists_are_admissible(rates=("0.9", "1.1")), "a rate above one"),
    ),
    "text:roundSizes": (identity(partial(right.rounds_add_up, long=22), "22 T/44 for the last round"),),
}
