"""Wrong twins for cocoercivity."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.paths import on_paths
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.facts import cocoercivity as right

WRONG = {
    "fact:cocoercivity": (
        on_paths(partial(right.on_pieces, factor=2), right.huber),
        inequality(partial(right.tilted_gap, sign=-1), "a concave function"),
        identity(partial(right.smoothness_of_the_tilted, sign=-1), "the gradients exchanged"),
        identity(partial(right.no_part_in_the_kernel, curvature=1), "there is curvature in the kernel"),
        identity(partial(right.best_shift, factor=2), "twice as far"),
        identity(partial(right.both_ways, sign=2), "twice the norm"),
    )
}
