"""Measured costs: right where they can be counted, consistent where they can only be measured."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")

import jax.numpy as jnp
import numpy as np
import optax

from rpttheory.networks import label_blocks, make_rpt_steps, profile_costs
from rpttheory.networks.costs import RESOURCES, CompiledStep, OrderCosts
from rpttheory.problem.blocks import BlockOrder
from tests.refusals import refuses

pytestmark = pytest.mark.networks

WIDTH = 64
BATCH = 256
LAYERS = 3


def linear_net() -> tuple[Any, Any, Any, Any]:
    """Three square matrices in a row: forward 3 products, the gradient of each weight 1, of each
    activation 1.
    """
    params = {f"l{i}": jnp.eye(WIDTH) for i in range(LAYERS)}

    def loss(p: Any, batch: Any) -> Any:
        for i in range(LAYERS):
            batch = batch @ p[f"l{i}"]
        return jnp.sum(batch**2) / BATCH

    return loss, params, jnp.ones((BATCH, WIDTH)), label_blocks(params, lambda path: path)


def test_counted_operations_are_those_of_backpropagation() -> None:
    profile = profile_costs(*linear_net(), resources="flops")
    # 3 forward, 3 weights, 2 activations in all; elementwise work is below 2 per cent.
    products = 8.0
    for name, counts, per_block in (
        # Input-first, block 0 pays for the whole way back; output-first, block 2 for one product.
        ("input-first", (6, 7, 8), (3, 1, 1)),
        ("output-first", (4, 6, 8), (2, 2, 1)),
    ):
        costs = profile.along(name)
        assert costs.full == pytest.approx(products * 2 * BATCH * WIDTH * WIDTH, rel=0.03)
        assert costs.measured * products == pytest.approx(counts, abs=0.1)
        assert costs.forward * products == pytest.approx(3, abs=0.1)
        assert costs.overhead == costs.forward and not costs.errors.any()
        assert costs.size_share == pytest.approx([1 / 3, 2 / 3, 1])
        assert costs.measured[-1] == 1 and costs.full_step == pytest.approx(1)
        assert costs.costs * products == pytest.approx(per_block, abs=0.1)
    order = BlockOrder((1, 2, 0))
    (costs,) = profile_costs(*linear_net(), order, "flops").orders
    assert costs.name == "given" and costs.order == order
    # Block 1 first: 3 forward, 1 weight, 1 activation; block 2 adds a weight; block 0 both.
    assert costs.measured * 8 == pytest.approx((5, 6, 8), abs=0.1)
    assert costs.costs * 8 == pytest.approx((2, 2, 1), abs=0.1)


def test_the_optimizer_is_part_of_a_step() -> None:
    plain = profile_costs(*linear_net(), "output-first", "flops").orders[0]
    muon = profile_costs(
        *linear_net(), "output-first", "flops", inner=optax.contrib.muon(0.1)
    ).orders[0]
    assert muon.full > 2 * plain.full and muon.measured[0] < plain.measured[0]


@pytest.mark.parametrize(
    ("forward", "measured", "overhead", "ranked"),
    [
        # the loss alone seems dearer than the first outcome
        (0.5, [0.4, 0.7, 1.0], 0.4, [1e-6, 0.3, 0.3]),
        # two outcomes out of order become equal
        (0.2, [0.5, 0.4, 1.0], 0.2, [0.25, 1e-6, 0.55]),
        (0.3, [0.31, 0.7, 1.0], 0.3, [0.01, 0.39, 0.3]),
    ],
)
def test_noise_is_smoothed_into_costs_that_rise(
    forward: float, measured: list[float], overhead: float, ranked: list[float]
) -> None:
    order = BlockOrder((1, 2, 0))
    costs = OrderCosts(
        "time", "given", order, 1.0, forward, np.array(measured), np.zeros(3), np.ones(3)
    )
    assert costs.overhead == pytest.approx(overhead)
    assert order.by_rank(costs.costs) == pytest.approx(ranked)
    assert costs.full_step == pytest.approx(overhead + sum(ranked))


def test_four_resources_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes are those of the gradients, whatever their type; memory and operations are XLA's; time
    is measured, here by a clock on which a step takes 3 or 5 seconds.
    """
    loss, params, batch, labels = linear_net()
    params["l2"] = params["l2"].astype(jnp.bfloat16)
    ticks = iter(np.cumsum([0.0] + [3.0, 5.0] * 500))
    monkeypatch.setattr("rpttheory.networks.costs.time.process_time", lambda: float(next(ticks)))
    profile = profile_costs(loss, params, batch, labels, rounds=2)
    assert list(dict.fromkeys(c.resource for c in profile.costs)) == list(RESOURCES)
    assert profile.resource == "time" and [costs.samples for costs in profile.orders] == [2, 2]
    for costs in profile.orders:
        assert costs.measured[-1] == 1 and (costs.costs > 0).all() and costs.forward > 0
    sent = profile.along("input-first", "bytes")
    assert sent.full == WIDTH * WIDTH * (4 + 4 + 2) and sent.overhead == 0
    assert sent.measured == pytest.approx([0.4, 0.8, 1.0])
    assert profile.along("output-first", "bytes").measured == pytest.approx([0.2, 0.6, 1.0])
    steps = make_rpt_steps(loss, labels, np.ones(3), optax.sgd(1e-3))
    last = CompiledStep(*steps.prepare(labels.mask(["l2"]), params, steps.init(params), (batch,)))
    for resource in ("memory", "flops"):
        costs = profile.along("output-first", resource)
        assert costs.full * costs.measured[0] == pytest.approx(last.count(resource))
        assert last.count(resource) > 0
    table: Any = profile.render()[3]
    assert list(table.header) == ["blocks", "last one", *RESOURCES, "size share"]
    assert table.rows[1][1] == "l0" and table.rows[3][4:] == ("1.000", "1.000", "1.000")
    values = json.loads(json.dumps(profile.to_dict(), allow_nan=False))
    assert values["costs"][4]["outcomes"] == pytest.approx([0.4, 0.8, 1.0])
    assert len(profile.records()) == 4 * 2 * 3
    with refuses("order"):
        profile.along("given")


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"resources": "wall"}, "resources"),
        ({"resources": []}, "resources"),
        ({"rounds": 0}, "rounds"),
        ({"order": "sideways"}, "order"),
        ({"order": (0, 1)}, "order"),
        ({"loss": None}, "loss"),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, Any], argument: str) -> None:
    names = ("loss", "params", "batch", "labels")
    with refuses(argument):
        profile_costs(**{**dict(zip(names, linear_net(), strict=True)), **options})


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        (lambda p, b: p["a"], ""),
        (lambda p, b: jnp.int32(1), ""),
        (lambda p, b: (p["a"].sum(), 0.0), ""),
        (lambda p, b: jnp.log(-jnp.sum(p["a"])), "nan"),
        (lambda p, b: p["z"], "KeyError: 'z'"),
    ],
    ids=["vector", "integer", "pair", "not finite", "failing"],
)
def test_a_loss_must_be_a_finite_scalar(loss: Any, found: str) -> None:
    with refuses("loss", found=found):
        profile_costs(loss, {"a": jnp.ones(3)}, None, lambda path: path)  # type: ignore[arg-type]
