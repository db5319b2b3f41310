"""Training: SGD as written by hand, costs counted by hand, and the same bits after an
interruption.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

import jax
import numpy as np
import optax

from rpttheory.errors import InvalidInput
from rpttheory.experiments.network.blocks import BlockTrainer
from rpttheory.experiments.network.data import ImageData
from rpttheory.experiments.network.net import Network
from rpttheory.experiments.network.training import Run
from rpttheory.networks import Progressive, Randomized, exponential
from rpttheory.networks.models import Architecture
from rpttheory.runs.checkpoint import Checkpoint

pytestmark = pytest.mark.networks


def images(count: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((count, 4, 4, 1)).astype(np.float32), rng.integers(
        0, 3, count
    ).astype(np.int32)


def tiny(augmented: bool = False) -> Network:
    data = ImageData("noise", images(20, 0), images(6, 1), images(7, 2), augmented)
    return Network(Architecture("tiny", (1,), 2, classes=3), data)


@pytest.fixture(scope="module")
def rpt() -> BlockTrainer:
    network = tiny(augmented=True)
    return BlockTrainer(network, Randomized(exponential(4, 0.6)), momentum=0.5, weight_decay=0.01)


def depths(record: Any) -> list[int]:
    """How many steps had 1, 2, 3 and all four blocks active."""
    return [
        record["kinds"].get(name, 0)
        for name in ("input-first 1", "input-first 2", "input-first 3", "whole")
    ]


# The records are closer together than the steps of greatest cost, which then pass two of them at
# once.
CLOSE = Run(seed=3, learning_rate=0.1, budget=7.0, batch=8, records=23)
RUN = Run(seed=3, learning_rate=0.1, budget=7.0, batch=8, records=5)


def test_sgd_is_the_loop_that_anyone_would_write() -> None:
    network = tiny()
    found = BlockTrainer(network, Randomized(np.ones(4))).run(Run(5, 0.1, 6.0, 8, 6))
    params = network.initial(5)
    optimiser = optax.sgd(0.1)
    state = optimiser.init(params)
    inputs, classes = network.data.train
    losses = []
    step = 0

    @jax.jit
    def whole(params: Any, batch: Any) -> Any:
        logits = network.architecture.module().apply({"params": params}, batch[0])
        return -jax.nn.log_softmax(logits)[np.arange(len(batch[1])), batch[1]].mean()

    gradient = jax.jit(jax.grad(whole))
    for epoch in range(3):
        order = np.random.default_rng((5, 1, epoch)).permutation(20)
        for batch in (order[:8], order[8:16]):
            losses.append(float(whole(params, (inputs, classes))))
            updates, state = optimiser.update(
                gradient(params, (inputs[batch], classes[batch])), state
            )
            params = optax.apply_updates(params, updates)
            step += 1
    losses.append(float(whole(params, (inputs, classes))))
    assert [record["step"] for record in found["records"]] == list(range(7))
    assert [record["epoch"] for record in found["records"]] == [step / 2 for step in range(7)]
    assert [record["train_loss"] for record in found["records"]] == pytest.approx(losses, abs=1e-5)
    logits = network.model(params, network.data.test)
    accuracy = float((logits.argmax(-1) == network.data.test[1]).mean())
    assert found["records"][-1]["accuracy"] == pytest.approx(accuracy)
    assert found["records"][-1]["loss"] == pytest.approx(
        float(whole(params, network.data.test)), abs=1e-5
    )
    assert found["status"] == "finished"


def test_cost_is_the_share_of_the_active_parameters(rpt: BlockTrainer) -> None:
    sizes = np.array(rpt.labels.sizes)
    found = rpt.run(RUN)
    records = found["records"]
    assert len(records) == 6
    for place, record in enumerate(records):
        share = sum(n * sizes[: k + 1].sum() / sizes.sum() for k, n in enumerate(depths(record)))
        assert record["cost"] == pytest.approx(share)
        assert sum(depths(record)) == sum(record["kinds"].values()) == record["step"]
        assert record["cost"] >= 7.0 * place / 5
        assert place == 0 or record["cost"] < 7.0 * place / 5 + 1
    assert (
        len(set(map(tuple, rpt.steps.compiled)))
        == len(rpt.steps.compiled)
        == np.count_nonzero(depths(records[-1]))
    )
    assert records[-1]["train_loss"] != records[0]["train_loss"]


def test_seed_and_learning_rate_decide_the_run_and_nothing_is_compiled_anew(
    rpt: BlockTrainer,
) -> None:
    first = rpt.run(RUN)
    compiled = rpt.steps.compiled
    again = rpt.run(RUN)
    other = rpt.run(Run(4, 0.1, 7.0, 8, 5))
    slower = rpt.run(Run(3, 0.05, 7.0, 8, 5))
    assert again["records"] == first["records"]
    assert other["records"][-1]["kinds"] != first["records"][-1]["kinds"]
    assert slower["records"][-1]["kinds"] == first["records"][-1]["kinds"]
    assert slower["records"][-1]["train_loss"] != first["records"][-1]["train_loss"]
    assert set(rpt.steps.compiled) >= set(compiled) and len(rpt.steps.compiled) <= 4


def test_progressive_training_goes_through_its_stages() -> None:
    trainer = BlockTrainer(tiny(), Progressive((2, 0, 1, 2)))
    first, _, third, whole = np.cumsum(trainer.labels.sizes) / sum(trainer.labels.sizes)
    record = trainer.run(Run(0, 0.1, 2 * first + third + 3 * whole, 8, 1))["records"][-1]
    assert depths(record) == [2, 0, 1, 3]


def test_the_validation_images_judge_a_tuning_run(rpt: BlockTrainer) -> None:
    judged = rpt.run(Run(3, 0.1, 7.0, 8, 5, validation=True))["records"]
    reported = rpt.run(RUN)["records"]
    assert [record["train_loss"] for record in judged] == [
        record["train_loss"] for record in reported
    ]
    assert all(
        (record["accuracy"] * 6) == pytest.approx(round(record["accuracy"] * 6))
        for record in judged
    )
    assert all(
        (record["accuracy"] * 7) == pytest.approx(round(record["accuracy"] * 7))
        for record in reported
    )
    assert [record["loss"] for record in judged] != [record["loss"] for record in reported]


class Killed(BaseException):
    pass


@pytest.mark.parametrize(
    ("chosen", "saves"), [(RUN, 1), (RUN, 2), (RUN, 4), (RUN, 6), (CLOSE, 3), (CLOSE, 7)]
)
def test_an_interrupted_run_has_the_same_bits(
    rpt: BlockTrainer, chosen: Run, saves: int, tmp_path: Path
) -> None:
    whole = Checkpoint(tmp_path / "whole.npz", {"seed": 3})
    expected = rpt.run(chosen, whole)
    written = []

    class Fatal(Checkpoint):
        def save(self, about: dict[str, Any], tree: Any) -> None:
            super().save(about, tree)
            written.append(about["step"])
            if len(written) == saves:
                raise Killed

    place = tmp_path / "stopped.npz"
    with pytest.raises(Killed):
        rpt.run(chosen, Fatal(place, {"seed": 3}))
    found = rpt.run(chosen, Checkpoint(place, {"seed": 3}))
    assert found["records"] == expected["records"]
    with np.load(tmp_path / "whole.npz") as one, np.load(place) as two:
        names = [name for name in one.files if name != "about"]
        assert names == [name for name in two.files if name != "about"] and len(names) > 20
        for name in names:
            assert one[name].dtype == two[name].dtype and np.array_equal(one[name], two[name]), name


def test_a_checkpoint_of_other_settings_is_refused(rpt: BlockTrainer, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    rpt.run(RUN, Checkpoint(path, {"seed": 3, "width": [2]}))
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="other settings") as caught:
        rpt.run(RUN, Checkpoint(path, {"seed": 4, "width": [2]}))
    assert caught.value.found == "seed 3 there, 4 now" and path.read_bytes() == before


def test_a_checkpoint_of_another_network_is_refused(rpt: BlockTrainer, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    Checkpoint(path, {}).save({}, {"array0": np.zeros(3)})
    with pytest.raises(InvalidInput, match="other arrays"):
        rpt.run(RUN, Checkpoint(path, {}))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"text"])
def test_a_file_that_is_no_checkpoint(rpt: BlockTrainer, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="damaged, or of an earlier version"):
        rpt.run(RUN, Checkpoint(path, {}))


def test_a_run_that_diverges_says_so(rpt: BlockTrainer) -> None:
    found = rpt.run(Run(0, 1e30, 4.0, 8, 4))
    assert found["status"] == "diverged"
    json.dumps(found, allow_nan=False)


def test_a_batch_larger_than_the_data(rpt: BlockTrainer) -> None:
    with pytest.raises(InvalidInput, match=r"^batch must not exceed"):
        rpt.run(Run(0, 0.1, 4.0, 21, 4))


def test_a_run_ends_with_its_epochs(rpt: BlockTrainer) -> None:
    found = rpt.run(Run(3, 0.1, 7.0, 8, 4, epochs=2.0))["records"]
    assert [record["epoch"] for record in found] == [0, 0.5, 1.0, 1.5, 2.0] and found[-1][
        "cost"
    ] < 7.0
