"""What a result was computed with: told truly, and told in every JSON file and page."""

import json
import platform
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import flint
import numpy as np
import pytest
import scipy
from program import Run

import rpttheory
from rpttheory import provenance as module
from rpttheory.cli.main import commands, guarded
from rpttheory.provenance import SAFE, provenance, provenance_rows

ROOT = Path(__file__).parents[1]
MATRIX = ("dataset:LFAT5", "--blocks", "7,7", "--json")
CALLS = {
    "verify": MATRIX,
    "compare": MATRIX,
    "rates": MATRIX,
    "proofs": ("as:convex", "--json", "--jobs", "1"),
    "attack": ("lem:twoBounds/upper", "--max-evaluations", "1000", "--json"),
    "doctor": ("--json",),
    "campaign": None,  # prints what was kept when it ran: tests/experiments/test_campaign.py
    "advise": None,  # needs the extra jax: tests/networks/test_advice.py
}


def test_versions_are_those_that_run() -> None:
    block = provenance()
    assert block["rpttheory"] == rpttheory.__version__
    assert block["python"].endswith(platform.python_version())
    assert (block["numpy"], block["scipy"], block["python-flint"]) == (
        np.__version__,
        scipy.__version__,
        flint.__version__,
    )
    assert json.loads(json.dumps(block)) == block == provenance()


def test_extras_are_those_of_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = {
        extra: sorted(re.split("[<>=]", need)[0].lower() for need in needs)
        for extra, needs in project["optional-dependencies"].items()
    }
    result = provenance()["extras"]
    assert {
        name: sorted(part.split()[0].lower() for part in text.split(", "))
        for name, text in result.items()
    } == packages, (
        "the installed metadata is not that of pyproject.toml: pip install --no-deps -e . again"
    )


def test_blas_with_and_without_threadpoolctl(monkeypatch: pytest.MonkeyPatch) -> None:
    blas = {"user_api": "blas", "internal_api": "openblas", "version": "1.2", "num_threads": 3}
    openmp = {"user_api": "openmp", "internal_api": "openmp", "version": None, "num_threads": 9}
    fake = type(sys)("threadpoolctl")
    vars(fake)["threadpool_info"] = lambda: [blas, openmp, blas, {**blas, "version": "1.1"}]
    monkeypatch.setitem(sys.modules, "threadpoolctl", fake)
    first, second = provenance()["blas"].split("; ")
    assert "openblas 1.1" in first and "openblas 1.2" in second and " 3 " in second
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    built: Any = np.show_config(mode="dicts")
    assert provenance()["blas"].startswith(built["Build Dependencies"]["blas"]["name"])


def test_the_doctor(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("doctor")
    assert done.code == 0
    printed = " ".join(done.out.split())
    assert all(text in printed for row in provenance_rows(provenance()) for text in row)

    def unsound(dimension: int) -> str:
        assert dimension >= 64, "BLAS is asked too"
        return "subnormal results are flushed to zero"

    monkeypatch.setattr(module, "arithmetic_problem", unsound)
    done = run("doctor --json")
    assert done.code == 2 and done.json["provenance"]["arithmetic"] != SAFE


def test_every_command_with_json_is_listed_here() -> None:
    context = click.Context(commands)
    result = {name: commands.get_command(context, name) for name in commands.list_commands(context)}
    assert {
        name
        for name, command in result.items()
        if command and "as_json" in {p.name for p in command.params}
    } == set(CALLS)


@pytest.mark.parametrize(
    ("name", "arguments"), [(name, received) for name, received in CALLS.items() if received]
)
def test_every_json_has_the_block(
    name: str, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(commands, [name, *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["provenance"] == provenance()


def test_files_and_pages_have_it_too(tmp_path: Path) -> None:
    saved = tmp_path / "attack.json"
    page = tmp_path / "page.html"
    assert (
        guarded(
            commands,
            ["attack", "lem:twoBounds/upper", "--max-evaluations", "1000", "--output", str(saved)],
        )
        == 0
    )
    assert json.loads(saved.read_bytes())["provenance"] == provenance()
    assert guarded(commands, ["proofs", "as:convex", "--jobs", "1", "--output", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert all(
        f"<th>{name}</th><td>{result}</td>" in text
        for name, result in provenance_rows(provenance())
    )
