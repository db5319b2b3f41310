"""`rpttheory experiment`: the paper's tables and figures, with certified and measured values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import InvalidInput
from .experiment_network import network
from .options import Command, Decorator, Output, Workers, run_options
from .output import Interrupted
from .present import present_tables
from .progress import progress

if TYPE_CHECKING:
    from ..experiments.runner import Experiment


class _Resumable(click.Group):
    """Commands that save finished rows, and say so when they are interrupted."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            raise Interrupted("the same command again, which resumes the run") from None


@click.group(cls=_Resumable)
def experiment() -> None:
    """Reproduce the paper's experiments.

    The tables show the values printed in the paper beside recomputed, certified and measured ones.
    Every finished row is stored in --out; run the same command again to resume after an
    interruption.
    """


experiment.add_command(network)


def _measurement_options(tol: float) -> Decorator:
    """Return a decorator that adds the options of experiments that measure methods."""
    tol_option = click.option(
        "--tol",
        default=tol,
        metavar="X",
        help="A run ends when f - f* <= X (f(x0) - f*).",
    )
    return lambda command: tol_option(run_options(repeats=5)(command))


@experiment.command(cls=Command)
@click.option("--rows", help="Rows of the table, such as 3 or 1-4,12.  [default: all twelve]")
@click.option(
    "--spread",
    type=float,
    metavar="X",
    help="Eigenvalues of block k are evenly spaced from (1 - X) L_k to L_k.  [default: 2/11]",
)
@_measurement_options(tol=1e-8)
def quadratics(
    rows: str | None,
    spread: float | None,
    out: str,
    workers: Workers,
    output: Output,
    **options: Any,
) -> None:
    """The twelve diagonal quadratics of table:quad_functions."""
    from ..experiments.quadratics import SPREAD, Quadratics

    settings = Quadratics(spread=SPREAD if spread is None else spread, **options)
    _run(settings, _row_numbers(rows, settings.rows), out, workers, output)


@experiment.command(cls=Command)
@click.option("--tau", default=2, help="Blocks in a step of the tau-nice sampling.")
@_measurement_options(tol=1e-6)
def samplings(out: str, workers: Workers, output: Output, **options: Any) -> None:
    """Run samplings at their stepsizes 1/L_M, beside the predicted costs.

    The problems are two quadratics, a ridge regression and a logistic regression, each with an
    overhead of 0, 0.1 and 1.
    """
    from ..experiments.samplings import Samplings

    settings = Samplings(**options)
    _run(settings, settings.rows, out, workers, output)


@experiment.command(cls=Command)
@click.option(
    "--dataset", help="Data sets: california,prostate,ozone,wine.  [default: all of them]"
)
@click.option(
    "--normalization",
    default="minmax",
    help="minmax (to [-1, 1]), unit-interval, zscore or unit-norm.",
)
@click.option("--ridge", default=0.1, help="The ridge penalty.")
@click.option("--block-count", default=3, help="Number of blocks.")
@click.option(
    "--ties",
    default="stable",
    help="Order of equal columns: stable, reversed or bias-first.",
)
@_measurement_options(tol=1e-8)
def ridge(
    dataset: str | None,
    out: str,
    workers: Workers,
    output: Output,
    **options: Any,
) -> None:
    """Ridge regression on the four data sets of table:ridge_regression."""
    from ..experiments.ridge import RidgeRegression

    settings = RidgeRegression(**options)
    rows = _data_sets(dataset, settings.rows)
    for row in rows:
        settings.instance(row)  # too many blocks are refused before any work
    _run(settings, rows, out, workers, output)


def _run(
    experiment: Experiment, rows: Sequence[str], out: str, workers: Workers, output: Output
) -> None:
    """Compute the missing rows, write the files and print the table."""
    from ..experiments.runner import run_experiment, write_outputs
    from ..report import Table
    from ..runs.progress import Event
    from ..runs.store import Store

    store = Store(out, experiment.name, experiment.settings)
    with workers.open() as executor, progress(experiment.name) as show_progress:
        results = run_experiment(experiment, store, rows, executor=executor, progress=show_progress)
        show_progress(Event("drawing ...", milestone=True))
        paths = write_outputs(experiment, store, results)
    table = Table.from_columns(experiment.columns, results)
    present_tables(experiment.name, [table], experiment.notes(results), paths, output)


def _row_numbers(text: str | None, rows: Sequence[str]) -> list[str]:
    """Return the rows that a list of numbers and ranges names."""
    if text is None:
        return list(rows)
    numbers: set[int] = set()
    for item in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,3})\s*(?:-\s*([0-9]{1,3})\s*)?", item)
        first, last = (int(end or match[1]) for end in match.groups()) if match else (0, 0)
        if not 1 <= first <= last <= len(rows):
            raise InvalidInput(
                f"must be numbers from 1 to {len(rows)}", repr(item), "1-4,12", argument="rows"
            )
        numbers.update(range(first, last + 1))
    return [rows[number - 1] for number in sorted(numbers)]


def _data_sets(text: str | None, rows: Sequence[str]) -> list[str]:
    if text is None:
        return list(rows)
    names = [item.strip() for item in text.split(",")]
    for name in names:
        if name not in rows:
            raise InvalidInput(
                "is not one of the choices", repr(name), ", ".join(rows), argument="dataset"
            )
    return [name for name in rows if name in names]
