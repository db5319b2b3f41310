"""The methods of the network experiment, as the rounds they consist of.

SGD, RPT and partial PT update active blocks of the whole network. H.-P. Wang, S. U. Stich, Y. He
and M. Fritz, ProgFed: Effective, Communication, and Computation Efficient Federated Learning by
Progressive Training (ICML 2022). B. Yuan et al., Distributed Learning of Fully Connected Neural
Networks using Independent Subnet Training (VLDB 2022). C. Dun, C. R. Wolfe, C. M. Jermaine and A.
Kyrillidis, ResIST: Layer-Wise Decomposition of ResNets for Distributed Training (UAI 2022).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, count

import jax
import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...methods import PT
from ...networks.blocks import Labels
from ...networks.training import (
    OrderLike,
    Progressive,
    Randomized,
    Schedule,
    exponential,
    make_draws,
)
from .data import ImageData, batch_indices, generator
from .model import WHOLE, Network, Part
from .rounds import Kind, Method, Share
from .settings import Settings

# (seed, round) -> the shares of the round, or the kind of its steps.
Assign = Callable[[int, int], list[Share]]
KindAt = Callable[[int, int], str]

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


def make_method(
    settings: Settings, name: str, network: Network, probabilities: Sequence[float] | None = None
) -> Method:
    """Return the rounds of a method; `probabilities` are for rpt-curvature."""
    if name in ("ist", "resist"):
        return _ist(settings, network) if name == "ist" else _resist(settings, network)
    federated = name in ("fedavg", "progfed", "rpt-federated")
    if federated:
        rounds = client_rounds(settings, len(network.data.train[0]))
    else:
        rounds = math.ceil(settings.epochs * network.steps_per_epoch(settings.batch))
    if name in ("pt", "progfed"):
        lengths = growth_within(network, settings.cost_budget, rounds)
        return growing(settings, network, lengths, federated)
    labels = network.labels()
    if name == "pt-partial":
        schedule = Progressive(progressive_lengths(labels.sizes, settings.cost_budget, rounds))
        return synchronous(settings, network.data, labels, schedule)
    p = np.ones(labels.count)
    if probabilities is not None:
        p = np.array(probabilities)
    elif name.startswith("rpt"):
        order: OrderLike = "output-first" if name == "rpt-output" else "input-first"
        p = exponential(labels.count, settings.decay, order=order)
    if federated:
        share = float(p @ np.array(labels.sizes)) / sum(labels.sizes)
        total = math.ceil(min(settings.cost_budget / share, rounds))
        return averaged(settings, network.data, labels, Randomized(p), total)
    optimizer = (_MOMENTUM, _WEIGHT_DECAY) if name == "sgd-momentum" else (0.0, 0.0)
    return synchronous(settings, network.data, labels, Randomized(p), *optimizer)


def synchronous(
    settings: Settings,
    data: ImageData,
    labels: Labels,
    schedule: Schedule,
    momentum: float = 0.0,
    weight_decay: float = 0.0,
) -> Method:
    """SGD, RPT or PT on active blocks of the whole network, by workers that share each batch.

    The active sets are those of `make_rpt_steps` with the seed as its key.
    """

    @lru_cache(maxsize=2)
    def depths(seed: int, chunk: int) -> list[int]:
        """Number of active blocks in each round of a chunk; earlier ones are drawn again."""
        draws = make_draws(labels, schedule, seed)
        _, states = jax.lax.scan(
            lambda state, _: (draws.advance(state),) * 2,
            draws.start(),
            None,
            _CHUNK * (chunk + 1),
        )
        sums: list[int] = np.asarray(states.active).sum(axis=1)[-_CHUNK:].tolist()
        return sums

    def kind_at(seed: int, number: int) -> str:
        return _block_kind(schedule, depths(seed, number // _CHUNK)[number % _CHUNK])

    return Method(
        _block_kinds(labels, schedule),
        _one_worker(settings, data, kind_at),
        settings.batch,
        momentum=momentum,
        weight_decay=weight_decay,
        synchronous=True,
    )


def averaged(
    settings: Settings, data: ImageData, labels: Labels, schedule: Randomized, total: int
) -> Method:
    """RPT by clients: active blocks, which alone are sent, are drawn once a round. FedAvg is the
    case in which all blocks always are active.
    """

    def kind_at(seed: int, number: int) -> str:
        threshold = generator(seed, _ASSIGN, number, 1).random()
        return _block_kind(schedule, int((schedule.probabilities > threshold).sum()))

    return Method(
        _block_kinds(labels, schedule),
        by_clients(settings, data, kind_at),
        settings.batch // settings.nodes,
        settings.clients,
        _MOMENTUM,
        rate_factor=lambda number: _cosine(number / total),
    )


def growing(
    settings: Settings, network: Network, lengths: dict[str, int], federated: bool
) -> Method:
    """Progressive training of truncated networks with heads of their own, through stages of these
    lengths.

    PT takes one step a round, on all images, at a constant rate: several workers that share each
    batch would send and receive what one does here, and take the same steps. ProgFed is the same by
    clients, at a rate that stands still in a warm-up.
    """
    kinds = stage_kinds(network)
    names = np.repeat(list(lengths), list(lengths.values())).tolist()
    counted = [0, *accumulate(not _is_warm_up(name) for name in names)]

    def kind_at(seed: int, number: int) -> str:
        return str(names[min(number, len(names) - 1)])

    def evaluated(number: int) -> Part:
        return kinds[kind_at(0, max(number - 1, 0))].part

    if not federated:
        assign = _one_worker(settings, network.data, kind_at)
        return Method(kinds, assign, settings.batch, evaluated=evaluated)
    return Method(
        kinds,
        by_clients(settings, network.data, kind_at),
        settings.batch // settings.nodes,
        settings.clients,
        _MOMENTUM,
        rate_factor=lambda number: _cosine(counted[min(number, len(names))] / counted[-1]),
        evaluated=evaluated,
    )


def _cosine(progress: float) -> float:
    """Factor of the learning rate of federated training, from 1 down to 0."""
    return (1 + math.cos(math.pi * min(progress, 1.0))) / 2


def _one_worker(settings: Settings, data: ImageData, kind_at: KindAt) -> Assign:
    """One step a round, on the next batch of all images."""

    def assign(seed: int, number: int) -> list[Share]:
        indices = batch_indices(data, seed, number, settings.batch)
        return [Share(kind_at(seed, number), 0, [indices])]

    return assign


def by_clients(settings: Settings, data: ImageData, kind_at: KindAt) -> Assign:
    """Some clients, chosen at random in each round, train for an epoch on images of their own.

    Images are split evenly, or sorted by class and cut into two pieces for each client.
    """
    batch = settings.batch // settings.nodes

    @lru_cache(maxsize=2)
    def split(seed: int) -> list[NDArray[np.intp]]:
        rng = generator(seed, _SPLIT)
        classes = data.train[1]
        order = rng.permutation(len(classes))
        if settings.split == "even":
            return np.array_split(order, settings.clients)
        by_class = order[np.argsort(classes[order], kind="stable")]
        pieces = np.array_split(by_class, 2 * settings.clients)
        pairs = rng.permutation(2 * settings.clients).reshape(-1, 2)
        return [np.concatenate([pieces[first], pieces[second]]) for first, second in pairs]

    def assign(seed: int, number: int) -> list[Share]:
        rng = generator(seed, _ASSIGN, number)
        shares = []
        for client in rng.choice(settings.clients, settings.nodes, replace=False).tolist():
            order = rng.permutation(split(seed)[client])
            whole = max(len(order) // batch, 1)
            batches = list(order[: whole * batch].reshape(whole, -1))
            shares.append(Share(kind_at(seed, number), client, batches))
        return shares

    return assign


def client_rounds(settings: Settings, images: int) -> float:
    """Return the rounds of clients that use as many batches as the epochs have; images that fill no
    batch are left out.
    """
    batch = settings.batch // settings.nodes
    per_client = max(images // settings.clients // batch, 1)
    return settings.epochs * (images // batch) / (per_client * settings.nodes)


def _block_kinds(labels: Labels, schedule: Schedule) -> dict[str, Kind]:
    """The steps that a schedule can ask for, by name."""
    kinds = {}
    for mask in schedule.outcomes():
        trained = {
            path: float(schedule.factors[block])
            for path, block in zip(labels.paths, labels.leaf_blocks, strict=True)
            if mask[block]
        }
        kinds[_block_kind(schedule, int(mask.sum()))] = Kind(WHOLE, trained)
    return kinds


def _block_kind(schedule: Schedule, depth: int) -> str:
    """The name of a step on so many blocks."""
    first = "input-first" if schedule.order.rank_to_block[0] == 0 else "output-first"
    return "whole" if depth == schedule.factors.size else f"{first} {depth}"


def _unscaled(part: Part, paths: Iterable[str]) -> Kind:
    return Kind(part, dict.fromkeys(paths, 1.0))


def stage_kinds(network: Network) -> dict[str, Kind]:
    """Steps on each truncated network, and, for warm-ups, on what is new in it."""
    kinds: dict[str, Kind] = {}
    earlier: set[str] = set()
    for stage in range(1, network.stages + 1):
        part = Part(stages=stage) if stage < network.stages else WHOLE
        members = network.members(part)
        kinds[_stage_name(stage)] = _unscaled(part, members)
        if stage > 1:
            new = (path for path in members if path not in earlier)
            kinds[_stage_name(stage, warm_up=True)] = _unscaled(part, new)
        earlier.update(members)
    return kinds


def _stage_name(stage: int, *, warm_up: bool = False) -> str:
    return f"stage {stage}" + (", new" if warm_up else "")


def _is_warm_up(name: str) -> bool:
    return name.endswith(", new")


def stage_lengths(stages: int, total: int) -> dict[str, int]:
    """Return ProgFed's stages by name: early ones last T/(2S), the last one the rest; after each
    growth comes a warm-up, not counted in T.

    Examples
    --------
    >>> stage_lengths(2, 8)
    {'stage 1': 2, 'stage 2, new': 1, 'stage 2': 6}
    """
    lengths: dict[str, int] = {}
    early, *_ = counts = PT.progfed(total, stages).lengths
    for stage, length in enumerate(counts, start=1):
        if stage > 1:
            lengths[_stage_name(stage, warm_up=True)] = math.ceil(early / _WARM_UP)
        lengths[_stage_name(stage)] = length
    return lengths


def growth_within(network: Network, budget: float, most: float) -> dict[str, int]:
    """Return the longest stages that send at most the budget, in steps on the whole network, and
    have at most so many rounds.
    """
    sizes = {path: leaf.size for path, leaf in network.everything(0).items()}
    sent = {
        name: sum(sizes[path] for path in kind.trained)
        for name, kind in stage_kinds(network).items()
    }
    largest = budget * sent[_stage_name(network.stages)]

    def fits(lengths: dict[str, int]) -> bool:
        total = sum(length * sent[name] for name, length in lengths.items())
        return total <= largest and sum(lengths.values()) <= most

    totals = (T for T in count(1) if not fits(stage_lengths(network.stages, T + 1)))
    return stage_lengths(network.stages, next(totals))


def progressive_lengths(
    sizes: Sequence[int], budget: float, most: float = math.inf
) -> tuple[int, ...]:
    """Return ProgFed's lengths for the fewest steps whose cost reaches the budget, but for at most
    so many steps.

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


