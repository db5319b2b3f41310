"""Wrong twins for the unbiased sketch."""

from __future__ import annotations

from functools import partial

from proofs_check.paper import text_SkGD as right
from proofs_check.symbolic import identity

WRONG = {"text:SkGD": (identity(partial(right.mean_of_a_coordinate, factor=2), "twice the gradient"),)}
