"""`rpttheory experiment network`: SGD, PT, RPT and other methods on a residual network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..errors import InvalidInput
from ..experiments.network.settings import METHODS, Settings
from .options import Command, Output, Workers, run_options
from .present import present_tables
from .progress import progress

# The paper's grid.
_LEARNING_RATES = "1,0.5,0.1,0.05,0.01,0.001"
# Values that --quick uses in place of the defaults.
_QUICK: dict[str, Any] = {
    "model": "resnet8",
    "width": 4,
    "cost_budget": 15.0,
    "repeats": 1,
    "methods": "sgd,rpt-output",
}


# Options that are fields of `Settings`, with the defaults they have there.
_SETTINGS = {
    "dataset": "digits (of scikit-learn) or cifar10.",
    "model": "resnet20 (22 blocks), resnet18, resnet14 or resnet8.",
    "width": "Channels of the first stage.  [default: 8, or 64 for resnet18]",
    "cost_budget": "Bytes that a run may send, as a multiple of those of an SGD step.",
    "epochs": "Largest number of epochs of a run.",
    "images": "Number of training images.  [default: all]",
    "batch": "Images per step, shared by the workers.",
    "nodes": "Workers that train at the same time.",
    "clients": "Clients that hold the images (federated methods).",
    "decay": "RPT's probabilities are 1, X, X^2, ... where X is this number.",
    "newton_schulz": "Newton-Schulz steps of Muon.",
    "learning_rate": "One learning rate for all methods.  [default: tuned for each method]",
}
_TYPES = {"width": int, "images": int, "learning_rate": float}


def _setting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for each setting."""
    for name, about in reversed(_SETTINGS.items()):
        flag = f"--{name.replace('_', '-')}"
        default = getattr(Settings, name)
        command = click.option(flag, default=default, type=_TYPES.get(name), help=about)(command)
    return command


@click.command(cls=Command)
@_setting_options
@click.option(
    "--data-dir",
    type=click.Path(),
    metavar="DIR",
    help="Folder with cifar-10-binary.tar.gz.  [default: a download]",
)
@click.option("--methods", help="Comma-separated names, such as sgd,rpt-input.  [default: all ten]")
@click.option(
    "--learning-rates",
    is_flag=False,
    flag_value=_LEARNING_RATES,
    metavar="LIST",
    help=f"Tune the learning rate of each method among these.  [without a LIST: {_LEARNING_RATES}]",
)
@click.option(
    "--quick", is_flag=True, help="A small network, a small budget and one repeat: one minute."
)
@run_options(repeats=4)
def network(
    data_dir: str | None,
    methods: str | None,
    learning_rates: str | None,
    repeats: int,
    workers: Workers,
    out: str,
    quick: bool,
    output: Output,
    **options: Any,
) -> None:
    """Train a residual network by SGD, PT, RPT, FedAvg, ProgFed and Muon (fig:cifar10).

    Every finished run is stored in --out; run the same command again to resume after an
    interruption.
    """
    from ..experiments.network.experiment import make_plan, write_results
    from ..experiments.network.table import PLACES, columns
    from ..report import Table
    from ..runs.progress import Event

    if quick:
        context = click.get_current_context()
        defaults = {name: value for name, value in _QUICK.items() if _is_default(context, name)}
        repeats = defaults.pop("repeats", repeats)
        methods = defaults.pop("methods", methods)
        options |= defaults
    names = [name.strip() for name in methods.split(",")] if methods else list(METHODS)
    settings = Settings(folder=data_dir, learning_rates=_rates(learning_rates), **options)
    plan = make_plan(settings, out, names, repeats)
    with workers.open() as executor, progress("network") as show_progress:
        show_progress(
            Event(
                f"{settings.model} on {settings.dataset}: {len(names)} methods, {repeats}"
                f" repeat(s), cost {settings.cost_budget:g}; compiling and measuring steps first,"
                " which takes minutes",
                milestone=True,
            )
        )
        plan.perform(executor, show_progress)
    rows, notes, paths = write_results(plan)
    tables = [Table.from_columns(columns(rows, place), rows) for place in PLACES]
    present_tables("network", tables, notes, paths, output)


def _is_default(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.DEFAULT


def _rates(text: str | None) -> tuple[float, ...]:
    """Return the learning rates of a list, largest first."""
    if text is None:
        return ()
    try:
        return tuple(sorted({float(item) for item in text.split(",")}, reverse=True))
    except ValueError:
        raise InvalidInput(
            "must list numbers",
            repr(text),
            argument="learning_rates",
            suggest={"learning_rates": _LEARNING_RATES},
        ) from None
