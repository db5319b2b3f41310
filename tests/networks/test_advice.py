"""Advice: yes where RPT helps by counted cost, no where gradient descent is optimal, and words that
say so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")

import jax.numpy as jnp
import numpy as np

from rpttheory.errors import InvalidInput
from rpttheory.networks import Recommendation, Task, Unfinished, advise, load_task
from rpttheory.networks.advice import _recommend_any
from rpttheory.networks.priced import OrderCosts
from rpttheory.numbers import Bracket, Rigour
from rpttheory.problem.blocks import BlockOrder
from rpttheory.search import SearchResult

from .nets import criterion, net

pytestmark = pytest.mark.networks


def separable() -> Task:
    """Curvature 100 in a cheap block and 1 in a block that costs three products: RPT must help,
    output-first.
    """
    rng = np.random.default_rng(0)
    mixing = jnp.asarray(np.linalg.qr(rng.standard_normal((40, 40)))[0], jnp.float32)
    params = {"cheap": jnp.ones(3), "dear": jnp.ones((60, 40))}

    def loss(p: Any, batch: Any) -> Any:
        x = p["dear"] @ batch @ batch.T @ batch
        return 50.0 * jnp.sum(p["cheap"] ** 2) + 0.5 * jnp.sum(x**2)

    return Task(loss, params, mixing, {"cheap": "1 cheap", "dear": "0 dear"}, name="separable")


def test_rpt_helps_where_an_expensive_block_is_flat() -> None:
    advice = advise(separable(), currency="flops")
    costs = advice.profile["output-first"]
    best = advice.best
    # L = Diag(1, 100): q = L_k is optimal, so p = (0.01, 1) and the cost falls to c_0 + c_1 + 0.01
    # c_0th.
    assert best.name == "output-first" and best.probabilities == pytest.approx(
        [0.01, 1.0], rel=1e-2
    )
    assert best.saving == pytest.approx(0.99 * costs.costs[0], rel=2e-3) and best.saving > 0.3
    assert advice.helps is True and advice.verdict.startswith(
        "By c(P), RPT helps in the model problem: output-first"
    )
    assert f"saves {100 * best.saving:.1f} %" in advice.verdict
    # Input-first, the flat block would have to come along with every step.
    (other,) = (one for one in advice.recommendations if one.name == "input-first")
    assert other.helps is False and other.probabilities.tolist() == [1.0, 1.0]
    assert advice.curvature.kind == "hessian" and advice.curvature.shift == 0


def behind_fixed_features() -> Task:
    """The same curvatures behind features that nobody trains: all the time is theirs, and none of
    the bytes.
    """
    features = jnp.asarray(np.random.default_rng(0).standard_normal((100, 100)) / 10, jnp.float32)
    params = {"cheap": jnp.ones(3), "dear": jnp.ones((60, 40))}

    def loss(p: Any, batch: Any, factor: Any) -> Any:
        fixed = jnp.tanh(batch @ batch) @ batch @ batch
        return (
            factor * (50.0 * jnp.sum(p["cheap"] ** 2) + 0.5 * jnp.sum(p["dear"] ** 2))
            + jnp.mean(fixed),
            fixed,
        )

    return Task(
        loss,
        params,
        features,
        {"cheap": "0", "dear": "1"},
        name="features",
        args=(1.0,),
        has_aux=True,
    )


def test_time_and_bytes_have_different_answers_on_one_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L = Diag(100, 1) and p = (1, 0.01): 0.99 of the dear block's costs are saved, whatever share
    they are.
    """

    def ratios(steps: Any, full: bytes, rounds: int) -> Any:
        """A machine on which every operation takes one nanosecond."""
        unit = steps[full].count("flops")
        return unit * 1e-9, {
            key: [step.count("flops") / unit] * rounds for key, step in steps.items()
        }

    monkeypatch.setattr("rpttheory.networks.profile.processor_ratios", ratios)
    task = behind_fixed_features()
    by_time = advise(task)
    by_bytes = advise(task, currency="bytes")
    assert by_time.profile.currency == "time" and list(by_bytes.profile.priced) == [
        "bytes",
        "flops",
    ]
    assert by_time.helps is False and by_time.verdict.endswith("of its processor time).")
    assert {one.name for one in by_time.recommendations} == {"input-first", "output-first"}
    assert (
        by_bytes.helps is True
        and "saves 98.9 % of gradient descent's bytes sent" in by_bytes.verdict
    )
    (free,) = by_bytes.recommendations
    assert free.name == "any order" and free.probabilities == pytest.approx([1.0, 0.01], rel=1e-2)
    assert free.saving == pytest.approx(0.99 * 2400 / 2403, rel=2e-3)
    # Where bytes are no shares of the parameters, as with numbers of several types, they decide.
    costs = OrderCosts(
        "given", BlockOrder((0, 1)), 0.0, np.array([0.5, 1.0]), np.zeros(2), np.array([3 / 2403, 1])
    )
    other = _recommend_any(by_bytes.curvature, costs, by_bytes.size_share.search, 1e-4, None)
    assert other.saving == pytest.approx(0.99 * 0.5, rel=2e-3)
    asked = advise(task, currency="bytes", order="output-first")
    assert [one.name for one in asked.recommendations] == ["output-first"] and asked.helps is False
    assert "a mean over steps" in str(advise(task, currency="memory")) and "a mean over" not in str(
        by_time
    )
    assert json.loads(json.dumps(by_bytes.to_dict()))["currency"] == "bytes"


