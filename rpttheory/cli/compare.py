"""`rpttheory compare`: the certified optimum beside gradient descent and the closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import errors_at
from .inputs import Input, MatrixOptions, matrix_options, one_number
from .options import PICTURES, Command, Output, output_options
from .present import present
from .progress import search_progress

if TYPE_CHECKING:
    from ..report import Document, Page
    from ..search.comparison import Comparison

_CAPTIONS = {
    "costs": "The certified interval of the optimum, and every other cost that is known",
    "probabilities": "Probabilities of an update",
}
_EXPLANATION = (
    "Upper end: c(P) at the stated probabilities, with a proved bound of L_P ="
    " lambda_max(P^-1/2 L P^-1/2).",
    "Lower end: a point of the dual semidefinite program, whose value is bounded with every"
    " rounding accounted for.",
    "No solver is trusted: it proposes both points, and only these two bounds decide.",
)


@click.command(cls=Command)
@matrix_options
@click.option(
    "--objective",
    type=click.Choice(["auto", "c_P", "both"]),
    default="auto",
    help="Minimize c(P) alone, or both c(P) and c_M. 'auto' omits c_M if its best order of blocks"
    " cannot be proved.",
)
@click.option("--p", help="Your own probabilities per block, compared with the others.")
@click.option(
    "--tol",
    default=1e-6,
    help="Relative gap of the certified bracket.",
)
@click.option(
    "--time-limit", type=float, help="Seconds after which the best bracket so far is shown."
)
@click.option(
    "--overhead",
    default="0",
    help="Cost paid on every step, on the scale of the costs.",
)
@click.option("--order", help="A forced order of the blocks, first to last, from 0: 2,0,1.")
@output_options(".html", ".csv", ".json", *PICTURES, certificate=True, digits=True, verbose=True)
def compare(
    matrix: MatrixOptions,
    objective: str,
    p: str | None,
    tol: float,
    time_limit: float | None,
    overhead: str,
    order: str | None,
    output: Output,
) -> int:
    """Find the probabilities of least cost, with a certificate.

    FILE is .npy, .npz, .csv, .txt or .mtx, or dataset:NAME, or - for standard input.

    Shows the cost c(P) of gradient descent, of the paper's closed form and of the global optimum.
    Also shows the optimum of c_M = lambda_max(E[CLC]) sum p_k c_k over nested samplings, which may
    replace c(P) for nonconvex functions. --output FILE.csv has the probabilities of every block.

    Exit code: 0 the gap was reached, 2 bad input, 3 Ctrl-C, the time limit or slow progress ended
    the search first; the best bracket so far is shown.
    """
    from ..search.comparison import compare as run
    from ..search.optimal import check_options

    check_options(tol, time_limit=time_limit)
    overhead_cost = one_number(overhead, "overhead")
    read = matrix.read()
    with errors_at(read.name, "L"), search_progress(output.as_json) as progress:
        result = run(
            read.L,
            read.blocks,
            read.costs,
            overhead=overhead_cost,
            order=order,
            probabilities=p,
            objective=objective,
            tol=tol,
            time_limit=time_limit,
            progress=progress,
        )
    document = result.render(read.name, read.report_notes, output.detail)
    return present(result, document, lambda: _page(result, document, read), output, read=read)


def _page(result: Comparison, document: Document, read: Input) -> Page:
    from ..report import Page
    from ..search.comparison_report import words

    explanation = [*_EXPLANATION, f"Optimum by {result.optimal.method}: {result.optimal.message}."]
    return Page(
        f"compare {read.name}",
        "Which probabilities make randomized progressive training cheapest here, and what do they"
        " save?",
        " ".join(words(result)[:2]),
        document,
        [(caption, result.plot(kind=kind).figure) for kind, caption in _CAPTIONS.items()],
        explanation + ([result.left_out] if result.left_out else []),
    )
