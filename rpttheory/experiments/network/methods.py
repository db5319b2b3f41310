"""The methods of the network experiment, as the rounds they consist of.

SGD, RPT and partial PT update active blocks of the whole network. H.-P. Wang, S. U. Stich, Y. He
and M. Fritz, ProgFed: Effective, Communication, and Computation Efficient Federated Learning by
Progressive Training (ICML 2022). B. Yuan et al., Distributed Learning of Fully Connected Neural
Networks using Independent Subnet Training (VLDB 2022). C. Dun, C. R. Wolfe, C. M. Jermaine and A.
Kyrillidis, ResIST: Layer-Wise Decomposition of ResNets for Distributed Training (UAI 2022).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import jax
import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...methods import PT
from ...networks.blocks import Labels
from ...networks.training import Progressive, Randomized, Schedule, exponential, make_draws
from .data import ImageData, batch_indices, generator
from .model import WHOLE, Network, Part
from .rounds import Kind, RoundScheduler, Run, Share
from .settings import Settings

# Streams of random numbers, besides those of the images.
_SPLIT = 3
_ASSIGN = 4
# A warm-up lasts this share of an early stage.
_WARM_UP = 5
# Active sets that are drawn at a time.
_CHUNK = 256
# The optimizer that benchmarks of ResNets have agreed upon (Benchopt, arXiv:2206.13424), for SGD as
# in the paper.
_MOMENTUM = 0.9
_WEIGHT_DECAY = 5e-4


def block_kinds(labels: Labels, schedule: Schedule) -> dict[str, Kind]:
    """The steps that a schedule can ask for, by name."""
    kinds = {}
    for mask in schedule.outcomes():
        leaves = [leaf for leaf, block in enumerate(labels.leaf_blocks) if mask[block]]
        kinds[block_kind(schedule, int(mask.sum()))] = Kind(
            WHOLE,
            tuple(labels.paths[leaf] for leaf in leaves),
            tuple(float(schedule.factors[labels.leaf_blocks[leaf]]) for leaf in leaves),
        )
    return kinds


def block_kind(schedule: Schedule, depth: int) -> str:
    """The name of a step on so many blocks."""
    first = "input-first" if schedule.order.rank_to_block[0] == 0 else "output-first"
    return "whole" if depth == schedule.factors.size else f"{first} {depth}"


class BlockScheduler(RoundScheduler):
    """SGD, RPT or PT on active blocks of the whole network, by workers that share each batch.

    The active sets are those of `make_rpt_steps` with the seed as its key.
    """

    synchronous = True

    def __init__(
        self,
        data: ImageData,
        labels: Labels,
        schedule: Schedule,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
    ) -> None:
        self.data = data
        self.kinds = block_kinds(labels, schedule)
        self.momentum = momentum
        self.weight_decay = weight_decay
        self._labels = labels
        self._schedule = schedule
        self._depths = lru_cache(maxsize=2)(self._draw)

    def assign(self, run: Run, number: int) -> list[Share]:
        depth = self._depths(run.seed, number // _CHUNK)[number % _CHUNK]
        indices = batch_indices(self.data, run.seed, number, run.batch)
        return [Share(block_kind(self._schedule, depth), 0, [indices])]

    def _draw(self, seed: int, chunk: int) -> list[int]:
        """How many blocks are active in each round of a chunk; earlier ones are drawn again."""
        draws = make_draws(self._labels, self._schedule, seed)
        _, states = jax.lax.scan(
            lambda state, _: (draws.advance(state),) * 2,
            draws.start(),
            None,
            _CHUNK * (chunk + 1),
        )
        depths: list[int] = np.asarray(states.active).sum(axis=1)[-_CHUNK:].tolist()
        return depths


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
        return math.ceil(self.early / _WARM_UP)

    def at(self, number: int) -> tuple[int, bool, int]:
        """The stage of a step, from 1; whether it belongs to the warm-up; and how many steps before
        it count.

        Examples
        --------
        >>> growth = Growth(2, 8)
        >>> [growth.at(number) for number in range(5)]
        [(1, False, 0), (1, False, 1), (2, True, 2), (2, False, 2), (2, False, 3)]
        """
        stage = 1
        left = number
        while stage < self.stages and left >= self.early:
            stage = stage + 1
            left = left - self.early
            if left < self.warm:
                return stage, True, (stage - 1) * self.early
            left -= self.warm
        return stage, False, (stage - 1) * self.early + left

    def kind(self, number: int) -> str:
        """The kind of a step."""
        stage, warm, _ = self.at(number)
        return _stage_name(stage, warm)


def _stage_name(stage: int, warm: bool) -> str:
    return f"stage {stage}" + (", new" if warm else "")


def stage_kinds(network: Network) -> dict[str, Kind]:
    """Steps on each truncated network, and on what is new in it."""
    kinds: dict[str, Kind] = {}
    known: set[str] = set()
    for stage in range(1, network.stages + 1):
        part = Part(stages=stage) if stage < network.stages else WHOLE
        members = network.members(part)
        kinds[_stage_name(stage, False)] = Kind(part, members)
        if stage > 1:
            new = tuple(path for path in members if path not in known)
            kinds[_stage_name(stage, True)] = Kind(part, new)
        known.update(members)
    return kinds


def growth_within(network: Network, budget: float, most: float) -> Growth:
    """The longest growth that sends at most the budget, in steps on the whole network, and has at
    most so many steps.
    """
    counts = {path: leaf.size for path, leaf in network.everything(0).items()}
    sizes = {
        name: sum(counts[path] for path in kind.trained)
        for name, kind in stage_kinds(network).items()
    }
    early = range(1, network.stages)
    early_size = sum(sizes[_stage_name(stage, False)] for stage in early)
    new_size = sum(sizes[_stage_name(stage + 1, True)] for stage in early)
    whole = sizes[_stage_name(network.stages, False)]
    growth = Growth(network.stages, 1)
    while True:
        longer = Growth(network.stages, growth.total + 1)
        sent = (longer.early * early_size + longer.warm * new_size) / whole
        sent += longer.total - longer.early * len(early)
        if sent > budget or longer.total + longer.warm * len(early) > most:
            return growth
        growth = longer


class ProgressiveScheduler(RoundScheduler):
    """Progressive training of truncated networks with heads of their own, on all images, one step a
    round, at a constant rate.

    Several workers that share each batch would send and receive what one does here, and take the
    same steps.
    """

    def __init__(self, network: Network, growth: Growth) -> None:
        self.data = network.data
        self.growth = growth
        self.kinds = stage_kinds(network)

    def assign(self, run: Run, number: int) -> list[Share]:
        indices = batch_indices(self.data, run.seed, number, run.batch)
        return [Share(self.growth.kind(number), 0, [indices])]

    def evaluated(self, number: int) -> Part:
        return self.kinds[self.growth.kind(max(number - 1, 0))].part


@dataclass(frozen=True)
class Clients:
    """The clients of federated training, of whom some train for an epoch in each round.

    Parameters
    ----------
    data : ImageData
    count, active : int
    batch : int
        Images in a local step.
    by_class : bool
        Images are sorted by class and cut into two pieces for each client, instead of split evenly.
    """

    data: ImageData
    count: int
    active: int
    batch: int
    by_class: bool = False

    def shares(self, run: Run, number: int, kind: str) -> list[Share]:
        """A random choice of clients, with one epoch of each."""
        rng = generator(run.seed, _ASSIGN, number)
        clients = rng.choice(self.count, self.active, replace=False)
        images = _split(self, run.seed)
        return [
            Share(kind, int(client), self._epoch(rng.permutation(images[client])))
            for client in clients
        ]

    def _epoch(self, order: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        whole = max(len(order) // self.batch, 1)
        return list(order[: whole * self.batch].reshape(whole, -1))

    def rounds(self, epochs: float) -> float:
        """Rounds that use as many batches as so many epochs have; images that fill no batch are
        left out.
        """
        images = len(self.data.train[0])
        per_client = max(images // self.count // self.batch, 1)
        return epochs * (images // self.batch) / (per_client * self.active)


@lru_cache(maxsize=2)
def _split(clients: Clients, seed: int) -> list[NDArray[np.intp]]:
    rng = generator(seed, _SPLIT)
    classes = clients.data.train[1]
    order = rng.permutation(len(classes))
    if not clients.by_class:
        return np.array_split(order, clients.count)
    pieces = np.array_split(order[np.argsort(classes[order], kind="stable")], 2 * clients.count)
    pairs = rng.permutation(2 * clients.count).reshape(clients.count, 2)
    return [np.concatenate([pieces[first], pieces[second]]) for first, second in pairs]


class FederatedScheduler(RoundScheduler):
    """Clients that train for an epoch: SGD with momentum, and a rate that falls as a cosine over
    the rounds.

    RPT by clients draws active blocks once a round, which alone are sent; all of them always is
    FedAvg.
    """

    momentum = _MOMENTUM

    def __init__(self, labels: Labels, clients: Clients, schedule: Randomized, total: int) -> None:
        self.clients = clients
        self.workers = clients.count
        self.total = total
        self._schedule = schedule
        self.kinds = block_kinds(labels, schedule)

    def assign(self, run: Run, number: int) -> list[Share]:
        threshold = generator(run.seed, _ASSIGN, number, 1).random()
        depth = int((self._schedule.probabilities > threshold).sum())
        return self.clients.shares(run, number, block_kind(self._schedule, depth))

    def batch(self, run: Run) -> int:
        return self.clients.batch

    def factor(self, number: int) -> float:
        return (1 + math.cos(math.pi * min(number / self.total, 1.0))) / 2


class ProgFedScheduler(FederatedScheduler, ProgressiveScheduler):
    """ProgFed: progressive training by clients; the rate stands still in a warm-up."""

    def __init__(self, network: Network, clients: Clients, growth: Growth) -> None:
        ProgressiveScheduler.__init__(self, network, growth)
        self.clients = clients
        self.workers = clients.count
        self.total = growth.total

    def assign(self, run: Run, number: int) -> list[Share]:
        return self.clients.shares(run, number, self.growth.kind(number))

    def factor(self, number: int) -> float:
        return super().factor(self.growth.at(number)[2])


class SubnetScheduler(RoundScheduler):
    """IST: every round each hidden layer's neurons are split among the workers, who train the
    networks between their neurons, with several steps between two averages.

    In a residual network the hidden layers are those between the two convolutions of a pair, and
    neurons that are normalized together stay together; all else belongs to everybody and is
    averaged.
    """

    def __init__(self, network: Network, workers: int, steps: int, batch: int) -> None:
        self.network = network
        self.workers = workers
        self._steps = steps
        self._batch = batch
        self.kinds = self._kinds()

    def _kinds(self) -> dict[str, Kind]:
        for layer, (groups, _) in self.network.hidden.items():
            if groups % self.workers:
                raise InvalidInput(
                    "must divide the groups of every hidden layer for IST",
                    f"{self.workers} workers, {groups} groups in {layer}",
                    f"{groups}, or another width",
                    argument="nodes",
                )
        part = Part(shrink=self.workers)
        return {"subnet": Kind(part, self.network.members(part))}

    def batch(self, run: Run) -> int:
        return self._batch

    def _batches(self, run: Run, number: int, worker: int) -> list[NDArray[np.intp]]:
        """The images of a worker in a round; the workers share the order of the images."""
        first = (number * self.workers + worker) * self._steps
        return [
            batch_indices(self.network.data, run.seed, first + step, self._batch)
            for step in range(self._steps)
        ]

    def assign(self, run: Run, number: int) -> list[Share]:
        rng = generator(run.seed, _ASSIGN, number)
        neurons: list[dict[str, NDArray[np.intp]]] = [{} for _ in range(self.workers)]
        for layer, (groups, size) in self.network.hidden.items():
            parts = rng.permutation(groups).reshape(self.workers, -1)
            for worker, part in enumerate(parts):
                neurons[worker][layer] = (np.sort(part)[:, None] * size + np.arange(size)).ravel()
        return [
            Share("subnet", worker, self._batches(run, number, worker), neurons[worker])
            for worker in range(self.workers)
        ]


class ResidualScheduler(SubnetScheduler):
    """ResIST: every round residual blocks are given to workers, in whose networks the others are
    the identity. Every worker has at least half of them; several may have the same one.
    """

    momentum = _MOMENTUM
    weight_decay = _WEIGHT_DECAY

    def _kinds(self) -> dict[str, Kind]:
        blocks = self.network.optional
        if not blocks:
            raise InvalidInput(
                "must have residual blocks to give away for ResIST",
                "one pair of convolutions in each stage",
                "resnet20",
                argument="model",
            )
        self._each = max(len(blocks) // 2, math.ceil(len(blocks) / self.workers))
        kinds = {}
        for present in combinations(range(len(blocks)), self._each):
            part = Part(absent=tuple(name for k, name in enumerate(blocks) if k not in present))
            kinds[_listed(present)] = Kind(part, self.network.members(part))
        return kinds

    def assign(self, run: Run, number: int) -> list[Share]:
        rng = generator(run.seed, _ASSIGN, number)
        waiting: list[int] = []
        shares = []
        for worker in range(self.workers):
            mine: list[int] = []
            while len(mine) < self._each:
                if set(waiting) <= set(mine):
                    waiting += rng.permutation(len(self.network.optional)).tolist()
                mine.append(next(block for block in waiting if block not in mine))
                waiting.remove(mine[-1])
            shares.append(Share(_listed(sorted(mine)), worker, self._batches(run, number, worker)))
        return shares

    def evaluated(self, number: int) -> Part:
        """All blocks, each scaled by the share of a worker's blocks in all."""
        return Part(scale=self._each / len(self.network.optional))


