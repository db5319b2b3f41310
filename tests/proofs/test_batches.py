"""Batches of the ledger against the library."""

import numpy as np

from proofs_check.checks.instances import FAMILIES, PARTITIONS, batches
from proofs_check.engine.entry import Trial
from rpttheory import NestedSampling, expected_clc, weighted_smoothness
from rpttheory.eigen.batch import lambda_max_batch


def test_the_batches_mean_what_they_say() -> None:
    """E[CLC] and L_P of a batch against the library's own, at probabilities that are floats."""
    seen = set()
    for batch in batches(Trial(np.random.default_rng(3)), 300):
        seen.add((batch.blocks.sizes, batch.family))
        exact = np.all(np.log2(batch.r) % 1 == 0, axis=1)
        assert (batch.r.min(axis=1) == 1).all() and np.array_equal(batch.L, np.rint(batch.L))
        for k in np.flatnonzero(exact)[:2]:
            p = 1 / batch.r[k]
            moment = expected_clc(batch.L[k], batch.blocks, sampling=NestedSampling(p))
            assert np.array_equal(np.asarray(moment), batch.second_moment[k])
            lower, upper = (ends[k] for ends in lambda_max_batch(*batch.weighted))
            L_P = weighted_smoothness(batch.L[k], batch.blocks, probabilities=p)
            assert lower <= L_P.upper and L_P.lower <= upper
    assert len(seen) == len(PARTITIONS) * len(FAMILIES)
