"""`rpttheory rates`: how many steps every theorem promises, and at what cost."""

import click

from ..errors import errors_at
from .inputs import MatrixOptions, matrix_options, one_number
from .present import Output, output_options, present
from .progress import watched

_HOW = (
    "Steps and costs are brackets: each theorem is evaluated at both ends of its constants, in"
    " arithmetic that accounts for every rounding.",
    "The theorems themselves are in the ledger: rpttheory proofs LABEL.",
)


@click.command()
@matrix_options
@click.option(
    "--eps",
    default="1e-3",
    show_default=True,
    help="What each theorem's left-hand side is brought down to.",
)
@click.option(
    "--mu",
    default=None,
    help="Strong convexity; refused above the least eigenvalue of L.  [default: not used]",
)
@click.option(
    "--distance",
    "squared_distance",
    default="1",
    show_default=True,
    help="The squared distance ||x_0 - x*||^2.",
)
@click.option(
    "--gap",
    default=None,
    help="f(x_0) - f*.  [default: the most that L allows, lmax ||x_0 - x*||^2 / 2]",
)
@output_options("plot")
def rates(
    matrix: MatrixOptions,
    eps: str,
    mu: str | None,
    squared_distance: str,
    gap: str | None,
    output: Output,
) -> int:
    """How many steps it will take, on the matrix in FILE, by every theorem of the paper and our
    sharper ones.

    Stepsize, number of steps and expected cost for gradient descent, the closed form and the
    probabilities of least c(P). Ctrl-C ends the search for those: the last column is then the best
    so far.

    Exit code: 0 the search was finished, 2 bad input, 3 it was not.
    """
    from ..report import Page
    from ..runs.progress import Event
    from ..theorems.prediction import rates as predict

    texts = {"eps": eps, "mu": mu, "squared_distance": squared_distance, "gap": gap}
    numbers = {name: one_number(text, name) for name, text in texts.items() if text is not None}
    read = matrix.read()
    with errors_at(read.name, "L"), watched(output.as_json) as (callback, watch):
        watch(Event("optimum of c(P)"))
        result = predict(read.L, read.blocks, read.costs, callback=callback, **numbers)
    document = result.render(read.name, (f"L is {read.numbers}, taken exactly", *read.notes))

    def page() -> Page:
        return Page(
            f"rates {read.name}",
            "How many steps will it take, and at what cost?",
            result.answer,
            document,
            [("Expected cost by theorem, relative to gradient descent", result.plot().figure)],
            _HOW,
        )

    details = {"input": read.to_dict()}
    return present(result, output, document, page, source=matrix.file, details=details)