def _listed(blocks: Sequence[int]) -> str:
    return "blocks " + " ".join(map(str, blocks))


def progressive_lengths(
    sizes: Sequence[int], budget: float, most: float = math.inf
) -> tuple[int, ...]:
    """ProgFed's lengths for the fewest steps whose cost reaches the budget, or for as many as there
    may be.

    Examples
    --------
    >>> progressive_lengths([10, 30], 10)
    (3, 10)
    """
    shares = np.cumsum(sizes) / sum(sizes)
    total = math.ceil(min(budget, most))
    while True:
        lengths = tuple(PT.progfed(total, len(sizes)).lengths)
        if np.dot(lengths, shares) >= budget or total >= most:
            return lengths
        total += 1


def scheduler_of(
    settings: Settings, method: str, network: Network, probabilities: Sequence[float] | None = None
) -> RoundScheduler:
    """The rounds of a method; `probabilities` are for rpt-curvature."""
    batch = settings.batch // settings.nodes
    if method in ("ist", "resist"):
        local = SubnetScheduler if method == "ist" else ResidualScheduler
        return local(network, settings.nodes, settings.local_steps, batch)
    steps = math.ceil(settings.epochs * network.steps_per_epoch(settings.batch))
    if method == "pt":
        return ProgressiveScheduler(network, growth_within(network, settings.cost_budget, steps))
    by_class = settings.split == "class"
    clients = Clients(network.data, settings.clients, settings.nodes, batch, by_class)
    rounds = clients.rounds(settings.epochs)
    if method == "progfed":
        growth = growth_within(network, settings.cost_budget, rounds)
        return ProgFedScheduler(network, clients, growth)
    labels = network.labels()
    if method == "pt-partial":
        lengths = progressive_lengths(labels.sizes, settings.cost_budget, steps)
        return BlockScheduler(network.data, labels, Progressive(lengths))
    p = np.ones(labels.count)
    if probabilities is not None:
        p = np.array(probabilities)
    elif method.startswith("rpt"):
        order = labels.output_first if method == "rpt-output" else labels.input_first
        p = exponential(labels.count, settings.decay, order=order)
    if method in ("fedavg", "rpt-federated"):
        share = float(p @ np.array(labels.sizes)) / sum(labels.sizes)
        total = math.ceil(min(settings.cost_budget / share, rounds))
        return FederatedScheduler(labels, clients, Randomized(p), total)
    if method == "sgd-momentum":
        return BlockScheduler(network.data, labels, Randomized(p), _MOMENTUM, _WEIGHT_DECAY)
    return BlockScheduler(network.data, labels, Randomized(p))
