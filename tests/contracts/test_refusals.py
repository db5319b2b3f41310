"""Every command refuses a bad option by its name, and shows what it found and what to try."""

from pathlib import Path

import click
import numpy as np
import pytest

from rpttheory.cli.main import as_flag, commands
from rpttheory.errors import InvalidInput, as_call

SIZES = ["L.npy", "--blocks", "1,1"]
RIDGE = ["ridge", "--out", "out", "--dataset", "prostate"]
NETWORK = ["network", "--out", "out"]

# A command, its valid arguments, and bad options with the argument of the library they break.
REFUSED = [
    ("verify", SIZES[:1], {"blocks": "1,2"}),
    ("verify", SIZES, {"costs": "1,-1", "p": "2,1", "data --ridge": "-1", "data --drop": ","}),
    ("compare", SIZES, {"tol": "2", "overhead": "-1", "order": "1/2,1", "time-limit": "0"}),
    ("rates", SIZES, {"eps": "0", "mu": "-1", "squared-distance": "0", "gap": "-1"}),
    ("experiment", ["quadratics", "--out", "out"], {"repeats": "0", "tol": "1", "spread": "1"}),
    ("experiment", ["quadratics", "--out", "out"], {"jobs": "0"}),
    ("experiment", RIDGE, {"ridge": "0", "block-count": "99"}),
    ("experiment", NETWORK, {"epochs": "0", "cost-budget": "0", "nodes": "99", "decay": "2"}),
    ("experiment", NETWORK, {"learning-rates": "a", "width": "0", "batch": "0"}),
]
CASES = [
    (command, [*valid, *f"--{option} {value}".split()])
    for command, valid, options in REFUSED
    for option, value in options.items()
]
# The width is that of a network, which takes the extra to be made.
NEEDS_NETWORKS = "--width"


@pytest.fixture(autouse=True)
def identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("L.npy", np.eye(2))


@pytest.mark.parametrize(("command", "arguments"), CASES, ids=lambda case: str(case))
def test_a_refusal_names_an_option_of_the_command(command: str, arguments: list[str]) -> None:
    if NEEDS_NETWORKS in arguments:
        pytest.importorskip("flax", reason="needs the extras jax and examples")
    with pytest.raises(InvalidInput) as caught:
        commands.main(args=[command, *arguments], prog_name="rpttheory", standalone_mode=False)
    error = caught.value
    assert error.found and error.remedy
    group = commands.get_command(click.Context(commands), command)
    assert group is not None
    selected = group.commands[arguments[0]] if isinstance(group, click.Group) else group
    assert as_flag(error.argument) in {flag for option in selected.params for flag in option.opts}
    assert as_flag(error.argument) == arguments[-2]


def test_one_error_speaks_to_callers_and_to_users() -> None:
    error = InvalidInput(
        "must not exceed `clients`",
        "9",
        "or more `clients`",
        argument="nodes",
        suggest={"nodes": 4},
    ).at("task.py")
    assert error.parts(as_call) == (
        "task.py: nodes must not exceed `clients`",
        "9",
        "nodes=4, or more `clients`",
    )
    assert error.parts(as_flag) == (
        "task.py: --nodes must not exceed --clients",
        "9",
        "--nodes 4, or more --clients",
    )
    assert error.at("other.py").source == "task.py"
    assert [as_flag("L"), as_flag("jobs", 4), as_flag("symmetrize", True)] == [
        "L",
        "--jobs 4",
        "--symmetrize",
    ]
    assert as_flag("blocks", [1, 2]) == "--blocks 1,2"
