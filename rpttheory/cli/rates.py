"""`rpttheory rates`: the number of steps that each theorem predicts, and their cost."""

from typing import Any

import click

from ..errors import errors_at
from .inputs import MatrixOptions, matrix_options, one_number
from .options import (
    PICTURES,
    Command,
    Output,
    order_option,
    output_options,
    overhead_option,
    time_limit_flag,
)
from .present import present
from .progress import search_progress

_EXPLANATION = (
    "Steps and costs are brackets: each theorem is evaluated at both ends of its constants, in"
    " arithmetic that accounts for every rounding.",
    "The theorems themselves are in the ledger: rpttheory proofs LABEL.",
)


@click.command(cls=Command)
@matrix_options
@click.option("--eps", default="1e-3", help="Target for each theorem's left-hand side.")
@click.option(
    "--mu",
    default="auto",
    help="Strong convexity constant of f: a number, 'none', or 'auto' for the ridge (2 X), else for"
    " a proved lower bound on lambda_min(L), which is one if f is quadratic with Hessian L.",
)
@click.option("--squared-distance", default="1", help="||x_0 - x*||^2 at the start.")
@click.option(
    "--gap",
    help="f(x_0) - f* at the start.  [default: the most that L allows, lmax ||x_0 - x*||^2 / 2]",
)
@overhead_option
@order_option
@time_limit_flag
@output_options(".html", ".csv", ".json", *PICTURES, digits=True, verbose=True, latex=True)
def rates(
    matrix: MatrixOptions,
    output: Output,
    mu: str,
    order: str | None,
    time_limit: float | None,
    **numbers: str | None,
) -> int:
    """Predict the steps and the cost of nested sampling from the theorems.

    FILE is .npy, .npz, .csv, .txt or .mtx, or dataset:NAME, or - for standard input.

    The table has the stepsize, the number of steps and the expected cost for gradient descent, the
    closed form and the probabilities of least c(P). If Ctrl-C or the time limit ends the search for
    those, the best probabilities so far are shown.

    Exit code: 0 the search was finished, 2 bad input, 3 it was not.
    """
    from ..report import Page, draw
    from ..runs.progress import Event
    from ..theorems.prediction import rates as predict

    convexity: Any = None if mu == "none" else mu if mu == "auto" else one_number(mu, "mu")
    parsed = {name: one_number(text, name) for name, text in numbers.items() if text is not None}
    read = matrix.read()
    with errors_at(read.name, "L"), search_progress(time_limit) as progress:
        progress(Event("optimum of c(P)"))
        result = predict(
            read.L,
            read.blocks,
            read.costs,
            mu=convexity,
            order=order,
            progress=progress,
            **parsed,
        )
    document = result.render(read.name, read.report_notes, output.detail)
    return present(
        result,
        document,
        lambda: Page(
            f"rates {read.name}",
            "How many steps will it take, and at what cost?",
            result.answer,
            document,
            [("Expected cost by theorem, on a logarithmic axis", draw(result.plot))],
            _EXPLANATION,
        ),
        output,
        read=read,
    )
