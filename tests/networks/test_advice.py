"""Advice: yes where RPT helps by counted cost, no where gradient descent is optimal."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")

import jax.numpy as jnp
import numpy as np
import optax

from rpttheory.cli import main as program
from rpttheory.networks import Task, advise, measure_curvature
from rpttheory.networks.advice import Recommendation
from rpttheory.numbers import Bracket, Rigor
from rpttheory.problem.blocks import BlockOrder
from rpttheory.provenance import provenance
from rpttheory.runs.progress import Event
from rpttheory.search import SearchResult
from tests.refusals import refuses

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
    advice = advise(separable(), resource="flops")
    costs = advice.profile.along("output-first")
    best = advice.best
    # L = Diag(1, 100): q = L_k is optimal, so p = (0.01, 1) and the cost falls by 0.99 c_0.
    assert best.name == "output-first" and advice.helps is True
    assert best.probabilities == pytest.approx([0.01, 1.0], rel=1e-2)
    assert best.saving == pytest.approx(0.99 * costs.costs[0], rel=2e-3) and best.saving > 0.3
    # Input-first, the flat block would have to come along with every step.
    (input_first,) = (choice for choice in advice.recommendations if choice.name == "input-first")
    assert input_first.helps is False and input_first.probabilities.tolist() == [1.0, 1.0]
    assert advice.curvature.kind == "hessian" and advice.curvature.shift == 0
    assert " ".join(str(advice).split()).endswith(advice.verdict)


def test_time_and_bytes_have_different_answers_on_one_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same curvatures behind features that nobody trains: all the time is theirs, and none of
    the bytes. L = Diag(100, 1) and p = (1, 0.01): 0.99 of the dear block's costs are saved.
    """

    def loss(p: Any, batch: Any, factor: Any) -> Any:
        fixed = jnp.tanh(batch @ batch) @ batch @ batch
        value = 50.0 * jnp.sum(p["cheap"] ** 2) + 0.5 * jnp.sum(p["dear"] ** 2)
        return factor * value + jnp.mean(fixed), fixed

    features = jnp.asarray(np.random.default_rng(0).standard_normal((100, 100)) / 10, jnp.float32)
    task = Task(
        loss,
        {"cheap": jnp.ones(3), "dear": jnp.ones((60, 40))},
        features,
        {"cheap": "0", "dear": "1"},
        args=(1.0,),
        has_aux=True,
    )

    def ratios(steps: Any, full: bytes, rounds: int) -> Any:
        """A machine on which every operation takes one nanosecond."""
        unit = steps[full].count("flops")
        return unit * 1e-9, {
            key: [step.count("flops") / unit] * rounds for key, step in steps.items()
        }

    monkeypatch.setattr("rpttheory.networks.costs.processor_ratios", ratios)
    by_time = advise(task)
    assert by_time.profile.resource == "time" and by_time.helps is False
    assert [choice.name for choice in by_time.recommendations] == ["input-first", "output-first"]
    by_bytes = advise(task, resource="bytes")
    (free,) = by_bytes.recommendations
    assert free.name == "any order" and by_bytes.helps is True
    assert free.probabilities == pytest.approx([1.0, 0.01], rel=1e-2)
    assert free.saving == pytest.approx(0.99 * 2400 / 2403, rel=2e-3)
    forced = advise(task, resource="bytes", order="output-first")
    assert [choice.name for choice in forced.recommendations] == ["output-first"]
    assert forced.helps is False
    assert json.loads(json.dumps(by_bytes.to_dict()))["resource"] == "bytes"


def test_advice_on_a_network_as_text_json_and_picture() -> None:
    tree = net("dict")
    task = Task(tree.loss, tree.params, tree.batch, tree.labels, tree.model, criterion, "tiny")
    advice = advise(task, resource="flops")
    values = json.loads(json.dumps(advice.to_dict(), allow_nan=False))
    assert values["schema"] == "rpttheory/advise/2" and values["verdict"] == advice.verdict
    assert values["curvature"]["rigor"] == "NUMERICAL" and values["curvature"]["kind"] == "ggn"
    for choice in advice.recommendations:
        ranked = choice.search.order.by_rank(choice.search.probabilities)
        assert (np.diff(ranked) <= 0).all() and ranked[0] == 1
        # Gradient descent is one admissible choice, so it cannot beat the lower end.
        assert choice.gradient_descent.upper >= choice.search.lower
    assert len(advice.plot().lines) == 3
    assert [row["block"] for row in advice.records()] == list(tree.labels.names)
    assert advice._repr_html_().count("<table>") == 5


@pytest.mark.parametrize(
    ("least", "largest", "helps"),
    [(0.25, 0.3, True), (0.0, 0.005, False), (0.0, 0.4, None), (0.005, 0.015, None)],
)
def test_a_saving_counts_from_one_per_cent_on(
    least: float, largest: float, helps: bool | None
) -> None:
    p = np.array([1.0, 0.5])
    order = BlockOrder((0, 1))
    rigor = Rigor.NUMERICAL
    search = SearchResult(
        0.7, 0.75, p, order, np.ones((2, 1)), "low-rank", rigor, 1, 0, "optimal", "test"
    )
    choice = Recommendation("input-first", search, Bracket(1.0, 1.0, rigor), least, largest)
    assert choice.helps is helps
    assert choice.saving == pytest.approx(0.25)
    assert choice.probabilities.tolist() == ([1.0, 0.5] if helps else [1.0, 1.0])