def _local_batches(
    settings: Settings, data: ImageData, seed: int, number: int, worker: int
) -> list[NDArray[np.intp]]:
    """The images of a worker between two averages; the workers share the order of the images."""
    first = (number * settings.nodes + worker) * settings.local_steps
    size = settings.batch // settings.nodes
    return [
        batch_indices(data, seed, step, size) for step in range(first, first + settings.local_steps)
    ]


def _ist(settings: Settings, network: Network) -> Method:
    """IST: every round each hidden layer's neurons are split among the workers, who train the
    networks between their neurons, with several steps between two averages.

    In a residual network the hidden layers are those between the two convolutions of a pair, and
    neurons that are normalized together stay together; everything else belongs to all workers and
    is averaged.
    """
    workers = settings.nodes
    for layer, groups in network.hidden.items():
        if len(groups) % workers:
            raise InvalidInput(
                "must divide the groups of every hidden layer for IST",
                f"{workers} workers, {len(groups)} groups in {layer}",
                f"{len(groups)}, or another width",
                argument="nodes",
            )
    part = Part(shrink=workers)

    def assign(seed: int, number: int) -> list[Share]:
        rng = generator(seed, _ASSIGN, number)
        neurons = {}
        for layer, groups in network.hidden.items():
            rows = np.sort(rng.permutation(len(groups)).reshape(workers, -1))
            neurons[layer] = groups[rows].reshape(workers, -1)
        return [
            Share(
                "subnet",
                worker,
                _local_batches(settings, network.data, seed, number, worker),
                {layer: members[worker] for layer, members in neurons.items()},
            )
            for worker in range(workers)
        ]

    kinds = {"subnet": _unscaled(part, network.members(part))}
    return Method(kinds, assign, settings.batch // workers, workers)


def _resist(settings: Settings, network: Network) -> Method:
    """ResIST: every round residual blocks are given to workers, in whose networks the others are
    the identity. Every worker has at least half of them; several may have the same one.
    """
    workers = settings.nodes
    blocks = network.optional
    if not blocks:
        raise InvalidInput(
            "must have residual blocks to give away for ResIST",
            "one pair of convolutions in each stage",
            "resnet20",
            argument="model",
        )
    each = max(len(blocks) // 2, math.ceil(len(blocks) / workers))

    def assign(seed: int, number: int) -> list[Share]:
        rng = generator(seed, _ASSIGN, number)
        waiting: list[int] = []
        shares = []
        for worker in range(workers):
            present: list[int] = []
            while len(present) < each:
                if set(waiting) <= set(present):
                    waiting += rng.permutation(len(blocks)).tolist()
                present.append(next(block for block in waiting if block not in present))
                waiting.remove(present[-1])
            batches = _local_batches(settings, network.data, seed, number, worker)
            shares.append(Share(_blocks_name(sorted(present)), worker, batches))
        return shares

    kinds = {}
    for present in combinations(range(len(blocks)), each):
        part = Part(absent=tuple(name for k, name in enumerate(blocks) if k not in present))
        kinds[_blocks_name(present)] = _unscaled(part, network.members(part))
    # All blocks are evaluated, each scaled by the share of a worker's blocks in all.
    scaled = Part(scale=each / len(blocks))
    return Method(
        kinds,
        assign,
        settings.batch // workers,
        workers,
        _MOMENTUM,
        _WEIGHT_DECAY,
        evaluated=lambda number: scaled,
    )


def _blocks_name(blocks: Sequence[int]) -> str:
    return "blocks " + " ".join(map(str, blocks))
