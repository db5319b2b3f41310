"""Progressive training as in ProgFed: networks that are truncated, with heads of their own, and
grow.

H.-P. Wang, S. U. Stich, Y. He and M. Fritz, ProgFed: Effective, Communication, and Computation
Efficient Federated Learning by Progressive Training (ICML 2022).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...networks.models import WHOLE, Part
from .net import Parted, drawn
from .rounds import Dealer, Share
from .training import Kind, Run

# A warm-up lasts this share of an early stage.
_WARM = 5


@dataclass(frozen=True)
class Growth:
    """ProgFed's stages: early ones last T/(2S), the last one the rest; after each growth a warm-up,
    not counted in T.

    Parameters
    ----------
    stages, total : int
        S and T.
    """

    stages: int
    total: int

    @property
    def early(self) -> int:
        return self.total // (2 * self.stages)

    @property
    def warm(self) -> int:
        return math.ceil(self.early / _WARM)

    def at(self, number: int) -> tuple[int, int | None, int]:
        """The stage of a step, from 1; its place in the warm-up, or None; and how many steps before
        it count.

        Examples
        --------
        >>> growth = Growth(2, 8)
        >>> [growth.at(number) for number in range(5)]
        [(1, None, 0), (1, None, 1), (2, 0, 2), (2, None, 2), (2, None, 3)]
        """
        stage = 1
        left = number
        while stage < self.stages and left >= self.early:
            stage = stage + 1
            left = left - self.early
            if left < self.warm:
                return stage, left, (stage - 1) * self.early
            left -= self.warm
        return stage, None, (stage - 1) * self.early + left


def growth_within(network: Parted, budget: float, most: float) -> Growth:
    """The longest that sends at most the budget, in steps on the whole network, and has at most so
    many steps.
    """
    counts = {path: leaf.size for path, leaf in network.everything(0).items()}
    sizes = {
        name: sum(counts[path] for path in kind.trained)
        for name, kind in stage_kinds(network, False).items()
    }
    stages = range(1, network.stages)
    early = sum(sizes[_named(stage, None, False)] for stage in stages)
    fresh = sum(sizes[_named(stage + 1, 0, False)] for stage in stages)
    whole = sizes[_named(network.stages, None, False)]
    growth = Growth(network.stages, 1)
    while True:
        longer = Growth(network.stages, growth.total + 1)
        sent = (
            (longer.early * early + longer.warm * fresh) / whole
            + longer.total
            - longer.early * len(stages)
        )
        if sent > budget or longer.total + longer.warm * len(stages) > most:
            return growth
        growth = longer


def stage_kinds(network: Parted, fade: bool) -> dict[str, Kind]:
    """Steps on each truncated network, and on what is new in it (or on all of it while it fades
    in).
    """
    found: dict[str, Kind] = {}
    known: set[str] = set()
    for stage in range(1, network.stages + 1):
        part = Part(stages=stage) if stage < network.stages else WHOLE
        members = network.members(part)
        found[_named(stage, None, fade)] = Kind(part, members)
        if stage > 1 and fade:
            mixed = Part(stages=stage, fade=True)
            found[_named(stage, 0, fade)] = Kind(mixed, network.members(mixed))
        elif stage > 1:
            found[_named(stage, 0, fade)] = Kind(
                part, tuple(path for path in members if path not in known)
            )
        known.update(members)
    return found


def _named(stage: int, warm: int | None, fade: bool) -> str:
    return f"stage {stage}" + ("" if warm is None else ", fading in" if fade else ", new")


class Growing(Dealer):
    """What PT and ProgFed share."""

    def __init__(self, network: Parted, growth: Growth, fade: bool = False) -> None:
        self.data = network.data
        self.growth = growth
        self.fade = fade
        self.kinds = stage_kinds(network, fade)

    def kind(self, number: int) -> str:
        stage, warm, _ = self.growth.at(number)
        return _named(stage, warm, self.fade)

    def mix(self, number: int) -> float:
        warm = self.growth.at(number)[1]
        return 1.0 if warm is None else (warm + 1) / (self.growth.warm + 1)

    def judged(self, number: int) -> tuple[Part, float]:
        last = max(number - 1, 0)
        return self.kinds[self.kind(last)].part, self.mix(last)


class ProgressiveDealer(Growing):
    """Truncated progressive training on all images, one step a round; the rate is constant.

    Several workers that share each batch would send and receive what one does here, and take the
    same steps.
    """

    workers = 1

    def deal(self, run: Run, number: int) -> list[Share]:
        return [Share(self.kind(number), 0, [drawn(self.data, run.seed, number, run.batch)])]
