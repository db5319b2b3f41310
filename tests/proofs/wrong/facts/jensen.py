"""Wrong twins for Jensen's inequality."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import on_paths
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.facts import jensen as right

WRONG = {
    "fact:jensen": (
        on_paths(partial(right.on_pieces, factor=Fraction(99, 100)), right.huber),
        inequality(partial(right.above_the_plane, sign=-1), "a concave function"),
        identity(partial(right.mean_of_the_plane, weight=2), "one point taken twice"),
    )
}
