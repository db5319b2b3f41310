"""Checks that try one instance after another, mostly random ones in fractions."""

from collections.abc import Callable, Iterator

import numpy as np

from ..engine.entry import Check, Evidence, Finding, Trial, failed, held

# True if a statement holds on an instance, and a description of the instance.
Tries = Iterator[tuple[bool, str]]


def tried(
    tries: Callable[[Trial], Tries], scope: str, evidence: Evidence = Evidence.EXACT
) -> Check:
    """Return a check on every instance that `tries` yields; {} in `scope` is their number."""
    return Check(evidence, _try, (tries, scope))


def on_instances(
    tries: Callable[[np.random.Generator], Tries],
    count: int = 60,
    evidence: Evidence = Evidence.EXACT,
) -> Check:
    """Return a check on `count` random draws, each of which yields one instance or several."""
    exactly = ", exactly" if evidence is Evidence.EXACT else ""
    return Check(evidence, _try_draws, (tries, f"{{}} instances{exactly}", count))


def _try(trial: Trial, tries: Callable[[Trial], Tries], scope: str) -> Finding:
    return _first_failure(tries(trial), scope)


def _try_draws(
    trial: Trial, tries: Callable[[np.random.Generator], Tries], scope: str, count: int
) -> Finding:
    draws = (tries(trial.rng) for _ in range(trial.instances(count)))
    return _first_failure((instance for draw in draws for instance in draw), scope)


def _first_failure(instances: Tries, scope: str) -> Finding:
    total = 0
    for holds, words in instances:
        if not holds:
            return failed(words)
        total += 1
    return held(scope.format(total))