def test_gradient_descent_is_the_optimum_for_a_single_strong_direction() -> None:
    """A rank-one curvature spread over all blocks as their costs are: nothing can be gained."""
    params = {"a": jnp.ones(2), "b": jnp.ones(2)}
    task = Task(
        lambda p, batch: 0.5 * (jnp.sum(p["a"]) + jnp.sum(p["b"])) ** 2,
        params,
        None,
        lambda path: path,
        name="one",
    )
    advice = advise(task, currency="flops")
    assert advice.helps is False
    assert advice.verdict.startswith(
        "By c(P), RPT does not help here: gradient descent is the optimum of the model problem,"
        " numerically"
    )
    assert str(advice).endswith(advice.verdict)
    assert all((one.probabilities == 1).all() for one in advice.recommendations)


def test_advice_on_a_network_as_text_json_and_picture() -> None:
    given = net("dict")
    task = Task(given.loss, given.params, given.batch, given.labels, given.model, criterion, "tiny")
    lines: list[str] = []
    advice = advise(task, currency="flops", watch=lambda event: lines.append(event.doing))
    assert len(lines) == 5 and "curvature (ggn)" in lines[1]
    text = str(advice)
    assert "NUMERICAL, at one point" in text and "tiny: d = " in text and "size share" in text
    told = json.loads(json.dumps(advice.to_dict(), allow_nan=False))
    assert told["schema"] == "rpttheory/advise/1" and told["verdict"] == advice.verdict
    assert told["curvature"]["rigour"] == "NUMERICAL" and len(told["recommendations"]) == 2
    for one in advice.recommendations:
        ranked = one.search.order.by_rank(one.search.probabilities)
        assert (np.diff(ranked) <= 0).all() and ranked[0] == 1
        # The paper's rate is one admissible choice, so it cannot beat the lower end.
        assert one.paper_rate is not None and one.paper_rate.upper >= one.search.lower
        assert one.gradient_descent.upper >= one.search.lower
    axes = advice.plot()
    assert [len(one.lines) + len(one.patches) > 0 for one in axes.figure.axes] == [True] * 3
    before = len(axes.lines)
    assert advice.plot(ax=axes) is axes and len(axes.lines) == 2 * before
    assert [row["block"] for row in advice.records()] == list(given.labels.names)
    assert advice._repr_html_().count("<table>") == 4 and repr(advice).startswith("<Advice")
    hessian = advise(task, currency="flops", curvature="hessian", order="output-first")
    assert hessian.curvature.kind == "hessian" and len(hessian.recommendations) == 1
    if hessian.curvature.shift:
        assert "takes its place" in str(hessian)


