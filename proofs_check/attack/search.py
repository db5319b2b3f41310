"""Looking for the instance on which left / right is largest: restarts from structured and random
points, and ascent.
"""

import zlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rpttheory import Verdict
from rpttheory.runs.progress import Watch, unwatched
from rpttheory.theory.attack.ascent import Budget, Climbed, ascend
from rpttheory.theory.attack.space import Points, rounded

from .inequality import Inequality
from .result import AttackResult

# A ratio above 1 by less than this is rounding.
_ROUNDING = 1e-9
# How much of the ratio may be given up for simpler numbers.
_SIMPLER = 1e-6
_BITS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20)


@dataclass(frozen=True, eq=False)
class Found(Climbed):
    """A point, the ratio there, and once it is rounded the case and its verdict."""

    case: Any = None
    verdict: Verdict = Verdict.UNDECIDED


def search(
    inequality: Inequality,
    *,
    seconds: float,
    seed: int,
    max_evaluations: int | None = None,
    number: int = 0,
    watch: Watch = unwatched,
) -> AttackResult:
    """Attack one inequality until the time, or the number of evaluations, is spent or a violation
    is proved.

    Parameters
    ----------
    seconds : float
        Wall-clock limit, looked at after every 64 evaluations.
    seed : int
        Repeats a run exactly where `max_evaluations` ended it and the time did not.
    number : int
        Of several searches with one seed, which have random numbers of their own.
    """
    rng = np.random.default_rng(
        [seed, zlib.crc32(inequality.name.encode()), *([number] if number else [])]
    )
    budget = Budget(seconds, max_evaluations, watch)
    layouts = inequality.space.layouts
    best: Found | None = None
    restarts = 0
    try:
        while best is None or budget.left:
            # Each layout in turn, so that a short run has met them all; what is drawn within one is
            # left to chance.
            layout = layouts[restarts % len(layouts)]
            climbed = ascend(inequality, layout, rng, budget)
            found = Found(climbed.layout, climbed.point, climbed.ratio)
            restarts += 1
            if best is None or _better(found, best):
                best = found
                if best.ratio > 1 + _ROUNDING:
                    best = simplest(inequality, best)
                    if best.verdict is Verdict.REFUTED:
                        break
    except KeyboardInterrupt:
        if best is None:
            raise
        budget.interrupted = True
    assert best is not None
    if best.case is None:
        best = simplest(inequality, best)
    return AttackResult(
        inequality.label,
        inequality.part,
        inequality.text,
        inequality.tight,
        inequality.reason,
        best.ratio,
        best.case.to_dict(),
        best.verdict,
        budget.spent,
        restarts,
        seed,
        budget.interrupted,
    )


def _better(found: Found, best: Found) -> bool:
    """A larger ratio; where two are equal but for rounding, the smaller instance."""
    if abs(found.ratio - best.ratio) > _ROUNDING:
        return found.ratio > best.ratio
    return found.layout.blocks.dimension < best.layout.blocks.dimension


def simplest(inequality: Inequality, found: Found) -> Found:
    """The point rounded as coarsely as keeps the ratio, and decided; finer where a coarse one is a
    tie.

    All fields are rounded alike first, and then each of them as much further as it can be.
    """
    wanted = found.ratio - _SIMPLER * abs(found.ratio)
    if found.ratio > 1 + _ROUNDING:
        wanted = 1 + (found.ratio - 1) / 2
    space = inequality.space
    fields = inequality.space.fields(found.layout)

    def attempt(point: Points, bits: int) -> Found | None:
        case = space.case(found.layout, point, bits)
        if case is None:
            return None
        ratio = float(inequality.ratios(case.floats())[0])
        return (
            Found(found.layout, point, ratio, case)
            if ratio >= wanted or bits == _BITS[-1]
            else None
        )

    fallback: Found | None = None
    for bits in _BITS:
        kept = attempt(found.point, bits)
        if kept is None:
            continue
        whole = kept
        for one in fields:
            coarser = (
                attempt({**kept.point, **rounded(kept.point, (one,), b)}, bits)
                for b in _BITS
                if b < bits
            )
            kept = next((c for c in coarser if c is not None and c.ratio >= wanted), kept)
        for candidate in (kept, whole):
            decided = replace(candidate, verdict=inequality.decide(candidate.case))
            if decided.verdict is not Verdict.UNDECIDED:
                return decided
            fallback = fallback or decided
    if fallback is None:
        raise AssertionError(f"no rounding of an instance of {inequality.name} is exact in floats")
    return fallback