def advice_with_clock(
    monkeypatch: pytest.MonkeyPatch, last_alone: list[float], rounds: int = 9
) -> Any:
    """Advice where the last block alone takes these shares of a full step, round after round, and
    the first one alone takes 0.9; L = Diag(0.01, 1) times 100.
    """

    def ratios(steps: Any, full: bytes, rounds: int) -> Any:
        share = {(0, 0): [0.1], (1, 1): [1.0], (0, 1): last_alone, (1, 0): [0.9]}
        return 1.0, {
            key: (share[tuple(np.frombuffer(key, dtype=np.bool_))] * rounds)[:rounds]
            for key in steps
        }

    monkeypatch.setattr("rpttheory.networks.costs.processor_ratios", ratios)
    return advise(separable(), rounds=rounds)


def test_the_verdict_allows_for_three_standard_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """With p = (0.01, 1) a saving of 0.99 (1 - C), where C is the cost of the last block alone."""
    exact = advice_with_clock(monkeypatch, [0.9])
    saving = 0.99 * 0.1
    assert exact.helps is True
    assert exact.best.least_saving == pytest.approx(saving, rel=1e-2)
    assert exact.best.largest_saving == pytest.approx(saving, rel=1e-2)
    # Quartiles at 0.89 and 0.91: the error of a median of 9 is 0.01 * 1.25 / (0.674 * 3).
    spread = advice_with_clock(monkeypatch, [0.9, 0.89, 0.91])
    error = 0.01 * 1.25 / 0.674 / 3
    assert spread.helps is True
    assert spread.best.least_saving == pytest.approx(0.99 * (0.1 - 3 * error), rel=1e-2)
    assert spread.best.largest_saving == pytest.approx(0.99 * (0.1 + 3 * error), rel=1e-2)
    wide = advice_with_clock(monkeypatch, [0.97, 0.93, 1.01])
    assert wide.helps is None and wide.exit_code == 3
    assert wide.best.saving > 0.02 and wide.best.probabilities.tolist() == [1.0, 1.0]
    assert advice_with_clock(monkeypatch, [1.0]).helps is False


def test_one_round_leaves_the_verdict_open(monkeypatch: pytest.MonkeyPatch) -> None:
    once = advice_with_clock(monkeypatch, [0.5], rounds=1)
    assert once.helps is None and once.best.least_saving == 0
    assert json.loads(json.dumps(once.to_dict(), allow_nan=False))["helps"] is None


def test_the_optimizer_of_the_steps_can_be_chosen() -> None:
    task = separable()
    plain = advise(task, resource="flops", order="output-first").profile.orders[0]
    adam = optax.adam(0.1)
    for advice in (
        advise(task, resource="flops", order="output-first", inner=adam),
        advise(replace(task, inner=adam), resource="flops", order="output-first"),
    ):
        assert advice.profile.orders[0].full > plain.full + 2400


