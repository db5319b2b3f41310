"""Measured costs: right where they can be counted, consistent where they can only be measured."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")

import jax.numpy as jnp
import numpy as np

from rpttheory.errors import InvalidInput
from rpttheory.networks import label_blocks, profile_costs
from rpttheory.networks.profile import OrderCosts
from rpttheory.problem.blocks import BlockOrder

pytestmark = pytest.mark.networks

WIDTH, BATCH, LAYERS = 64, 256, 3


def linear_net() -> tuple[Any, Any, Any, Any]:
    """Three square matrices in a row: forward 3 products, the gradient of each weight 1, of each activation 1."""
    params = {f"l{i}": jnp.eye(WIDTH) for i in range(LAYERS)}

    def loss(p: Any, batch: Any) -> Any:
        for i in range(LAYERS):
            batch = batch @ p[f"l{i}"]
        return jnp.sum(batch**2) / BATCH

    return loss, params, jnp.ones((BATCH, WIDTH)), label_blocks(params, lambda path: path)


def test_counted_operations_are_those_of_backpropagation() -> None:
    profile = profile_costs(*linear_net(), method="flops")
    # 3 forward, 3 weights, 2 activations in all; elementwise work is below 2 per cent.
    products = 8.0
    assert profile.full == pytest.approx(products * 2 * BATCH * WIDTH * WIDTH, rel=0.03)
    for name, counts in (("input-first", (6, 7, 8)), ("output-first", (4, 6, 8))):
        costs = profile[name]
        assert costs.measured * products == pytest.approx(counts, abs=0.1)
        assert costs.forward * products == pytest.approx(3, abs=0.1)
        assert costs.overhead == costs.forward
        assert costs.size_share == pytest.approx([1 / 3, 2 / 3, 1])
        assert costs.measured[-1] == 1 and costs.expected_cost(np.ones(3)) == pytest.approx(1)
    # Per block: input-first, block 0 pays for the whole way back; output-first, block 2 pays for one product.
    assert profile["input-first"].costs * products == pytest.approx([3, 1, 1], abs=0.1)
    assert profile["output-first"].costs * products == pytest.approx([2, 2, 1], abs=0.1)


def test_any_order_can_be_profiled() -> None:
    order = BlockOrder((1, 2, 0))
    profile = profile_costs(*linear_net(), order, "flops")
    (costs,) = profile.orders
    assert costs.name == "given" and costs.order == order
    # Block 1 first: 3 forward, 1 weight, 1 activation; block 2 adds a weight; block 0 a weight and an activation.
    assert costs.measured * 8 == pytest.approx((5, 6, 8), abs=0.1)
    assert costs.costs * 8 == pytest.approx((2, 2, 1), abs=0.1)
    assert [one.name for one in profile_costs(*linear_net(), "output-first", "flops").orders] == ["output-first"]


def test_processor_time_is_relative_to_a_full_step() -> None:
    profile = profile_costs(*linear_net(), rounds=2)
    assert profile.method == "cpu" and profile.full > 0
    for costs in profile.orders:
        assert costs.measured[-1] == 1 and (costs.measured > 0).all() and costs.forward > 0
        assert (costs.costs > 0).all() and costs.spread.shape == (3,)
    assert profile["input-first"].forward == profile["output-first"].forward


def test_noise_is_smoothed_into_costs_that_rise() -> None:
    costs = OrderCosts(
        name="given",
        order=BlockOrder((1, 2, 0)),
        forward=0.5,
        measured=np.array([0.4, 0.7, 1.0]),
        spread=np.zeros(3),
        size_share=np.array([0.2, 0.5, 1.0]),
    )
    assert costs.overhead == pytest.approx(0.45)
    assert costs.costs == pytest.approx([0.3, 1e-6, 0.25])
    p = np.array([0.1, 1.0, 0.5])
    assert costs.expected_cost(p) == pytest.approx(0.45 + 0.1 * 0.3 + 1e-6 + 0.5 * 0.25)


def test_profile_as_table_json_and_picture() -> None:
    profile = profile_costs(*linear_net(), method="flops")
    text = str(profile)
    assert len(profile.records()) == 6 and "size share" in text and "input-first" in text and "output-first" in text
    assert "l2" in text.split("output-first")[1].split("\n")[3]
    result = json.loads(json.dumps(profile.to_dict(), allow_nan=False))
    assert result["orders"][1]["order"] == [2, 1, 0] and result["method"] == "flops"
    assert "output-first, measured" in [text.get_text() for text in profile.plot().get_legend().get_texts()]
    assert len(profile.records()) == 6 and profile._repr_html_().count("<table>") == 2
    with pytest.raises(InvalidInput, match="not profiled"):
        profile["given"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"method": "wall"}, "method"),
        ({"rounds": 0}, "rounds"),
        ({"order": "sideways"}, "order"),
        ({"order": (0, 1)}, "order"),
        ({"order": (0, 1, 1)}, "order"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        profile_costs(*linear_net(), **options)


def test_a_loss_must_be_finite_and_scalar() -> None:
    _, params, batch, labels = linear_net()
    with pytest.raises(InvalidInput, match=r"finite at params\n  found: nan"):
        profile_costs(lambda p, b: jnp.sum(b) * jnp.nan, params, batch, labels)
    with pytest.raises(InvalidInput, match="scalar"):
        profile_costs(lambda p, b: b, params, batch, labels)
