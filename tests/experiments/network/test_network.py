"""The network experiment: its plan, its table and figure from runs made by hand, the command, and
kill -9.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")
pytest.importorskip("sklearn", reason="needs the extra examples")

import numpy as np

from rpttheory.cli import main as program
from rpttheory.errors import InvalidInput, MissingExtra
from rpttheory.experiments.network.plan import Plan, write_results
from rpttheory.experiments.network.settings import (
    METHODS,
    TUNING_SEED,
    Settings,
    check_methods,
    require_extras,
)
from rpttheory.experiments.network.summary import curves, summary, verdicts
from rpttheory.experiments.network.work import network_of, progressive_lengths, schedule
from rpttheory.networks import Progressive, Randomized
from rpttheory.runs.store import open_store

pytestmark = pytest.mark.networks


@pytest.mark.parametrize("budget", [1, 3.5, 20, 150])
def test_progressive_training_ends_at_the_budget(budget: float) -> None:
    sizes = [5, 10, 85]
    shares = np.cumsum(sizes) / 100
    lengths = progressive_lengths(sizes, budget)
    assert lengths[0] == lengths[1] == sum(lengths) // 6
    assert budget <= lengths @ shares < budget + 1
    assert sum(progressive_lengths(sizes, budget, most=7)) == min(sum(lengths), 7)


def test_schedules_of_the_methods() -> None:
    settings = Settings(model="resnet8")
    network = network_of(settings)
    given = tuple(np.linspace(0.3, 1.0, network.labels().count))
    made = {
        name: schedule(settings, name, network, given if name == "rpt-curvature" else None)
        for name in METHODS
    }
    assert isinstance(made["pt-partial"], Progressive)
    for name, first, last in (
        ("sgd", 1, 1),
        ("sgd-momentum", 1, 1),
        ("rpt-input", 1, 0.9**9),
        ("rpt-output", 0.9**9, 1),
    ):
        draw = made[name]
        assert isinstance(draw, Randomized)
        assert draw.probabilities[0] == pytest.approx(first) and draw.probabilities[
            -1
        ] == pytest.approx(last)
    curved = made["rpt-curvature"]
    assert isinstance(curved, Randomized) and np.array_equal(curved.probabilities, given)


@pytest.mark.parametrize(
    "mistake",
    [
        {"budget": 0.5},
        {"budget": float("nan")},
        {"epochs": 0.0},
        {"batch": 0},
        {"images": 0},
        {"local_steps": 0},
        {"nodes": 11},
        {"nodes": 4, "batch": 3},
        {"split": "odd"},
        {"decay": 0.0},
        {"decay": 1.1},
        {"learning_rate": 0.0},
        {"grid": (0.1, -1.0)},
        {"grid": (0.1,), "learning_rate": 0.1},
    ],
)
def test_settings_that_make_no_sense(mistake: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        Settings(**mistake)
    assert caught.value.found and caught.value.remedy


def test_methods_are_known_ones() -> None:
    assert check_methods(["rpt-input", "sgd"]) == ("sgd", "rpt-input")
    with pytest.raises(InvalidInput, match="unknown method"):
        check_methods(["adam"])


def test_missing_extras_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "flax" else object()
    )
    with pytest.raises(MissingExtra, match="flax") as caught:
        require_extras()
    assert caught.value.found == "no module 'flax'" and "examples" in caught.value.remedy


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
    first, share = (
        ("output-first", [0.75, 1.0]) if method == "rpt-output" else ("input-first", [0.25, 1.0])
    )
    made = [
        {
            "step": sum(depths),
            "epoch": sum(depths) / 2,
            "kinds": {
                name: n for name, n in ((f"{first} 1", depths[0]), ("whole", depths[1])) if n
            },
            "cost": float(np.dot(depths, share)),
            "train_loss": loss,
            "accuracy": accuracy,
        }
        for depths, loss, accuracy in records
    ]
    return {
        "method": method,
        "seed": seed,
        "learning_rate": 0.1,
        "status": status,
        "records": made,
        "size": 250_000,
        "cpu_seconds": 1.0 + seed,
    }


RUNS = [
    run("rpt-input", 0, [([0, 0], 2.0, 0.1), ([8, 2], 0.4, 0.9)]),
    run("rpt-input", 1, [([0, 0], 2.0, 0.1), ([8, 2], 0.2, 0.7)]),
    run("sgd", 0, [([0, 0], 2.0, 0.1), ([0, 4], 1.0, 0.5)]),
    run("sgd", 1, [([0, 0], 2.0, 0.1), ([0, 4], 1.4, 0.6)]),
    run("pt-partial", 0, [([0, 0], 2.0, 0.1), ([4, 4], 0.5, 0.5)]),
    run("pt-partial", 1, [([0, 0], 2.0, 0.1)], status="diverged"),
    run("rpt-output", 0, [([0, 0], 2.0, 0.1), ([4, 0], 1.8, 0.4), ([4, 1], 1.6, 0.4)]),
    run("rpt-output", 1, [([0, 0], 2.0, 0.1), ([4, 0], 1.6, 0.4), ([4, 1], 1.2, 0.4)]),
]
CURVES = curves(RUNS, COSTS)


def test_time_operations_and_memory_follow_the_kinds_of_steps() -> None:
    by_method = {curve.method: curve for curve in CURVES}
    assert by_method["rpt-input"].time.tolist() == [0.0, 8.0]
    assert by_method["rpt-output"].time.tolist() == [0.0, 2.0, 3.0]
    assert by_method["sgd"].time.tolist() == [0.0, 4.0]
    assert by_method["rpt-output"].operations.tolist() == pytest.approx([0.0, 1.6, 2.6])
    assert by_method["rpt-output"].memory.tolist() == [2.0, 2.0, 8.0] and by_method[
        "sgd"
    ].memory.tolist() == [8.0, 8.0]
    assert by_method["rpt-input"].bytes.tolist() == [0.0, 4.0]


def test_the_tables_compare_at_equal_bytes_and_at_equal_time() -> None:
    rows = {row["method"]: row for row in summary(RUNS, CURVES)}
    assert list(rows) == ["SGD", "PT, partial", "RPT input-first", "RPT output-first"]
    quick = rows["RPT input-first"]
    assert (
        quick["bytes"] == 4.0
        and quick["time"] == 8.0
        and quick["epoch"] == 5.0
        and quick["steps"] == 10
    )
    assert quick["megabytes"] == 8.0
    assert quick["loss"] == quick["loss_bytes"] == pytest.approx((0.3, 0.2 / 2**0.5))
    assert quick["accuracy"] == pytest.approx((0.8, 0.2 / 2**0.5))
    # All have reached a time of 3, where this one is 3/8 of its way, and bytes of 4.
    assert quick["common_time"] == 3.0 and quick["common_bytes"] == 4.0
    assert quick["loss_time"][0] == pytest.approx(2 - 3 / 8 * 1.7) and quick["bytes_time"] == 1.5
    assert quick["time_bytes"] == 8.0 and quick["operations_bytes"] == pytest.approx(9.2)
    assert rows["SGD"]["loss_time"][0] == pytest.approx(2 - 3 / 4 * 0.8)
    assert rows["PT, partial"]["diverged"] == 1 and "loss" not in rows["PT, partial"]


def test_verdicts_rank_by_each_measure_whoever_wins() -> None:
    by_bytes, by_time = verdicts(summary(RUNS, CURVES))
    assert (
        "equal bytes, 4, best first: RPT input-first 0.3, SGD 1.2, RPT output-first 1.4" in by_bytes
    )
    assert (
        "equal time, 3, best first: RPT input-first 1.36, SGD 1.4, RPT output-first 1.4" in by_time
    )
    slow = [run("rpt-input", 0, [([0, 0], 2.0, 0.1), ([8, 2], 1.5, 0.9)]), *RUNS[2:4]]
    by_bytes, by_time = verdicts(summary(slow, curves(slow, COSTS)))
    assert "best first: SGD" in by_bytes and "best first: SGD" in by_time
    assert verdicts(summary([RUNS[5]], curves([RUNS[5]], COSTS))) == ["Every method diverged."]


def test_outputs_are_written_with_a_panel_for_each_currency(tmp_path: Path) -> None:
    settings = Settings(model="resnet8", budget=4)
    plan = Plan(
        settings,
        open_store(tmp_path, "network", settings.to_dict("digits")),
        ["sgd", "rpt-input"],
        2,
    )
    for name in plan.measured:
        plan.store.save(f"costs-{name}", COSTS[name])
    for made in RUNS:
        plan.store.save(f"{made['method']}-{made['seed']}", made)
    _, notes, written = write_results(plan)
    assert sorted(Path(path).suffix for path in written) == [".csv", ".md", ".png", ".svg"]
    picture = (tmp_path / "network.svg").read_text(encoding="utf-8")
    assert picture.count('<g id="axes_') == 8
    for words in (
        "training loss",
        "test accuracy",
        "bytes",
        "processor time",
        "operations",
        "temporary",
        "RPT input-first",
    ):
        assert f"<!-- {words}" in picture
    assert (tmp_path / "network.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "network.md").read_text(encoding="utf-8")
    assert page.count("| RPT input-first | 0.10 |") == 2 and all(note in page for note in notes)
    assert "training loss at bytes 4 " in page and "training loss at time 4 " in page
    assert (
        (tmp_path / "network.csv")
        .read_text(encoding="utf-8")
        .splitlines()[0]
        .startswith("method,learning_rate,steps,epoch,bytes,time,operations,memory")
    )


def test_tuning_takes_the_best_on_the_validation_images(tmp_path: Path) -> None:
    settings = Settings(model="resnet8", grid=(0.5, 0.1, 0.05, 0.01))
    plan = Plan(settings, open_store(tmp_path, "network", settings.to_dict("digits")), ["sgd"], 2)
    stages = plan.stages()
    first = [
        (task.key, task.arguments[1:4]) for task in next(stages) if not task.key.startswith("costs")
    ]
    assert first == [(f"tune-sgd-{rate:g}", ("sgd", TUNING_SEED, rate)) for rate in settings.grid]
    judged = {
        0.5: ("diverged", 1.0, 0.0),
        0.1: ("finished", 0.9, 0.3),
        0.05: ("finished", 0.9, 0.2),
    }
    judged[0.01] = ("finished", 0.8, 0.1)
    for rate, (status, accuracy, loss) in judged.items():
        records = [{"accuracy": accuracy, "train_loss": loss}]
        plan.store.save(
            f"tune-sgd-{rate:g}", {"status": status, "records": records, "learning_rate": rate}
        )
    assert [task.arguments[1:4] for task in next(stages)] == [("sgd", 0, 0.05), ("sgd", 1, 0.05)]


def call(*arguments: str) -> int:
    return program.guarded(program.commands, ["experiment", "network", *arguments])


@pytest.mark.parametrize(
    "mistake",
    [
        ["--data", "mnist"],
        ["--data-dir", "anywhere"],
        ["--model", "vgg"],
        ["--width", "0"],
        ["--budget", "0"],
        ["--seeds", "0"],
        ["--jobs", "0"],
        ["--batch", "0"],
        ["--batch", "1296"],
        ["--nodes", "0"],
        ["--split", "odd"],
        ["--model", "resnet8", "--methods", "resist"],
        ["--nodes", "3", "--methods", "ist"],
        ["--methods", "sgd,adam"],
        ["--tune", "fast"],
        ["--tune", "0.1,-1"],
        ["--learning-rate", "nan"],
        ["--data", "cifar10", "--data-dir", "nowhere"],
    ],
)
def test_mistakes(mistake: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert call("--out", str(out), *mistake) == 2
    printed, complaint = capsys.readouterr()
    lines = complaint.rstrip("\n").split("\n")
    assert printed == "" and len(lines) == 3 and not out.exists()
    assert [line[:9] for line in lines[1:]] == ["  found: ", "  try:   "]


def test_a_folder_of_other_settings_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings()
    open_store(tmp_path, "network", settings.to_dict("digits"))
    before = (tmp_path / "network.json").read_bytes()
    assert call("--out", str(tmp_path), "--budget", "60") == 2
    assert "budget 150.0 there, 60.0 now" in capsys.readouterr().err
    assert (tmp_path / "network.json").read_bytes() == before


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert call("--out", str(tmp_path / "file" / "out")) == 2
    assert "cannot write results here" in capsys.readouterr().err


QUICK = {"model": "resnet8", "width": 1, "budget": 6.0, "batch": 32, "decay": 0.1}


def prepared(out: Path) -> Path:
    """A folder where the costs are known, which are measured and thus no part of what must
    repeat.
    """
    store = open_store(out, "network", Settings(**QUICK).to_dict("digits"))
    kinds = {
        f"output-first {depth}": kind(0.3 + depth / 15, float(depth), 1e6) for depth in range(1, 10)
    }
    store.save("costs-rpt-output", {"whole": kind(1.0, 10.0, 2e6), **kinds})
    return out


def start(out: Path) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "rpttheory",
        "experiment",
        "network",
        "--methods",
        "rpt-output",
        "--seeds",
        "1",
    ]
    command += [
        "--jobs",
        "1",
        *(word for name, value in QUICK.items() for word in (f"--{name}", str(value))),
    ]
    return subprocess.Popen(
        [*command, "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ,
    )


def finished(out: Path) -> Any:
    process = start(out)
    _, complaint = process.communicate(timeout=600)
    assert process.returncode == 0, complaint
    return json.loads((out / "network-row-rpt-output-0.json").read_bytes())["result"]


def test_a_killed_run_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    expected = finished(prepared(tmp_path / "whole"))
    killed = prepared(tmp_path / "killed")
    process = start(killed)
    checkpoint = killed / "network-checkpoint-rpt-output-0.npz"
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and process.poll() is None and not _under_way(checkpoint):
        time.sleep(0.002)
    process.kill()
    process.communicate()
    assert checkpoint.exists() and not (killed / "network-row-rpt-output-0.json").exists()
    found = finished(killed)
    assert found["records"] == expected["records"] and found["status"] == "finished"
    assert not checkpoint.exists() and not (killed / "network-compiled").exists()
    for suffix in (".csv", ".md", ".svg", ".png"):
        assert (killed / f"network{suffix}").stat().st_size > 0


def _under_way(checkpoint: Path) -> bool:
    """Whether the run has gone beyond its first record."""
    if not checkpoint.exists():
        return False
    with checkpoint.open("rb") as stream, np.load(stream) as stored:
        return len(json.loads(str(stored["about"]))["about"]["records"]) >= 3
