"""Wrong twins for Jensen's inequality."""

from __future__ import annotations

from functools import partial

from proofs_check.facts import jensen as right
from proofs_check.symbolic import identity, inequality

WRONG = {
    "fact:jensen": (
        inequality(partial(right.above_the_plane, sign=-1), "a concave function"),
        identity(partial(right.mean_of_the_plane, weight=2), "one point taken twice"),
    )
}