@pytest.mark.parametrize(
    ("lower", "upper", "status", "helps"),
    [
        (0.7, 0.75, "stalled", True),
        (0.995, 1.0, "optimal", False),
        (0.6, 1.0, "stalled", None),
        (0.98, 0.995, "optimal", None),
    ],
)
def test_a_saving_counts_from_one_per_cent_on(
    lower: float, upper: float, status: Any, helps: bool | None
) -> None:
    p = np.array([1.0, 0.5])
    search = SearchResult(
        lower,
        upper,
        p,
        BlockOrder((0, 1)),
        np.ones((2, 1)),
        "low-rank",
        Rigour.NUMERICAL,
        1,
        0,
        status,
        "test",
    )
    one = Recommendation("input-first", search, Bracket(1.0, 1.0, Rigour.NUMERICAL))
    assert one.helps is helps
    assert one.saving == pytest.approx(1 - upper) and one.most == pytest.approx(1 - lower)
    assert one.probabilities.tolist() == ([1.0, 0.5] if helps else [1.0, 1.0])


def test_bad_options_are_named() -> None:
    task = separable()
    with pytest.raises(InvalidInput, match="GGN"):
        advise(task, curvature="ggn")
    with pytest.raises(InvalidInput, match="curvature"):
        advise(task, curvature="fisher")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="tol"):
        advise(task, tol=2.0)
    with pytest.raises(InvalidInput, match="unknown currency"):
        advise(task, currency="euro")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="Task"):
        advise((task.loss, task.params, task.batch, task.labels))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="criterion"):
        Task(task.loss, task.params, task.batch, task.labels, model=lambda p, b: b)
    with pytest.raises(InvalidInput, match="loss"):
        Task("loss", task.params, task.batch, task.labels)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="'cheap'"):
        Task(task.loss, {"cheap": jnp.ones(9), "dear": jnp.ones((60, 40))}, task.batch, task.labels)


FACTORIES = """
import jax.numpy as jnp
from rpttheory.networks import Task
from rpttheory.errors import InvalidInput

def make():
    return (lambda p, b: jnp.sum(p["w"] ** 2), {"w": jnp.ones(3)}, None, lambda path: path)

def task():
    return Task(*make())

def three():
    return make()[:3]

def none():
    pass

def fails():
    raise RuntimeError("no data\\nhere")

def needs(argument):
    return make()

constant = 3
"""


def test_factories_are_found_by_file_and_by_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_factories.py").write_text(FACTORIES)
    assert load_task(f"{tmp_path}/my_factories.py:make").labels.names == ("w",)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nonexistent"])
    assert load_task("my_factories:task").name == ""
    assert load_task("my_factories:make").name == "my_factories:make"
    for target, what in (
        ("my_factories", "MODULE:FACTORY"),
        (":make", "MODULE:FACTORY"),
        ("my_factories:", "MODULE:FACTORY"),
        ("my_factories:absent", "no function absent"),
        ("my_factories:constant", "of type int"),
        ("my_factories:three", "a tuple of 3"),
        ("my_factories:none", "a NoneType"),
        ("my_factories:fails", "RuntimeError: no data here"),
        ("my_factories:needs", "TypeError"),
        ("no_such_module:make", "no_such_module"),
        ("no_such_file.py:make", "does not exist"),
    ):
        with pytest.raises(InvalidInput, match=what):
            load_task(target)
    (tmp_path / "broken.py").write_text("1 +")
    with pytest.raises(InvalidInput, match="SyntaxError"):
        load_task("broken.py:make")


@pytest.mark.parametrize("calls", [0, 2])
def test_ctrl_c_keeps_what_was_measured(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """While curvature is measured the costs are left; during a search its bracket is, and the
    others end at once.
    """

    def stop(*_: object) -> None:
        nonlocal calls
        calls -= 1
        if calls < 0:
            raise KeyboardInterrupt

    task = separable()
    if calls:
        found = advise(task, currency="flops", callback=stop, tol=1e-5)
        assert {one.search.status for one in (*found.recommendations, found.size_share)} == {
            "interrupted"
        }
        return
    monkeypatch.setattr("rpttheory.networks.advice.measure_curvature", stop)
    with pytest.raises(Unfinished) as stopped:
        advise(task, currency="flops")
    assert stopped.value.profile.currency == "flops"
