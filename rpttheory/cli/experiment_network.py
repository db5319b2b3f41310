"""`rpttheory experiment network`: SGD, PT, RPT and their neighbors on a residual network, in four
currencies.
"""

from __future__ import annotations

from typing import Any

import click

from .output import emit, remark, wide_option
from .page import experiment_page, html_option
from .progress import progress
from .workers import Workers, worker_options

# The paper's grid of learning rates.
_GRID = "1,0.5,0.1,0.05,0.01,0.001"
# What --quick puts in place of the defaults.
_QUICK: dict[str, Any] = {
    "model": "resnet8",
    "width": 4,
    "budget": 15.0,
    "seeds": 1,
    "methods": "sgd,rpt-output",
}


@click.command()
@click.option(
    "--data", default="digits", show_default=True, help="digits (of scikit-learn) or cifar10."
)
@click.option(
    "--data-dir",
    type=click.Path(),
    default=None,
    help=(
        "Folder with CIFAR-10: the original archive or a subset.  [default: $RPTTHEORY_DATA, else"
        " download]"
    ),
)
@click.option(
    "--model",
    default="resnet20",
    show_default=True,
    help="resnet20 (22 blocks), resnet18, resnet14 or resnet8.",
)
@click.option(
    "--width",
    type=int,
    default=None,
    help="Channels of the first stage.  [default: 8, or 64 for resnet18]",
)
@click.option(
    "--budget",
    type=float,
    default=150.0,
    show_default=True,
    help="Bytes of a run, in steps of SGD.",
)
@click.option(
    "--epochs", type=float, default=60.0, show_default=True, help="A run ends here at the latest."
)
@click.option(
    "--images", type=int, default=None, help="As many of the training images.  [default: all]"
)
@click.option(
    "--batch",
    type=int,
    default=128,
    show_default=True,
    help="Images in a step; workers share them.",
)
@click.option(
    "--nodes", type=int, default=4, show_default=True, help="Workers that train at a time."
)
@click.option(
    "--clients",
    type=int,
    default=10,
    show_default=True,
    help="Who holds the images (federated methods).",
)
@click.option(
    "--split", default="even", show_default=True, help="How clients hold them: even or class."
)
@click.option(
    "--local-steps",
    type=int,
    default=4,
    show_default=True,
    help="Steps between averages (IST, ResIST).",
)
@click.option(
    "--decay",
    type=float,
    default=0.9,
    show_default=True,
    help="RPT's probabilities: 1, X, X^2, ...",
)
@click.option("--methods", default=None, help="Such as sgd,rpt-input.  [default: all twelve]")
@click.option(
    "--learning-rate", type=float, default=None, help="One for all methods.  [default: tuned ones]"
)
@click.option(
    "--tune",
    is_flag=False,
    flag_value=_GRID,
    default=None,
    help=f"Choose learning rates on validation images with another seed.  [list, or {_GRID}]",
)
@click.option("--seeds", type=int, default=4, show_default=True, help="Runs of each method.")
@click.option(
    "--quick",
    is_flag=True,
    help="A picture within a minute: a small network, a short budget, one seed.",
)
@wide_option
@worker_options
@html_option
@click.option(
    "--out", required=True, type=click.Path(), help="Folder for results; made if it is not there."
)
def network(
    data_dir: str | None,
    methods: str | None,
    tune: str | None,
    seeds: int,
    workers: Workers,
    out: str,
    quick: bool,
    html: str | None,
    **options: Any,
) -> None:
    """SGD, progressive training, RPT, ProgFed, IST and ResIST on a residual network (the paper's
    fig:cifar10).

    Every finished run is stored in --out; run the same command again to resume after an
    interruption.
    """
    from ..experiments.network.experiment import make_plan, write_results
    from ..experiments.network.settings import METHODS, Settings
    from ..experiments.network.table import PLACES, columns
    from ..experiments.table import document
    from ..runs.progress import Event

    if quick:
        context = click.get_current_context()
        left = {name: value for name, value in _QUICK.items() if _is_default(context, name)}
        seeds = left.pop("seeds", seeds)
        methods = left.pop("methods", methods)
        options |= left
    chosen = [name.strip() for name in methods.split(",")] if methods else list(METHODS)
    settings = Settings(folder=data_dir, grid=_rates(tune), **options)
    plan = make_plan(settings, out, chosen, seeds)
    with workers.open() as executor, progress("network") as watch:
        what = (
            f"{settings.model} on {settings.data}: {len(chosen)} methods, {seeds} seed(s), cost"
            f" {settings.budget:g}"
        )
        watch(
            Event(
                f"{what}; compiling and measuring steps first, which takes minutes", milestone=True
            )
        )
        plan.perform(executor, watch)
    rows, notes, written = write_results(plan)
    shown = [
        *(part for place in PLACES for part in (*document(columns(rows, place), rows), "")),
        *document([], [], notes),
    ]
    if html is not None:
        experiment_page(html, "network", shown, notes, written)
    emit(shown)
    remark("wrote " + ", ".join(written))


def _is_default(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.DEFAULT


def _rates(text: str | None) -> tuple[float, ...]:
    """A list of learning rates."""
    from ..errors import InvalidInput

    try:
        return (
            ()
            if text is None
            else tuple(sorted({float(item) for item in text.split(",")}, reverse=True))
        )
    except ValueError:
        raise InvalidInput(
            "must list learning rates", repr(text), argument="grid", suggest={"grid": _GRID}
        ) from None
