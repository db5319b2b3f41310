"""`rpttheory compare`: the certified optimum beside gradient descent and the closed form."""

from __future__ import annotations

import click

from ..errors import errors_at
from .inputs import MatrixOptions, matrix_options, one_number
from .present import Output, output_options, present
from .progress import watched

_CAPTIONS = {
    "costs": "The certified interval of the optimum, and every other cost that is known",
    "probabilities": "Probabilities of an update",
    "matrix": "The entries of L, with the borders of its blocks",
    "spectrum": (
        "Eigenvalues of P^-1/2 L P^-1/2 times the expected cost of a step; the largest is c(P)"
        " (numerical)"
    ),
}
_HOW = (
    (
        "Upper end: c(P) at the stated probabilities, with a proved bound of L_P ="
        " lambda_max(P^-1/2 L P^-1/2)."
    ),
    (
        "Lower end: a point of the dual semidefinite program, whose value is bounded with every"
        " rounding accounted for."
    ),
    "No solver is trusted: it proposes both points, and only these two bounds decide.",
)


@click.command()
@matrix_options
@click.option(
    "--objective",
    type=click.Choice(["auto", "c_P", "both"]),
    default="auto",
    show_default=True,
    help="c(P) alone, or c(P) and c_M; auto omits c_M where its best order cannot be proved.",
)
@click.option(
    "--p",
    "probabilities",
    default=None,
    help="Probabilities per block of your own, judged beside the others.",
)
@click.option(
    "--tol",
    type=float,
    default=1e-6,
    show_default=True,
    help="Relative gap of the certified bracket.",
)
@click.option(
    "--time-limit",
    "limit",
    type=float,
    default=None,
    help="Seconds, after which the best bracket is shown.",
)
@click.option(
    "--overhead",
    default="0",
    show_default=True,
    help="Cost paid on every step, on the scale of the costs.",
)
@click.option(
    "--order",
    "forced",
    default=None,
    help="A forced order of the blocks, first to last, counting from 0: 2,0,1.",
)
@output_options("plot", "rows", "certificate")
def compare(
    matrix: MatrixOptions,
    objective: str,
    probabilities: str | None,
    tol: float,
    limit: float | None,
    overhead: str,
    forced: str | None,
    output: Output,
) -> int:
    """Find the probabilities of least cost c(P) for the matrix in FILE, with a certificate.

    Shows gradient descent, the paper's closed form and the global optimum of c(P) side by side, and
    the optimum of c_M = lambda_max(E[CLC]) sum p_k c_k over nested samplings, which may replace
    c(P) for nonconvex functions. Costs are taken as given.

    Exit code: 0 the gap was reached, 2 bad input, 3 it was not (or Ctrl-C, or the time limit, ended
    the search: the best bracket so far).
    """
    from ..report import Page
    from ..search.comparison import check_time_limit
    from ..search.comparison import compare as run
    from ..search.comparison_pictures import drawable
    from ..search.comparison_report import words
    from ..search.optimal import check_options

    check_options(tol)
    if limit is not None:
        check_time_limit(limit)
    charge = one_number(overhead, "overhead")
    read = matrix.read()
    with errors_at(read.name, "L"), watched(output.as_json) as (callback, watch):
        result = run(
            read.L,
            read.blocks,
            read.costs,
            overhead=charge,
            order=forced,
            probabilities=probabilities,
            objective=objective,
            tol=tol,
            time_limit=limit,
            callback=callback,
            watch=watch,
        )
    document = result.render(read.name, (f"L is {read.numbers}, taken exactly", *read.notes))

    def page() -> Page:
        everything = drawable(result)
        kinds = [kind for kind in _CAPTIONS if everything or kind in ("probabilities", "costs")]
        how = [*_HOW, f"Optimum by {result.optimal.method}: {result.optimal.message}."]
        return Page(
            f"compare {read.name}",
            "Which probabilities make randomized progressive training cheapest here, and what do"
            " they save?",
            " ".join(words(result)[:2]),
            document,
            [(_CAPTIONS[kind], result.plot(kind=kind).figure) for kind in kinds],
            how + ([result.left_out] if result.left_out else []),
        )

    details = {"input": read.to_dict()}
    return present(result, output, document, page, source=matrix.file, details=details)
