"""`rpttheory advise`: the probabilities for a network, and whether they save anything."""

from __future__ import annotations

from typing import Any

import click

from .options import PICTURES, Command, Output, output_options, time_limit_option
from .present import present
from .progress import progress


@click.command(cls=Command)
@click.argument("factory", metavar="MODULE:FACTORY")
@click.option(
    "--resource",
    type=click.Choice(["time", "flops", "bytes", "memory"]),
    default="time",
    help="Resource to save: processor time, operations, bytes sent in data-parallel training, or"
    " temporary memory.",
)
@click.option(
    "--order",
    type=click.Choice(["both", "input-first", "output-first"]),
    default="both",
    help="Orders of the blocks to try.",
)
@click.option(
    "--curvature",
    type=click.Choice(["auto", "ggn", "hessian"]),
    default="auto",
    help="Curvature matrix. 'ggn' needs a model and a criterion; 'auto' uses it if they are given.",
)
@click.option(
    "--tol",
    default=1e-3,
    help="Relative gap of the certified bracket.",
)
@click.option(
    "--rounds",
    default=9,
    help="Time measurements of each set of blocks that a step can update, with --resource time.",
)
@time_limit_option
@output_options(".html", ".csv", ".json", *PICTURES)
def advise(factory: str, tol: float, output: Output, **options: Any) -> int:
    """Recommend probabilities for training a network with RPT.

    The command measures the network's costs and curvature, and reports whether RPT can save cost.

    MODULE is a dotted name or the path of a .py file. FACTORY is a function in it without arguments
    that returns (loss, params, batch, labels) or an rpttheory.networks.Task. FACTORY is called.

    Curvature is measured at the given parameters only: the answer is about a quadratic model there.

    Exit code: 0 answered, 2 bad input, 3 the searches ended without an answer.
    """
    from .. import networks
    from ..report import Page, draw
    from ..search.optimal import check_options

    check_options(tol)
    task = networks.Task.load(factory)
    with progress("advise", quiet=output.as_json) as show_progress:
        result = networks.advise(task, tol=tol, progress=show_progress, **options)
    document = result.render()
    return present(
        result,
        document,
        lambda: Page(
            f"advise {result.name or factory}",
            "Which probabilities should RPT use on this network, and do they save anything?",
            result.verdict,
            document,
            [("Optimal probabilities", draw(result.plot))],
            (
                "Costs are measured, and curvature at one point by products: the answer is"
                " numerical, nothing is proved.",
            ),
        ),
        output,
    )
