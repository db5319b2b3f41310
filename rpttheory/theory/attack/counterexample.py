"""A claim about all matrices, attacked: the worst problem that can be found, in small fractions,
and decided.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ...numbers import Bracket, Verdict
from ...report import number
from ...report.text import sides
from ...runs.progress import Watch, unwatched
from ...statements import Claim, parse
from .ascent import Budget, Climbed, ascend
from .instance import Instance, read_instance
from .shrink import simplest
from .target import Attacked
from .where import separated, setting

SCHEMA = "rpttheory/counterexample/1"
# By how much a claim must fail for the search to stop climbing.
_CLEAR = 1.01
_TIGHT = 0.999
# Problems tried by default; each Newton path to an optimum takes as long as several other problems.
EVALUATIONS = 200_000
_EVALUATIONS_WITH_OPTIMUM = 50_000
# Evaluations that every climb may use; more than that only up to an equal share for each partition
# and sampling.
_SHORT_CLIMB = 1000
# Climbs to choose the worst problem from, and the parts of its ratio that small fractions should
# keep, tried in turn.
_CLIMBS_KEPT = 5
_PARTS_KEPT = (0.999, 0.99, 0.9, 0.5, 0.0)


@dataclass(frozen=True)
class Counterexample:
    """The result of an attack on a claim: a counterexample where the verdict is REFUTED, else the
    worst problem met.

    Attributes
    ----------
    claim, where : str, tuple of str
    ratio : float
        How near the claim is to failing on the instance: left / right for "<=", right / left for
        ">=", above 1 where it fails. In floats: it decides nothing.
    instance : Instance
        In fractions.
    verdict : Verdict
        On the claim for this instance, with every rounding accounted for.
    left, right : Bracket
        The two sides on this instance, as the claim has them.
    evaluations, seed : int
    interrupted : bool
        True if Ctrl-C ended the search.
    out_of_time : bool
        True if the time limit ended the search, so that another run may end elsewhere.
    """

    claim: str
    where: tuple[str, ...]
    ratio: float
    instance: Instance
    verdict: Verdict
    left: Bracket
    right: Bracket
    evaluations: int
    seed: int
    interrupted: bool = False
    out_of_time: bool = False

    @property
    def name(self) -> str:
        """The claim that was attacked."""
        return self.claim

    @property
    def undecided(self) -> bool:
        """Whether floats say that the claim fails and rigorous arithmetic cannot tell."""
        return self.verdict is Verdict.UNDECIDED and self.ratio > 1 + 1e-6

    @property
    def unfinished(self) -> bool:
        """Whether the search ended early, by Ctrl-C or the time limit, without a counterexample."""
        return self.verdict is not Verdict.REFUTED and (self.interrupted or self.out_of_time)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        as_text = {
            "where": list(self.where),
            "instance": self.instance.to_dict(),
            "verdict": self.verdict.value,
        }
        sides = {"left": self.left.to_dict(), "right": self.right.to_dict()}
        return {"schema": SCHEMA, **vars(self), **as_text, **sides}

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        if self.verdict is Verdict.REFUTED:
            return f"REFUTED: a counterexample after {self.evaluations} problems, seed {self.seed}"
        stopped = (
            ", interrupted"
            if self.interrupted
            else ", stopped by the time limit"
            if self.out_of_time
            else ""
        )
        if self.undecided:
            return f"undecided after {self.evaluations} problems{stopped}, seed {self.seed}"
        return (
            f"no counterexample in {self.evaluations} problems{stopped}; not a proof  (seed"
            f" {self.seed})"
        )

    @property
    def sides(self) -> str:
        """Both sides on the instance, and their quotient where it has a value."""
        if not (math.isfinite(self.left.width) and math.isfinite(self.right.width)):
            return "no proved value of both sides"
        left, right = sides(self.left, self.right)
        text = f"left = {left}, right = {right}"
        nonzero = self.right.low > 0 or self.right.high < 0
        return f"{text}, left / right = {number(self.left / self.right, 6)}" if nonzero else text

    def __str__(self) -> str:
        conditions = f"  where {', '.join(self.where)}" if self.where else ""
        lines = [self.claim + conditions, f"  {self.headline}"]
        if self.verdict is Verdict.REFUTED:
            lines.append(f"  there {self.sides}:")
        else:
            near = "; equality was approached" if self.ratio > _TIGHT else ""
            lines.append(
                f"  closest to failing, {self.verdict} for this problem alone: {self.sides}{near}"
            )
        return "\n".join([*lines, *(f"    {line}" for line in self.instance.lines())])


def find_counterexample(
    claim: str | Claim,
    *,
    where: str | Sequence[str] = (),
    seconds: float | None = None,
    seed: int = 0,
    max_evaluations: int | None = None,
    watch: Watch = unwatched,
) -> Counterexample:
    """Search all positive semidefinite L, partitions, samplings and costs for a problem on which a
    claim fails.

    Costs add up to 1. Without conditions on d and B up to four coordinates are tried, with them up
    to twelve. Without `seconds` the same seed gives the same result however busy the machine is.

    Parameters
    ----------
    claim : str
        Such as "L_P <= 2*lmax", in the words of `rpttheory.statements.language`.
    where : str or sequence of str
        Conditions: comparisons of the same language ("B = 2", "min(p) >= 0.1"), and "p = closed",
        "p = equal", "c = equal", "c = sizes", "L diagonal", "L block-diagonal", "sampling =
        independent" (or nested, single, any). Commas may separate several.
    seconds : float, optional
        Wall-clock limit. A search that it ends says so, and may end elsewhere when it is run again.
    seed : int
    max_evaluations : int, optional
        Number of problems to try: 200,000 by default, and 50,000 where the claim names the optimum.
    watch : callable, optional
        Called with an `Event` that tells the largest ratio so far.

    Examples
    --------
    >>> found = find_counterexample("L_P <= 2*lmax")
    >>> print(found.verdict, found.instance.sizes)
    REFUTED (1,)
    """
    if (seconds is not None and not seconds > 0) or (
        max_evaluations is not None and max_evaluations < 1
    ):
        limits = f"{seconds} seconds, {max_evaluations} evaluations"
        raise InvalidInput("an attack needs positive limits", limits, "max_evaluations=100000")
    target, texts = _target(claim, where)
    if max_evaluations is None:
        max_evaluations = (
            _EVALUATIONS_WITH_OPTIMUM if "optimum" in target.claim.names() else EVALUATIONS
        )
    rng = np.random.default_rng([seed, zlib.crc32(target.claim.text.encode())])
    budget = Budget(seconds, max_evaluations, watch)
    best, refuted = _search(target, rng, budget)
    worst = refuted or _simplified(target, best)
    if worst is None:
        raise InvalidInput(
            "no problem was met on which the conditions hold and the claim has a value",
            " and ".join(map(repr, texts or (target.claim.text,))),
            "other conditions, or more evaluations",
        )
    ended = {
        "interrupted": budget.interrupted,
        "out_of_time": budget.out_of_time and refuted is None,
    }
    return _result(target, texts, worst, evaluations=budget.spent, seed=seed, **ended)


def _result(
    target: Attacked, where: tuple[str, ...], instance: Instance, **search: Any
) -> Counterexample:
    """The instance with its ratio, its verdict and both sides, all computed from the instance
    alone.
    """
    ratio = float(target.ratios(instance.floats())[0])
    decision = target.decide(instance)
    return Counterexample(
        target.claim.text,
        where,
        ratio,
        instance,
        decision.verdict,
        decision.left,
        decision.right,
        **search,
    )


def _search(
    target: Attacked, rng: np.random.Generator, budget: Budget
) -> tuple[list[Climbed], Instance | None]:
    """Return where the climbs ended, the worst first, and a problem on which the claim is REFUTED
    if one was met.

    Ctrl-C ends it as a limit does.
    """
    climbs: list[Climbed] = []
    restarts = 0
    enough = 1 - 1e-4 if target.strict else 1 + target.rounding
    # A climb that creeps along a ridge must not use up what the layouts after it need.
    share = (
        math.inf if budget.evaluations is None else budget.evaluations / len(target.space.layouts)
    )
    longest = max(share, _SHORT_CLIMB)
    try:
        while not climbs or budget.left:
            layout = target.space.layouts[restarts % len(target.space.layouts)]
            climbed = ascend(target, layout, rng, budget, enough=_CLEAR, longest=longest)
            restarts += 1
            climbs = _worst_first(climbs, climbed)
            if climbed.ratio >= enough:
                instance = _simplest(target, climbed, _wanted(target, climbed.ratio))
                if instance is not None and target.decide(instance).verdict is Verdict.REFUTED:
                    return climbs, instance
    except KeyboardInterrupt:
        if not climbs:
            raise
        budget.interrupted = True
    return climbs, None


def _worst_first(climbs: list[Climbed], climbed: Climbed) -> list[Climbed]:
    """The largest ratios; of ratios that are equal but for rounding the first met stays first."""
    place = next(
        (i for i, one in enumerate(climbs) if climbed.ratio > one.ratio + 1e-9), len(climbs)
    )
    return [*climbs[:place], climbed, *climbs[place:]][:_CLIMBS_KEPT]


def _simplified(target: Attacked, climbs: list[Climbed]) -> Instance | None:
    """The worst climb that small fractions reproduce.

    A ratio that no fractions come near is an error of the floats, such as of an optimum at a nearly
    singular L: then the next climb is taken, and in the end one that keeps less of its ratio.
    """
    usable = [climbed for climbed in climbs if climbed.ratio >= 0]
    for part in _PARTS_KEPT:
        for climbed in usable:
            instance = _simplest(target, climbed, part * climbed.ratio)
            if instance is not None:
                return instance
    return None


def _target(claim: str | Claim, where: str | Sequence[str]) -> tuple[Attacked, tuple[str, ...]]:
    parsed = claim if isinstance(claim, Claim) else parse(claim)
    texts = separated(where)
    about = setting(parsed, texts)
    return Attacked(parsed, about.universe, about.conditions), texts


def _wanted(target: Attacked, ratio: float) -> float:
    """What a simpler problem must keep of a violation."""
    return 1 - 1e-12 if target.strict else 1 + min(1e-5, (ratio - 1) / 2)


def _simplest(target: Attacked, climbed: Climbed, wanted: float) -> Instance | None:
    """The simplest problem in fractions that keeps the ratio wanted."""
    simple = simplest(target, climbed.layout, climbed.point, wanted)
    return None if simple is None else target.space.exact(*simple)


def read_counterexample(found: Mapping[str, Any]) -> Counterexample:
    """Read what `Counterexample.to_dict` wrote; ratio, sides and verdict are computed from the
    instance alone.

    Raises `InvalidInput` where it is none, or where the instance is not one that the claim speaks
    of.
    """
    try:
        target, where = _target(found["claim"], found["where"])
        search = {
            "evaluations": int(found["evaluations"]),
            "seed": int(found["seed"]),
            "interrupted": bool(found["interrupted"]),
            "out_of_time": bool(found.get("out_of_time", False)),
        }
        instance = read_instance(found["instance"])
    except InvalidInput:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput("not the result of an attack", str(error), "a file saved here") from None
    if not target.space.admits(instance):
        found_where = ", ".join(where) or "costs or a sampling that are not attacked"
        raise InvalidInput(
            "the instance must meet the conditions", found_where, "the file as it was saved"
        )
    return _result(target, where, instance, **search)
