"""Measured costs: right where they can be counted, consistent where they can only be measured."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")

import jax.numpy as jnp
import numpy as np
import optax

from rpttheory.errors import InvalidInput
from rpttheory.networks import label_blocks, make_rpt_steps, profile_costs, step_counts, stepcost
from rpttheory.networks.priced import OrderCosts
from rpttheory.problem.blocks import BlockOrder

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
    profile = profile_costs(*linear_net(), currencies="flops")
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
    # Per block: input-first, block 0 pays for the whole way back; output-first, block 2 pays for
    # one product.
    assert profile["input-first"].costs * products == pytest.approx([3, 1, 1], abs=0.1)
    assert profile["output-first"].costs * products == pytest.approx([2, 2, 1], abs=0.1)


def test_any_order_can_be_profiled() -> None:
    order = BlockOrder((1, 2, 0))
    profile = profile_costs(*linear_net(), order, "flops")
    (costs,) = profile.orders
    assert costs.name == "given" and costs.order == order
    # Block 1 first: 3 forward, 1 weight, 1 activation; block 2 adds a weight; block 0 a weight and
    # an activation.
    assert costs.measured * 8 == pytest.approx((5, 6, 8), abs=0.1)
    assert costs.costs * 8 == pytest.approx((2, 2, 1), abs=0.1)
    assert [one.name for one in profile_costs(*linear_net(), "output-first", "flops").orders] == [
        "output-first"
    ]


def test_processor_time_is_relative_to_a_full_step() -> None:
    profile = profile_costs(*linear_net(), rounds=2)
    assert profile.currency == "time" and profile.full > 0
    for costs in profile.orders:
        assert costs.measured[-1] == 1 and (costs.measured > 0).all() and costs.forward > 0
        assert (costs.costs > 0).all() and costs.spread.shape == (3,)
    assert profile["input-first"].forward == profile["output-first"].forward


@pytest.mark.parametrize(
    ("forward", "measured", "overhead", "ranked"),
    [
        (
            0.5,
            [0.4, 0.7, 1.0],
            0.4,
            [1e-6, 0.3, 0.3],
        ),  # the loss alone seems dearer than the first outcome
        (0.2, [0.5, 0.4, 1.0], 0.2, [0.25, 1e-6, 0.55]),  # two outcomes out of order become equal
        (0.3, [0.31, 0.7, 1.0], 0.3, [0.01, 0.39, 0.3]),
    ],
)
def test_noise_is_smoothed_into_costs_that_rise(
    forward: float, measured: list[float], overhead: float, ranked: list[float]
) -> None:
    order = BlockOrder((1, 2, 0))
    costs = OrderCosts(
        "given", order, forward, np.array(measured), np.zeros(3), np.array([0.2, 0.5, 1.0])
    )
    assert costs.overhead == pytest.approx(overhead)
    assert order.by_rank(costs.costs) == pytest.approx(ranked)
    p = np.array([0.1, 1.0, 0.5])
    assert costs.expected_cost(p) == pytest.approx(
        overhead + ranked[0] + 0.5 * ranked[1] + 0.1 * ranked[2]
    )


def test_four_currencies_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes are those of the gradients, whatever their type; memory and operations are XLA's; time
    is measured.
    """
    loss, params, batch, labels = linear_net()
    params["l2"] = params["l2"].astype(jnp.bfloat16)
    times = iter(np.cumsum([0.0] + [3.0, 5.0] * 500))
    monkeypatch.setattr(stepcost.time, "process_time", lambda: float(next(times)))
    profile = profile_costs(loss, params, batch, labels, rounds=2)
    assert (
        list(profile.priced) == ["time", "flops", "bytes", "memory"] and profile.currency == "time"
    )
    sent = profile.priced_in("bytes")
    assert sent.full == WIDTH * WIDTH * (4 + 4 + 2) and sent.unit.endswith("data-parallel training")
    assert (
        sent["input-first"].measured == pytest.approx([0.4, 0.8, 1.0])
        and sent["input-first"].overhead == 0
    )
    assert sent["output-first"].measured == pytest.approx([0.2, 0.6, 1.0])
    steps = make_rpt_steps(loss, labels, np.ones(3), optax.sgd(1e-3))
    one = step_counts(steps, ["l2"], params, steps.init(params), batch)
    kept = profile.priced_in("memory")
    counted = profile.priced_in("flops")
    assert kept.full * kept["output-first"].measured[0] == one.memory > 0 == one.sent
    assert counted.full * counted["output-first"].measured[0] == pytest.approx(one.flops)
    header = next(line for line in str(profile).splitlines() if "last one" in line)
    assert header.split() == [
        "blocks",
        "last",
        "one",
        "time",
        "+-",
        "flops",
        "bytes",
        "memory",
        "size",
        "share",
    ]
    rows = [
        line.split()
        for line in str(profile).splitlines()
        if line.split()[:1] in (["0"], ["1"], ["3"])
    ]
    assert rows[0][:3] == ["0", "(loss", "alone)"] and rows[0][-2:] == [
        f"{kept['input-first'].forward:.3f}",
        "0.000",
    ]
    assert [row[-3] for row in rows[:3]] == ["0.000", "0.400", "1.000"] and rows[2][2] == rows[5][
        2
    ] == "1.000"
    told = json.loads(json.dumps(profile.to_dict(), allow_nan=False))
    assert told["currencies"]["bytes"]["orders"][0]["outcomes"] == pytest.approx([0.4, 0.8, 1.0])
    assert told["orders"] == told["currencies"]["time"]["orders"] and told["full"] == profile.full
    axes = profile.plot().figure.axes
    assert [one.get_title(loc="left").split()[0] for one in axes] == list(profile.priced)
    assert {"order", "blocks", "time", "flops", "bytes", "memory", "spread", "size_share"} == set(
        profile.records()[0]
    )
    with pytest.raises(InvalidInput, match="not profiled"):
        profile_costs(loss, params, batch, labels, currencies=["bytes"]).priced_in("time")


