"""A claim about all matrices, attacked: the worst problem that can be found, in small fractions, and decided."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...certify import Verdict
from ...errors import InvalidInput
from ...runs.progress import Watch, unwatched
from ...statements import Claim, parse
from .ascent import Budget, Climbed, ascend
from .instance import Instance, read_instance
from .shrink import simplest
from .target import Attacked
from .where import separated, setting

SCHEMA = "rpttheory/counterexample/1"
_Decided = tuple[float, Instance, Verdict]
# By how much a claim must fail for the search to stop climbing.
_CLEAR = 1.01
_TIGHT = 0.999


@dataclass(frozen=True)
class Counterexample:
    """What an attack on a claim found: a counterexample where the verdict is REFUTED, else the worst problem met.

    Attributes
    ----------
    claim, where : str, tuple of str
    ratio : float
        left / right on the instance, in floats: it decides nothing.
    instance : Instance
        In fractions.
    verdict : Verdict
        On the claim for this instance, with every rounding accounted for.
    evaluations, seed : int
    interrupted : bool
        Whether Ctrl-C ended it.
    """

    claim: str
    where: tuple[str, ...]
    ratio: float
    instance: Instance
    verdict: Verdict
    evaluations: int
    seed: int
    interrupted: bool = False

    @property
    def name(self) -> str:
        """What was attacked."""
        return self.claim

    @property
    def undecided(self) -> bool:
        """Whether floats say that the claim fails and rigorous arithmetic cannot tell."""
        return self.verdict is Verdict.UNDECIDED and self.ratio > 1 + 1e-6

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        as_text = {"where": list(self.where), "instance": self.instance.to_dict(), "verdict": self.verdict.value}
        return {"schema": SCHEMA, **vars(self), **as_text}

    def __str__(self) -> str:
        given = f"  where {', '.join(self.where)}" if self.where else ""
        counted = f"{self.evaluations} problems, seed {self.seed}{', interrupted' if self.interrupted else ''}"
        if self.verdict is Verdict.REFUTED:
            told = f"  REFUTED: left / right = {self.ratio:.6g}  ({counted})"
        else:
            near = ", equality was approached" if self.ratio > _TIGHT else ""
            told = (
                f"  {'undecided' if self.undecided else 'stands'}: worst ratio {self.ratio:.6g} after {counted}{near}"
            )
            told += f"\n  the worst problem, {self.verdict} there:"
        return "\n".join([self.claim + given, told, *(f"    {line}" for line in self.instance.lines())])


def find_counterexample(
    claim: str | Claim,
    *,
    where: str | Sequence[str] = (),
    seconds: float = 10.0,
    seed: int = 0,
    max_evaluations: int | None = None,
    watch: Watch = unwatched,
) -> Counterexample:
    """Search all positive semidefinite L, partitions, samplings and costs for a problem on which a claim fails.

    Costs add up to 1. Without conditions on d and B up to four coordinates are looked at, with them up to twelve.

    Parameters
    ----------
    claim : str
        Such as "L_P <= 2*lmax", in the words of `rpttheory.statements.language`.
    where : str or sequence of str
        Conditions: comparisons of the same language ("B = 2", "min(p) >= 0.1"), and "p = closed", "p = equal",
        "c = equal", "c = sizes", "L diagonal", "L block-diagonal", "sampling = independent" (or nested, single, any).
        Commas may separate several.
    seconds : float
        Wall-clock limit.
    seed : int
    max_evaluations : int, optional
        Another limit. Runs that it ends, and not the time, are repeatable.
    watch : callable, optional
        Called with an `Event` that tells the largest ratio so far.

    Examples
    --------
    >>> found = find_counterexample("L_P <= 2*lmax", seconds=60.0)
    >>> print(found.verdict, found.instance.sizes)
    REFUTED (1,)
    """
    if not seconds > 0 or (max_evaluations is not None and max_evaluations < 1):
        raise InvalidInput("an attack needs time", f"{seconds} seconds, {max_evaluations} evaluations", "seconds=5")
    target, texts = _target(claim, where)
    rng = np.random.default_rng([seed, zlib.crc32(target.claim.text.encode())])
    budget = Budget(seconds, max_evaluations, watch)
    best, found = _search(target, rng, budget)
    if found is None or found[2] is not Verdict.REFUTED:
        if best.ratio < 0:
            raise InvalidInput(
                "no problem was met on which the conditions hold and the claim has a value",
                " and ".join(map(repr, texts or (target.claim.text,))),
                "other conditions, or more `seconds`",
            )
        found = _settled(target, best, best.ratio - 1e-3 * abs(best.ratio))
        if found is None:
            raise AssertionError(f"no rounding of a problem keeps the ratio of {target.claim.text}")
    return Counterexample(target.claim.text, texts, *found, budget.spent, seed, budget.interrupted)


def _search(target: Attacked, rng: np.random.Generator, budget: Budget) -> tuple[Climbed, _Decided | None]:
    """The worst problem met, and a decided one that the claim may fail on; Ctrl-C ends it as a limit does."""
    best: Climbed | None = None
    found: _Decided | None = None
    restarts = 0

    enough = 1 - 1e-4 if target.strict else 1 + target.rounding
    try:
        while best is None or budget.left:
            layout = target.space.layouts[restarts % len(target.space.layouts)]
            climbed = ascend(target, layout, rng, budget, enough=_CLEAR)
            restarts += 1
            if best is None or climbed.ratio > best.ratio + 1e-9:
                best = climbed
            if climbed.ratio >= enough:
                found = _settled(target, climbed, _wanted(target, climbed.ratio))
                if found is not None and found[2] is Verdict.REFUTED:
                    break
    except KeyboardInterrupt:
        if best is None:
            raise
        budget.interrupted = True
    return best, found


def _target(claim: str | Claim, where: str | Sequence[str]) -> tuple[Attacked, tuple[str, ...]]:
    parsed = claim if isinstance(claim, Claim) else parse(claim)
    texts = separated(where)
    about = setting(parsed, texts)
    return Attacked(parsed, about.universe, about.conditions), texts


def _wanted(target: Attacked, ratio: float) -> float:
    """What a simpler problem must keep of a violation."""
    return 1 - 1e-12 if target.strict else 1 + min(1e-5, (ratio - 1) / 2)


def _settled(target: Attacked, climbed: Climbed, wanted: float) -> _Decided | None:
    """The simplest problem that keeps the ratio wanted, decided."""
    simple = simplest(target, climbed.layout, climbed.point, wanted)
    if simple is None:
        return None
    instance = target.space.exact(*simple)
    return float(target.ratios(instance.floats())[0]), instance, target.decide(instance)


def read_counterexample(found: Mapping[str, Any]) -> Counterexample:
    """What `Counterexample.to_dict` wrote, with ratio and verdict computed again from the instance alone.

    Raises `InvalidInput` where it is none, or where the instance is not one that the claim speaks of.
    """
    try:
        target, where = _target(found["claim"], found["where"])
        numbers = int(found["evaluations"]), int(found["seed"]), bool(found["interrupted"])
        instance = read_instance(found["instance"])
    except InvalidInput:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput("not the result of an attack", str(error), "a file saved here") from None
    if not target.space.admits(instance):
        found_where = ", ".join(where) or "costs or a sampling that are not attacked"
        raise InvalidInput("the instance must meet the conditions", found_where, "the file as it was saved")
    ratio = float(target.ratios(instance.floats())[0])
    return Counterexample(target.claim.text, where, ratio, instance, target.decide(instance), *numbers)