def test_samplings_that_are_not_nested_are_compared_by_c_M(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L = Diag(1, 100), where L_M of a sampling is the largest L_k / p_k."""
    sent = advise(separable(), resource="bytes").samplings
    assert sent is not None and not sent.comparison.backprop
    total = 2400 * 1.0 + 3 * 100.0
    for key in ("single", "any"):
        cost = sent.comparison[key].cost.midpoint
        assert cost == pytest.approx(total / 2403, rel=1e-3)
    assert sent.gradient_descent.midpoint == pytest.approx(100, rel=1e-3)
    timed = advice_with_clock(monkeypatch, [0.5])
    deep = timed.samplings
    assert deep is not None and deep.comparison.backprop and deep.first_alone == 0.9
    # c_0 lmax, then 100 for the last block and for the first one behind it, which is flat.
    bound = 0.1 * 100 + 0.4 * 100 + 0.5 * 1
    assert deep.comparison["any"].cost.midpoint == pytest.approx(bound, rel=1e-3)
    assert timed.to_dict()["samplings"]["backprop"] is True
    # The first block alone costs 0.9, and 0.1 + 0.75 by costs that add up.
    nearly = advice_with_clock(monkeypatch, [0.25]).samplings
    assert nearly is not None and not nearly.comparison.backprop
    assert advise(separable(), resource="bytes", order="input-first").samplings is None


def test_a_large_shift_of_the_hessian_is_a_warning() -> None:
    def loss(p: Any, curvature: Any) -> Any:
        return jnp.sum(p["a"] ** 2) + curvature * jnp.sum(p["b"] ** 2)

    params = {"a": jnp.ones(3), "b": jnp.ones(2)}
    warnings = [
        measure_curvature(Task(loss, params, value, lambda path: path)).warning
        for value in (1.0, -0.001, -0.5)
    ]
    assert warnings[:2] == ["", ""] and "1" in warnings[2]


def test_wrong_arguments_are_refused() -> None:
    task = separable()
    for argument, options in (
        ("curvature", {"curvature": "ggn"}),
        ("curvature", {"curvature": "fisher"}),
        ("", {"tol": 2.0}),
        ("resource", {"resource": "euro"}),
    ):
        with refuses(argument):
            advise(task, **options)  # type: ignore[arg-type]
    with refuses("task"):
        advise((task.loss, task.params, task.batch, task.labels))  # type: ignore[arg-type]
    with refuses("model"):
        Task(task.loss, task.params, task.batch, task.labels, model=lambda p, b: b)
    with refuses("params", found="'cheap'"):
        Task(task.loss, {**task.params, "cheap": jnp.ones(9)}, task.batch, task.labels)


def test_an_interrupted_search_ends_the_others_at_their_first_bracket() -> None:
    brackets: list[Event] = []

    def stop(event: Event) -> None:
        if "gap" in event.message:
            brackets.append(event)
            if len(brackets) == 1:
                raise KeyboardInterrupt

    advice = advise(separable(), resource="flops", progress=stop, tol=1e-5)
    searches = [choice.search for choice in (*advice.recommendations, advice.size_share)]
    assert {search.status for search in searches} == {"interrupted"} and len(brackets) == 1


FACTORIES = """
import jax.numpy as jnp
from neighbor import SCALE
from rpttheory.networks import Task

def make():
    params = {"a": jnp.ones(3), "b": jnp.ones(4)}
    def loss(p, x):
        return SCALE * jnp.sum(p["a"] ** 2) + jnp.sum((x @ p["b"]) ** 2)
    return (loss, params, jnp.eye(4), lambda path: path)

def task():
    return Task(*make())

def three():
    return make()[:3]

def none():
    pass

def needs(argument):
    return make()

def leaving():
    raise SystemExit(7)

def vector():
    return (lambda p, x: p["a"], *make()[1:])

constant = 3
"""


@pytest.fixture
def factory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "neighbor.py").write_text("SCALE = 50")
    (tmp_path / "my_factories.py").write_text(FACTORIES)
    monkeypatch.setattr("sys.path", sys.path.copy())
    return str(tmp_path / "my_factories.py")


def test_factories_are_found_by_file_and_by_module(
    factory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Task.load(f"{factory}:make").labels.names == ("a", "b")
    monkeypatch.chdir(Path(factory).parent)
    assert Task.load("my_factories:task").name == ""
    assert Task.load("my_factories:make").name == "my_factories:make"
    Path("broken.py").write_text("1 +")
    for target, message in (
        (":make", ""),
        ("my_factories:absent", "KeyError"),
        ("my_factories:constant", "TypeError"),
        ("my_factories:three", "ValueError"),
        ("my_factories:none", "TypeError"),
        ("my_factories:needs", "TypeError"),
        ("my_factories:leaving", "SystemExit: 7"),
        ("no_such_module:make", "no_such_module"),
        ("no_such_file.py:make", "FileNotFoundError"),
        ("broken.py:make", "SyntaxError"),
    ):
        with refuses("factory", found=message):
            Task.load(target)


def call(*arguments: str) -> int:
    return program.guarded(program.commands, list(arguments))


def test_the_command_writes_text_json_page_and_picture(
    factory: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "advice.png"
    page = tmp_path / "advice.html"
    command = ("advise", f"{factory}:make", "--resource", "flops")
    assert call(*command, "--output", str(picture), "--output", str(page)) == 0
    assert capsys.readouterr().out and picture.stat().st_size > 5000 and page.stat().st_size > 5000
    assert call(*command, "--json", "--order", "input-first") == 0
    values = json.loads(capsys.readouterr().out)
    assert values["schema"] == "rpttheory/advise/2" and values["provenance"] == provenance()
    assert [choice["name"] for choice in values["recommendations"]] == ["input-first"]
    for mistake in (
        (f"{factory}:vector",),
        ("\x1b[31m:make",),
        (f"{factory}:make", "--tol", "0"),
        (f"{factory}:make", "--output", "advice.txt"),
    ):
        assert call("advise", *mistake) == 2
        out, err = capsys.readouterr()
        lines = err.rstrip("\n").split("\n")
        assert out == "" and [line[:8] for line in lines[1:]] == ["  found:", "  try:  "]
        assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("missing", ["jax", "optax"])
def test_without_the_extra_the_package_imports_and_names_it(missing: str) -> None:
    """A None in sys.modules makes an import fail as if the module were not installed."""
    code = (
        f"import sys\nimport rpttheory.networks as networks, rpttheory.cli.main as main\n"
        f"assert 'jax' not in sys.modules and 'rpt' in dir(networks)\n"
        f"sys.modules[{missing!r}] = None\n"
        "try:\n    networks.label_blocks\n"
        "except main.RptTheoryError as error:\n    print(error.remedy)\n"
        "print(main.guarded(main.commands, ['advise', 'a:b']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ".[jax]" in done.stdout and done.stdout.rstrip().endswith("2")