def test_the_loss_may_take_more_and_return_more() -> None:
    loss, params, batch, labels = linear_net()
    plain = profile_costs(loss, params, batch, labels, currencies="flops")
    more = profile_costs(
        lambda p, b, scale: (scale * loss(p, b), b),
        params,
        batch,
        labels,
        currencies="flops",
        args=(2.0,),
        has_aux=True,
    )
    assert more.loss == pytest.approx(2 * plain.loss)
    for ours, theirs in zip(more.orders, plain.orders, strict=True):
        assert ours.measured == pytest.approx(theirs.measured, abs=0.01)


def test_profile_as_table_json_and_picture() -> None:
    profile = profile_costs(*linear_net(), currencies="flops")
    text = str(profile)
    assert (
        len(profile.records()) == 6
        and "size share" in text
        and "input-first" in text
        and "output-first" in text
    )
    assert "l2" in text.split("output-first")[1].split("\n")[3]
    for part, costs in zip(text.split("-first\n")[1:], profile.orders, strict=True):
        shown = [float(line.split()[-2]) for line in part.splitlines()[1:5]]
        assert shown == pytest.approx([costs.forward, *costs.measured], abs=6e-4)
    result = json.loads(json.dumps(profile.to_dict(), allow_nan=False))
    assert result["orders"][1]["order"] == [2, 1, 0] and result["currency"] == "flops"
    assert "output-first, flops" in [
        text.get_text() for text in profile.plot().get_legend().get_texts()
    ]
    assert len(profile.records()) == 6 and profile._repr_html_().count("<table>") == 2
    with pytest.raises(InvalidInput, match="not profiled"):
        profile["given"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"currencies": "wall"}, "currencies"),
        ({"currencies": []}, "currencies"),
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
    with pytest.raises(InvalidInput, match=r"loss must be a function\n  found: NoneType"):
        profile_costs(None, params, batch, labels)  # type: ignore[arg-type]
