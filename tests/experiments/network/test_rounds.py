"""Rounds of PT, ProgFed, federated RPT, IST and ResIST beside the same rounds in numpy, with
gradients by hand.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

import jax.numpy as jnp
import numpy as np
import optax

from rpttheory.experiments.network.data import ImageData
from rpttheory.experiments.network.experiment import kind_costs
from rpttheory.experiments.network.methods import (
    BlockScheduler,
    Clients,
    FederatedScheduler,
    Growth,
    ProgFedScheduler,
    ProgressiveScheduler,
    ResidualScheduler,
    SubnetScheduler,
    growth_within,
)
from rpttheory.experiments.network.model import WHOLE, Part
from rpttheory.experiments.network.rounds import Run, State, Trainer
from rpttheory.networks import label_blocks, make_rpt_steps
from rpttheory.networks.training import Randomized
from rpttheory.runs.store import Checkpoint
from tests.refusals import refuses

pytestmark = pytest.mark.networks

RUN = Run(seed=3, learning_rate=0.2, budget=20.0, batch=4, records=4)


def images(count: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((count, 1, 1, 3)).astype(np.float32), np.arange(
        count, dtype=np.int32
    ) % 3


DATA = ImageData("noise", images(24, 0), images(5, 1), images(7, 2), False)


@dataclass
class Residual:
    """x = stem' i, then x + scale v' tanh(u' x) for each of three blocks, then a head: stages of
    one block each.
    """

    data: ImageData = DATA
    stages: int = 3
    optional: tuple[str, ...] = ("1", "2", "3")
    hidden: ClassVar[dict[str, Any]] = {"1": (2, 1), "2": (2, 1), "3": (2, 1)}
    cuts: ClassVar[dict[str, Any]] = {
        f"{at}{name}": ((axis, at),) for at in "123" for name, axis in (("u", 1), ("v", 0))
    }

    def everything(self, seed: int) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        shapes = {"stem": (3, 2), **{at + name: (2, 2) for at in "123" for name in "uv"}}
        shapes |= {"head1": (2, 3), "head2": (2, 3), "head3": (2, 3)}
        return {
            path: rng.standard_normal(shape).astype(np.float32) for path, shape in shapes.items()
        }

    def members(self, part: Part) -> tuple[str, ...]:
        last = part.stages or 3
        own = [at + name for at in "123"[:last] if at not in part.absent for name in "uv"]
        return ("stem", *own, f"head{last}")

    def logits(self, params: Any, given: Any, part: Part) -> Any:
        last = part.stages or 3
        x = given.reshape(-1, 3) @ params["stem"]
        for at in "123"[:last]:
            if at not in part.absent:
                x = x + part.scale * jnp.tanh(x @ params[at + "u"]) @ params[at + "v"]
        return x @ params[f"head{last}"]


def gradient(params: dict[str, Any], chosen: Any, blocks: str, head: str) -> dict[str, Any]:
    """By hand, in double precision."""
    given = DATA.train[0][chosen].reshape(-1, 3).astype(float)
    classes = DATA.train[1][chosen]
    inputs = [given @ params["stem"]]
    active = []
    for at in blocks:
        active.append(np.tanh(inputs[-1] @ params[at + "u"]))
        inputs.append(inputs[-1] + active[-1] @ params[at + "v"])
    logits = inputs[-1] @ params[head]
    push = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    push[np.arange(len(classes)), classes] -= 1
    push /= len(classes)
    found = {head: inputs[-1].T @ push}
    push = push @ params[head].T
    for at, before, own in reversed(list(zip(blocks, inputs, active, strict=False))):
        found[at + "v"] = own.T @ push
        inner = push @ params[at + "v"].T * (1 - own**2)
        found[at + "u"] = before.T @ inner
        push = push + inner @ params[at + "u"].T
    return found | {"stem": given.T @ push}


def local(
    params: dict[str, Any],
    batches: Any,
    blocks: str,
    head: str,
    trained: Any,
    rate: float,
    *,
    speed: float = 0.0,
    decay: float = 0.0,
    factors: Any = None,
) -> dict[str, Any]:
    """Local steps of SGD, by hand."""
    own = {path: leaf.astype(float) for path, leaf in params.items()}
    velocity = dict.fromkeys(trained, 0.0)
    for chosen in batches:
        push = gradient(own, chosen, blocks, head)
        for path in trained:
            velocity[path] = (
                speed * velocity[path]
                + (factors or {}).get(path, 1) * push[path]
                + decay * own[path]
            )
        own |= {path: own[path] - rate * velocity[path] for path in trained}
    return own


def agree(found: Any, expected: dict[str, Any]) -> None:
    for path, leaf in expected.items():
        assert np.asarray(found[path]) == pytest.approx(leaf, abs=2e-5), path


def after(trainer: Trainer, rounds: int) -> tuple[Any, Any, list[Any], Any]:
    """Parameters before and after the last of some rounds, the shares of that round, and its
    costs.
    """
    state = trainer.start(RUN)
    for _ in range(rounds):
        before = state
        state = trainer.advance(RUN, state)
    shares = trainer.scheduler.assign(RUN, rounds - 1)
    return params_of(before), params_of(state), shares, spent_between(before, state)


def params_of(state: State) -> Any:
    return {path: leaf for path, leaf in state.arrays.items() if path not in ("changed", "copies")}


def spent_between(before: State, state: State) -> Any:
    kinds = {
        name: count - before.kinds.get(name, 0)
        for name, count in state.kinds.items()
        if count != before.kinds.get(name, 0)
    }
    floats = state.floats - before.floats
    return SimpleNamespace(kinds=kinds, floats=floats, batches=state.batches - before.batches)


GROWTH = Growth(3, 24)  # stages of 4 steps and warm-ups of one
STAGE = [
    *[("1", "head1", None)] * 4,
    ("12", "head2", ("2u", "2v", "head2")),
    *[("12", "head2", None)] * 4,
]
STAGE += [("123", "head3", ("3u", "3v", "head3")), *[("123", "head3", None)] * 20]


@cache
def method(name: str) -> Trainer:
    """Compiled once for all tests."""
    network = Residual()
    if name == "pt":
        return Trainer(network, ProgressiveScheduler(network, GROWTH))
    if name == "progfed":
        return Trainer(network, ProgFedScheduler(network, Clients(DATA, 4, 2, 3), GROWTH))
    if name == "ist":
        return Trainer(MLP, SubnetScheduler(MLP, 2, steps=3, batch=4))
    return Trainer(network, ResidualScheduler(network, 2, steps=2, batch=3))


@pytest.mark.parametrize("number", [0, 3, 4, 5, 9, 20])
def test_progressive_training_trains_what_is_new_and_then_the_truncated_network(
    number: int,
) -> None:
    before, found, (share,), spent = after(method("pt"), number + 1)
    blocks, head, fresh = STAGE[number]
    own = ("stem", *(at + name for at in blocks for name in "uv"), head)
    agree(found, before | local(before, share.batches, blocks, head, fresh or own, 0.2))
    # Sent is what is trained; received what the step before has trained, of what this one has, and
    # what it never had.
    known = STAGE[number - 1] if number else ("", "", ())
    earlier = known[2] or ("stem", *(at + name for at in known[0] for name in "uv"), known[1])
    received = [
        path for path in own if path in earlier or (number in (0, 4, 9) and path in (fresh or own))
    ]
    assert spent.floats == sum(before[path].size for path in (*(fresh or own), *received))
    assert sum(spent.kinds.values()) == 1 and spent.batches == 1


def test_the_rate_of_progfed_stands_still_while_a_stage_warms_up() -> None:
    scheduler = method("progfed").scheduler
    rates = [scheduler.factor(number) for number in range(12)]
    counted = [0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9]
    assert rates == pytest.approx([(1 + np.cos(np.pi * count / 24)) / 2 for count in counted])
    before, found, shares, spent = after(method("progfed"), 5)
    assert len({share.worker for share in shares}) == 2 and {
        len(share.batches) for share in shares
    } == {2}
    fresh = STAGE[4][2]
    trained = [
        local(before, s.batches, "12", "head2", fresh, 0.2 * rates[4], speed=0.9) for s in shares
    ]
    agree(found, before | {path: (trained[0][path] + trained[1][path]) / 2 for path in fresh})
    assert spent.kinds == {"stage 2, new": 2} and spent.batches == 4


@pytest.mark.parametrize("by_class", [False, True])
def test_clients_hold_all_images_and_train_on_their_own(by_class: bool) -> None:
    clients = Clients(DATA, 4, 4, 2, by_class)
    first, second = (
        {
            share.worker: np.concatenate(share.batches)
            for share in clients.shares(RUN, number, "any")
        }
        for number in (0, 1)
    )
    assert sorted(np.concatenate(list(first.values()))) == list(range(24))
    for client, own in first.items():
        assert sorted(own) == sorted(second[client]) and list(own) != list(second[client])
    kinds = [len(set(DATA.train[1][own].tolist())) for own in first.values()]
    assert max(kinds) <= 2 or not by_class


def test_federated_rpt_sends_the_active_blocks_alone() -> None:
    network = Residual(stages=1)
    everything = network.everything(0)
    start = {path: everything[path] for path in network.members(WHOLE)}
    labels = block_labels(network)
    scheduler = FederatedScheduler(labels, Clients(DATA, 3, 2, 4), Randomized(PROBABILITIES), 10)
    depths = []
    had = {}
    trainer = Trainer(network, scheduler)
    state = trainer.start(RUN)
    changed = dict.fromkeys(start, 0)
    for number in range(6):
        earlier = state
        before = params_of(state)
        shares = scheduler.assign(RUN, number)
        state = trainer.advance(RUN, state)
        spent = spent_between(earlier, state)
        kind = shares[0].kind
        depth = 5 if kind == "whole" else int(kind.split()[-1])
        active = [path for path in start if "s123h".index(path[0]) < depth]
        factors = {path: 1 / [1, 0.8, 0.6, 0.5, 0.4]["s123h".index(path[0])] for path in active}
        rate = 0.2 * (1 + np.cos(np.pi * number / 10)) / 2
        own = [
            local(before, s.batches, "123", "head3", active, rate, speed=0.9, factors=factors)
            for s in shares
        ]
        agree(state.arrays, before | {path: (own[0][path] + own[1][path]) / 2 for path in active})
        floats = 2 * sum(start[path].size for path in active)
        for share in shares:
            floats += sum(
                start[path].size
                for path in start
                if changed[path] > had.get((share.worker, path), -1)
            )
            had |= {(share.worker, path): changed[path] for path in start}
        changed |= dict.fromkeys(active, number + 1)
        assert spent.floats == floats / 2
        depths.append(depth)
    assert len(set(depths)) > 2


MLP = SimpleNamespace(
    data=DATA,
    stages=1,
    optional=(),
    hidden={"one": (4, 1), "two": (2, 2)},
    cuts={
        "first": ((1, "one"),),
        "bias": ((0, "one"),),
        "middle": ((0, "one"), (1, "two")),
        "last": ((0, "two"),),
    },
    everything=lambda seed: {
        path: np.random.default_rng((seed, at)).standard_normal(shape).astype(np.float32)
        for at, (path, shape) in enumerate(
            {"first": (3, 4), "bias": (4,), "middle": (4, 4), "last": (4, 3), "end": (3,)}.items()
        )
    },
    members=lambda part: ("first", "bias", "middle", "last", "end"),
    logits=lambda params, given, part: (
        jnp.tanh(
            jnp.tanh(given.reshape(-1, 3) @ params["first"] + params["bias"]) @ params["middle"]
        )
        @ params["last"]
        + params["end"]
    ),
)


def mlp_step(params: dict[str, Any], chosen: Any, rate: float) -> dict[str, Any]:
    given = DATA.train[0][chosen].reshape(-1, 3).astype(float)
    classes = DATA.train[1][chosen]
    one = np.tanh(given @ params["first"] + params["bias"])
    two = np.tanh(one @ params["middle"])
    logits = two @ params["last"] + params["end"]
    push = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    push[np.arange(len(classes)), classes] -= 1
    push /= len(classes)
    inner = push @ params["last"].T * (1 - two**2)
    deep = inner @ params["middle"].T * (1 - one**2)
    found = {
        "first": given.T @ deep,
        "bias": deep.sum(axis=0),
        "middle": one.T @ inner,
        "last": two.T @ push,
    }
    found["end"] = push.sum(axis=0)
    return {path: leaf - rate * found[path] for path, leaf in params.items()}


def test_independent_subnets_are_trained_apart_and_copied_back() -> None:
    before, found, shares, spent = after(method("ist"), 2)
    expected = {path: leaf.astype(float) for path, leaf in before.items()}
    ends = []
    for share in shares:
        one = share.neurons["one"]
        two = share.neurons["two"]
        own = {
            "first": before["first"][:, one],
            "bias": before["bias"][one],
            "last": before["last"][two],
        }
        own |= {"middle": before["middle"][np.ix_(one, two)], "end": before["end"]}
        for chosen in share.batches:
            own = mlp_step(own, chosen, 0.2)
        expected["first"][:, one] = own["first"]
        expected["bias"][one] = own["bias"]
        expected["last"][two] = own["last"]
        expected["middle"][np.ix_(one, two)] = own["middle"]
        ends.append(own["end"])
    agree(found, expected | {"end": (ends[0] + ends[1]) / 2})
    # Neurons of one layer are dealt in pairs of the second; what joins different workers' neurons
    # stands still.
    assert sorted(np.concatenate([share.neurons["one"] for share in shares])) == [0, 1, 2, 3]
    assert sorted(tuple(share.neurons["two"].tolist()) for share in shares) == [(0, 1), (2, 3)]
    assert (np.asarray(found["middle"]) == before["middle"]).sum() == 8
    assert (
        spent.floats == 2 * (6 + 2 + 4 + 6 + 3)
        and spent.kinds == {"subnet": 3}
        and spent.batches == 6
    )
    used = np.concatenate([np.concatenate(share.batches) for share in shares])
    assert len(set(used.tolist())) == 24


def test_residual_blocks_are_dealt_averaged_and_scaled() -> None:
    scheduler = method("resist").scheduler
    before, found, shares, spent = after(method("resist"), 3)
    total = {path: (np.zeros(leaf.shape), 0) for path, leaf in before.items()}
    for share in shares:
        blocks = "".join("123"[int(at)] for at in share.kind.split()[1:])
        own = ("stem", *(at + name for at in blocks for name in "uv"), "head3")
        moved = local(before, share.batches, blocks, "head3", own, 0.2, speed=0.9, decay=5e-4)
        total |= {path: (total[path][0] + moved[path], total[path][1] + 1) for path in own}
    agree(found, before | {path: leaf / count for path, (leaf, count) in total.items() if count})
    assert {total[at + "u"][1] for at in "123"} == {1, 2} and spent.floats == 2 * (6 + 2 * 8 + 6)
    assert scheduler.evaluated(3) == Part(scale=2 / 3)


@pytest.mark.parametrize(("count", "workers"), [(9, 4), (4, 4), (5, 2), (3, 4), (2, 3), (1, 2)])
def test_every_block_has_a_worker_and_every_worker_half_of_them(count: int, workers: int) -> None:
    network: Any = SimpleNamespace(
        data=DATA, optional=tuple("abcdefghi"[:count]), members=lambda part: part.absent
    )
    scheduler = ResidualScheduler(network, workers, 1, 2)
    rounds = []
    for number in range(5):
        own = [share.kind.split()[1:] for share in scheduler.assign(RUN, number)]
        assert {block for mine in own for block in mine} == set(map(str, range(count)))
        assert all(len(set(mine)) == len(mine) >= count // 2 for mine in own)
        rounds.append(own)
    assert any(own != rounds[0] for own in rounds) or count == len(rounds[0][0])


def test_growth_stays_within_bytes_and_steps() -> None:
    found = growth_within(Residual(), budget=20.0, most=1000)
    trainer = Trainer(Residual(), ProgressiveScheduler(Residual(), found))
    records = trainer.run(RUN)["records"]
    assert (
        records[-1]["cost"] >= 20.0 and abs(records[-1]["step"] - found.total - 2 * found.warm) <= 1
    )
    limited = growth_within(Residual(), budget=20.0, most=12)
    assert (
        limited.total + 2 * limited.warm
        <= 12
        < limited.total + 1 + 2 * Growth(3, limited.total + 1).warm
    )


def test_networks_that_cannot_be_divided_are_refused() -> None:
    with refuses("nodes"):
        SubnetScheduler(MLP, 3, 1, 2)
    with refuses("model"):
        ResidualScheduler(MLP, 3, 1, 2)


def test_kinds_of_steps_are_counted_beside_a_step_on_the_whole_network() -> None:
    network: Any = Residual()
    scheduler = ProgressiveScheduler(network, GROWTH)
    scheduler.kinds |= SubnetScheduler(network, 2, 1, 4).kinds  # type: ignore[operator]
    found = kind_costs(Trainer(network, scheduler), 4, lambda text: None)
    assert set(found) == {"whole", *scheduler.kinds} and found["whole"]["time"] == 1.0
    flops = {name: own["flops"] for name, own in found.items()}
    assert flops["stage 3"] == flops["whole"] > flops["stage 3, new"]
    assert flops["whole"] > flops["subnet"] > 0
    assert flops["whole"] > flops["stage 2"] > flops["stage 1"] > 0
    assert min(own["memory"] for own in found.values()) >= 0


BLOCKS = ["s", "1", "2", "3", "h"]
PROBABILITIES = [1, 0.8, 0.6, 0.5, 0.4]


def block_labels(network: Any) -> Any:
    start = network.everything(0)
    params = {path: start[path] for path in network.members(WHOLE)}
    return label_blocks(params, lambda path: path[0], names=BLOCKS)


@cache
def block_trainer(momentum: float = 0.5) -> Trainer:
    network: Any = Residual(stages=1)
    scheduler = BlockScheduler(
        DATA, block_labels(network), Randomized(PROBABILITIES), momentum, 0.01
    )
    return Trainer(network, scheduler)


def test_rounds_of_one_worker_are_the_steps_of_rpt() -> None:
    """The same sets, factors, momentum and decay as `make_rpt_steps` with the seed as its key."""
    trainer = block_trainer()
    network: Any = trainer.network
    labels = block_labels(network)
    start = network.everything(RUN.seed)
    params = {path: jnp.asarray(start[path]) for path in network.members(WHOLE)}

    def loss(params: Any, batch: Any) -> Any:
        logits = network.logits(params, batch[0], WHOLE)
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch[1]).mean()

    inner = optax.chain(optax.add_decayed_weights(0.01), optax.sgd(0.2, momentum=0.5))
    steps = make_rpt_steps(loss, labels, PROBABILITIES, inner, key=RUN.seed)
    steps_state = steps.init(params)
    state = trainer.start(RUN)
    for number in range(6):
        (share,) = trainer.scheduler.assign(RUN, number)
        before = state
        state = trainer.advance(RUN, state)
        batch = DATA.train[0][share.batches[0]], DATA.train[1][share.batches[0]]
        params, steps_state, _ = steps(params, steps_state, batch)
        for path, leaf in params.items():
            assert state.arrays[path] == pytest.approx(np.asarray(leaf), abs=1e-6)
        sizes = np.dot(np.asarray(steps_state.rpt.active), labels.sizes)
        assert state.floats - before.floats == 2 * sizes
    assert 0 < int(steps_state.rpt.updates.min()) < 6
    epoch = np.concatenate([trainer.scheduler.assign(RUN, k)[0].batches[0] for k in range(6)])
    assert sorted(epoch) == list(range(24))


def test_records_come_at_equal_costs_and_a_run_ends_with_its_budget_or_epochs() -> None:
    trainer = block_trainer()
    records = trainer.run(RUN)["records"]
    assert len(records) == 5 and records[-1]["accuracy"] * 7 == round(records[-1]["accuracy"] * 7)
    for place, record in enumerate(records):
        assert 20 * place / 4 <= record["cost"] < 20 * place / 4 + 1
        assert record["step"] == sum(record["kinds"].values()) == 6 * record["epoch"]
    tuning = replace(RUN, validation=True, epochs=1.0, records=3)
    judged = trainer.run(tuning)["records"]
    assert [record["epoch"] for record in judged] == pytest.approx([0, 1 / 3, 2 / 3, 1.0])
    assert judged[0]["train_loss"] == records[0]["train_loss"]
    assert judged[-1]["accuracy"] * 5 == round(judged[-1]["accuracy"] * 5)
    diverged = trainer.run(replace(RUN, learning_rate=1e30))
    assert diverged["status"] == "diverged" and json.dumps(diverged, allow_nan=False)


def test_the_cosine_ends_with_the_epochs() -> None:
    """8 images for each of 3 clients fill 2 batches of 3: 8 batches an epoch, 4 a round."""
    assert Clients(DATA, 3, 2, 3).rounds(10.0) == 20.0


class Killed(BaseException):
    pass


@pytest.mark.parametrize("name", ["rpt", "progfed", "ist"])
def test_interrupted_rounds_have_the_same_bits(name: str, tmp_path: Path) -> None:
    trainer = block_trainer() if name == "rpt" else method(name)
    expected = trainer.run(RUN, Checkpoint(tmp_path / "whole", {}))
    written = []

    class Fatal(Checkpoint):
        def save(self, progress: Any, arrays: Any) -> None:
            super().save(progress, arrays)
            written.append(progress)
            if len(written) == 3:
                raise Killed

    with pytest.raises(Killed):
        trainer.run(RUN, Fatal(tmp_path / "stopped", {}))
    found = trainer.run(RUN, Checkpoint(tmp_path / "stopped", {}))
    assert found["records"] == expected["records"] and len(found["records"]) == 5
    like = trainer.start(RUN).arrays
    ends = [Checkpoint(tmp_path / name, {}).load(like) for name in ("whole", "stopped")]
    assert ends[0] is not None and ends[1] is not None
    for path, array in ends[0][1].items():
        assert np.array_equal(array, ends[1][1][path])
