"""`rpttheory experiment`: the paper's tables and figures, reproduced beside certified and measured
values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .experiment_network import network
from .output import Interrupted, emit, remark, wide_option
from .page import experiment_page, html_option
from .progress import progress
from .workers import Workers, worker_options

if TYPE_CHECKING:
    from ..experiments.runner import Experiment

Command = TypeVar("Command", bound=Callable[..., Any])


class _Resumable(click.Group):
    """Commands that keep what they have finished, and say so when they are interrupted."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            raise Interrupted("the same command again; it goes on where it stopped") from None


@click.group(cls=_Resumable)
def experiment() -> None:
    """Reproduce the paper's experiments: printed, recomputed, certified and measured values side by
    side.

    Every finished row is stored in --out; run the same command again to resume after an
    interruption.
    """


experiment.add_command(network)


def _shared_options(command: Command) -> Command:
    decorators = (
        click.option(
            "--out",
            required=True,
            type=click.Path(),
            help="Folder for results; made if it is not there.",
        ),
        click.option(
            "--seeds", type=int, default=5, show_default=True, help="Runs of each random method."
        ),
        click.option(
            "--tolerance",
            type=float,
            default=1e-8,
            show_default=True,
            help="A run ends when f - f* <= X (f(x0) - f*).",
        ),
        click.option(
            "--stepsize",
            type=float,
            default=1.0,
            show_default=True,
            help="Multiple, at most 1, of what theory allows GD and RPT.",
        ),
        worker_options,
        wide_option,
        html_option,
    )
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


@experiment.command()
@click.option(
    "--rows", default=None, help="Rows of the table, such as 3 or 1-4,12.  [default: all twelve]"
)
@click.option(
    "--spread",
    type=float,
    default=None,
    help="Eigenvalues of block k are evenly spaced from (1 - X) L_k to L_k.  [default: 2/11]",
)
@_shared_options
def quadratics(
    rows: str | None,
    spread: float | None,
    out: str,
    workers: Workers,
    html: str | None,
    **options: Any,
) -> None:
    """The twelve diagonal quadratics of table:quad_functions."""
    from ..experiments.quadratics import SPREAD, Quadratics

    chosen = Quadratics(spread=SPREAD if spread is None else spread, **options)
    _perform(chosen, _row_numbers(rows, chosen.rows), out, workers, html)


@experiment.command()
@click.option(
    "--data",
    "names",
    default=None,
    help="Data sets: california,prostate,ozone,wine.  [default: all]",
)
@click.option(
    "--data-dir",
    type=click.Path(),
    default=None,
    help="Folder with copies of the data files.  [default: those of the package]",
)
@click.option(
    "--normalization",
    default="minmax",
    show_default=True,
    help="minmax (to [-1, 1]), unit-interval, zscore or unit-norm.",
)
@click.option(
    "--lam", type=float, default=0.1, show_default=True, help="The regularization, lambda."
)
@click.option("--blocks", type=int, default=3, show_default=True, help="Number of blocks.")
@click.option("--ties", default="stable", show_default=True, help="stable, reversed or bias-first.")
@_shared_options
def ridge(
    names: str | None,
    data_dir: str | None,
    normalization: str,
    lam: float,
    blocks: int,
    ties: str,
    out: str,
    workers: Workers,
    html: str | None,
    **options: Any,
) -> None:
    """Ridge regression on the four data sets of table:ridge_regression."""
    from ..experiments.preprocessing import Preprocessing
    from ..experiments.ridge import RidgeRegression

    chosen = RidgeRegression(
        choice=Preprocessing(normalization, lam, blocks, ties), folder=data_dir, **options
    )
    rows = _data_sets(names, chosen.rows)
    chosen.require_data(rows)
    _perform(chosen, rows, out, workers, html)


def _perform(
    chosen: Experiment, rows: Sequence[str], out: str, workers: Workers, html: str | None
) -> None:
    """Run what is missing, write the outputs, print the table."""
    from ..experiments.runner import run_experiment, write_outputs
    from ..experiments.table import document
    from ..runs.progress import Event
    from ..runs.store import Store

    store = Store(out, chosen.name, chosen.settings)
    with workers.open() as executor, progress(chosen.name) as watch:
        results = run_experiment(chosen, store, rows, executor=executor, watch=watch)
        watch(Event("drawing ...", milestone=True))
        written = write_outputs(chosen, store, results)
    notes = chosen.notes(results)
    shown = document(chosen.columns, results, notes)
    if html is not None:
        experiment_page(html, chosen.name, shown, notes, written)
    emit(shown)
    remark("wrote " + ", ".join(written))


def _row_numbers(text: str | None, known: Sequence[str]) -> list[str]:
    """Rows from a list of numbers and ranges."""
    from ..errors import InvalidInput

    if text is None:
        return list(known)
    chosen: set[int] = set()
    for item in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,3})\s*(?:-\s*([0-9]{1,3})\s*)?", item)
        first, last = (int(end or match[1]) for end in match.groups()) if match else (0, 0)
        if not 1 <= first <= last <= len(known):
            raise InvalidInput(
                "unknown row", repr(item), f"numbers from 1 to {len(known)}, such as 1-4,12"
            )
        chosen.update(range(first, last + 1))
    return [known[number - 1] for number in sorted(chosen)]


def _data_sets(text: str | None, known: Sequence[str]) -> list[str]:
    from ..errors import InvalidInput

    if text is None:
        return list(known)
    chosen = [item.strip() for item in text.split(",")]
    for item in chosen:
        if item not in known:
            raise InvalidInput("unknown data set", repr(item), ", ".join(known))
    return [name for name in known if name in chosen]
