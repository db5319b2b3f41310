"""Stacked brackets against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from proofs_check.checks.exact import diag, is_semidefinite, plus, rows
from proofs_check.checks.instances import FAMILIES, PARTITIONS, batches
from proofs_check.engine.entry import Trial
from rpttheory import NestedSampling, expected_clc, weighted_smoothness
from rpttheory.eigen.batch import _cholesky_succeeds, lambda_max_batch, proved_upper, rayleigh_lower
from rpttheory.eigen.exact import definiteness
from rpttheory.eigen.pencil import UNIT


def exactly_at_most(L: np.ndarray, weights: np.ndarray, t: float) -> bool:
    return is_semidefinite(pencil(L, weights, t))


def test_brackets_hold_the_truth_and_are_narrow() -> None:
    for batch in batches(Trial(np.random.default_rng(5)), 600):
        matrices, weights = batch.weighted
        lower, upper = lambda_max_batch(matrices, weights)
        assert (
            np.isfinite(upper).all() and (upper - lower <= 1e-9 * np.abs(upper) + 2.0**-480).all()
        )
        for k in range(0, len(lower), 4):
            assert exactly_at_most(matrices[k], weights[k], upper[k])
            below = np.nextafter(lower[k], -np.inf)
            assert not exactly_at_most(matrices[k], weights[k], below)


def test_a_level_below_the_truth_is_never_proved() -> None:
    rng = np.random.default_rng(2)
    n = 4000
    v = rng.integers(-9, 10, (n, 3)).astype(float)
    v[:, 0] = 1.0
    L = v[:, :, None] * v[:, None, :]
    truth = (v * v).sum(axis=1)  # an integer, attained
    for units in (1, 2, 3, 8, 40):
        t = truth.copy()
        for _ in range(units):
            t = np.nextafter(t, -np.inf)
        assert not proved_upper(L, np.ones((n, 3)), t).any()
    assert (rayleigh_lower(L, np.ones((n, 3)), v) <= truth).all()


def test_no_rounding_is_forgotten() -> None:
    """Full mantissas and levels within a few units of the truth, where plain floats decide wrongly
    now and then.
    """
    rng = np.random.default_rng(8)
    wrongly_plain = 0
    for d in (2, 3, 5):
        A = rng.standard_normal((300, d, max(d - 1, 1)))
        L = A @ A.transpose(0, 2, 1)
        L = (L + L.transpose(0, 2, 1)) / 2
        weights = rng.uniform(0.5, 2.0, (300, d))
        roots = np.sqrt(weights)
        values, vectors = np.linalg.eigh(L / (roots[:, :, None] * roots[:, None, :]))
        lower = rayleigh_lower(L, weights, vectors[:, :, -1] / roots)
        for k in range(300):
            strictly_below = definiteness(pencil(L[k], weights[k], lower[k])) == 1
            assert not strictly_below, "lambda_max is below its lower bound"
        for units in range(-4, 5):
            level = values[:, -1] * (1 + units * 2.0**-52)
            for k in np.flatnonzero(proved_upper(L, weights, level)):
                assert definiteness(pencil(L[k], weights[k], level[k])) in (0, 1)
            difference = level[:, None, None] * (np.eye(d) * weights[:, :, None]) - L
            for k in np.flatnonzero(_cholesky_succeeds(difference)):
                wrongly_plain += definiteness(pencil(L[k], weights[k], level[k])) == -1
    assert wrongly_plain > 0


def test_the_margins_are_those_of_the_theorems() -> None:
    """All ones, where the truth is d: nothing is proved within Rump's delta above it, nor within
    gamma_{d^2} below.
    """
    for d in (2, 4, 8):
        ones = np.ones((1, d, d))
        weights = np.ones((1, d))
        delta = UNIT * sum((i + 2) * (d - 1) for i in range(1, d + 1))
        assert not proved_upper(ones, weights, np.array([d + 0.9 * delta])).any()
        assert proved_upper(ones, weights, np.array([d + 3 * delta])).all()
        lower = rayleigh_lower(ones, weights, np.ones((1, d)))[0]
        assert d * (1 - 3 * (d * d + 8) * UNIT) <= lower <= d * (1 - d * d * UNIT)


def pencil(L: np.ndarray, weights: np.ndarray, t: float) -> list[list[Fraction]]:
    left = diag([Fraction(t) * Fraction(w) for w in weights.tolist()])
    return plus(left, rows([[Fraction(v) for v in row] for row in L.tolist()]), -1)


def test_entries_that_could_overflow_or_are_not_symmetric_are_refused() -> None:
    ones = np.ones((1, 2))
    for bad in (
        np.full((1, 2, 2), 1e300),
        np.full((1, 2, 2), 1e-300),
        np.array([[[1.0, 2.0], [3.0, 1.0]]]),
    ):
        with pytest.raises(ValueError, match="between"):
            lambda_max_batch(bad, ones)
    with pytest.raises(ValueError, match="weights"):
        lambda_max_batch(np.eye(2)[None], np.array([[1.0, 1e-300]]))
    assert np.isnan(np.full((1, 2, 2), np.nan)).all()
    with pytest.raises(ValueError, match="entries"):
        lambda_max_batch(np.full((1, 2, 2), np.nan), ones)


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
