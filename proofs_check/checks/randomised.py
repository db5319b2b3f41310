"""Checks on random and adversarial instances: thousands of matrices decided rigorously, or fewer in
fractions.
"""

from collections.abc import Callable, Iterator
from typing import Concatenate, ParamSpec

import numpy as np

from rpttheory.eigen.batch import BoolArray
from rpttheory.numbers.exact_array import FloatArray

from ..engine.entry import Check, Evidence, Finding, Trial, failed, held, unanswered
from .instances import Batch, batches

Brackets = tuple[FloatArray, FloatArray]

# Whether a statement holds on an instance, and which one that is.
Tries = Iterator[tuple[bool, str]]
Given = ParamSpec("Given")

# Relative room within which two sides count as a tie that floats cannot decide.
_TIE = 1e-9


def on_random_matrices(
    sides: Callable[[Batch], tuple[Brackets, Brackets]], count: int = 4000
) -> Check:
    """A check that left <= right; `sides` gives lower and upper bounds of both on a batch.

    An instance counts as decided where the upper end of the left is at most the lower end of the
    right. Near-ties are counted apart: they support nothing and refute nothing. One proved
    violation refutes.
    """

    def run(trial: Trial) -> Finding:
        total = ties = 0
        for batch in batches(trial, count):
            (left_low, left_high), (right_low, right_high) = sides(batch)
            broken = left_low > right_high
            if broken.any():
                return failed(batch.describe(int(np.argmax(broken))))
            sure: BoolArray = left_high <= right_low
            near = ~sure & (left_high - right_low <= _TIE * np.abs(right_low) + 2.0**-490)
            if not (sure | near).all():
                return unanswered(batch.describe(int(np.argmin(sure | near))))
            total += len(sure)
            ties += int(near.sum())
        return held(f"{total - ties} matrices, and {ties} ties within {_TIE:g}")

    return Check(Evidence.RIGOROUS, run)


def tried(
    scope: str, evidence: Evidence = Evidence.EXACT
) -> Callable[[Callable[Concatenate[Trial, Given], Tries]], Callable[Given, Check]]:
    """Make a check of a function that tries one instance after another; `scope` has {} for the
    number of them.
    """

    def decorate(tries: Callable[Concatenate[Trial, Given], Tries]) -> Callable[Given, Check]:
        def check(*given: Given.args, **named: Given.kwargs) -> Check:
            def run(trial: Trial) -> Finding:
                total = 0
                for holds, words in tries(trial, *given, **named):
                    if not holds:
                        return failed(words)
                    total += 1
                return held(scope.format(total))

            return Check(evidence, run)

        return check

    return decorate


def on_instances(
    tries: Callable[[np.random.Generator], Tries],
    count: int = 60,
    evidence: Evidence = Evidence.EXACT,
) -> Check:
    """A check of a whole statement on random instances: each try says whether it holds, and where.

    In fractions, unless `evidence` says that brackets decide.
    """

    def run(trial: Trial) -> Finding:
        total = 0
        for _ in range(trial.instances(count)):
            for holds, words in tries(trial.rng):
                if not holds:
                    return failed(words)
                total += 1
        return held(f"{total} instances" + (", exactly" if evidence is Evidence.EXACT else ""))

    return Check(evidence, run)
