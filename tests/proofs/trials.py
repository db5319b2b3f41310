"""A trial for checks that are run by hand."""

import numpy as np

from proofs_check.engine.entry import Trial


def trial(seed: int = 0) -> Trial:
    """Random numbers that repeat."""
    return Trial(np.random.default_rng(seed))
