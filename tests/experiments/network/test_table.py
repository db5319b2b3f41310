"""The network experiment: its plan, and its tables and figure from runs made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")
pytest.importorskip("sklearn", reason="needs the extra examples")

import numpy as np

from rpttheory.cli import main as program
from rpttheory.errors import MissingExtra
from rpttheory.experiments.network.data import ImageData
from rpttheory.experiments.network.experiment import Plan, write_results
from rpttheory.experiments.network.methods import make_method
from rpttheory.experiments.network.model import Network
from rpttheory.experiments.network.settings import (
    METHODS,
    TUNING_SEED,
    Settings,
    check_methods,
    require_extras,
)
from rpttheory.experiments.network.table import curves, summary
from rpttheory.runs.store import Store
from tests.refusals import refuses

pytestmark = pytest.mark.networks


def test_every_method_has_its_kinds_of_steps() -> None:
    settings = Settings(batch=8)
    images = np.zeros((20, 4, 4, 1), np.float32), np.zeros(20, np.int32)
    network = Network((1, 2), 4, ImageData("none", images, images, images, False))
    kinds = {method: make_method(settings, method, network).kinds for method in METHODS}
    blocks = network.labels().count
    for method in ("sgd", "sgd-momentum", "fedavg"):
        assert list(kinds[method]) == ["whole"]
    for method in ("rpt-input", "rpt-output", "rpt-federated"):
        side = "output-first" if method == "rpt-output" else "input-first"
        assert set(kinds[method]) == {"whole", *(f"{side} {n}" for n in range(1, blocks))}
    assert set(kinds["rpt-muon"]) == {f"Muon {name}" for name in kinds["rpt-output"]}
    assert list(kinds["muon"]) == ["Muon whole"]
    for kind in kinds["rpt-muon"].values():
        assert set(kind.trained.values()) == {1.0}
    for method, last in (("rpt-input", 0.9**8), ("rpt-output", 1.0)):
        assert kinds[method]["whole"].trained["dense/kernel"] == pytest.approx(1 / last)
    assert set(kinds["pt"]) == set(kinds["progfed"]) and len(kinds["pt"]) == 5


@pytest.mark.parametrize(
    ("argument", "settings"),
    [
        ("model", {"model": "resnet21"}),
        ("width", {"width": 0}),
        ("cost_budget", {"cost_budget": 0.5}),
        ("cost_budget", {"cost_budget": float("nan")}),
        ("epochs", {"epochs": 0.0}),
        ("images", {"images": 0}),
        ("nodes", {"nodes": 11}),
        ("nodes", {"nodes": 4, "batch": 3}),
        ("decay", {"decay": 1.1}),
        ("learning_rate", {"learning_rate": 0.0}),
        ("learning_rate", {"learning_rates": (0.1, -1.0)}),
        ("learning_rate", {"learning_rates": (0.1,), "learning_rate": 0.1}),
    ],
    ids=range(12),
)
def test_wrong_settings_are_refused(argument: str, settings: dict[str, Any]) -> None:
    with refuses(argument):
        Settings(**settings)


def test_no_two_methods_look_alike() -> None:
    assert len({(info.ink, info.dashes) for info in METHODS.values()}) == len(METHODS)
    rpt = [info.ink for name, info in METHODS.items() if name.startswith("rpt")]
    assert len(set(rpt)) == len(rpt)


def test_methods_and_extras_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_methods(["rpt-input", "sgd"]) == ("sgd", "rpt-input")
    with refuses("methods", found="adam"):
        check_methods(["adam"])
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "flax" else object()
    )
    with refuses(found="'flax'", error=MissingExtra):
        require_extras()


def kind(time: float, flops: float, memory: float) -> dict[str, float]:
    return {"time": time, "flops": flops, "memory": memory}


WHOLE = kind(1.0, 10.0, 8e6)
COSTS = {
    "sgd": {"whole": WHOLE},
    "rpt-input": {"input-first 1": kind(0.75, 9.0, 6e6), "whole": WHOLE},
    "rpt-output": {"output-first 1": kind(0.5, 4.0, 2e6), "whole": WHOLE},
}


def run(
    method: str, seed: int, records: list[tuple[list[int], float, float]], status: str = "finished"
) -> Any:
    """Runs of a network of two blocks of 1 and 3 parameters: steps on one of them and on both."""
    side, share = ("output-first", 0.75) if method == "rpt-output" else ("input-first", 0.25)
    return {
        "method": method,
        "seed": seed,
        "learning_rate": 0.1,
        "status": status,
        "records": [
            {
                "step": partial + whole,
                "epoch": (partial + whole) / 2,
                "kinds": {k: n for k, n in ((f"{side} 1", partial), ("whole", whole)) if n},
                "cost": share * partial + whole,
                "train_loss": loss,
                "accuracy": accuracy,
            }
            for (partial, whole), loss, accuracy in records
        ],
        "size": 250_000,
        "cpu_seconds": 1.0 + seed,
    }


RUNS = [
    run("rpt-input", 0, [([0, 0], 2.0, 0.1), ([8, 2], 0.4, 0.9)]),
    run("rpt-input", 1, [([0, 0], 2.0, 0.1), ([8, 2], 0.2, 0.7)]),
    run("sgd", 0, [([0, 0], 2.0, 0.1), ([0, 4], 1.0, 0.5)]),
    run("sgd", 1, [([0, 0], 2.0, 0.1), ([0, 4], 1.4, 0.6)]),
    run("sgd-momentum", 0, [([0, 0], 2.0, 0.1), ([4, 4], 0.5, 0.5)]),
    run("sgd-momentum", 1, [([0, 0], 2.0, 0.1)], status="diverged"),
    run("rpt-output", 0, [([0, 0], 2.0, 0.1), ([4, 0], 1.8, 0.4), ([4, 1], 1.6, 0.4)]),
    run("rpt-output", 1, [([0, 0], 2.0, 0.1), ([4, 0], 1.6, 0.4), ([4, 1], 1.2, 0.4)]),
]
CURVES = curves(RUNS, COSTS)


def test_time_operations_and_memory_follow_the_kinds_of_steps() -> None:
    values = {curve.method: curve.values for curve in CURVES}
    assert values["rpt-input"]["time"].tolist() == [0.0, 8.0]
    assert values["rpt-output"]["time"].tolist() == [0.0, 2.0, 3.0]
    assert values["sgd"]["time"].tolist() == [0.0, 4.0]
    assert values["rpt-output"]["operations"].tolist() == pytest.approx([0.0, 1.6, 2.6])
    assert values["rpt-output"]["memory"].tolist() == [2.0, 2.0, 8.0]
    assert values["sgd"]["memory"].tolist() == [8.0, 8.0]
    assert values["rpt-input"]["bytes"].tolist() == [0.0, 4.0]


def test_the_tables_compare_at_equal_bytes_and_at_equal_time() -> None:
    rows = {row["method"]: row for row in summary(RUNS, CURVES)}
    assert list(rows) == ["SGD", "SGD, momentum", "RPT input-first", "RPT output-first"]
    quick = rows["RPT input-first"]
    assert quick["train_loss_bytes"] == pytest.approx((0.3, 0.2 / 2**0.5))
    assert quick["accuracy_bytes"] == pytest.approx((0.8, 0.2 / 2**0.5))
    # All have reached a time of 3, where this one is 3/8 of its way, and bytes of 4.
    assert quick["common_time"] == 3.0 and quick["common_bytes"] == 4.0
    assert quick["train_loss_time"][0] == pytest.approx(2 - 3 / 8 * 1.7)
    assert quick["bytes_time"] == 1.5
    assert quick["time_bytes"] == 8.0 and quick["operations_bytes"] == pytest.approx(9.2)
    assert rows["SGD"]["train_loss_time"][0] == pytest.approx(2 - 3 / 4 * 0.8)
    diverged = rows["SGD, momentum"]
    assert diverged["diverged"] == 1 and "train_loss_bytes" not in diverged


def plan_of(tmp_path: Path, methods: list[str], **options: Any) -> Plan:
    settings = Settings(model="resnet8", **options)
    return Plan(settings, Store(tmp_path, "network", settings.to_dict("digits")), methods, 2)


def test_outputs_are_written_with_a_panel_for_each_resource(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, ["sgd", "rpt-input"], cost_budget=4)
    plan.store.put({f"costs-{name}": COSTS[name] for name in plan.measured})
    plan.store.put({f"{run['method']}-{run['seed']}": run for run in RUNS})
    _, notes, paths = write_results(plan)
    assert sorted(Path(path).suffix for path in paths) == [".csv", ".md", ".png", ".svg"]
    assert (tmp_path / "network.svg").read_text(encoding="utf-8").count('<g id="axes_') == 8
    page = (tmp_path / "network.md").read_text(encoding="utf-8")
    assert page.count("| RPT input-first | 0.10 |") == 2 and all(note in page for note in notes)
    header = (tmp_path / "network.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("method,learning_rate,train_loss_bytes,train_loss_bytes_sd,accuracy")


def test_tuning_takes_the_best_on_the_validation_images(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, ["sgd"], learning_rates=(0.5, 0.1, 0.05, 0.01))
    stages = plan.stages()
    assert [task.key for task in next(stages)] == ["costs-sgd"]
    tuning = next(stages)
    rates = plan.settings.learning_rates
    assert [task.arguments[2:5] for task in tuning] == [
        ("sgd", TUNING_SEED, rate) for rate in rates
    ]
    results = [
        ("diverged", 1.0, 0.0),
        ("finished", 0.9, 0.3),
        ("finished", 0.9, 0.2),
        ("finished", 0.8, 0.1),
    ]
    for task, rate, (status, accuracy, loss) in zip(tuning, rates, results, strict=True):
        records = [{"accuracy": accuracy, "train_loss": loss}]
        plan.store.put({task.key: {"status": status, "records": records, "learning_rate": rate}})
    assert [task.arguments[2:5] for task in next(stages)] == [("sgd", 0, 0.05), ("sgd", 1, 0.05)]


@pytest.mark.parametrize(
    "mistake",
    [
        "--dataset mnist",
        "--data-dir anywhere",
        "--model vgg",
        "--repeats 0",
        "--batch 1296",
        "--methods sgd,adam",
        "--learning-rates fast",
        "--dataset cifar10 --data-dir nowhere",
    ],
)
def test_mistakes_end_before_any_work(
    mistake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["experiment", "network", "--out", str(out), *mistake.split()]
    assert program.guarded(program.commands, arguments) == 2
    printed, complaint = capsys.readouterr()
    lines = complaint.rstrip("\n").split("\n")
    assert printed == "" and not out.exists()
    assert [line[:9] for line in lines[1:]] == ["  found: ", "  try:   "]


def test_the_command_trains_stores_and_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The smallest run, with the costs of its steps at hand; again it computes nothing."""
    words = (
        "--model resnet8 --width 1 --cost-budget 2 --batch 32 --methods sgd --repeats 1 --jobs 1"
    )
    command = ["experiment", "network", *words.split(), "--out", str(tmp_path)]
    settings = Settings(model="resnet8", width=1, cost_budget=2.0, batch=32)
    store = Store(tmp_path, "network", settings.to_dict("digits"))
    store.put({"costs-sgd": {"whole": kind(1.0, 10.0, 2e6)}})
    assert program.guarded(program.commands, command) == 0
    text = capsys.readouterr().out
    assert sorted(store.keys()) == ["costs-sgd", "sgd-0"]
    row = store.get("sgd-0")
    assert row is not None and row.value["records"][-1]["step"] == 2
    assert program.guarded(program.commands, command) == 0
    assert capsys.readouterr().out == text and store.get("sgd-0") == row
    assert {path.suffix for path in tmp_path.iterdir()} == {
        ".csv",
        ".md",
        ".png",
        ".sqlite",
        ".svg",
    }
