"""`rpttheory compare`: the certified optimum, and which sampling is cheapest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import errors_at
from .inputs import Input, MatrixOptions, matrix_options, one_number
from .options import PICTURES, Command, Output, order_option, output_options, overhead_option
from .present import present
from .progress import search_progress

if TYPE_CHECKING:
    from ..report import Document, Page
    from ..search.comparison import Comparison

_CAPTIONS = {
    "costs": "Costs by c(P), and of samplings by c_M, with a bound below all samplings",
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
@click.option("--p", help="Your own probabilities per block, compared with the others.")
@overhead_option
@click.option(
    "--budget",
    type=int,
    metavar="TAU",
    help="At most TAU blocks in a step.  [default: no limit]",
)
@click.option(
    "--backprop",
    is_flag=True,
    help="A step pays for all blocks up to its deepest one. List the blocks from the output"
    " layer to the input layer, or use --order.",
)
@order_option
@click.option(
    "--orders",
    is_flag=True,
    help="Also search for the order and the probabilities of nested sampling with the least c_M.",
)
@click.option(
    "--tol",
    default=1e-6,
    help="Relative gap of the certified bracket.",
)
@click.option(
    "--time-limit",
    type=float,
    help="Seconds after which the best bracket so far is shown.  [default: 20 for --orders]",
)
@output_options(
    ".html", ".csv", ".json", *PICTURES, certificate=True, digits=True, verbose=True, latex=True
)
def compare(
    matrix: MatrixOptions, overhead: str, output: Output, p: str | None, **options: Any
) -> int:
    """Find the probabilities of least c(P), and compare samplings by c_M.

    FILE is .npy, .npz, .csv, .txt or .mtx, or dataset:NAME, or - for standard input.

    The first table has the cost c(P) = L_P sum p_k c_k of gradient descent, of the paper's closed
    form and of the global optimum. For nonconvex functions c_M = L_M sum p_k c_k replaces c(P); the
    second table has this cost of several samplings, and a lower bound for every sampling.
    --output FILE.csv writes the probabilities of every block.

    Exit code: 0 the gap is at most --tol, 2 bad input, 3 Ctrl-C, the time limit or slow progress
    ended the search first; the best bracket so far is shown.
    """
    from ..search.comparison import compare as run
    from ..search.optimal import check_options

    check_options(options["tol"], time_limit=options["time_limit"])
    overhead_cost = one_number(overhead, "overhead")
    read = matrix.read()
    with errors_at(read.name, "L"), search_progress() as progress:
        result = run(
            read.L,
            read.blocks,
            read.costs,
            overhead=overhead_cost,
            probabilities=p,
            progress=progress,
            **options,
        )
    document = result.render(read.name, read.report_notes, output.detail)
    return present(result, document, lambda: _page(result, document, read), output, read=read)


def _page(result: Comparison, document: Document, read: Input) -> Page:
    from ..report import Page, draw
    from ..search.comparison_report import sentences

    explanation = [*_EXPLANATION, f"Optimum by {result.optimal.method}: {result.optimal.message}."]
    return Page(
        f"compare {read.name}",
        "Which sampling and which probabilities are cheapest here, and what do they save?",
        " ".join(sentences(result)[:2]),
        document,
        [(caption, draw(result.plot, kind=kind)) for kind, caption in _CAPTIONS.items()],
        explanation + ([result.left_out] if result.left_out else []),
    )
